import { sql } from 'kysely';
import type { ChainId } from '../../domain/coins.ts';
import { type FinalHeights, type Finality, finalHeight } from '../../domain/confirmations.ts';
import type { Db } from '../sqlite/database.ts';
import { ANY_DEPTH } from './payments-with-money.ts';

const FINALITIES = ['safe', 'finalized'] as const satisfies readonly Finality[];

/**
 * Finalities that a coin's payments were quoted and wait for, in a coin of their own or of a payment that
 * they superseded: of payments that have or may receive money in it, including complete ones, because refunds
 * of it wait for them.
 */
export async function finalitiesAwaited(db: Db, chain: ChainId): Promise<Finality[]> {
  const awaited = await db
    .selectNoFrom((eb) => FINALITIES.map((each) => eb.exists(quotedPayment(db, chain, each)).as(each)))
    .executeTakeFirstOrThrow();
  return FINALITIES.filter((each) => Number(awaited[each]) === 1);
}

function quotedPayment(db: Db, { coin, mode }: ChainId, finality: Finality) {
  return db
    .selectFrom('payment_options')
    .innerJoin('payments', 'payments.id', 'payment_options.paymentId')
    .select('payments.id')
    .where('payment_options.coin', '=', coin)
    .where('payment_options.requiredFinality', '=', finality)
    .where('payments.mode', '=', mode)
    .where((eb) =>
      eb.or([
        eb('payments.status', 'in', ['pending', 'underpaid', 'confirming']),
        eb.exists(
          eb
            .selectFrom('outputs')
            .select('outputs.seq')
            .whereRef('outputs.paymentId', '=', 'payments.id')
            .where('outputs.coin', '=', coin)
            .where('outputs.state', '<>', 'gone'),
        ),
      ]),
    );
}

/** Payments with money in blocks that reached the finality they wait for. */
export async function paymentsAwaiting(
  db: Db,
  { coin, mode }: ChainId,
  heights: { readonly before: FinalHeights; readonly after: FinalHeights },
): Promise<string[]> {
  const finalities = new Set<string>();
  for (const finality of FINALITIES) {
    const above = finalHeight(heights.before, finality) ?? -1;
    const upTo = finalHeight(heights.after, finality) ?? -1;
    if (upTo <= above) continue;
    const rows = await db
      .selectFrom('outputs')
      .leftJoin('payment_options', (join) =>
        join
          .onRef('payment_options.paymentId', '=', 'outputs.paymentId')
          .onRef('payment_options.coin', '=', 'outputs.coin'),
      )
      .select(sql<string>`outputs.payment_id`.as('paymentId'))
      .distinct()
      .where('outputs.coin', '=', coin)
      .where('outputs.mode', '=', mode)
      .where('outputs.height', '>', above)
      .where('outputs.height', '<=', upTo)
      .where('outputs.paymentId', 'is not', null)
      // The quoted requirement, or that of the tier of the received money.
      .where((eb) =>
        eb.or([
          eb('payment_options.requiredFinality', '=', finality),
          eb('outputs.awaitedDepth', '>=', ANY_DEPTH),
        ]),
      )
      .execute();
    for (const row of rows) finalities.add(row.paymentId);
  }
  return [...finalities];
}
