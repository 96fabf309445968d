import { ChainError } from '../../domain/chain.ts';
import { findWatchAccount, type WatchAccount } from '../../store/ledger/watch-accounts.ts';
import {
  allListedAddresses,
  dropProposedAddresses,
  insertProposedAddresses,
  type WatchAddress,
} from '../../store/ledger/watch-lists.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { mayBeEarlierList } from '../addresses/index.ts';
import type { WatchDeps } from './watch-deps.ts';

/** Accounts per request to the node. */
const PAGE = 100;
/** Unused addresses in a row after which a list given out in its order had come to its last order (as in BIP-44). */
const GAP = 20;

/** Which addresses of a list had money on the chain. */
export interface ListHistory {
  readonly used: ReadonlySet<string>;
  /** The others never had any: otherwise some may have been emptied. */
  readonly isComplete: boolean;
}

/**
 * Asks the node which addresses of a list had money, where a restored database may have lost earlier orders of the list.
 * Null where that is not needed, or the node does not answer.
 */
export async function readListHistory(
  { db, chains, clock, logger }: Pick<WatchDeps, 'db' | 'chains' | 'clock' | 'logger'>,
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
): Promise<ListHistory | null> {
  const account = await findWatchAccount(db, id);
  if (account === undefined || account.merchantId !== merchantId || account.listSize === null) return null;
  if (account.confirmedAt !== null || !(await mayBeEarlierList(db, clock.now()))) return null;
  const { coin, mode, number, listSize } = account;
  const adapter = chains.get(coin, mode);
  if (adapter?.funds?.model !== 'accounts') return null;
  const { funds } = adapter;
  const keys = (await allListedAddresses(db, number, listSize)).map(({ watchKey }) => watchKey);
  const used = new Set<string>();
  try {
    const { tip, syncing } = await adapter.status();
    for (let from = 0; from < keys.length; from += PAGE) {
      const page = keys.slice(from, from + PAGE);
      const found =
        (await funds.usedAmong?.(page)) ??
        [...(await funds.heldAfter(page, tip))].flatMap(([key, balance]) => (balance > 0n ? [key] : []));
      for (const key of found) used.add(key);
    }
    return { used, isComplete: funds.usedAmong !== undefined && !syncing };
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    logger.warn(
      { coin, mode, err: error },
      'node did not show the history of a list; its first addresses are skipped',
    );
    return null;
  }
}

/**
 * A list in the order in which its addresses are given out, and how many of them must not be: those up to the last one
 * with money and a gap, as orders got them one after the other, and all others with money, wherever they are.
 */
export function orderByHistory<T extends Pick<WatchAddress, 'watchKey'>>(
  listed: readonly T[],
  used: ReadonlySet<string>,
): { readonly order: T[]; readonly skip: number } {
  let end = 0;
  for (const [index, { watchKey }] of listed.entries()) {
    if (index - end >= GAP) break;
    if (used.has(watchKey)) end = index + 1;
  }
  const front = end === 0 ? 0 : Math.min(listed.length, end + GAP);
  const later = Map.groupBy(listed.slice(front), ({ watchKey }) => used.has(watchKey));
  const elsewhere = later.get(true) ?? [];
  const order = [...listed.slice(0, front), ...elsewhere, ...(later.get(false) ?? [])];
  return { order, skip: front + elsewhere.length };
}

/** Stores a list that is not confirmed in the order of orderByHistory. @returns how many addresses are skipped */
export async function moveUsedFirst(tx: Tx, account: WatchAccount, { used }: ListHistory): Promise<number> {
  const size = account.listSize ?? 0;
  const { order, skip } = orderByHistory(await allListedAddresses(tx, account.number, size), used);
  await dropProposedAddresses(tx, account.number, size);
  await insertProposedAddresses(tx, account, order);
  return skip;
}
