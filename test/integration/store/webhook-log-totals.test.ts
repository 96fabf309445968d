import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MODES } from '../../../src/domain/coins.ts';
import type { Database } from '../../../src/store/sqlite/database.ts';
import {
  deleteOldestLogs,
  insertWebhookLog,
  listWebhookLogs,
  sumLogBytes,
} from '../../../src/store/webhooks/webhook-logs.ts';
import { compressJson } from '../../../src/store/sqlite/compressed-json.ts';
import { databaseOfRowsAlone } from '../../_helpers/rows-alone.ts';

let db: Database;
let made = 0;

beforeAll(async () => {
  db = await databaseOfRowsAlone();
  for (const merchant of ['a', 'b']) {
    for (const mode of MODES) {
      const eventId = `e-${merchant}-${mode}`;
      await db
        .insertInto('events')
        .values({ ...event, id: eventId, merchantId: merchant, mode })
        .execute();
      for (const status of STATES) {
        const id = `d-${merchant}-${status}-${mode}`;
        const row = { ...delivery, mode, id, eventId, merchantId: merchant, status };
        await db.insertInto('deliveries').values(row).execute();
      }
    }
  }
});
afterAll(async () => db.close());

const DAY_MS = 86_400_000;
const STATES = ['pending', 'delivered', 'failed'] as const;
const TYPES = ['payment.created', 'payment.completed'] as const;
/** Some days and both sides of their limits. */
const moment = fc
  .tuple(fc.nat(3), fc.oneof(fc.constantFrom(0, 1, DAY_MS - 1), fc.nat(DAY_MS - 1)))
  .map(([day, ms]) => (20_000 + day) * DAY_MS + ms);
