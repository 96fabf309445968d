import { sql } from 'kysely';
import type { ChainId } from '../../domain/coins.ts';
import { type FinalHeights, type Finality, finalHeight } from '../../domain/confirmations.ts';
import type { Db } from '../sqlite/database.ts';
import { countedIn } from './counted-in.ts';
import { ANY_DEPTH } from './payments-with-money.ts';

/**
 * Finalities that a coin's payments wait for, among those that have or may receive money in it: in a coin of their own, or
 * of a payment that they superseded.
 */
export async function finalitiesAwaited(db: Db, { coin, mode }: ChainId): Promise<Finality[]> {
  const rows = await db
    .selectFrom('payments')
    .innerJoin('payment_options', (join) =>
      join.on('payment_options.payment_id', 'in', countedIn('payments')),
    )
    .select('payment_options.required_finality')
    .distinct()
    .where('payments.mode', '=', mode)
    .where('payments.status', 'in', ['pending', 'underpaid', 'confirming'])
    .where('payment_options.coin', '=', coin)
    .where('payment_options.required_finality', 'is not', null)
    .execute();
  return rows.flatMap(({ required_finality: finality }) => (finality === null ? [] : [finality]));
}

/** Payments with money in blocks that reached the finality they wait for. */
export async function paymentsAwaiting(
  db: Db,
  { coin, mode }: ChainId,
  heights: { readonly before: FinalHeights; readonly after: FinalHeights },
): Promise<string[]> {
  const found = new Set<string>();
  for (const finality of ['safe', 'finalized'] as const) {
    const above = finalHeight(heights.before, finality) ?? -1;
    const upTo = finalHeight(heights.after, finality) ?? -1;
    if (upTo <= above) continue;
    const rows = await db
      .selectFrom('outputs')
      .leftJoin('payment_options', (join) =>
        join
          .onRef('payment_options.payment_id', '=', 'outputs.payment_id')
          .onRef('payment_options.coin', '=', 'outputs.coin'),
      )
      .select(sql<string>`outputs.payment_id`.as('payment_id'))
      .distinct()
      .where('outputs.coin', '=', coin)
      .where('outputs.mode', '=', mode)
      .where('outputs.height', '>', above)
      .where('outputs.height', '<=', upTo)
      .where('outputs.payment_id', 'is not', null)
      // What was quoted, or the tier that the money came to.
      .where((eb) =>
        eb.or([
          eb('payment_options.required_finality', '=', finality),
          eb('outputs.awaited_depth', '>=', ANY_DEPTH),
        ]),
      )
      .execute();
    for (const row of rows) found.add(row.payment_id);
  }
  return [...found];
}
