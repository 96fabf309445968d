import { sql } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { MovementKind } from '../../domain/movements.ts';
import type { Db } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import { joinParts, type PartSums, sumParts } from './atom-sums.ts';
import type { MovementRange } from './movements.ts';

/** A line of the books as the report of a month adds it up. */
export interface MonthLine {
  readonly seq: number;
  readonly at: number;
  readonly coin: Coin;
  /** For a reversal that of the line that it reverses. */
  readonly kind: MovementKind;
  readonly isReversal: boolean;
  readonly amount: bigint;
  readonly hasPayment: boolean;
  readonly currency: string | null;
  readonly rate: string | null;
  /** The price sources of the payment's quote; empty where there is none. */
  readonly rateSources: readonly string[];
}

/** Lines of a range after another one, by time and then by number. */
export async function pageOfMonthLines(
  db: Db,
  page: MovementRange & { readonly afterMs: number; readonly afterSeq: number; readonly limit: number },
): Promise<MonthLine[]> {
  return (await selectLines(db, page)).map(
    ({ kind, originalKind, reverses, amount, paymentId, sourcesJson, ...line }) => ({
      ...line,
      kind: originalKind ?? kind,
      isReversal: reverses !== null,
      amount: BigInt(amount),
      hasPayment: paymentId !== null,
      rateSources: sourcesJson === null ? [] : (JSON.parse(sourcesJson) as string[]),
    }),
  );
}

const selectLines = prepared(
  (db, param: ParamOf<MovementRange & { afterMs: number; afterSeq: number; limit: number }>) =>
    db
      .selectFrom('movements')
      .leftJoin('movements as original', 'original.seq', 'movements.reverses')
      .leftJoin('payment_options as option', (join) =>
        join
          .onRef('option.paymentId', '=', 'movements.paymentId')
          .onRef('option.coin', '=', 'movements.coin'),
      )
      .select(['movements.seq', 'movements.at', 'movements.coin', 'movements.kind', 'movements.reverses'])
      .select(['movements.amount', 'movements.paymentId', 'movements.currency', 'movements.rate'])
      .select(['original.kind as originalKind', 'option.rateSourcesJson as sourcesJson'])
      .where('movements.merchantId', '=', param('merchantId'))
      .where('movements.mode', '=', param('mode'))
      .where((eb) =>
        eb(eb.refTuple('movements.at', 'movements.seq'), '>', eb.tuple(param('afterMs'), param('afterSeq'))),
      )
      .where('movements.at', '<', param('beforeMs'))
      .where('movements.seq', '<=', param('upToSeq'))
      .orderBy('movements.at')
      .orderBy('movements.seq')
      .limit(param('limit')),
);

/**
 * The balance of each coin before a moment: the exact sum of all lines until then. Reads every one of them, so it is
 * for the read thread.
 */
export async function sumMovementsBefore(
  db: Db,
  range: {
    readonly merchantId: string;
    readonly mode: Mode;
    readonly beforeMs: number;
    readonly upToSeq: number;
  },
): Promise<ReadonlyMap<Coin, bigint>> {
  const rows = await selectSums(db, range);
  return new Map(rows.map((row) => [row.coin, joinParts(row)]));
}

const selectSums = prepared((db, param: ParamOf<MovementRange>) => ({
  compile: () =>
    sql<PartSums & { readonly coin: Coin }>`SELECT coin, ${sumParts}
      FROM (SELECT coin, ltrim(amount, '-') AS digits, CASE WHEN amount LIKE '-%' THEN -1 ELSE 1 END AS sign
        FROM movements
        WHERE merchant_id = ${param('merchantId')} AND mode = ${param('mode')}
          AND at < ${param('beforeMs')} AND seq <= ${param('upToSeq')})
      GROUP BY coin`.compile(db),
}));
