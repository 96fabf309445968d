/** Sums of the completed payments of payment links: exact, and from one index. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Mode } from '../../../src/domain/coins.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { sumLinkSales } from '../../../src/store/payments/link-sales.ts';
import { PRICE_DECIMALS } from '../../../src/store/ledger/volume-totals.ts';
import { insertPayment } from '../../../src/store/payments/payments.ts';
import type { Database } from '../../../src/store/sqlite/database.ts';
import { databaseOfRowsAlone } from '../../_helpers/rows-alone.ts';

let db: Database;
let made = 0;

beforeAll(async () => {
  db = await databaseOfRowsAlone();
});
afterAll(async () => db.close());
beforeEach(async () => {
  await db.deleteFrom('payments').execute();
});

interface Sale {
  readonly linkId: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly status: 'completed' | 'refunded' | 'expired';
  readonly mode: Mode;
}

async function sell({ linkId, amount, currency, status, mode }: Sale): Promise<void> {
  const id = `pay_${(made += 1)}`;
  await db.transaction(async (tx) =>
    insertPayment(tx, {
      id,
      merchantId: 'm',
      customerId: null,
      orderId: id,
      mode,
      status,
      exception: null,
      amount,
      currency,
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
      createdAt: 0,
      expiresAt: 0,
      updatedAt: 0,
      closedAt: null,
      cancelledAt: null,
      acceptedAt: null,
      refundedAt: null,
      refundedBy: null,
      linkId,
    }),
  );
}

const amounts = fc
  .tuple(
    fc.bigInt({ min: 0n, max: 999_999_999_999n }),
    fc.string({ unit: fc.constantFrom('0', '1', '5', '9'), maxLength: 4 }),
  )
  .map(([whole, part]) => (part === '' ? String(whole) : `${whole}.${part}`));
const sales = fc.array(
  fc.record({
    linkId: fc.constantFrom('one', 'two', 'other', null),
    amount: amounts,
    currency: fc.constantFrom('EUR', 'CLF'),
    status: fc.constantFrom('completed', 'completed', 'refunded', 'expired'),
    mode: fc.constantFrom('live', 'sandbox'),
  }) satisfies fc.Arbitrary<Sale>,
  { maxLength: 12 },
);

test('sumLinkSales adds up the prices of completed payments exactly, by link and currency', async () => {
  await fc.assert(
    fc.asyncProperty(sales, async (sold) => {
      await db.deleteFrom('payments').execute();
      for (const sale of sold) await sell(sale);
      const found = await sumLinkSales(db, { linkIds: ['one', 'two'], mode: 'live' });
      for (const linkId of ['one', 'two'])
        for (const currency of ['EUR', 'CLF']) {
          const own = sold.filter(
            (sale) =>
              sale.linkId === linkId &&
              sale.currency === currency &&
              sale.status === 'completed' &&
              sale.mode === 'live',
          );
          const sum = own.reduce((all, { amount }) => all + parseUnits(amount, PRICE_DECIMALS), 0n);
          const row = found.find((sale) => sale.linkId === linkId && sale.currency === currency);
          expect(row ?? { count: 0, sum: 0n }).toMatchObject({ count: own.length, sum });
        }
      expect(found.every(({ linkId }) => linkId !== 'other')).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('sumLinkSales reads nothing but its index, and nothing for an empty page', async () => {
  const { rows } = await sql<{
    detail: string;
  }>`EXPLAIN QUERY PLAN SELECT link_id, currency, COUNT(*), SUM(amount)
    FROM payments WHERE link_id IN ('one', 'two') AND mode = 'live' AND status = 'completed'
    GROUP BY link_id, currency`.execute(db);
  expect(rows[0]?.detail).toContain('USING COVERING INDEX payments_by_link');
  expect(await sumLinkSales(db, { linkIds: [], mode: 'live' })).toEqual([]);
});
