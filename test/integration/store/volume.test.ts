import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { COINS, COIN_DEFINITIONS, type Coin } from '../../../src/domain/coins.ts';
import { formatUnits } from '../../../src/domain/money.ts';
import type { Database } from '../../../src/store/sqlite/database.ts';
import { upsertOutput } from '../../../src/store/ledger/outputs.ts';
import { findPayment, insertPayment, updatePayment } from '../../../src/store/payments/payments.ts';
import { readVolume } from '../../../src/usecases/shops/read-volume.ts';
import { databaseOfRowsAlone } from '../../_helpers/rows-alone.ts';

const NOON = Date.parse('2026-06-15T12:00:00Z');
let db: Database;
let made = 0;

beforeAll(async () => {
  db = await databaseOfRowsAlone();
});
afterAll(async () => db.close());
beforeEach(async () => empty());

async function empty(): Promise<void> {
  for (const table of ['outputs', 'payments', 'volume_totals'] as const) await db.deleteFrom(table).execute();
}

interface Sale {
  readonly amount: string;
  readonly currency: string;
  readonly money: readonly (readonly [Coin, bigint])[];
  readonly at?: number;
  readonly status?: 'completed' | 'refunded' | 'expired';
  readonly merchant?: string;
  readonly mode?: 'live' | 'sandbox';
  readonly gone?: boolean;
}

async function sell(sale: Sale): Promise<void> {
  made += 1;
  const id = `pay_${made}`;
  const { at = NOON, status = 'completed', merchant = 'm', mode = 'live', gone = false } = sale;
  await db.transaction(async (tx) => {
    await insertPayment(tx, {
      id,
      merchantId: merchant,
      customerId: 'c',
      orderId: id,
      mode,
      status: 'pending',
      exception: null,
      amount: sale.amount,
      currency: sale.currency,
      productId: null,
      priceId: null,
      metadataJson: null,
      customFieldsJson: null,
      webhookUrl: null,
      orderLabel: null,
      successUrl: null,
      returnUrl: null,
      allowedCryptosJson: '[]',
      toleranceBps: 0,
      latePolicy: 'accept',
      requestHash: '',
      sequence: 0,
      createdAt: at,
      expiresAt: at,
      updatedAt: at,
      closedAt: null,
      cancelledAt: null,
      acceptedAt: null,
      refundedAt: null,
      refundedBy: null,
    });
    for (const [index, [coin, atoms]] of sale.money.entries()) {
      await upsertOutput(tx, {
        coin,
        mode,
        txid: id,
        vout: index,
        addressId: 1,
        merchantId: merchant,
        paymentId: id,
        amount: atoms.toString(),
        state: gone ? 'gone' : 'confirmed',
        height: gone ? null : 1,
        blockHash: null,
        maturity: 1,
        firstSeenAt: at,
        late: false,
        lateDue: null,
        spentBy: null,
        spentHeight: null,
        sendId: null,
        updatedAt: at,
      });
    }
    const payment = await findPayment(tx, id);
    if (payment !== undefined) await updatePayment(tx, id, { ...payment, status }, { from: payment });
  });
}

async function volume(range: { first?: string; last?: string; timeZone?: string; merchantId?: string } = {}) {
  return readVolume(
    { db, clock: { now: () => NOON } },
    {
      merchantId: range.merchantId ?? 'm',
      mode: 'live',
      first: range.first,
      last: range.last,
      timeZone: range.timeZone ?? 'UTC',
    },
  );
}

const atoms = fc.oneof(
  fc.bigInt(1n, 10n ** 27n),
  fc.constantFrom(2n ** 53n + 1n, 2n ** 63n, 10n ** 27n - 1n),
);
const price = fc.tuple(fc.bigInt(1n, 10n ** 14n - 1n), fc.constantFrom(0, 1, 2)).map(([minor, digits]) => {
  const text = formatUnits(minor, 2);
  const [whole = '', fraction = ''] = text.split('.');
  // As merchants write it: "12", "12.5", "12.50".
  return digits === 0 || fraction.length > digits ? text : `${whole}.${fraction.padEnd(digits, '0')}`;
});

