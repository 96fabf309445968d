import { customerName, isErased } from './api/customers-by-id.ts';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import { isIn, MOST_HITS, MOST_SHOPS, useFound } from './api/find.ts';
import { plural, t } from './i18n/t.ts';
import { Badge } from './ui/basics.tsx';
import { Dialog } from './ui/dialog.tsx';
import { Field } from './ui/form.tsx';
import { fiat, orderName, short, when } from './format/format.ts';
import { StatusBadge } from './ui/status.tsx';

/** A page of the dashboard: address and name. */
type PageName = readonly [to: string, name: string];

interface Hit {
  readonly key: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string | undefined>>;
  readonly name: string;
  readonly detail?: ReactNode;
  readonly badges?: ReactNode;
}

const isApple = /Mac|iP(hone|ad|od)/.test(navigator.userAgent);

/** Opens on Ctrl+K or ⌘K on every page, unless a dialog is open. */
export function useFindKey(onFind: () => void): void {
  useEffect(() => {
    const pressed = (event: globalThis.KeyboardEvent): void => {
      const isMeant = (isApple ? event.metaKey : event.ctrlKey) && !event.shiftKey && !event.altKey;
      if (!isMeant || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      if (document.querySelector('[role="dialog"], [role="alertdialog"]') === null) onFind();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [onFind]);
}

/** The button that opens the search: an icon on phones, elsewhere with the keyboard shortcut. */
export function FindButton({ className, onClick }: { className: string; onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}
      className={`min-h-10 items-center gap-2 rounded-xl border border-edge bg-well px-3 text-sm text-soft hover:text-ink ${className}`}
    >
      <svg
        aria-hidden="true"
        viewBox="0 0 20 20"
        className="size-4 shrink-0 fill-none stroke-current stroke-2"
      >
        <circle cx="8.5" cy="8.5" r="5.5" />
        <path d="m13 13 4.5 4.5" strokeLinecap="round" />
      </svg>
      <span className="sr-only lg:not-sr-only lg:truncate">{t('Find anything')}</span>
      <kbd aria-hidden="true" className="ms-auto hidden font-sans text-xs whitespace-nowrap lg:block">
        {isApple ? '⌘K' : t('Ctrl K')}
      </kbd>
    </button>
  );
}

interface FindProps {
  /** The shop to search first. */
  readonly shopId: string;
  readonly pages: readonly PageName[];
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Finds payments, customers, links, products, shops and pages, in all shops that the user may read. */
export function Find({ open, onClose, ...of }: FindProps) {
  return (
    <Dialog title={t('Find anything')} open={open} onClose={onClose}>
      <Finder {...of} onDone={onClose} />
    </Dialog>
  );
}

const TYPING_MS = 250;
/** A single letter would match everything. */
const LEAST = 2;

function Finder({ shopId, pages, onDone }: Pick<FindProps, 'shopId' | 'pages'> & { onDone: () => void }) {
  const [text, setText] = useState('');
  const [settled, setSettled] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const typed = text.trim().length < LEAST ? '' : text.trim();
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(typed), TYPING_MS);
    return () => window.clearTimeout(timer);
  }, [typed]);
  const found = useFound(settled, shopId);
  const isSearching = typed !== settled || found.isSearching;
  const kinds =
    settled === ''
      ? []
      : groupHits(
          found,
          pages.filter(([, name]) => isIn(settled, name)),
          settled,
        );
  const count = kinds.reduce((sum, { hits }) => sum + hits.length, 0);
  const enter = (): void => {
    if (isSearching) setSettled(typed);
    else box.current?.querySelector<HTMLElement>('a')?.click();
  };
  return (
    <div ref={box} onKeyDown={(event) => moveFocus(event, box.current)} className="grid gap-4">
      <Field
        label={t('Search')}
        type="search"
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
        placeholder={t('Order, email, amount, transaction or address')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && enter()}
      />
      <p role="status" className="text-xs text-soft">
        {said({ settled, isSearching, count })}
      </p>
      <div className="grid h-[50dvh] content-start gap-4 overflow-y-auto" aria-busy={isSearching}>
        {kinds.map(({ title, hits, more = [] }) => (
          <section key={title}>
            <h3 className="mb-1 px-3 text-xs font-semibold text-soft">{title}</h3>
            <ul>
              {[...hits, ...more].map((hit) => (
                <li key={hit.key}>
                  <HitLink hit={hit} onDone={onDone} />
                </li>
              ))}
            </ul>
          </section>
        ))}
        {settled !== '' && found.hasFailed && (
          <p className="px-3 text-xs text-warn">{t('Something could not be searched: there may be more.')}</p>
        )}
        {settled !== '' && found.searched < found.all && (
          <p className="px-3 text-xs text-soft">
            {t('Searched in {count} of your {all} shops. Open another one to begin with it.', {
              count: MOST_SHOPS,
              all: found.all,
            })}
          </p>
        )}
      </div>
    </div>
  );
}

