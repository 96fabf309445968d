import { sql } from 'kysely';
import { STORED_FALSE } from '../sqlite/column-names.ts';
import { COINS, type ChainId, type Coin, type Mode } from '../../domain/coins.ts';
import type { Depths } from '../../domain/payment/depth.ts';
import type { PaymentCredit } from '../../domain/payment/types.ts';
import type { Db } from '../sqlite/database.ts';
import type { StoredOutput } from '../ledger/outputs.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import { idsWithSuperseded } from '../ledger/superseded-ids.ts';

/**
 * Payments that a newer tip may change: with money in blocks above a height that is still gathering
 * confirmations at a tip, or that waits for finality.
 */
export async function paymentsWithMoneyAbove(
  db: Db,
  chain: ChainId,
  height: number,
  tip: number = height,
): Promise<string[]> {
  const rows = await paymentsInBlocks(db, { ...chain, height, next: tip + 1 });
  return rows.flatMap((row) => (row.paymentId === null ? [] : [row.paymentId]));
}

const paymentsInBlocks = prepared((db, param: ParamOf<ChainId & { height: number; next: number }>) =>
  db
    .selectFrom('outputs')
    .select('paymentId')
    .distinct()
    .where('coin', '=', param('coin'))
    .where('mode', '=', param('mode'))
    .where('height', '>', param('height'))
    .where((eb) => eb(eb('height', '+', eb.ref('awaitedDepth')), '>', param('next'))),
);

/** `awaited_depth` of money that waits for finality, which may come at any depth. */
export const ANY_DEPTH = 1_000_000_000;

/** The `awaited_depth` of a payment's output. */
export function awaitedDepth(
  waits: Pick<Depths, 'finality' | 'required'>,
  { coin, maturity }: Pick<PaymentCredit, 'coin' | 'maturity'>,
): number {
  return waits.finality(coin) === null ? Math.max(waits.required(coin), maturity) : ANY_DEPTH;
}

/**
 * Payments that another confirmation setting may affect, by id after `after`: with money in blocks above a
 * height, and not complete, or completed by part of their money while the rest may be excess, or with money
 * above `settledHeight`, which may wait for more confirmations again. Also, at any height, those that count the
 * money of superseded payments, because a migration may have assigned it to them.
 */
export async function waitingPayments(
  db: Db,
  chain: ChainId,
  heights: Heights,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await waitingAbove(db, chain, heights)
    .where('lead.id', '>', after)
    .union(waitingGroups(db, chain).where(sql<boolean>`+lead.id > ${after}`))
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

interface Heights {
  readonly height: number;
  /** Money at or below it has all confirmations that any amount requires. */
  readonly settledHeight: number;
}

/** The money of a superseded payment belongs to its successor. */
function waitingAbove(db: Db, { coin, mode }: ChainId, { height, settledHeight }: Heights) {
  return db
    .selectFrom('outputs')
    .innerJoin('payments as payee', 'payee.id', 'outputs.paymentId')
    .innerJoin('payments as lead', (join) =>
      join.on((eb) => eb('lead.id', '=', eb.fn.coalesce('payee.supersededBy', 'payee.id'))),
    )
    .select('lead.id')
    .distinct()
    .where('outputs.coin', '=', coin)
    .where('outputs.mode', '=', mode)
    .where('outputs.height', '>', height)
    .where((eb) =>
      eb.or([
        eb('lead.status', 'not in', ['completed', 'refunded']),
        eb('outputs.height', '>', settledHeight),
        eb.and([
          eb('lead.status', '=', 'completed'),
          eb.exists(
            eb
              .selectFrom('outputs as other')
              .select('other.seq')
              .where('other.paymentId', 'in', idsWithSuperseded('lead'))
              .whereRef('other.seq', '!=', 'outputs.seq'),
          ),
        ]),
      ]),
    );
}

function waitingGroups(db: Db, { coin, mode }: ChainId) {
  return (
    db
      .selectFrom('payments as lead')
      // `+`, here and for `after`: by the index of groups, not by walking over all payments in the order of their ids.
      .select(sql<string>`+lead.id`.as('id'))
      .where('lead.groupId', 'is not', null)
      .where('lead.supersededBy', 'is', null)
      .where('lead.mode', '=', mode)
      .where('lead.status', '!=', 'refunded')
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('outputs')
            .select('outputs.seq')
            .where('outputs.paymentId', 'in', idsWithSuperseded('lead'))
            // `+`: by the payment, not by walking over all outputs of the coin.
            .where(sql<boolean>`+outputs.coin = ${coin}`)
            .where((of) =>
              of.or([of('lead.status', '!=', 'completed'), of('outputs.paymentId', '!=', of.ref('lead.id'))]),
            ),
        ),
      )
  );
}

/** Payments, by id after `after`, with late money that is not priced at the current rate yet. */
export async function paymentsWithUnquotedMoney(
  db: Db,
  chain: ChainId,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await unquoted(db, chain)
    .select('paymentId')
    .distinct()
    .where('paymentId', '>', after)
    .orderBy('paymentId')
    .limit(limit)
    .execute();
  return rows.flatMap((row) => (row.paymentId === null ? [] : [row.paymentId]));
}

/** A payment's late money that is not priced at the current rate yet. */
export async function listUnquotedOutputs(
  db: Db,
  chain: ChainId,
  paymentId: string,
): Promise<StoredOutput[]> {
  return unquoted(db, chain).selectAll().where('paymentId', '=', paymentId).execute();
}

/** A literal, not a parameter: only then can the planner prove that the partial index applies. */
function unquoted(db: Db, chain: ChainId) {
  return db
    .selectFrom('outputs')
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where(sql<boolean>`late = 1 and late_due is null and state <> 'gone'`);
}

/** A payment with money that was seen in time and never confirmed. */
export interface OpenMoney {
  readonly paymentId: string;
  readonly coin: Coin;
  readonly mode: Mode;
  readonly expiresAt: number;
}

/** Never-confirmed money of payments expired by a time, payment by payment after an id. */
export async function listUnconfirmedMoney(
  db: Db,
  expiredBy: number,
  after: string,
  limit: number,
): Promise<OpenMoney[]> {
  return (
    db
      .selectFrom('outputs')
      // In this order, because few outputs are unconfirmed, however many payments there are.
      .crossJoin('payments')
      .whereRef('payments.id', '=', 'outputs.paymentId')
      .select([
        'payments.id as paymentId',
        'outputs.coin',
        'payments.mode',
        'payments.expiresAt as expiresAt',
      ])
      .distinct()
      .where('outputs.coin', 'in', COINS)
      .where('outputs.mode', 'in', ['live', 'sandbox'])
      .where('outputs.state', '=', sql.lit('unconfirmed'))
      .where('outputs.late', '=', STORED_FALSE)
      .where('outputs.confirmedAt', 'is', null)
      .where('payments.expiresAt', '<=', expiredBy)
      .where('payments.id', '>', after)
      .orderBy('payments.id')
      .limit(limit)
      .execute()
  );
}
