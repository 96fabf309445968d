import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { upsertOutput } from '../../../src/store/ledger/outputs.ts';
import { awaitedDepth, paymentsWithMoneyAbove } from '../../../src/store/payments/payments-with-money.ts';

const chain = { coin: 'BTC', mode: 'live' } as const;
let store: OpenDatabase;

beforeAll(async () => {
  store = await openDatabase(':memory:');
  await sql`pragma foreign_keys = off`.execute(store.db);
});
afterAll(async () => store.close());

const output = fc.record({
  payment: fc.constantFrom('a', 'b', 'c', null),
  height: fc.option(fc.integer({ min: 1, max: 60 })),
  maturity: fc.constantFrom(1, 6, 100),
  required: fc.constantFrom(1, 2, 12, 40),
  finality: fc.constantFrom(null, 'safe' as const, 'finalized' as const),
});

test('paymentsWithMoneyAbove returns exactly the payments whose money needs further confirmations', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(output, { maxLength: 12 }),
      fc.nat({ max: 70 }),
      fc.nat({ max: 70 }),
      async (outputs, above, tip) => {
        await store.db.transaction(async (tx) => {
          await sql`delete from outputs`.execute(tx);
          for (const [at, each] of outputs.entries()) await upsertOutput(tx, rowOf(each, at));
        });
        const waiting = outputs.filter(({ payment, height, maturity, required, finality }) => {
          if (payment === null || height === null || height <= above) return false;
          const confirmations = tip - height + 1;
          return finality !== null || confirmations < Math.max(required, maturity);
        });
        const found = await paymentsWithMoneyAbove(store.db, chain, above, tip);
        expect(found).toHaveLength(new Set(found).size);
        expect(new Set(found)).toEqual(new Set(waiting.map(({ payment }) => payment)));
      },
    ),
    { numRuns: 150 },
  );
});

function rowOf(
  { payment, height, maturity, required, finality }: typeof output extends fc.Arbitrary<infer T> ? T : never,
  at: number,
) {
  const waits = { required: () => required, finality: () => finality };
  return {
    ...chain,
    txid: `t${at}`,
    vout: 0,
    addressId: at + 1,
    merchantId: 'm',
    paymentId: payment,
    amount: '1',
    state: height === null ? ('unconfirmed' as const) : ('confirmed' as const),
    height,
    blockHash: height === null ? null : 'b',
    maturity,
    firstSeenAt: 1,
    late: false as const,
    lateDue: null,
    spentBy: null,
    spentHeight: null,
    sendId: null,
    updatedAt: 1,
    awaitedDepth: payment === null ? 0 : awaitedDepth(waits, { coin: 'BTC', maturity }),
  };
}
