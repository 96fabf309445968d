import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COINS } from '../../../src/domain/coins.ts';
import type { Database, Tx } from '../../../src/store/sqlite/database.ts';
import { upsertOutput } from '../../../src/store/ledger/outputs.ts';
import { findPayment, insertPayment, updatePayment } from '../../../src/store/payments/payments.ts';
import { sumVolume } from '../../../src/store/payments/volume.ts';
import { volumeByPayments } from '../../_helpers/volume-by-payments.ts';
import { databaseOfRowsAlone } from '../../_helpers/rows-alone.ts';

let db: Database;
let made = 0;

beforeAll(async () => {
  db = await databaseOfRowsAlone();
});
afterAll(async () => db.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Ends within the hours that payments are made in. */
const DAY = Math.ceil(400_000 / 24);
/** Some hours of two days, and both sides of their limits. */
const moment = fc
  .tuple(fc.nat(5), fc.oneof(fc.constantFrom(0, 1, HOUR_MS - 1), fc.nat(HOUR_MS - 1)))
  .map(([hour, ms]) => (DAY * 24 - 3 + hour) * HOUR_MS + ms);

const mode = fc.constantFrom('live' as const, 'sandbox' as const);
const status = fc.constantFrom(
  'completed' as const,
  'completed' as const,
  'confirming' as const,
  'refunded' as const,
);
const state = fc.constantFrom(
  'confirmed' as const,
  'confirmed' as const,
  'unconfirmed' as const,
  'gone' as const,
);
const amount = fc.constantFrom('12', '12.5', '12.50', '0.0001', '999999999999.99');
const atoms = fc.constantFrom('1', '9007199254740993', '18446744073709551616', '999999999999999999999999999');
const which = fc.nat(7);
const vout = fc.nat(3);
const coin = fc.constantFrom(...COINS);
const sale = fc.record({ mode, status, amount, currency: fc.constantFrom('USD', 'JPY'), at: moment });
const output = fc.record({ which, vout, coin, state, atoms });
const step = fc.oneof(
  sale.map((of) => ({ kind: 'sell' as const, ...of })),
  // The same output again and again: seen, confirmed, gone, seen with more money.
  output.map((of) => ({ kind: 'pay' as const, ...of })),
  output.map((of) => ({ kind: 'pay' as const, ...of })),
  // Completed, reversed, refunded, completed again.
  fc.record({ kind: fc.constant('turn' as const), which, status, fresh: fc.boolean() }),
  fc.record({ kind: fc.constant('undone' as const), which, of: output, status }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function paymentRow(id: string, of: typeof sale extends fc.Arbitrary<infer S> ? S : never) {
  const { at, mode, amount, currency } = of;
  const sold = { mode, status: 'pending' as const, amount, currency };
  const shop = { merchantId: `m${made}`, customerId: 'c', orderId: id, requestHash: '', sequence: 0 };
  const terms = { allowedCryptosJson: '[]', toleranceBps: 0, latePolicy: 'accept' as const };
  const times = { createdAt: at, expiresAt: at, updatedAt: at };
  const none = { exception: null, productId: null, priceId: null, metadataJson: null };
  const nowhere = { customFieldsJson: null, webhookUrl: null, successUrl: null, returnUrl: null };
  const never = {
    closedAt: null,
    cancelledAt: null,
    acceptedAt: null,
    refundedAt: null,
    refundedBy: null,
  };
  return { id, ...sold, ...shop, ...terms, ...times, ...none, ...nowhere, ...never };
}

function outputRow(id: string, of: typeof output extends fc.Arbitrary<infer S> ? S : never) {
  const { coin, state, vout, atoms: amount } = of;
  const place = { coin, mode: 'live' as const, txid: id, vout, addressId: 1, merchantId: `m${made}` };
  const seen = { state, height: state === 'confirmed' ? 1 : null, blockHash: null, maturity: 1 };
  const prompt = { firstSeenAt: 1, late: false as const, lateDue: null, updatedAt: 1 };
  const unspent = { spentBy: null, spentHeight: null, sendId: null };
  return { paymentId: id, amount, ...place, ...seen, ...prompt, ...unspent };
}

async function turn(
  tx: Tx,
  id: string,
  to: { readonly status: 'completed' | 'confirming' | 'refunded'; readonly fresh: boolean },
): Promise<void> {
  const payment = await findPayment(tx, id);
  if (payment === undefined) return;
  // As it is now, or not read before.
  await updatePayment(tx, id, { ...payment, status: to.status }, to.fresh ? {} : { from: payment });
}

async function take(step: Step, ids: string[]): Promise<void> {
  const id = ids['which' in step ? step.which % Math.max(1, ids.length) : 0] ?? 'none';
  switch (step.kind) {
    case 'sell':
      ids.push(`m${made}-${ids.length}`);
      return db.transaction(async (tx) => {
        await insertPayment(tx, paymentRow(ids.at(-1) ?? '', step));
        await turn(tx, ids.at(-1) ?? '', { status: step.status, fresh: false });
      });
    case 'pay':
      return db.transaction(async (tx) => upsertOutput(tx, outputRow(id, step)));
    case 'turn':
      return db.transaction(async (tx) => turn(tx, id, step));
    case 'undone': {
      const undone = db.transaction(async (tx) => {
        await upsertOutput(tx, outputRow(id, step.of));
        await turn(tx, id, { status: step.status, fresh: true });
        throw new Error('taken back');
      });
      await expect(undone).rejects.toThrow('taken back');
    }
  }
}

interface Named {
  readonly coin: string | null;
  readonly currency?: string;
}

const byName = (a: Named, b: Named) => (`${a.currency} ${a.coin}` < `${b.currency} ${b.coin}` ? -1 : 1);

/** In an order of its own. */
function sorted({ coins, fiat }: Awaited<ReturnType<typeof sumVolume>>) {
  return { coins: coins.toSorted(byName), fiat: fiat.toSorted(byName) };
}

test('sumVolume equals the sum over the payments, whatever happens to them and to their money', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 8, maxLength: 50 }),
      fc.array(fc.tuple(moment, moment), { minLength: 1, maxLength: 4 }),
      async (steps, spans) => {
        made += 1;
        const ids: string[] = [];
        for (const each of steps) await take(each, ids);
        const days = [DAY - 1, DAY].map((day) => [day * DAY_MS, (day + 1) * DAY_MS] as const);
        for (const [from, before] of [[0, 1e13] as const, ...days, ...spans]) {
          for (const mode of ['live', 'sandbox'] as const) {
            const filter = { merchantId: `m${made}`, mode, fromMs: from, beforeMs: before };
            expect(sorted(await sumVolume(db, filter))).toEqual(sorted(await volumeByPayments(db, filter)));
          }
        }
        const wrong = db.selectFrom('volume_totals').selectAll().where('payments', '<', 1);
        expect(await wrong.execute()).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});
