import type { Credit } from '../../domain/chain.ts';
import { COINS, isUtxoCoin, type ChainId } from '../../domain/coins.ts';
import type { Logger } from '../../domain/ports.ts';
import { findWatched, nextAddressIndex, type AddressBranch } from '../../store/ledger/addresses.ts';
import { reserveAddresses } from '../../store/ledger/look-ahead.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { allMerchants, findMerchant } from '../../store/merchants/merchants.ts';
import { readMeta, writeMeta } from '../../store/meta.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { allocateAddress, type AllocateAddressDeps } from './allocate-address.ts';

export interface GapLimitDeps extends AllocateAddressDeps {
  readonly db: Db;
  readonly logger: Logger;
}

const GAP = 'look_ahead.gap';
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
  return reserved;
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
    moved += await watchUntil(deps, merchant, { ...chain, merchantId, branch }, idx + 1 + gap);
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
  let watched = 0;
  for (let more = true; more;) {
    more = await deps.db.transaction(async (tx) => {
      const missing = until - (await nextAddressIndex(tx, at));
      for (let count = 0; count < Math.min(BATCH, missing); count += 1) {
        const { account } = merchant;
        await allocateAddress(tx, deps, { ...at, account, purpose: 'recovered', paymentId: null });
        watched += 1;
      }
      return missing > BATCH;
    });
  }
  return watched;
}
