/** Numbers of receipts in the store: consecutive per shop and mode, with the seller of their time. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Mode } from '../../../src/domain/coins.ts';
import type { Business } from '../../../src/domain/receipt.ts';
import { updateMerchant } from '../../../src/store/merchants/merchants.ts';
import { writeMeta } from '../../../src/store/meta.ts';
import { findReceipt, issueReceipt, sumReceipts } from '../../../src/store/payments/receipts.ts';
import type { Database } from '../../../src/store/sqlite/database.ts';
import { databaseOfRowsAlone } from '../../_helpers/rows-alone.ts';
import { insertMerchant } from '../../_helpers/webhooks/shop.ts';

const SELLER: Business = {
  legalName: 'Kaffee Blau GmbH',
  addressLines: ['Hauptstraße 1', '10115 Berlin'],
  country: 'DE',
  taxNumber: 'DE123456789',
  email: null,
};
const NOON = Date.parse('2026-06-15T12:00:00Z');
let db: Database;
let shop: string;
let made = 0;

beforeAll(async () => {
  db = await databaseOfRowsAlone();
});
afterAll(async () => db.close());
beforeEach(async () => {
  await db.deleteFrom('meta').where('key', '=', 'restored_at').execute();
  ({ id: shop } = await insertMerchant(db));
});

async function issue(
  of: { amount?: string; tip?: string; currency?: string; mode?: Mode; id?: string; at?: number } = {},
) {
  const {
    amount = '10',
    tip = null,
    currency = 'EUR',
    mode = 'live',
    id = `pay_${(made += 1)}`,
    at = NOON,
  } = of;
  const payment = { id, merchantId: shop, mode, amount, tip, currency };
  return db.transaction(async (tx) => issueReceipt(tx, payment, at));
}

const numbers = (receipts: readonly { number: string }[]): string[] => receipts.map(({ number }) => number);

test('issueReceipt numbers concurrent receipts of a shop and mode without gaps, and a repeat keeps its number', async () => {
  const issued = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => issue({ mode: index % 2 === 0 ? 'live' : 'sandbox' })),
  );
  const of = (mode: string) =>
    numbers(issued).filter((number) => number.startsWith('TEST-') === (mode === 'sandbox'));
  expect(of('live').toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 10 }, (_, index) => String(index + 1)),
  );
  expect(of('sandbox').length).toBe(10);
  expect(numbers([await issue({ id: 'again' }), await issue({ id: 'again' }), await issue()])).toEqual([
    '11',
    '11',
    '12',
  ]);
});

test('issueReceipt does not use the number of a transaction that failed', async () => {
  const failing = db.transaction(async (tx) => {
    await issueReceipt(
      tx,
      { id: 'lost', merchantId: shop, mode: 'live', amount: '1', tip: null, currency: 'EUR' },
      NOON,
    );
    throw new Error('the disk is full');
  });
  await expect(failing).rejects.toThrow('the disk is full');
  expect(numbers([await issue(), await issue()])).toEqual(['1', '2']);
});

test('issueReceipt keeps seller and prefix of a receipt when the shop changes them later', async () => {
  await updateMerchant(db, shop, {
    businessJson: JSON.stringify(SELLER),
    receiptPrefix: 'R-',
    updatedAt: NOON,
  });
  await issue({ id: 'first' });
  const moved = { ...SELLER, addressLines: ['Am Markt 2', '20095 Hamburg'] };
  await updateMerchant(db, shop, {
    businessJson: JSON.stringify(moved),
    receiptPrefix: 'B/',
    updatedAt: NOON,
  });
  await issue({ id: 'second' });
  await updateMerchant(db, shop, { businessJson: null, updatedAt: NOON });
  await issue({ id: 'third' });
  expect(await findReceipt(db, 'first')).toEqual({ number: 'R-1', issuedAt: NOON, seller: SELLER });
  expect(await findReceipt(db, 'second')).toEqual({ number: 'B/2', issuedAt: NOON, seller: moved });
  expect(await findReceipt(db, 'third')).toEqual({ number: 'B/3', issuedAt: NOON, seller: null });
});

test('issueReceipt begins again after a restore, with the time of the restore in the number', async () => {
  await issue();
  await writeMeta(db, 'restored_at', String(NOON));
  expect(numbers([await issue(), await issue()])).toEqual(['20260615120000-1', '20260615120000-2']);
});

test('issueReceipt never dates a receipt before an earlier one or into a closed range of the books', async () => {
  await issue({ at: NOON });
  expect((await issue({ at: NOON - 60_000 })).issuedAt).toBe(NOON);
  await updateMerchant(db, shop, { booksClosedUntil: NOON + 5, updatedAt: NOON });
  expect((await issue({ at: NOON })).issuedAt).toBe(NOON + 5);
});

test('sumReceipts adds up amounts beyond 64 bits of precision in JavaScript, by currency', async () => {
  for (const amount of ['999999999999.9999', '0.0001', '12.5']) await issue({ amount, currency: 'CLF' });
  await issue({ amount: '7.25', tip: '0.75' });
  await issue({ amount: '3', tip: '1.5' });
  const range = { merchantId: shop, mode: 'live', fromMs: NOON, beforeMs: NOON + 1 } as const;
  expect(await sumReceipts(db, range)).toEqual([
    { currency: 'CLF', count: 3, minor: 10_000_000_000_125_000n, tipMinor: 0n },
    { currency: 'EUR', count: 2, minor: 1_025n, tipMinor: 225n },
  ]);
  expect(await sumReceipts(db, { ...range, fromMs: NOON + 1 })).toEqual([]);
});
