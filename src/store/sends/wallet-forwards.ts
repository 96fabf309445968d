import { sql, type Selectable } from 'kysely';
import type { ChainId, Mode } from '../../domain/coins.ts';
import type { ForwardRule } from '../../domain/send/forward.ts';
import type { WalletForwardRow } from '../schema/sends.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/** Rules that forward coins to cold storage, one per coin and mode of a shop. */

type Wallet = ChainId & { readonly merchantId: string };

export async function findForward(db: Db, wallet: Wallet): Promise<ForwardRule | undefined> {
  const row = await db
    .selectFrom('wallet_forwards')
    .selectAll()
    .where('merchantId', '=', wallet.merchantId)
    .where('mode', '=', wallet.mode)
    .where('coin', '=', wallet.coin)
    .executeTakeFirst();
  return row && toRule(row);
}

export async function findForwardById(db: Db, id: string): Promise<ForwardRule | undefined> {
  const row = await db.selectFrom('wallet_forwards').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toRule(row);
}

/** The rules of a shop in a mode. */
export async function listForwards(
  db: Db,
  { merchantId, mode }: { readonly merchantId: string; readonly mode: Mode },
): Promise<ForwardRule[]> {
  const rows = await db
    .selectFrom('wallet_forwards')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('mode', '=', mode)
    .orderBy('coin')
    .execute();
  return rows.map(toRule);
}

/** The addresses and descriptors that the rules of a chain forward to, those that wait included. */
export async function forwardDestinations(db: Db, { coin, mode }: ChainId): Promise<string[]> {
  const rows = await db
    .selectFrom('wallet_forwards')
    .select(['destination', 'pendingDestination'])
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .execute();
  return rows.flatMap((row) => [row.destination ?? [], row.pendingDestination ?? []].flat());
}

/** Active rules whose interval is over. A last run in the future means that the clock was set back. */
export async function forwardsToRun(db: Db, now: number): Promise<ForwardRule[]> {
  const rows = await db
    .selectFrom('wallet_forwards')
    .selectAll()
    .where('active', '=', true)
    .where((eb) =>
      eb.or([
        eb('lastRunAt', 'is', null),
        eb('lastRunAt', '>', now),
        eb(sql<number>`last_run_at + interval_ms`, '<=', now),
      ]),
    )
    .where((eb) => eb.or([eb('destination', 'is not', null), eb('pendingAt', '<=', now)]))
    .orderBy('id')
    .execute();
  return rows.map(toRule);
}

/** Stores a new rule, or a change of one. */
export async function putForward(tx: Tx, rule: ForwardRule): Promise<void> {
  if (!tx.isTransaction) throw new Error('a forward must be changed in a transaction');
  const { pending, problem, isActive, keep, threshold, id, ...rest } = rule;
  const row = {
    ...rest,
    keep: keep.toString(),
    threshold: threshold.toString(),
    active: isActive,
    pendingId: pending?.id ?? null,
    pendingDestination: pending?.destination ?? null,
    pendingAt: pending?.at ?? null,
    problem: problem?.code ?? null,
    problemMessage: problem?.message ?? null,
  };
  await tx
    .insertInto('wallet_forwards')
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

export async function deleteForward(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('wallet_forwards').where('id', '=', id).execute();
}

/** Deletes all rules of a shop; returns how many. */
export async function deleteForwards(tx: Tx, merchantId: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('wallet_forwards')
    .where('merchantId', '=', merchantId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** The index of the next unused address of a descriptor. */
export async function nextForwardIndex(db: Db, chain: ChainId, descriptor: string): Promise<number> {
  const row = await db
    .selectFrom('forward_counters')
    .select('nextIndex')
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('descriptor', '=', descriptor)
    .executeTakeFirst();
  return row?.nextIndex ?? 0;
}

/** Marks an index as used, in the transaction that stores the send to it; it is never used again. */
export async function useForwardIndex(
  tx: Tx,
  { coin, mode }: ChainId,
  { descriptor, index }: { readonly descriptor: string; readonly index: number },
): Promise<void> {
  if ((await nextForwardIndex(tx, { coin, mode }, descriptor)) > index)
    throw new Error('an address of cold storage is used once');
  await tx
    .insertInto('forward_counters')
    .values({ coin, mode, descriptor, nextIndex: index + 1 })
    .onConflict((conflict) =>
      conflict.columns(['coin', 'mode', 'descriptor']).doUpdateSet({ nextIndex: index + 1 }),
    )
    .execute();
}

/** How many of the newest forwards failed in a row: their addresses received nothing. At most `limit`. */
export async function countFailedForwards(db: Db, wallet: Wallet, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('sends')
    .select('status')
    .where('merchantId', '=', wallet.merchantId)
    .where('mode', '=', wallet.mode)
    .where('coin', '=', wallet.coin)
    .where('reason', '=', sql.lit('forward'))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const first = rows.findIndex(({ status }) => status !== 'failed');
  return first === -1 ? rows.length : first;
}

/** Addresses skipped after a restore: those of forwards that an older copy of the database lacks. */
const SKIPPED = 10;

/**
 * Stops all rules of an older copy of the database: the destination may have been replaced since because it was lost,
 * and a pending one dropped because a thief had entered it.
 */
export async function markForwardsRestored(tx: Tx, message: string, now: number): Promise<void> {
  await sql`UPDATE forward_counters SET next_index = next_index + ${SKIPPED} WHERE EXISTS (
    SELECT 1 FROM wallet_forwards WHERE active AND wallet_forwards.destination = descriptor
      AND wallet_forwards.coin = forward_counters.coin AND wallet_forwards.mode = forward_counters.mode)`.execute(
    tx,
  );
  await tx
    .updateTable('wallet_forwards')
    .set({
      active: false,
      pendingId: null,
      pendingDestination: null,
      pendingAt: null,
      problem: 'restored',
      problemMessage: message,
      updatedAt: now,
    })
    .where('active', '=', true)
    .execute();
  await tx
    .updateTable('wallet_forwards')
    .set({ pendingId: null, pendingDestination: null, pendingAt: null, updatedAt: now })
    .where('pendingId', 'is not', null)
    .execute();
}

function toRule({
  keep,
  threshold,
  active,
  pendingId: id,
  pendingDestination: destination,
  pendingAt: at,
  problem,
  problemMessage,
  ...row
}: Selectable<WalletForwardRow>): ForwardRule {
  const isPending = id !== null && destination !== null && at !== null;
  return {
    ...row,
    keep: BigInt(keep),
    threshold: BigInt(threshold),
    isActive: active,
    pending: isPending ? { id, destination, at } : null,
    problem: problem === null ? null : { code: problem, message: problemMessage ?? '' },
  };
}
