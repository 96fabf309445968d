import type { Coin } from '../../domain/coins.ts';
import { isoTime } from '../../domain/iso-time.ts';
import type { WatchAccountKeys } from '../../domain/keys.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { findLastChange } from '../../store/sends/send-psbts.ts';
import {
  countChangeAfter,
  countUnpaidAddresses,
  listWatchAccounts,
  type WatchAccount,
} from '../../store/ledger/watch-accounts.ts';
import { watchBalance } from '../../store/ledger/watch-balances.ts';
import { listedAddresses } from '../../store/ledger/watch-lists.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { merchantMode } from '../access/index.ts';
import type { WatchDeps } from './watch-deps.ts';

/** Addresses that are shown, and compared, before an account takes effect. */
const SHOWN = 5;
/** Unpaid addresses that are counted; wallets find the money beyond 20 only if told to. */
const GAP_COUNTED = 1_000;

export const WATCH_STATES = ['proposed', 'pending', 'active', 'ended'] as const;
export type WatchState = (typeof WATCH_STATES)[number];

/** A watched account as the API presents it. */
export interface WatchView {
  readonly id: string;
  readonly coin: Coin;
  readonly sandbox: boolean;
  readonly state: WatchState;
  /** Whether new orders are paid to it. */
  readonly active: boolean;
  /** Null: it is a list. */
  readonly descriptor: string | null;
  /** Where it is a list of addresses. */
  readonly list: ListView | null;
  /** Its next addresses for payments. */
  readonly addresses: string[];
  readonly nextIndex: number;
  readonly takesEffectAt: string | null;
  /** Confirmed money on it. */
  readonly balance: string;
  readonly unconfirmed: string;
  /** Addresses in a row, up to the next one, that received nothing. */
  readonly gap: number;
  /** The same of its change addresses: sends that were not signed, or not yet. */
  readonly changeGap: number;
  readonly createdAt: string;
}

/** The addresses of a list. */
interface ListView {
  readonly size: number;
  /** Addresses that are not given out yet. */
  readonly remaining: number;
  readonly last: string;
}

type ViewDeps = Pick<WatchDeps, 'clock' | 'readWatchAccount'>;

/** The accounts of a shop in its current mode; those that it uses no more included, since they may hold money. */
export async function listWatched(
  deps: ViewDeps & { readonly db: Db },
  merchant: MerchantRow,
): Promise<WatchView[]> {
  const accounts = await listWatchAccounts(deps.db, {
    merchantId: merchant.id,
    mode: merchantMode(merchant),
  });
  const views: WatchView[] = [];
  for (const account of accounts) views.push(await viewWatch(deps.db, deps, account));
  return views;
}

export async function viewWatch(db: Db, deps: ViewDeps, account: WatchAccount): Promise<WatchView> {
  const { id, coin, mode, descriptor, listSize, nextReceive, startsAt, createdAt } = account;
  const state = await findState(db, account, deps.clock.now());
  const { confirmed, unconfirmed } = await watchBalance(db, account);
  return {
    id,
    coin,
    sandbox: mode === 'sandbox',
    state,
    active: state === 'active',
    descriptor: listSize === null ? descriptor : null,
    list: await viewList(db, account),
    addresses: await nextAddresses(db, deps, account, SHOWN),
    nextIndex: nextReceive,
    takesEffectAt: state === 'pending' && startsAt !== null ? isoTime(startsAt) : null,
    balance: formatCoinAmount(confirmed, coin),
    unconfirmed: formatCoinAmount(unconfirmed, coin),
    gap: await countUnpaidAddresses(db, account, GAP_COUNTED),
    changeGap: await countChangeAfter(db, account, await findLastChange(db, account, account.number)),
    createdAt: isoTime(createdAt),
  };
}

async function findState(db: Db, account: WatchAccount, now: number): Promise<WatchState> {
  const { confirmedAt, startsAt, number, coin, listSize } = account;
  if (confirmedAt === null) return 'proposed';
  if (startsAt === null) return 'ended';
  if (startsAt > now) return 'pending';
  if (listSize !== null) return 'active';
  const latest = (await listWatchAccounts(db, account))
    .filter((one) => one.coin === coin && one.startsAt !== null && one.startsAt <= now)
    .toSorted((a, b) => (a.startsAt ?? 0) - (b.startsAt ?? 0) || a.number - b.number)
    .at(-1);
  return latest?.number === number ? 'active' : 'ended';
}

async function viewList(db: Db, { number, listSize, nextReceive }: WatchAccount): Promise<ListView | null> {
  if (listSize === null) return null;
  const [last] = await listedAddresses(db, number, { from: listSize - 1, below: listSize });
  return { size: listSize, remaining: listSize - nextReceive, last: last?.address ?? '' };
}

/** The next addresses for payments; fewer at the end of a list. */
export async function nextAddresses(
  db: Db,
  deps: Pick<WatchDeps, 'readWatchAccount'>,
  account: WatchAccount,
  count: number,
): Promise<string[]> {
  const { number, nextReceive, listSize } = account;
  if (listSize === null) return firstAddresses(openAccount(deps, account), 0, nextReceive, count);
  const range = { from: nextReceive, below: nextReceive + count };
  return (await listedAddresses(db, number, range)).map(({ address }) => address);
}

export function openAccount(
  { readWatchAccount }: Pick<WatchDeps, 'readWatchAccount'>,
  account: WatchAccount,
): WatchAccountKeys {
  const keys = readWatchAccount(account, account.descriptor);
  if ('problem' in keys) throw new Error(`a stored descriptor ${keys.problem}`);
  return keys;
}

export function firstAddresses(keys: WatchAccountKeys, branch: 0 | 1, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => keys.address(branch, from + at));
}
