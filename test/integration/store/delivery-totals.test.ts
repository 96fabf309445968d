import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MODES } from '../../../src/domain/coins.ts';
import type { Database } from '../../../src/store/sqlite/database.ts';
import { listDeliveries } from '../../../src/store/webhooks/delivery-list.ts';
import { databaseOfRowsAlone } from '../../_helpers/rows-alone.ts';

let db: Database;
let made = 0;

beforeAll(async () => {
  db = await databaseOfRowsAlone();
});
afterAll(async () => db.close());

const DAY_MS = 86_400_000;
const STATES = ['pending', 'delivered', 'failed'] as const;
const TYPES = ['payment.created', 'payment.completed'] as const;
const ENDPOINTS = ['a', 'whe_1', null] as const;
/** Some days and both sides of their limits. */
const moment = fc
  .tuple(fc.nat(3), fc.oneof(fc.constantFrom(0, 1, DAY_MS - 1), fc.nat(DAY_MS - 1)))
  .map(([day, ms]) => (20_000 + day) * DAY_MS + ms);
const delivery = fc.record({
  merchantId: fc.constantFrom('a', 'b'),
  status: fc.constantFrom(...STATES),
  mode: fc.constantFrom(...MODES),
  eventType: fc.constantFrom(...TYPES),
  endpointId: fc.constantFrom(...ENDPOINTS),
  replaced: fc.constantFrom(false, false, true),
  createdAt: moment,
});
const step = fc.oneof(
  { weight: 3, arbitrary: fc.array(delivery, { minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.record({ which: fc.nat(40), to: delivery }) },
  { weight: 1, arbitrary: fc.record({ which: fc.nat(40), to: fc.constant(null) }) },
);

async function take(done: typeof step extends fc.Arbitrary<infer S> ? S : never): Promise<void> {
  if (Array.isArray(done)) {
    const rows = done.map((row) => ({ ...REST, ...row, id: `d${(made += 1)}` }));
    await db.insertInto('deliveries').values(rows).execute();
    return;
  }
  const ids = await db.selectFrom('deliveries').select('id').orderBy('id').execute();
  const id = ids[done.which % Math.max(1, ids.length)]?.id ?? 'none';
  if (done.to === null) await db.deleteFrom('deliveries').where('id', '=', id).execute();
  else await db.updateTable('deliveries').set(done.to).where('id', '=', id).execute();
}

const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });

test('stored totals of webhook deliveries equal a count of the rows, whatever is written and deleted', async () => {
  const asking = fc.record({
    state: maybe(fc.constantFrom(...STATES)),
    mode: maybe(fc.constantFrom(...MODES)),
    event: maybe(fc.constantFrom(...TYPES)),
    endpointId: maybe(fc.constantFrom(...ENDPOINTS)),
    from: maybe(moment),
    to: maybe(moment),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 12 }),
      fc.array(asking, { minLength: 4, maxLength: 8 }),
      async (steps, asked) => {
        await db.deleteFrom('deliveries').execute();
        for (const each of steps) await take(each);
        const rows = await db.selectFrom('deliveries').selectAll().execute();
        for (const filter of [...asked, {} as (typeof asked)[number]]) {
          const { state, mode, event, endpointId, from = -Infinity, to = Infinity } = filter;
          const matching = rows
            .filter(
              (row) =>
                row.merchantId === 'a' &&
                !row.replaced &&
                (state === undefined || row.status === state) &&
                (mode === undefined || row.mode === mode) &&
                (event === undefined || row.eventType === event) &&
                (endpointId === undefined || row.endpointId === endpointId) &&
                row.createdAt >= from &&
                row.createdAt <= to,
            )
            .toSorted((one, other) => other.createdAt - one.createdAt || (other.id > one.id ? 1 : -1));
          const { total, deliveries } = await listDeliveries(db, {
            ...filter,
            merchantId: 'a',
            page: 1,
            limit: 10,
          });
          expect({ filter, total }).toEqual({ filter, total: matching.length });
          expect(deliveries.map(({ id }) => id)).toEqual(matching.slice(0, 10).map(({ id }) => id));
        }
        const counts = await db.selectFrom('delivery_counts').selectAll().execute();
        expect(counts.filter(({ count }) => count <= 0)).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});

const REST = {
  eventId: 'e',
  eventSeq: 1,
  paymentId: null,
  orderKey: 'o',
  url: 'https://shop.example/',
  origin: 'https://shop.example',
  attempts: 1,
  nextAttemptAt: 0,
  leaseUntil: null,
  leaseToken: null,
  updatedAt: 1,
};
