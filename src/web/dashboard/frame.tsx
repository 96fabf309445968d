import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useAct, useApi, useShopId, useShops } from './api/hooks.ts';
import { useFrameShopId } from './api/last-shop.ts';
import { useMayKnown } from './api/permissions.ts';
import { lostSession, useSession } from './api/session.ts';
import { signOut } from './api/sign-out.ts';
import { Find, FindButton, useFindKey } from './find.tsx';
import { t } from './i18n/t.ts';
import { useMode } from './api/mode.ts';
import { ModeNote, ModeToggle } from './mode-view.tsx';
import { OfflineNote } from './offline-note.tsx';
import { RestoredNote } from './restored-note.tsx';
import { SignInAgain } from './pages/sign-in/sign-in-again.tsx';
import { Button, Empty, LINK, PageTitle, Problem, Loaded } from './ui/basics.tsx';
import { BASE_PATH } from '../base-path.ts';

/** Path, name, and the scope needed to see it. */
const SHOP_PAGES = [
  ['/attention', t('Needs you'), 'payments:read'],
  ['', t('Overview'), 'payments:read'],
  ['/payments', t('Payments'), 'payments:read'],
  ['/wallet', t('Wallet'), 'wallet:read'],
  ['/customers', t('Customers'), 'customers:read'],
  ['/products', t('Products'), 'catalog:read'],
  ['/links', t('Payment links'), 'payments:write'],
  ['/webhooks', t('Webhooks'), 'webhooks:read'],
  ['/mails', t('Mails'), 'payments:read'],
  ['/keys', t('API keys'), 'owner'],
  ['/people', t('People'), 'owner'],
  ['/audit', t('Audit log'), 'owner'],
  ['/settings', t('Settings'), 'owner'],
] as const;

/** Set by the build, from package.json. */
const VERSION = String(import.meta.env['VITE_TILLD_VERSION'] ?? '');

/** Navigation around every page of a signed-in user. */
export function Frame({ children }: { children?: ReactNode }) {
  const session = useSession();
  const navigate = useNavigate();
  const client = useQueryClient();
  const shown = session ?? lostSession();
  const isOut = shown === null;
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
      <header className="border-b border-line bg-card lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:border-r lg:border-b-0">
        <div className="flex items-center justify-between gap-3 p-4">
          <Link to="/shops" className="flex items-center gap-2.5 text-lg font-bold tracking-tight">
            <img src={`${BASE_PATH}/icon.svg`} alt="" className="size-8" />
            tilld
          </Link>
        </div>
        <FindButton className="mx-4 mb-3 hidden lg:flex" onClick={find} />
        <ShopChoice />
        <Navigation email={shown.user.email} onFind={find} />
      </header>
      <main id="content" className="mx-auto w-full max-w-6xl min-w-0 px-4 py-6 sm:px-8 sm:py-8">
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
  const ofShop = shopId === '' ? [] : SHOP_PAGES.filter(([, , needed]) => may(needed));
  const pages = [
    ...ofShop.map(([path, name]) => [`/shop/${shopId}${path}`, name] as const),
    ...([
      ['/shops', t('Shops')],
      ['/nodes', t('Nodes')],
      ['/account', t('Account')],
    ] as const),
  ];
  return <Find {...props} shopId={shopId} pages={pages} />;
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

const ITEM = 'block rounded-xl px-3 py-2 text-sm lg:py-1.5 font-medium whitespace-nowrap';
const ITEM_REST = 'text-soft hover:bg-well hover:text-ink';

function Item(props: { to: string; exact?: boolean; children: ReactNode }) {
  return (
    <Link
      to={props.to}
      activeOptions={{ exact: props.exact === true, includeSearch: false }}
      activeProps={{ className: 'bg-accent-soft text-accent' }}
      inactiveProps={{ className: ITEM_REST }}
      className={ITEM}
    >
      {props.children}
    </Link>
  );
}

const COUNTED_EVERY_MS = 30_000;

/** How much waits in the shop. */
function AttentionCount({ shopId }: { shopId: string }) {
  const { viewed: mode } = useMode();
  const query = { merchantId: shopId, mode, limit: 1 };
  const total = useApi('/merchant/attention', query, { refetchMs: COUNTED_EVERY_MS }).data?.pagination.total;
  if (total === undefined || total === 0) return null;
  return (
    <>
      {' '}
      <span className="ml-1 rounded-full bg-stop-soft px-2 py-0.5 text-xs font-semibold text-stop">
        {total}
      </span>
    </>
  );
}

/** A smaller hidden part of the bar is not indicated. */
const EDGE_PX = 8;

function Navigation({ email, onFind }: { email: string; onFind: () => void }) {
  const out = useAct(signOut);
  const shopId = useFrameShopId(useIsListOfShops());
  const may = useMayKnown(shopId);
  const bar = useRef<HTMLElement>(null);
  const pathname = useLocation({ select: (location) => location.pathname });
  const [isMore, setMore] = useState(false);
  const measureOverflow = (): void => {
    const { scrollLeft = 0, clientWidth = 0, scrollWidth = 0 } = bar.current ?? {};
    setMore(scrollLeft + clientWidth < scrollWidth - EDGE_PX);
  };
  useEffect(() => {
    measureOverflow();
    window.addEventListener('resize', measureOverflow);
    return () => window.removeEventListener('resize', measureOverflow);
  });
  // On a phone the bar is wider than the screen, so it scrolls to the current entry.
  useEffect(() => {
    const current = bar.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (bar.current === null || current === null || current === undefined) return;
    bar.current.scrollLeft = current.offsetLeft - (bar.current.clientWidth - current.clientWidth) / 2;
  }, [pathname]);
  return (
    <>
      <nav
        ref={bar}
        data-more={isMore}
        onScroll={measureOverflow}
        aria-label={t('Main')}
        className="more-follows relative flex gap-1 overflow-x-auto px-3 pb-3 lg:min-h-0 lg:flex-1 lg:flex-col lg:gap-0.5 lg:overflow-x-hidden lg:overflow-y-auto lg:pt-1"
      >
        {shopId === '' && (
          <Item to="/shops" exact>
            {t('Shops')}
          </Item>
        )}
        {shopId !== '' &&
          SHOP_PAGES.filter(([, , needed]) => may(needed)).map(([path, name]) => (
            <Item key={path} to={`/shop/${shopId}${path}`} exact={path === ''}>
              {name}
              {path === '/attention' && <AttentionCount shopId={shopId} />}
            </Item>
          ))}
        <Item to="/nodes">{t('Nodes')}</Item>
        <Item to="/account">{t('Account')}</Item>
        <a href={`${BASE_PATH}/docs`} className={`${ITEM} ${ITEM_REST}`}>
          {t('API docs')}
        </a>
      </nav>
      <div className="absolute top-3 right-3 flex items-center gap-2 lg:static lg:grid lg:gap-1 lg:border-t lg:border-line lg:p-4">
        <FindButton className="inline-flex lg:hidden" onClick={onFind} />
        <p className="hidden truncate text-xs text-soft lg:block" title={email}>
          {email}
        </p>
        <Button
          look="quiet"
          className="lg:justify-start lg:!px-0"
          busy={out.isPending}
          onClick={() => out.mutate()}
        >
          {t('Sign out')}
        </Button>
        {out.error !== null && <Problem error={out.error} />}
        <p className="hidden text-xs text-soft lg:block">tilld {VERSION}</p>
      </div>
    </>
  );
}
