import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { useShopId, useShops } from './api/hooks.ts';
import { useFrameShopId } from './api/last-shop.ts';
import { useMayKnown } from './api/permissions.ts';
import { lostSession, useSession } from './api/session.ts';
import { Find, FindButton, useFindKey } from './find.tsx';
import { t } from './i18n/t.ts';
import { LiveMoments } from './live-moments.tsx';
import { Menu } from './menu.tsx';
import { menuPages } from './navigation.ts';
import { ModeNote, ModeToggle } from './mode-view.tsx';
import { OfflineNote } from './offline-note.tsx';
import { RestoredNote } from './restored-note.tsx';
import { SignInAgain } from './pages/sign-in/sign-in-again.tsx';
import { Empty, LINK, PageTitle, Loaded } from './ui/basics.tsx';
import { BASE_PATH } from '../base-path.ts';

/** Navigation around every page of a signed-in user. */
export function Frame({ children }: { children?: ReactNode }) {
  const session = useSession();
  const navigate = useNavigate();
  const client = useQueryClient();
  const shown = session ?? lostSession();
  const isOut = shown === null;
  const shopId = useFrameShopId(useIsListOfShops());
  const [isFinding, setFinding] = useState(false);
  const find = useCallback(() => setFinding(true), []);
  useFindKey(find);
  useEffect(() => {
    if (!isOut) return;
    client.clear();
    void navigate({ to: '/login', replace: true });
  }, [isOut, navigate, client]);
  if (shown === null) return null;
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_1fr]">
      {session === null && <SignInAgain as={shown.user} />}
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-10 focus:m-2 focus:bg-card focus:p-2"
      >
        {t('Skip to content')}
      </a>
      <header className="relative border-b border-line bg-card lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:border-e lg:border-b-0">
        <div className="flex items-center justify-between gap-3 p-4">
          <Link to="/shops" className="flex items-center gap-2.5 text-lg font-bold tracking-tight">
            <img src={`${BASE_PATH}/icon.svg`} alt="" className="size-8" />
            tilld
          </Link>
        </div>
        <FindButton className="mx-4 mb-3 hidden lg:flex" onClick={find} />
        <ShopChoice />
        <Menu shopId={shopId} email={shown.user.email} onFind={find} />
      </header>
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto w-full max-w-6xl min-w-0 px-4 py-6 outline-none sm:px-8 sm:py-8"
      >
        <LiveMoments />
        <OfflineNote />
        <ModeNote />
        <RestoredNote />
        {children ?? <Page />}
      </main>
      <FindInPages open={isFinding} onClose={() => setFinding(false)} />
    </div>
  );
}

function FindInPages(props: { open: boolean; onClose: () => void }) {
  const shopId = useFrameShopId(useIsListOfShops());
  const may = useMayKnown(shopId);
  return <Find {...props} shopId={shopId} pages={menuPages(shopId, may)} />;
}

/** The page of the address, or a message that the user does not have the shop. */
function Page() {
  const shops = useShops();
  const shopId = useShopId();
  if (shopId === '') return <Outlet />;
  // The shop determines mode and time zone of its pages, so they wait until it is loaded.
  if (shops.isPending) return <Loaded of={shops}>{() => null}</Loaded>;
  const isKnown = shops.data?.merchants.some(({ id }) => id === shopId) ?? true;
  if (isKnown) return <Outlet />;
  return (
    <>
      <PageTitle title={t('No such shop')} />
      <Empty title={t('You have no shop at this address')}>
        <Link to="/shops" className={LINK}>
          {t('Go to your shops')}
        </Link>
      </Empty>
    </>
  );
}

function useIsListOfShops(): boolean {
  return useLocation({ select: ({ pathname }) => pathname === '/shops' || pathname === '/' });
}

function ShopChoice() {
  const shops = useShops().data?.merchants ?? [];
  const shopId = useFrameShopId(useIsListOfShops());
  const navigate = useNavigate();
  if (shops.length === 0) return null;
  return (
    <div className="flex gap-2 px-4 pb-3 lg:grid">
      <select
        aria-label={t('Shop')}
        value={shopId}
        onChange={(event) => {
          const { value } = event.target;
          // Another shop is shown in its own mode.
          const search = { mode: undefined };
          void navigate(
            value === ''
              ? { to: '/shops', search }
              : { to: '/shop/$shopId', params: { shopId: value }, search },
          );
        }}
        className="min-h-10 w-full min-w-0 rounded-xl border border-edge bg-well px-3 text-sm font-semibold"
      >
        <option value="">{t('All shops')}</option>
        {shops.map((shop) => (
          <option key={shop.id} value={shop.id}>
            {shop.name}
          </option>
        ))}
      </select>
      <ModeToggle />
    </div>
  );
}
