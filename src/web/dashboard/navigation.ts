import { t } from './i18n/t.ts';
import type { Scope } from './contract/types.ts';

type Needed = Scope | 'owner';

/** A page of a shop; its path follows the address of the shop. */
interface ShopEntry {
  readonly kind: 'shop';
  readonly path: string;
  readonly name: string;
  readonly needed: Needed;
}

/** A page of the user, or of the server, that belongs to no shop. `docs` is outside of the dashboard. */
interface UserEntry {
  readonly kind: 'user' | 'docs';
  readonly path: string;
  readonly name: string;
}

interface Group {
  /** Null for the entries above the groups. */
  readonly title: string | null;
  readonly entries: readonly (ShopEntry | UserEntry)[];
}

const ofShop = (path: string, name: string, needed: Needed): ShopEntry => ({
  kind: 'shop',
  path,
  name,
  needed,
});

const WALLET_TABS = ['/treasury', '/outputs'] as const;

/** The menu. A page that comes later becomes a tab of one of these, or an entry of a group. */
const GROUPS: readonly Group[] = [
  {
    title: null,
    entries: [
      ofShop('', t('Home'), 'payments:read'),
      ofShop('/attention', t('Needs you'), 'payments:read'),
      ofShop('/payments', t('Payments'), 'payments:read'),
    ],
  },
  {
    title: t('Sell'),
    entries: [
      ofShop('/links', t('Payment links'), 'payments:write'),
      ofShop('/counters', t('Counters'), 'payments:write'),
      ofShop('/products', t('Products'), 'catalog:read'),
      ofShop('/subscriptions', t('Subscriptions'), 'subscriptions:read'),
      ofShop('/customers', t('Customers'), 'customers:read'),
    ],
  },
  {
    title: t('Money'),
    entries: [ofShop('/wallet', t('Wallet'), 'wallet:read'), ofShop('/books', t('Books'), 'wallet:read')],
  },
  {
    title: t('Developers'),
    entries: [
      ofShop('/keys', t('API keys'), 'owner'),
      ofShop('/webhooks', t('Webhooks'), 'webhooks:read'),
      { kind: 'docs', path: '/docs', name: t('API docs') },
    ],
  },
  {
    title: t('Settings'),
    entries: [
      ofShop('/settings', t('Shop settings'), 'owner'),
      ofShop('/people', t('Team'), 'owner'),
      ofShop('/mails', t('Emails'), 'payments:read'),
      ofShop('/audit', t('Audit log'), 'owner'),
      { kind: 'user', path: '/nodes', name: t('Nodes') },
      { kind: 'user', path: '/account', name: t('Account') },
    ],
  },
];

/** An entry of the menu of one shop. */
export interface MenuEntry {
  readonly kind: 'page' | 'docs';
  readonly to: string;
  readonly name: string;
  /** Current only at exactly this address, because other pages are below it. */
  readonly isExact: boolean;
  /** Pages that are tabs of it. */
  readonly tabs: readonly string[];
  readonly isAttention: boolean;
}

export interface MenuGroup {
  readonly title: string | null;
  readonly entries: readonly MenuEntry[];
}

/**
 * The menu as the user may use it.
 * @param shopId empty where no shop is chosen
 * @param may the permissions of the user in that shop
 */
export function menuGroups(shopId: string, may: (what: Needed) => boolean): MenuGroup[] {
  const groups = GROUPS.map(({ title, entries }) => ({
    title,
    entries: entries
      .filter((entry) => entry.kind !== 'shop' || (shopId !== '' && may(entry.needed)))
      .map((entry) => toMenuEntry(entry, shopId)),
  }));
  const [first, ...rest] = groups;
  const shops = {
    kind: 'page',
    to: '/shops',
    name: t('Shops'),
    isExact: true,
    tabs: [],
    isAttention: false,
  } as const;
  const top = shopId === '' || first === undefined ? { title: null, entries: [shops] } : first;
  return [top, ...rest].filter(({ entries }) => entries.length > 0);
}

function toMenuEntry(entry: ShopEntry | UserEntry, shopId: string): MenuEntry {
  const { kind, path, name } = entry;
  return {
    kind: kind === 'docs' ? 'docs' : 'page',
    to: kind === 'shop' ? `/shop/${shopId}${path}` : path,
    name,
    isExact: path === '',
    tabs: kind === 'shop' && path === '/wallet' ? WALLET_TABS.map((tab) => `/shop/${shopId}${tab}`) : [],
    isAttention: path === '/attention',
  };
}

/** The pages of the dashboard in the menu, and the list of shops, as the search offers them. */
export function menuPages(shopId: string, may: (what: Needed) => boolean): (readonly [string, string])[] {
  const pages = menuGroups(shopId, may)
    .flatMap(({ entries }) => entries)
    .filter(({ kind }) => kind === 'page')
    .map(({ to, name }) => [to, name] as const);
  return shopId === '' ? pages : [...pages, ['/shops', t('Shops')]];
}
