import { sql } from 'kysely';
import type { Coin } from '../../domain/coins.ts';
import { parseUnits } from '../../domain/money.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import type { PaymentRow, VolumeTotalRow } from '../schema/payments.ts';
import { idsWithSuperseded } from './superseded-ids.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Decimals of summed prices: no currency has more. */
export const PRICE_DECIMALS = 4;
/** In place of a currency: the total is the money itself, in atoms of its coin. */
export const MONEY = '';

/** A completed payment with one of its confirmed outputs; without coin and atoms when none is confirmed. */
export interface CompletedRow extends Pick<
  PaymentRow,
  'id' | 'merchantId' | 'mode' | 'createdAt' | 'currency'
> {
  readonly price: string;
  readonly coin: Coin | null;
  readonly atoms: string | null;
}

/** A payment's share of one total, or a total itself. */
export interface Share {
  /** MONEY, or the currency of the price. */
  readonly currency: string;
  /** For a price: the only coin it was paid in; empty when there are several, or none. */
  readonly coin: Coin | '';
  readonly sum: bigint;
  readonly payments: number;
}

/** Shares of one completed payment: its price, and its confirmed money by coin. */
export function completedShares(rows: readonly CompletedRow[]): Share[] {
  const [payment] = rows;
  if (payment === undefined) return [];
  const byCoin = new Map<Coin, bigint>();
  for (const { coin, atoms } of rows) {
    if (coin !== null && atoms !== null) byCoin.set(coin, (byCoin.get(coin) ?? 0n) + BigInt(atoms));
  }
  const [first = '', ...others] = byCoin.keys();
  const { currency, price } = payment;
  const sum = parseUnits(price, PRICE_DECIMALS);
  return [
    { currency, coin: others.length === 0 ? first : '', sum, payments: 1 },
    ...[...byCoin].map(([coin, atoms]) => ({ currency: MONEY, coin, sum: atoms, payments: 1 })),
  ];
}

/** Sums shares by currency and coin; zero sums are left out. */
export function addShares(shares: Iterable<Share>): Share[] {
  const totals = new Map<string, Share>();
  for (const share of shares) {
    const key = `${share.currency} ${share.coin}`;
    const had = totals.get(key);
    const sum = share.sum + (had?.sum ?? 0n);
    totals.set(key, { ...share, sum, payments: share.payments + (had?.payments ?? 0) });
  }
  return [...totals.values()].filter(({ sum, payments }) => sum !== 0n || payments !== 0);
}

/**
 * Changes a payment or its outputs, and updates the totals of completed payments by the difference: every
 * change of a status or of confirmed money goes through here, in its own transaction.
 */
export async function storeTotals(tx: Tx, paymentId: string, change: () => unknown): Promise<void> {
  const before = await completed(tx, { paymentId });
  await change();
  const after = await completed(tx, { paymentId });
  const [payment] = [...before, ...after];
  if (payment === undefined) return;
  const removedShares = completedShares(before).map((share) => ({
    ...share,
    sum: -share.sum,
    payments: -share.payments,
  }));
  const { merchantId, mode, createdAt: madeAt } = payment;
  for (const share of addShares([...completedShares(after), ...removedShares])) {
    for (const period of [HOUR_MS, DAY_MS]) {
      const startsAt = madeAt - (madeAt % period);
      const { currency, coin } = share;
      await move(tx, { merchantId, mode, periodMs: period, startsAt, currency, coin }, share);
    }
  }
}

type TotalKey = Omit<VolumeTotalRow, 'sum' | 'payments'>;

async function move(tx: Tx, key: TotalKey, by: Pick<Share, 'sum' | 'payments'>): Promise<void> {
  const [stored = { sum: '0', payments: 0 }] = await findTotal(tx, key);
  const payments = stored.payments + by.payments;
  const sum = BigInt(stored.sum) + by.sum;
  if (payments === 0 && sum === 0n) await removeTotal(tx, key);
  else await putTotal(tx, { ...key, sum: String(sum), payments });
}

/** The money of a payment counts for the one that superseded it. */
const completed = prepared((db, param: ParamOf<{ paymentId: string }>) =>
  completedPayments(db).where('p.id', '=', (eb) =>
    eb
      .selectFrom('payments as paid')
      .select((of) => of.fn.coalesce('paid.supersededBy', 'paid.id').as('id'))
      .where('paid.id', '=', param('paymentId')),
  ),
);

/** Completed payments, one row per confirmed output, and at least one. */
export function completedPayments(db: Db) {
  return db
    .selectFrom('payments as p')
    .leftJoin('outputs as o', (join) =>
      join.on('o.paymentId', 'in', idsWithSuperseded('p')).on('o.state', '=', sql.lit('confirmed')),
    )
    .where('p.status', '=', sql.lit('completed'))
    .select(['p.id', 'p.merchantId', 'p.mode', 'p.createdAt', 'p.currency', 'p.amount as price'])
    .select(['o.coin', 'o.amount as atoms']);
}

const findTotal = prepared((db, param: ParamOf<TotalKey>) =>
  db
    .selectFrom('volume_totals')
    .select(['sum', 'payments'])
    .where('merchantId', '=', param('merchantId'))
    .where('mode', '=', param('mode'))
    .where('periodMs', '=', param('periodMs'))
    .where('startsAt', '=', param('startsAt'))
    .where('currency', '=', param('currency'))
    .where('coin', '=', param('coin')),
);

const putTotal = prepared((db, param: ParamOf<VolumeTotalRow>) =>
  db
    .insertInto('volume_totals')
    .values({
      merchantId: param('merchantId'),
      mode: param('mode'),
      periodMs: param('periodMs'),
      startsAt: param('startsAt'),
      currency: param('currency'),
      coin: param('coin'),
      sum: param('sum'),
      payments: param('payments'),
    })
    .onConflict((conflict) => conflict.doUpdateSet({ sum: param('sum'), payments: param('payments') })),
);

const removeTotal = prepared((db, param: ParamOf<TotalKey>) =>
  db
    .deleteFrom('volume_totals')
    .where('merchantId', '=', param('merchantId'))
    .where('mode', '=', param('mode'))
    .where('periodMs', '=', param('periodMs'))
    .where('startsAt', '=', param('startsAt'))
    .where('currency', '=', param('currency'))
    .where('coin', '=', param('coin')),
);
