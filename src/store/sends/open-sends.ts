import { sql } from 'kysely';
import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import { STORED_FALSE, STORED_TRUE } from '../sqlite/column-names.ts';
import { openSends, releasedSends, type StoredSend } from './sends.ts';
import { isBroadcastable, isUnfrozen } from './wallet-freezes.ts';

/**
 * Sends that gather their outputs and are due, or scheduled for an impossibly late time; longest due first.
 * Those of frozen wallets sign nothing, and are left out by default.
 */
export async function preparingSends(
  db: Db,
  chain: ChainId,
  at: { readonly now: number; readonly impossible: number; readonly includesFrozen?: boolean },
  limit: number,
): Promise<StoredSend[]> {
  return db
    .selectFrom('sends')
    .selectAll()
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('status', '=', sql.lit('preparing'))
    .where('byPsbt', '=', STORED_FALSE)
    .$if(at.includesFrozen !== true, (query) => query.where(isUnfrozen('sends.merchant_id')))
    .where((eb) => eb.or([eb('nextBroadcastAt', '<=', at.now), eb('nextBroadcastAt', '>', at.impossible)]))
    .orderBy('nextBroadcastAt')
    .orderBy('id')
    .limit(limit)
    .execute();
}
/** Sends from watched accounts whose signatures are missing, oldest first. */
export async function unsignedSends(db: Db, chain: ChainId, limit: number): Promise<StoredSend[]> {
  return db
    .selectFrom('sends')
    .selectAll()
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('status', '=', sql.lit('preparing'))
    .where('byPsbt', '=', STORED_TRUE)
    .orderBy('createdAt')
    .orderBy('id')
    .limit(limit)
    .execute();
}
/**
 * Sends due for a broadcast and not queued, or scheduled for an impossibly late time; earliest first. Leaves out
 * those that a freeze withholds.
 */
export async function dueSends(
  db: Db,
  chain: ChainId,
  at: { now: number; impossible: number },
  limit: number,
): Promise<StoredSend[]> {
  return releasedSends(db, chain)
    .where(isBroadcastable())
    .where((eb) => eb.or([eb('nextBroadcastAt', '<=', at.now), eb('nextBroadcastAt', '>', at.impossible)]))
    .orderBy('nextBroadcastAt')
    .orderBy('id')
    .limit(limit)
    .execute();
}
/**
 * A merchant's sweeps of a chain that failed after a time and until now, ms: their number, and the time of
 * the last (0: never). Later times come from a clock since set back and would block sweeps until then.
 */
export async function failedSweeps(
  db: Db,
  wallet: ChainId & { readonly merchantId: string },
  { since, now }: { readonly since: number; readonly now: number },
): Promise<{ count: number; lastAt: number }> {
  const row = await db
    .selectFrom('sends')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.max('updatedAt').as('lastAt')])
    .where('merchantId', '=', wallet.merchantId)
    .where('createdAt', '>', since)
    .where('updatedAt', '<=', now)
    .where('coin', '=', wallet.coin)
    .where('mode', '=', wallet.mode)
    .where('purpose', '=', 'sweep')
    .where('status', '=', sql.lit('failed'))
    .executeTakeFirst();
  return { count: row?.count ?? 0, lastAt: row?.lastAt ?? 0 };
}
/**
 * Sends stored but not known to be accepted, and not queued: a restarted process broadcasts them first. Leaves out
 * those that a freeze withholds.
 */
export async function signedSends(db: Db, chain: ChainId, limit: number): Promise<StoredSend[]> {
  return releasedSends(db, chain)
    .where('status', '=', sql.lit('signed'))
    .where(isBroadcastable())
    .orderBy('nextBroadcastAt')
    .orderBy('id')
    .limit(limit)
    .execute();
}
/** Position of a send in order of creation. */
export type SendPlace = Pick<StoredSend, 'createdAt' | 'id'>;
/**
 * Unconfirmed sends whose newest version was signed at or before a time, or by a clock since set back; oldest
 * first. Leaves out those of frozen wallets, and those that other wallets signed.
 * @param after only sends after this one
 */
export async function stuckSends(
  db: Db,
  chain: ChainId,
  times: { readonly signedBefore: number; readonly now: number; readonly after?: SendPlace | null },
  limit: number,
): Promise<StoredSend[]> {
  const { signedBefore, now, after = null } = times;
  return releasedSends(db, chain)
    .where('height', 'is', null)
    .where('byPsbt', '=', STORED_FALSE)
    .where(isUnfrozen('sends.merchant_id'))
    .$if(after !== null, (query) =>
      query.where((eb) =>
        eb(eb.refTuple('createdAt', 'id'), '>', eb.tuple(after?.createdAt ?? 0, after?.id ?? '')),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('send_versions')
            .select('send_versions.version')
            .whereRef('send_versions.sendId', '=', 'sends.id')
            .where('send_versions.createdAt', '>', signedBefore)
            .where('send_versions.createdAt', '<=', now),
        ),
      ),
    )
    .orderBy('createdAt')
    .orderBy('id')
    .limit(limit)
    .execute();
}
/** Unconfirmed sends of a chain, oldest first. */
export async function oldestOpenSends(db: Db, chain: ChainId, limit: number): Promise<StoredSend[]> {
  return openSends(db, chain).orderBy('createdAt').orderBy('id').limit(limit).execute();
}
/** Unconfirmed sends of one wallet, newest first. */
export async function listOpenSends(
  db: Db,
  wallet: ChainId & { readonly merchantId: string },
  limit: number,
): Promise<StoredSend[]> {
  return openSends(db, wallet)
    .where('merchantId', '=', wallet.merchantId)
    .where('height', 'is', null)
    .orderBy('createdAt', 'desc')
    .limit(limit)
    .execute();
}
/** Unconfirmed sends of one wallet in creation order, at most `limit`. */
export async function openSendsInOrder(
  db: Db,
  wallet: ChainId & { readonly merchantId: string },
  limit: number = MAX_IN_ORDER,
): Promise<StoredSend[]> {
  return openSends(db, wallet)
    .where('merchantId', '=', wallet.merchantId)
    .where('height', 'is', null)
    .orderBy('queuePosition')
    .orderBy('createdAt')
    .orderBy('id')
    .limit(limit)
    .execute();
}
/** More than a queue holds. */
const MAX_IN_ORDER = 500;

/**
 * Open sends that reserve an output which a block has spent, or which is gone itself; in random order, so
 * that those which cannot end yet never hide the others from a round.
 */
export async function listDisplacedSends(db: Db, chain: ChainId, limit: number): Promise<StoredSend[]> {
  return db
    .selectFrom('sends')
    .selectAll('sends')
    .where('sends.coin', '=', chain.coin)
    .where('sends.mode', '=', chain.mode)
    .where(sql<boolean>`sends.status in ('signed', 'broadcast')`)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('outputs')
          .select('outputs.seq')
          .whereRef('outputs.sendId', '=', 'sends.id')
          .where((or) =>
            or.or([or('outputs.state', '=', sql.lit('gone')), or('outputs.spentHeight', 'is not', null)]),
          ),
      ),
    )
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
}
