import { outputKey, type ChainIndex, type OpenKey } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { addressesBetween, newestAddressId, filterWatched, watchKeysAfter } from '../ledger/addresses.ts';
import type { Db } from '../sqlite/database.ts';
import { readMeta } from '../meta.ts';
import { type PollSize, OpenAccounts } from '../ledger/open-accounts.ts';
import { ownOutpoints, unsettledCredits } from '../ledger/outputs.ts';
import { confirmedHoldings, countSpenders } from '../ledger/holdings.ts';
import { contestedOutpoints } from '../ledger/unconfirmed-inputs.ts';
import { unreadStore } from '../chain/unread-transactions.ts';
import { StoredWatchFilter } from './watch-filter.ts';

/**
 * Addresses whose balance is read in each block, where a chain needs that: fifteen calls of an Ethereum node.
 */
const MAX_OPEN = 10_000;
/** Addresses of all chains per turn: a day of Ethereum covers some three million. */
const TURN_SIZE = 400;

/**
 * Finds the relevant parts of a block from the indexes: the cost grows with the block, not with the shop.
 * @param onPoll receives the number of accounts of each poll
 */
export function createChainIndex(
  db: Db,
  chain: ChainId,
  onPoll?: (chain: ChainId, size: PollSize) => void,
): ChainIndex {
  const filter = new StoredWatchFilter(db, chain);
  const accounts = new OpenAccounts(db, chain, MAX_OPEN, onPoll);
  return {
    watchFilter: async () => filter.read(),
    watched: async (keys) => filterWatched(db, chain, keys),
    ownOutputs: async (refs) => {
      const requested = new Set(refs);
      const txids = new Set(refs.map((ref) => ref.slice(0, ref.lastIndexOf(':'))));
      const outpoints = await ownOutpoints(db, chain, [...txids]);
      const contested = await contestedOutpoints(db, chain, [...txids]);
      return new Set([...outpoints, ...contested].map(outputKey).filter((key) => requested.has(key)));
    },
    holdings: async (keys) => confirmedHoldings(db, chain, keys),
    outgoing: async (key) => countSpenders(db, chain, key),
    open: async (closedAfterMs) => {
      const open: OpenKey[] = [];
      for await (const page of accounts.poll(closedAfterMs)) open.push(...page);
      return open;
    },
    openAccounts: (closedAfterMs) => accounts.poll(closedAfterMs),
    turn: async (height) => addressesBetween(db, chain, rotationAt(height, await newestAddressId(db))),
    watchKeysAfter: async (after, limit) => watchKeysAfter(db, chain, after, limit),
    newestPosition: async () => newestAddressId(db),
    unsettled: async () => unsettledCredits(db, chain),
    unread: unreadStore(db, chain),
    restoredAt: async () => Number(await readMeta(db, 'restored_at')) || null,
  };
}

/**
 * Ids of the addresses whose turn a height is. Depends on nothing else, so that a block read again has the
 * same result; the number of turns is a power of two, so that new addresses rarely move the others'.
 */
export function rotationAt(
  height: number,
  newestId: number,
): { readonly from: number; readonly below: number } {
  let turns = 1;
  while (turns * TURN_SIZE <= newestId) turns *= 2;
  const from = (height % turns) * TURN_SIZE;
  return { from, below: from + TURN_SIZE };
}