const log = fc.record({
  merchant: fc.constantFrom('a', 'b'),
  status: fc.constantFrom(0, 200, 404, 500),
  state: fc.constantFrom(...STATES),
  mode: fc.constantFrom(...MODES),
  event: fc.constantFrom(...TYPES),
  at: moment,
  body: fc.string({ maxLength: 30 }),
});
type Log = typeof log extends fc.Arbitrary<infer L> ? L : never;
const step = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), logs: fc.array(log, { minLength: 1, maxLength: 20 }) }),
  fc.record({ kind: fc.constant('change' as const), which: fc.nat(40), to: log }),
  fc.record({ kind: fc.constant('delete' as const), which: fc.nat(40) }),
  fc.record({
    kind: fc.constant('prune' as const),
    bytes: fc.nat(5_000),
    limit: fc.integer({ min: 1, max: 8 }),
  }),
  fc.record({ kind: fc.constant('undone' as const), logs: fc.array(log, { minLength: 1, maxLength: 3 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function rowOf({ merchant, status, at, body, state, mode, event }: Log, id: string) {
  const texts = { endpoint: 'https://shop.example/', error: null, exchangeJson: body };
  const times = { attempt: 1, durationMs: 1, createdAt: at };
  const of = { deliveryId: `d-${merchant}-${state}-${mode}`, eventType: event };
  return { id, ...of, merchantId: merchant, paymentId: null, status, ...texts, ...times };
}

async function write(logs: readonly Log[], andFail = false): Promise<void> {
  await db.transaction(async (tx) => {
    await insertWebhookLog(tx, ...logs.map((each) => rowOf(each, `l${(made += 1)}`)));
    if (!andFail) return;
    await tx.deleteFrom('webhook_logs').execute();
    throw new Error('taken back');
  });
}

async function change({ exchangeJson, ...row }: ReturnType<typeof rowOf>): Promise<void> {
  const changed = { ...row, exchangeJson: compressJson(exchangeJson) };
  await db.updateTable('webhook_logs').set(changed).where('id', '=', row.id).execute();
}

async function take(step: Step): Promise<void> {
  switch (step.kind) {
    case 'write':
      return write(step.logs);
    case 'undone':
      await expect(write(step.logs, true)).rejects.toThrow('taken back');
      return;
    case 'prune':
      await db.transaction(async (tx) => deleteOldestLogs(tx, step.bytes, step.limit));
      return;
    case 'change':
    case 'delete': {
      const ids = (await db.selectFrom('webhook_logs').select('id').orderBy('id').execute()).map(
        ({ id }) => id,
      );
      const id = ids[step.which % Math.max(1, ids.length)] ?? 'none';
      if (step.kind === 'delete') await db.deleteFrom('webhook_logs').where('id', '=', id).execute();
      else await change(rowOf(step.to, id));
    }
  }
}

test('stored totals of webhook logs equal a count of the rows, whatever is written and deleted', async () => {
  const status = fc.option(fc.constantFrom(0, 200, 404, 999), { nil: undefined });
  const at = fc.option(moment, { nil: undefined });
  const state = fc.option(fc.constantFrom(...STATES), { nil: undefined });
  const type = fc.option(fc.constantFrom(...TYPES), { nil: undefined });
  const mode = fc.option(fc.constantFrom(...MODES), { nil: undefined });
  const asking = fc.record({ status, state, mode, event: type, from: at, to: at });
  const filters = fc.array(asking, { minLength: 4, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 15 }), filters, async (steps, asked) => {
      await db.deleteFrom('webhook_logs').execute();
      for (const each of steps) await take(each);
      const logs = await db.selectFrom('webhook_logs').selectAll().execute();
      expect(await sumLogBytes(db)).toBe(logs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
      for (const merchantId of ['a', 'b']) {
        for (const { status, state, mode, event, from = -Infinity, to = Infinity } of [...asked, {}]) {
          const matching = logs.filter(
            (each) =>
              each.merchantId === merchantId &&
              (status === undefined || each.status === status) &&
              (state === undefined || each.deliveryId.startsWith(`d-${merchantId}-${state}-`)) &&
              (mode === undefined || each.deliveryId.endsWith(`-${mode}`)) &&
              (event === undefined || each.eventType === event) &&
              each.createdAt >= from &&
              each.createdAt <= to,
          );
          const bounds = {
            ...(status === undefined ? {} : { status }),
            ...(state === undefined ? {} : { state }),
            ...(mode === undefined ? {} : { mode }),
            ...(event === undefined ? {} : { event }),
            ...(from === -Infinity ? {} : { from }),
            ...(to === Infinity ? {} : { to }),
          };
          const { total, logs: page } = await listWebhookLogs(db, {
            merchantId,
            ...bounds,
            page: 1,
            limit: 100,
          });
          expect({ ...bounds, total }).toEqual({ ...bounds, total: matching.length });
          const ids = new Set(matching.map(({ id }) => id));
          expect(page.filter(({ id }) => !ids.has(id))).toEqual([]);
          expect(page).toHaveLength(Math.min(100, matching.length));
        }
      }
      const counted = await db.selectFrom('webhook_log_counts').selectAll().execute();
      expect(counted.filter(({ count }) => count <= 0)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test('listWebhookLogs returns the logs that its total counts, newest first', async () => {
  await db.deleteFrom('webhook_logs').execute();
  const days = Array.from({ length: 30 }, (_, day) => day);
  await write(days.map((day) => ({ ...plain, status: day % 2 === 0 ? 200 : 500, at: day * DAY_MS })));
  const { logs, total } = await listWebhookLogs(db, { merchantId: 'a', status: 200, page: 2, limit: 4 });
  expect([total, ...logs.map((each) => each.createdAt / DAY_MS)]).toEqual([15, 20, 18, 16, 14]);
});

const plain = {
  merchant: 'a',
  state: 'delivered',
  mode: 'live',
  event: 'payment.created',
  body: '',
} as const;

const event = {
  id: 'e',
  merchantId: 'a',
  mode: 'live' as const,
  type: 'payment.created' as const,
  paymentId: null,
  sendId: null,
  sequence: 1,
  bodyJson: compressJson('{}'),
  createdAt: 1,
};
const delivery = {
  eventId: 'e',
  eventType: 'payment.created' as const,
  eventSeq: 1,
  paymentId: null,
  orderKey: 'o',
  url: 'https://shop.example/',
  origin: 'https://shop.example',
  attempts: 1,
  nextAttemptAt: 0,
  leaseUntil: null,
  leaseToken: null,
  createdAt: 1,
  updatedAt: 1,
};
