import { sql } from 'kysely';
import type { Mode } from '../../domain/coins.ts';
import { PRICE_DECIMALS } from '../ledger/volume-totals.ts';
import type { Db } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import type { StoredPayment } from './payments.ts';

/** The payments of a counter in a range of time, by when it charged them. */
export interface CounterRange {
  readonly counterId: string;
  readonly mode: Mode;
  readonly fromMs: number;
  readonly beforeMs: number;
}

export type CounterPaymentRow = Pick<
  StoredPayment,
  'id' | 'orderId' | 'status' | 'exception' | 'amount' | 'tip' | 'currency' | 'createdAt'
>;

/** The newest payments of a range, newest first. */
export async function listCounterPayments(
  db: Db,
  range: CounterRange,
  limit: number,
): Promise<CounterPaymentRow[]> {
  return newest(db, { ...range, limit });
}

const newest = prepared((db, param: ParamOf<CounterRange & { limit: number }>) =>
  db
    .selectFrom('payments')
    .select(['id', 'orderId', 'status', 'exception', 'amount', 'tip', 'currency', 'createdAt'])
    .where('counterId', '=', param('counterId'))
    .where('mode', '=', param('mode'))
    .where('createdAt', '>=', param('fromMs'))
    .where('createdAt', '<', param('beforeMs'))
    .orderBy('createdAt', 'desc')
    .limit(param('limit')),
);

/** Completed payments of a range in one currency. */
export interface CounterSum {
  readonly currency: string;
  readonly count: number;
  /** The sums of prices and tips with PRICE_DECIMALS decimals; the prices include the tips. */
  readonly amount: bigint;
  readonly tips: bigint;
}

const SCALE = 10n ** BigInt(PRICE_DECIMALS);
const ZEROS = '0'.repeat(PRICE_DECIMALS);

/** Whole units and decimals are added up apart, because a price has up to 16 digits. By currency. */
export async function sumCounterPayments(db: Db, range: CounterRange): Promise<CounterSum[]> {
  const rows = await selectSums(db, range);
  return rows.map(({ currency, count, whole, part, tipWhole, tipPart }) => ({
    currency,
    count,
    amount: BigInt(whole) * SCALE + BigInt(part),
    tips: BigInt(tipWhole) * SCALE + BigInt(tipPart),
  }));
}

interface SumRow {
  readonly currency: string;
  readonly count: number;
  readonly whole: string;
  readonly part: string;
  readonly tipWhole: string;
  readonly tipPart: string;
}

const whole = (column: 'amount' | 'tip') =>
  sql`CAST(SUM(CAST(ifnull(${sql.ref(column)}, '0') AS INTEGER)) AS TEXT)`;
const decimals = (column: 'amount' | 'tip') => {
  const text = sql`ifnull(${sql.ref(column)}, '0')`;
  return sql`CAST(SUM(CASE instr(${text}, '.') WHEN 0 THEN 0
    ELSE CAST(substr(substr(${text}, instr(${text}, '.') + 1) || ${sql.lit(ZEROS)}, 1, ${sql.lit(PRICE_DECIMALS)}) AS INTEGER) END)
    AS TEXT)`;
};

const selectSums = prepared((db, param: ParamOf<CounterRange>) => ({
  compile: () =>
    sql<SumRow>`SELECT currency, COUNT(*) AS count, ${whole('amount')} AS whole, ${decimals('amount')} AS part,
        ${whole('tip')} AS tip_whole, ${decimals('tip')} AS tip_part
      FROM payments
      WHERE counter_id = ${param('counterId')} AND mode = ${param('mode')} AND status = 'completed'
        AND created_at >= ${param('fromMs')} AND created_at < ${param('beforeMs')}
      GROUP BY currency ORDER BY currency`.compile(db),
}));