function said(of: { settled: string; isSearching: boolean; count: number }): string {
  if (of.isSearching) return t('Searching…');
  if (of.settled === '')
    return t('Payments, customers, links, products, shops and pages, in all your shops.');
  if (of.count === 0) return t('Nothing found');
  return plural(of.count, 'One result', '{count} results');
}

/** The up and down keys move through the field and the results. */
function moveFocus(event: KeyboardEvent, box: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || box === null) return;
  const stops = [...box.querySelectorAll<HTMLElement>('input, a')];
  const next = stops[stops.findIndex((stop) => stop === document.activeElement) + step];
  event.preventDefault();
  next?.focus();
}

function HitLink({ hit, onDone }: { hit: Hit; onDone: () => void }) {
  const follow = ({ ctrlKey, metaKey, shiftKey }: MouseEvent): void => {
    // Opened in another tab or window: the search stays open.
    if (!ctrlKey && !metaKey && !shiftKey) onDone();
  };
  return (
    <Link
      to={hit.to}
      search={{ mode: undefined, ...hit.search }}
      onClick={follow}
      className="-outline-offset-2 flex flex-wrap items-center justify-between gap-x-3 gap-y-1 rounded-xl px-3 py-2 text-sm hover:bg-well focus:bg-well"
    >
      <span className="min-w-0 flex-1 basis-40">
        <span dir="auto" className="block truncate font-semibold">
          {hit.name}
        </span>
        {hit.detail !== undefined && (
          <span dir="auto" className="block truncate text-xs text-soft">
            {hit.detail}
          </span>
        )}
      </span>
      {hit.badges}
    </Link>
  );
}

function groupHits(found: ReturnType<typeof useFound>, pages: readonly PageName[], text: string) {
  const shopName = found.all > 1 ? (name: string) => ` · ${name}` : () => '';
  const kinds: readonly { title: string; hits: readonly Hit[]; more?: readonly Hit[] }[] = [
    { title: t('Pages'), hits: pages.map(([to, name]) => ({ key: to, to, name })) },
    {
      title: t('Payments'),
      hits: found.payments.map(({ shop, item: payment }) => ({
        key: payment.id,
        to: `/shop/${shop.id}/payments/${payment.id}`,
        search: payment.sandbox === shop.sandboxMode ? {} : { mode: payment.sandbox ? 'sandbox' : 'live' },
        name: short(orderName(payment), 24, 8),
        detail: `${fiat(payment.amount, payment.currency)}${shopName(shop.name)} · ${when(payment.createdAt)}`,
        badges: (
          <span className="inline-flex flex-wrap gap-1">
            {payment.sandbox && <Badge tone="busy">{t('Test')}</Badge>}
            <StatusBadge status={payment.status} exception={payment.exception} />
          </span>
        ),
      })),
      more: morePayments(found, text),
    },
    {
      title: t('Customers'),
      hits: found.customers.map(({ shop, item: customer }) => ({
        key: customer.id,
        to: `/shop/${shop.id}/customers`,
        search: { search: customer.email },
        name: customerName(customer) ?? customer.email,
        detail:
          customerName(customer) === null || isErased(customer) ? when(customer.createdAt) : customer.email,
      })),
    },
    {
      title: t('Payment links'),
      hits: found.links.map(({ shop, item: link, page }) => ({
        key: link.id,
        to: `/shop/${shop.id}/links`,
        search: toPageQuery(page),
        name: link.name,
        detail: `${link.url.replace(/^https?:\/\//, '')}${shopName(shop.name)}`,
        ...(link.active ? {} : { badges: <Badge tone="idle">{t('Closed')}</Badge> }),
      })),
    },
    {
      title: t('Products'),
      hits: found.products.map(({ shop, item: product, page }) => ({
        key: product.id,
        to: `/shop/${shop.id}/products`,
        search: toPageQuery(page),
        name: product.name,
        ...(product.description === null ? {} : { detail: product.description }),
        ...(product.active ? {} : { badges: <Badge tone="idle">{t('Inactive')}</Badge> }),
      })),
    },
    {
      title: t('Shops'),
      hits: found.shops.map(({ id, name, sandboxMode }) => ({
        key: id,
        to: `/shop/${id}`,
        name,
        ...(sandboxMode ? { badges: <Badge tone="busy">{t('Test')}</Badge> } : {}),
      })),
    },
  ];
  return kinds.filter(({ hits }) => hits.length > 0);
}

/** A link to all payments that match in the first shop; none where all are shown. */
function morePayments({ payments }: ReturnType<typeof useFound>, text: string): readonly Hit[] {
  const [first] = payments;
  if (first === undefined || payments.length < MOST_HITS) return [];
  const name = t('All payments with “{text}”', { text });
  return [{ key: 'more payments', to: `/shop/${first.shop.id}/payments`, search: { search: text }, name }];
}

function toPageQuery(page: number): Record<string, string> {
  return page === 1 ? {} : { page: String(page) };
}
