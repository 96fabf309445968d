import { sql } from 'kysely';
import type { ChainId, Coin, Mode } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import { joinParts, type PartSums, sumParts } from './atom-sums.ts';

/** Sums over the money of a wallet, each computed by SQL. They read many rows, so they are for the read thread. */

type Wallet = ChainId & { readonly merchantId: string };

/** Money on addresses that the till signs for, or on those of watched accounts; atoms. */
export interface HeldMoney {
  /** In blocks, and spent by none of them. */
  readonly confirmed: bigint;
  /** Received from others, but not in a block yet. Change of own transactions is in `confirmed` until their block. */
  readonly unconfirmed: bigint;
}

/** What a wallet holds, including reserved and frozen money. */
export async function sumHeldMoney(
  db: Db,
  wallet: Wallet,
): Promise<{ readonly hot: HeldMoney; readonly watched: HeldMoney }> {
  const rows = await selectHeld(db, wallet);
  const held = (isWatched: boolean): HeldMoney => {
    const find = (state: HeldRow['state']): bigint => {
      const row = rows.find((one) => one.state === state && one.watchOnly === isWatched);
      return row === undefined ? 0n : joinParts(row);
    };
    return { confirmed: find('confirmed'), unconfirmed: find('unconfirmed') };
  };
  return { hot: held(false), watched: held(true) };
}

interface HeldRow extends PartSums {
  readonly watchOnly: boolean;
  readonly state: keyof HeldMoney;
}

/**
 * Each part has a partial index: what nothing spends, what a send has reserved, what an unconfirmed transaction spends,
 * and what is not in a block. Only the first grows with the wallet, and its index covers it.
 */
const selectHeld = prepared((db, param: ParamOf<Wallet>) => ({
  compile: () =>
    sql<HeldRow>`SELECT watch_only, state, ${sumParts} FROM (
      SELECT watch_only, 'confirmed' AS state, amount AS digits, 1 AS sign
        FROM outputs INDEXED BY outputs_spendable
        WHERE merchant_id = ${param('merchantId')} AND coin = ${param('coin')} AND mode = ${param('mode')}
          AND state = 'confirmed' AND spent_by IS NULL AND send_id IS NULL
      UNION ALL SELECT watch_only, 'confirmed', amount, 1 FROM outputs INDEXED BY outputs_reserved
        WHERE coin = ${param('coin')} AND mode = ${param('mode')} AND merchant_id = ${param('merchantId')}
          AND state = 'confirmed' AND send_id IS NOT NULL AND spent_by IS NULL
      UNION ALL SELECT watch_only, 'confirmed', amount, 1 FROM outputs INDEXED BY outputs_spent_unconfirmed
        WHERE coin = ${param('coin')} AND mode = ${param('mode')} AND merchant_id = ${param('merchantId')}
          AND state = 'confirmed' AND spent_by IS NOT NULL AND spent_height IS NULL
      UNION ALL SELECT watch_only, 'unconfirmed', amount, 1 FROM outputs INDEXED BY outputs_unconfirmed
        WHERE coin = ${param('coin')} AND mode = ${param('mode')} AND merchant_id = ${param('merchantId')}
          AND state = 'unconfirmed' AND NOT EXISTS (SELECT 1 FROM send_versions AS own WHERE own.coin = outputs.coin
            AND own.mode = outputs.mode AND own.txid = outputs.txid))
      GROUP BY watch_only, state`.compile(db),
}));

/** What sends that are in no block yet pay others, with their fees; atoms. */
export async function sumOpenSends(db: Db, wallet: Wallet): Promise<bigint> {
  return sumAll(await selectOpenSends(db, wallet));
}

function sumAll(rows: readonly PartSums[]): bigint {
  return rows.reduce((sum, row) => sum + joinParts(row), 0n);
}

const selectOpenSends = prepared((db, param: ParamOf<Wallet>) => ({
  compile: () =>
    sql<PartSums>`SELECT ${sumParts} FROM (
      WITH open AS (
        SELECT amount, fee FROM sends INDEXED BY sends_open
          WHERE coin = ${param('coin')} AND mode = ${param('mode')} AND status IN ('signed', 'broadcast')
            AND merchant_id = ${param('merchantId')} AND purpose = 'send' AND height IS NULL
        UNION ALL SELECT amount, fee FROM sends INDEXED BY sends_preparing
          WHERE coin = ${param('coin')} AND mode = ${param('mode')} AND status = 'preparing'
            AND merchant_id = ${param('merchantId')} AND purpose = 'send')
      SELECT amount AS digits, 1 AS sign FROM open UNION ALL SELECT fee, 1 FROM open)
      HAVING COUNT(*) > 0`.compile(db),
}));

/** What confirmed forwards sent to cold storage since a time; atoms. */
export async function sumForwarded(db: Db, wallet: Wallet, since: number): Promise<bigint> {
  return sumAll(await selectForwarded(db, { ...wallet, since }));
}

const selectForwarded = prepared((db, param: ParamOf<Wallet & { since: number }>) => ({
  compile: () =>
    sql<PartSums>`SELECT ${sumParts} FROM (SELECT amount AS digits, 1 AS sign FROM sends INDEXED BY sends_forwarded
      WHERE merchant_id = ${param('merchantId')} AND mode = ${param('mode')} AND coin = ${param('coin')}
        AND created_at >= ${param('since')} AND reason = 'forward' AND status = 'confirmed')
      HAVING COUNT(*) > 0`.compile(db),
}));

/** Money in and out of a coin on one day; atoms, both positive unless reversals exceed them. */
export interface DayFlow {
  /** The position of the day in the list. */
  readonly day: number;
  readonly coin: Coin;
  readonly flow: 'in' | 'out';
  readonly amount: bigint;
}

/**
 * What came in and left on each of these days, by the lines of the books: payments and deposits in; refunds, sends and
 * network fees out. A reversal lowers the side of the line that it reverses.
 * @param bounds first millisecond of each day, and of the one after the last
 */
export async function sumDayFlows(
  db: Db,
  {
    merchantId,
    mode,
    bounds,
  }: { readonly merchantId: string; readonly mode: Mode; readonly bounds: readonly number[] },
): Promise<DayFlow[]> {
  const days = JSON.stringify(bounds.slice(0, -1).map((start, index) => [start, bounds[index + 1]]));
  const rows = await selectDayFlows(db, { merchantId, mode, days });
  return rows.map(({ day, coin, flow, ...parts }) => {
    const amount = joinParts(parts);
    return { day, coin, flow, amount: flow === 'in' ? amount : -amount };
  });
}

type DayFlowRow = PartSums & Pick<DayFlow, 'day' | 'coin' | 'flow'>;

const selectDayFlows = prepared((db, param: ParamOf<{ merchantId: string; mode: Mode; days: string }>) => ({
  compile: () =>
    sql<DayFlowRow>`SELECT day, coin, flow, ${sumParts} FROM (
      SELECT days.key AS day, line.coin, ltrim(line.amount, '-') AS digits,
          CASE WHEN line.amount LIKE '-%' THEN -1 ELSE 1 END AS sign,
          CASE coalesce(original.kind, line.kind) WHEN 'payment' THEN 'in' ELSE 'out' END AS flow
        FROM json_each(${param('days')}) AS days
        CROSS JOIN movements AS line INDEXED BY movements_by_merchant
          ON line.merchant_id = ${param('merchantId')} AND line.mode = ${param('mode')}
            AND line.at >= days.value ->> 0 AND line.at < days.value ->> 1
        LEFT JOIN movements AS original ON original.seq = line.reverses)
      GROUP BY day, coin, flow`.compile(db),
}));
