import { sql } from 'kysely';
import type { ChainId } from '../domain/coins.ts';
import type { Db } from './database.ts';
import type { StoredOutput } from './outputs.ts';
import { prepared, type SlotOf } from './prepared.ts';

/**
 * Payments with money in blocks above a height that at a tip still gathers confirmations, or that the
 * network's own word settles: those to which a newer tip may make a difference.
 */
export async function paymentsWithMoneyAbove(
  db: Db,
  chain: ChainId,
  height: number,
  tip: number = height,
): Promise<string[]> {
  const rows = await paymentsInBlocks(db, { ...chain, height, next: tip + 1 });
  return rows.flatMap((row) => (row.payment_id === null ? [] : [row.payment_id]));
}

const paymentsInBlocks = prepared((db, slot: SlotOf<ChainId & { height: number; next: number }>) =>
  db
    .selectFrom('outputs')
    .innerJoin('payment_options', (join) =>
      join
        .onRef('payment_options.payment_id', '=', 'outputs.payment_id')
        .onRef('payment_options.coin', '=', 'outputs.coin'),
    )
    .select('outputs.payment_id')
    .distinct()
    .where('outputs.coin', '=', slot('coin'))
    .where('outputs.mode', '=', slot('mode'))
    .where('outputs.height', '>', slot('height'))
    .where((eb) =>
      eb.or([
        eb('payment_options.required_finality', 'is not', null),
        eb(eb('outputs.height', '+', eb.ref('payment_options.required_confirmations')), '>', slot('next')),
        eb(eb('outputs.height', '+', eb.ref('outputs.maturity')), '>', slot('next')),
      ]),
    ),
);

/** Payments, by id after `after`, with late money whose price at the current rate is not known yet. */
export async function paymentsWithUnquotedMoney(
  db: Db,
  chain: ChainId,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await unquoted(db, chain)
    .select('payment_id')
    .distinct()
    .where('payment_id', '>', after)
    .orderBy('payment_id')
    .limit(limit)
    .execute();
  return rows.flatMap((row) => (row.payment_id === null ? [] : [row.payment_id]));
}

/** A payment's late money whose price at the current rate is not known yet. */
export async function unquotedOutputsOf(db: Db, chain: ChainId, paymentId: string): Promise<StoredOutput[]> {
  return unquoted(db, chain).selectAll().where('payment_id', '=', paymentId).execute();
}

/** Written out, not bound: only so does the planner prove that the partial index fits. */
function unquoted(db: Db, chain: ChainId) {
  return db
    .selectFrom('outputs')
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where(sql<boolean>`late = 1 and late_due is null and state <> 'gone'`);
}
