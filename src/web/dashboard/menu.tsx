import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent, type MouseEvent } from 'react';
import { BASE_PATH } from '../base-path.ts';
import { useAct, useApi } from './api/hooks.ts';
import { useMode } from './api/mode.ts';
import { useMayKnown } from './api/permissions.ts';
import { signOut } from './api/sign-out.ts';
import { FindButton } from './find.tsx';
import { t } from './i18n/t.ts';
import { menuGroups, type MenuEntry, type MenuGroup } from './navigation.ts';
import { Button, Problem } from './ui/basics.tsx';

const PANEL_ID = 'menu';
const COUNTED_EVERY_MS = 30_000;

/** Set by the build, from package.json. */
const VERSION = String(import.meta.env['VITE_TILLD_VERSION'] ?? '');

/** Whether the menu of a phone is open, and the handlers of the element that contains its button and panel. */
function usePanel() {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const pathname = useLocation({ select: (location) => location.pathname });
  useEffect(() => setOpen(false), [pathname]);
  useEffect(() => {
    if (!isOpen) return undefined;
    const current = panel.current?.querySelector<HTMLElement>('[aria-current="page"]');
    (current ?? panel.current?.querySelector<HTMLElement>('a'))?.focus();
    const pressed = ({ target }: Event): void => {
      const isInside = target instanceof Node && panel.current?.contains(target) === true;
      if (!isInside && !(target instanceof Node && button.current?.contains(target))) setOpen(false);
    };
    document.addEventListener('pointerdown', pressed);
    return () => document.removeEventListener('pointerdown', pressed);
  }, [isOpen]);
  return {
    isOpen,
    button,
    panel,
    toggle: () => setOpen(!isOpen),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !isOpen) return;
      setOpen(false);
      button.current?.focus();
    },
    // The keyboard has left the menu, which would otherwise cover the focused element.
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) setOpen(false);
    },
    // Also when the link leads to the current page.
    onClick: ({ target }: MouseEvent) => {
      if (!isOpen || !(target instanceof Element) || target.closest('a') === null) return;
      setOpen(false);
      document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true });
    },
  };
}

interface MenuProps {
  readonly shopId: string;
  readonly email: string;
  readonly onFind: () => void;
}

/** The menu: next to the page on a wide screen; on a phone, a button opens it. */
export function Menu({ shopId, email, onFind }: MenuProps) {
  const { isOpen, button, panel, toggle, ...handlers } = usePanel();
  const may = useMayKnown(shopId);
  const groups = menuGroups(shopId, may);
  const counts = groups.some(({ entries }) => entries.some(({ isAttention }) => isAttention));
  return (
    <div className="contents" {...handlers}>
      <div className="absolute end-3 top-3 flex items-center gap-2 lg:hidden">
        <FindButton className="inline-flex" onClick={onFind} />
        <button
          ref={button}
          type="button"
          aria-expanded={isOpen}
          aria-controls={PANEL_ID}
          onClick={toggle}
          className="inline-flex min-h-10 items-center gap-2 rounded-xl border border-edge bg-well px-3 text-sm font-semibold"
        >
          <MenuIcon />
          {t('Menu')}
          {counts && !isOpen && <AttentionCount shopId={shopId} isNamed />}
        </button>
      </div>
      <div
        ref={panel}
        id={PANEL_ID}
        className={`absolute inset-x-0 top-full z-20 max-h-[calc(100dvh-9rem)] flex-col overflow-y-auto border-b border-line bg-card shadow-2xl lg:static lg:flex lg:max-h-none lg:min-h-0 lg:flex-1 lg:overflow-visible lg:border-b-0 lg:shadow-none ${isOpen ? 'flex' : 'hidden'}`}
      >
        <nav
          aria-label={t('Main')}
          className="columns-2 gap-x-2 p-3 lg:block lg:min-h-0 lg:flex-1 lg:columns-auto lg:overflow-y-auto lg:pt-1"
        >
          {groups.map((group, at) => (
            <Entries key={group.title ?? ''} id={`${PANEL_ID}-${at}`} group={group} shopId={shopId} />
          ))}
        </nav>
        <SignedIn email={email} />
      </div>
    </div>
  );
}

function Entries({ id, group, shopId }: { id: string; group: MenuGroup; shopId: string }) {
  const { title, entries } = group;
  return (
    <div className="mb-2 break-inside-avoid">
      {title !== null && (
        <p id={id} className="px-3 pt-1 pb-0.5 text-xs font-semibold text-soft">
          {title}
        </p>
      )}
      <ul {...(title === null ? {} : { 'aria-labelledby': id })} className="lg:space-y-0.5">
        {entries.map((entry) => (
          <li key={entry.to}>
            <Entry entry={entry} shopId={shopId} />
          </li>
        ))}
      </ul>
    </div>
  );
}

const ITEM = 'block rounded-xl px-3 py-2 text-sm font-medium lg:py-0.5';
const ITEM_CURRENT = 'bg-accent-soft text-accent';
const ITEM_REST = 'text-soft hover:bg-well hover:text-ink';

function Entry({ entry, shopId }: { entry: MenuEntry; shopId: string }) {
  const { kind, to, name, isExact, tabs, isAttention } = entry;
  const isOnTab = useLocation({ select: ({ pathname }) => tabs.some((tab) => pathname.endsWith(tab)) });
  if (kind === 'docs') {
    return (
      <a href={`${BASE_PATH}${to}`} className={`${ITEM} ${ITEM_REST}`}>
        {name}
      </a>
    );
  }
  return (
    <Link
      to={to}
      activeOptions={{ exact: isExact, includeSearch: false }}
      aria-current={isOnTab ? 'true' : undefined}
      activeProps={{ className: ITEM_CURRENT }}
      inactiveProps={{ className: isOnTab ? ITEM_CURRENT : ITEM_REST }}
      className={ITEM}
    >
      {name}
      {isAttention && <AttentionCount shopId={shopId} />}
    </Link>
  );
}

/** How much waits in the shop. */
function AttentionCount({ shopId, isNamed = false }: { shopId: string; isNamed?: boolean }) {
  const { viewed: mode } = useMode();
  const query = { merchantId: shopId, mode, limit: 1 };
  const total = useApi('/merchant/attention', query, { refetchMs: COUNTED_EVERY_MS }).data?.pagination.total;
  if (total === undefined || total === 0) return null;
  return (
    <>
      {' '}
      {isNamed && <span className="sr-only">{t('Needs you')} </span>}
      <span className="ms-1 rounded-full bg-stop-soft px-2 py-0.5 text-xs font-semibold text-stop">
        {total}
      </span>
    </>
  );
}

function SignedIn({ email }: { email: string }) {
  const out = useAct(signOut);
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 border-t border-line px-6 py-3 lg:px-4">
      <p dir="auto" className="min-w-0 flex-1 truncate text-xs text-soft lg:basis-full" title={email}>
        {email}
      </p>
      <Button look="quiet" className="lg:!px-0" busy={out.isPending} onClick={() => out.mutate()}>
        {t('Sign out')}
      </Button>
      {out.error !== null && <Problem error={out.error} />}
      <p className="hidden text-xs text-soft lg:block">tilld {VERSION}</p>
    </div>
  );
}

function MenuIcon() {
  return (
    <svg aria-hidden="true" viewBox="0 0 20 20" className="size-4 shrink-0 fill-none stroke-current stroke-2">
      <path d="M3 5h14M3 10h14M3 15h14" strokeLinecap="round" />
    </svg>
  );
}
