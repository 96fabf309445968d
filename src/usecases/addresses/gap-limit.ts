import type { Credit } from '../../domain/chain.ts';
import { COINS, isUtxoCoin, type ChainId } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports.ts';
import { fromStoredIndex } from '../../store/ledger/address-index.ts';
import { findWatched, nextAddressIndex, type AddressBranch } from '../../store/ledger/addresses.ts';
import { reserveAddresses, reserveWatchAddresses } from '../../store/ledger/look-ahead.ts';
import {
  allWatchAccounts,
  findWatchAccountByNumber,
  skipWatchIndexes,
  type WatchAccount,
} from '../../store/ledger/watch-accounts.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { allMerchants, findMerchant } from '../../store/merchants/merchants.ts';
import { readMeta, writeMeta } from '../../store/meta.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { allocateAddress, type AllocateAddressDeps } from './allocate-address.ts';

export interface GapLimitDeps extends AllocateAddressDeps {
  readonly db: Db;
  readonly logger: Logger;
}

const GAP = 'look_ahead.gap';
/** Addresses of watched accounts that this database does not know, as the record outside of it says. */
const UNKNOWN = 'look_ahead.unknown_watched';
/** The gap of a list whose used addresses the chain showed. */
const listGap = (number: number): string => `${GAP}.${number}`;
/** How long after a restore a list may be one of before. */
const LISTS_KNOWN_AFTER_MS = 30 * 86_400_000;
/** Addresses per transaction, so that payments of a running daemon never wait long for the write lock. */
const BATCH = 100;

/**
 * Reserves the next `gap` live addresses of every merchant, coin and branch: they include addresses issued
 * after a backup, or from a seed whose database was lost. They are never issued, and the daemon watches them
 * before it reads further blocks (watchLookAhead); money received there appears in the merchant's balance.
 * @returns how many are reserved
 */
export async function reserveGapLimit(
  { db, clock }: Pick<GapLimitDeps, 'db' | 'clock'>,
  gap: number,
): Promise<number> {
  await writeMeta(db, GAP, String(gap));
  let reserved = 0;
  for (const { id: merchantId } of await allMerchants(db)) {
    await db.transaction(async (tx) => {
      for (const coin of COINS) {
        for (const branch of isUtxoCoin(coin) ? ([0, 1] as const) : ([0] as const)) {
          await reserveAddresses(tx, { merchantId, coin, branch }, { count: gap, createdAt: clock.now() });
          reserved += gap;
        }
      }
    });
  }
  for (const account of (await allWatchAccounts(db)).filter(({ mode }) => mode === 'live')) {
    await db.transaction(async (tx) => {
      if ((await readMeta(tx, listGap(account.number))) !== null)
        await writeMeta(tx, listGap(account.number), String(gap));
      for (const branch of watchBranches(account))
        reserved += await reserveWatchAddresses(tx, account, { branch, count: gap, createdAt: clock.now() });
    });
  }
  return reserved;
}

/** A list has no addresses for change. */
function watchBranches({ listSize }: WatchAccount): readonly (0 | 1)[] {
  return listSize === null ? [0, 1] : [0];
}

/**
 * Reserves the first addresses of a watched account that is confirmed for the first time in an older copy of the
 * database, or in one that was made from the words: the account may have been used since the copy, or before.
 * @param known how many addresses of a list the chain showed to be used, and whether it shows all
 */
export async function reserveUnknownAddresses(
  tx: Tx,
  { clock }: Pick<GapLimitDeps, 'clock'>,
  account: WatchAccount,
  known: { readonly skip: number; readonly isComplete: boolean } | null,
): Promise<void> {
  const { gap, issued } = await readUnknown(tx);
  const isKnown = known?.isComplete === true;
  const key = listGap(account.number);
  // Money that arrives on a known one later tells nothing of the others. The number may be that of a deleted list.
  if (isKnown || (await readMeta(tx, key)) !== null) await writeMeta(tx, key, isKnown ? '0' : String(gap));
  if (account.listSize !== null && !(await mayBeEarlierList(tx, clock.now()))) return;
  const count = Math.max(isKnown ? 0 : gap, issued, known?.skip ?? 0);
  if (count === 0) return;
  for (const branch of watchBranches(account)) {
    if (account.mode === 'live')
      await reserveWatchAddresses(tx, account, { branch, count, createdAt: clock.now() });
    else await skipWatchIndexes(tx, account.number, branch, count);
  }
}

/** How many addresses of a branch may have been given out: as the restore guessed, and as the record outside says. */
async function readUnknown(db: Db): Promise<{ readonly gap: number; readonly issued: number }> {
  return { gap: Number((await readMeta(db, GAP)) ?? 0), issued: Number((await readMeta(db, UNKNOWN)) ?? 0) };
}