test('readVolume is exact for any size, with coins beyond 64 bits and prices beyond 53 bits', async () => {
  const sale = fc.record({
    amount: price,
    currency: fc.constantFrom('USD', 'EUR'),
    money: fc.array(fc.tuple(fc.constantFrom(...COINS), atoms), { minLength: 0, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(sale, { minLength: 1, maxLength: 12 }), async (sales) => {
      await empty();
      for (const one of sales) await sell(one);
      const { totals, days } = await volume({ first: '2026-06-15', last: '2026-06-15' });
      expect(days).toEqual([{ date: '2026-06-15', ...totals }]);
      for (const coin of COINS) {
        const expected = sales
          .flatMap(({ money }) => money)
          .reduce((sum, [of, amount]) => (of === coin ? sum + amount : sum), 0n);
        const shown = totals.coins.find((one) => one.coin === coin)?.amount ?? '0';
        expect(shown).toBe(formatUnits(expected, COIN_DEFINITIONS[coin].decimals));
      }
      for (const currency of ['USD', 'EUR']) {
        const minor = (text: string): bigint => BigInt(toMinor(text));
        const expected = sales.filter((one) => one.currency === currency);
        const shown = totals.fiat.filter((one) => one.currency === currency);
        const sum = (texts: readonly { amount: string }[]): bigint =>
          texts.reduce((total, { amount }) => total + minor(amount), 0n);
        expect(sum(shown)).toBe(sum(expected));
        expect(shown.reduce((count, { payments }) => count + payments, 0)).toBe(expected.length);
      }
    }),
    { numRuns: 60 },
  );
});

function toMinor(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  return whole + fraction.padEnd(2, '0');
}

test('readVolume does not round many equal large sums, as 3000 times 0.123456789012345678 ETH at 999999999999.99', async () => {
  for (let times = 0; times < 3000; times += 1) {
    await sell({ amount: '999999999999.99', currency: 'USD', money: [['ETH', 123_456_789_012_345_678n]] });
  }
  const { totals } = await volume({ first: '2026-06-15', last: '2026-06-15' });
  expect(totals).toEqual({
    coins: [{ coin: 'ETH', amount: '370.370367037037034', payments: 3000 }],
    fiat: [{ currency: 'USD', coin: 'ETH', amount: '2999999999999970.00', payments: 3000 }],
  });
});

test('readVolume includes only completed payments of this shop and mode, and only existing money', async () => {
  await sell({ amount: '10', currency: 'USD', money: [['BTC', 5n]] });
  await sell({ amount: '20', currency: 'USD', money: [['BTC', 7n]], merchant: 'other' });
  await sell({ amount: '20', currency: 'USD', money: [['BTC', 7n]], mode: 'sandbox' });
  await sell({ amount: '20', currency: 'USD', money: [['BTC', 7n]], status: 'refunded' });
  await sell({ amount: '20', currency: 'USD', money: [['BTC', 7n]], status: 'expired' });
  await sell({ amount: '30', currency: 'USD', money: [['BTC', 9n]], gone: true });
  const { totals } = await volume();
  expect(totals.coins).toEqual([{ coin: 'BTC', amount: '0.00000005', payments: 1 }]);
  expect(totals.fiat).toEqual([
    { currency: 'USD', coin: 'BTC', amount: '10.00', payments: 1 },
    { currency: 'USD', coin: null, amount: '30.00', payments: 1 },
  ]);
});

test('readVolume assigns a payment in several coins to no single coin, and keeps the decimals of each currency', async () => {
  await sell({
    amount: '12.5',
    currency: 'EUR',
    money: [
      ['BTC', 1n],
      ['LTC', 2n],
    ],
  });
  await sell({ amount: '1200', currency: 'JPY', money: [['SOL', 3n]] });
  await sell({ amount: '1.234', currency: 'KWD', money: [['SOL', 3n]] });
  const { totals } = await volume();
  expect(totals.fiat).toEqual([
    { currency: 'EUR', coin: null, amount: '12.50', payments: 1 },
    { currency: 'JPY', coin: 'SOL', amount: '1200', payments: 1 },
    { currency: 'KWD', coin: 'SOL', amount: '1.234', payments: 1 },
  ]);
});

test('readVolume uses the days of the time zone, also at clock changes, without missing days', async () => {
  await sell({ amount: '1', currency: 'USD', money: [], at: Date.parse('2026-03-28T22:59:59.999Z') });
  await sell({ amount: '2', currency: 'USD', money: [], at: Date.parse('2026-03-28T23:00:00Z') });
  await sell({ amount: '4', currency: 'USD', money: [], at: Date.parse('2026-03-29T21:59:59.999Z') });
  await sell({ amount: '8', currency: 'USD', money: [], at: Date.parse('2026-03-29T22:00:00Z') });
  const { days } = await volume({ first: '2026-03-27', last: '2026-03-30', timeZone: 'Europe/Berlin' });
  expect(days.map(({ date, fiat }) => [date, fiat[0]?.amount])).toEqual([
    ['2026-03-27', undefined],
    ['2026-03-28', '1.00'],
    ['2026-03-29', '6.00'],
    ['2026-03-30', '8.00'],
  ]);
});

test('readVolume covers at most 366 days, and the last 30 days by default', async () => {
  const { days } = await volume({ timeZone: 'Pacific/Kiritimati' });
  expect([days.length, days[0]?.date, days.at(-1)?.date]).toEqual([30, '2026-05-18', '2026-06-16']);
  expect((await volume({ first: '2028-01-01', last: '2028-12-31' })).days).toHaveLength(366);
  const refused = { details: [expect.objectContaining({ field: 'endDate' })] };
  await expect(volume({ first: '2028-01-01', last: '2029-01-01' })).rejects.toMatchObject(refused);
  await expect(volume({ first: '2026-06-16', last: '2026-06-15' })).rejects.toMatchObject(refused);
});