/** Whether a list that is entered now may be one that a restored database does not know. */
export async function mayBeEarlierList(db: Db, now: number): Promise<boolean> {
  const { gap, issued } = await readUnknown(db);
  return gap + issued > 0 && !(await isLongRestored(db, now));
}

/**
 * Whether the last restore was long ago. Keys that are watched again lead to the same addresses whenever that is, but a
 * list entered then is a new one, and each new list would lose its first addresses.
 */
async function isLongRestored(db: Db, now: number): Promise<boolean> {
  const at = await readMeta(db, 'restored_at');
  return at !== null && now - Number(at) > LISTS_KNOWN_AFTER_MS;
}

/** Records that addresses below an index were given out of watched accounts that the database does not know. */
export async function noteUnknownAddresses(db: Db, below: number): Promise<void> {
  if (below > Number((await readMeta(db, UNKNOWN)) ?? 0)) await writeMeta(db, UNKNOWN, String(below));
}

/**
 * Extends the watched range after an address in it received money, so that a whole gap limit beyond the last
 * used address is always watched. True when extended: the block must then be read again before it is
 * recorded, since it may pay addresses that were not watched when it was read.
 */
export async function extendGapLimit(
  deps: GapLimitDeps,
  chain: ChainId,
  credits: readonly Credit[],
): Promise<boolean> {
  if (credits.length === 0) return false;
  const keys = [...new Set(credits.map(({ watchKey }) => watchKey))];
  const used = (await findWatched(deps.db, chain, keys)).filter(({ purpose }) => purpose === 'recovered');
  if (used.length === 0) return false;
  const gap = Number((await readMeta(deps.db, GAP)) ?? 0);
  let moved = 0;
  for (const { merchantId, branch, idx } of used) {
    const merchant = await findMerchant(deps.db, merchantId);
    if (merchant === undefined) throw new Error(`merchant ${merchantId} does not exist`);
    const { number, index } = fromStoredIndex(idx);
    const at = { ...chain, merchantId, branch };
    if (number === null) moved += await watchUntil(deps, merchant, at, index + 1 + gap);
    else {
      const beyond = Number((await readMeta(deps.db, listGap(number))) ?? gap);
      moved += await watchAccountUntil(deps, number, branch, index + 1 + beyond);
    }
  }
  if (moved > 0)
    deps.logger.info(
      { ...chain, addresses: moved },
      'recovered addresses received money; watching more addresses',
    );
  return moved > 0;
}

/** Watches the addresses of a branch up to an index and never issues them; returns how many. */
export async function watchUntil(
  deps: GapLimitDeps,
  merchant: MerchantRow,
  at: AddressBranch,
  until: number,
): Promise<number> {
  return watchMissing(deps, until, {
    next: async (tx) => nextAddressIndex(tx, at),
    watch: async (tx) => {
      const { account } = merchant;
      await allocateAddress(tx, deps, { ...at, account, purpose: 'recovered', paymentId: null });
    },
  });
}

/** Like watchUntil, for a branch of a watched account; 0 for one that is not known. */
export async function watchAccountUntil(
  deps: GapLimitDeps,
  number: number,
  branch: 0 | 1,
  until: number,
): Promise<number> {
  const account = await findWatchAccountByNumber(deps.db, number);
  const merchant = account && (await findMerchant(deps.db, account.merchantId));
  if (account === undefined || merchant === undefined) return 0;
  const { coin, mode, merchantId } = account;
  return watchMissing(deps, Math.min(until, account.listSize ?? until), {
    next: async (tx) => {
      const now = await findWatchAccountByNumber(tx, number);
      return (branch === 0 ? now?.nextReceive : now?.nextChange) ?? until;
    },
    watch: async (tx) => {
      const at = { coin, mode, merchantId, branch, account: merchant.account };
      try {
        await allocateAddress(tx, deps, { ...at, purpose: 'recovered', paymentId: null }, account);
      } catch (error) {
        // The end of a list, whose last addresses another wallet uses.
        if (!(error instanceof AppError) || account.listSize === null) throw error;
      }
    },
  });
}

async function watchMissing(
  { db }: Pick<GapLimitDeps, 'db'>,
  until: number,
  branch: {
    readonly next: (tx: Tx) => Promise<number>;
    readonly watch: (tx: Tx) => Promise<void>;
  },
): Promise<number> {
  let watched = 0;
  for (let more = true; more;) {
    more = await db.transaction(async (tx) => {
      const missing = until - (await branch.next(tx));
      for (let count = 0; count < Math.min(BATCH, missing); count += 1) {
        await branch.watch(tx);
        watched += 1;
      }
      return missing > BATCH;
    });
  }
  return watched;
}
