import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COINS } from '../../../src/domain/coins.ts';
import { inTransaction, type Db } from '../../../src/store/database.ts';
import { putOutput } from '../../../src/store/outputs.ts';
import { volumeOf, type VolumeFilter } from '../../../src/store/volume.ts';
import { coinVolume, fiatVolume } from '../../_helpers/volume-by-payments.ts';
import { databaseOfRowsAlone } from '../../_helpers/rows-alone.ts';

let db: Db;
let made = 0;

beforeAll(async () => {
  db = await databaseOfRowsAlone();
});
afterAll(async () => db.destroy());

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
  fc.record({ kind: fc.constant('turn' as const), which, status }),
  fc.record({ kind: fc.constant('change' as const), which, of: sale }),
  fc.record({ kind: fc.constant('assign' as const), which, vout, to: fc.option(which, { nil: null }) }),
  fc.record({ kind: fc.constantFrom('unpay' as const, 'unsell' as const, 'undone' as const), which, vout }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function paymentRow(id: string, of: typeof sale extends fc.Arbitrary<infer S> ? S : never) {
  const { at, mode, status, amount, currency } = of;
  const sold = { mode, status, amount, currency };
  const shop = { merchant_id: `m${made}`, customer_id: 'c', order_id: id, request_hash: '', sequence: 0 };
  const terms = { allowed_cryptos_json: '[]', tolerance_bps: 0, late_policy: 'accept' as const };
  const times = { created_at: at, expires_at: at, updated_at: at };
  const none = { exception: null, product_id: null, price_id: null, metadata_json: null };
  const nowhere = { custom_fields_json: null, webhook_url: null, success_url: null, return_url: null };
  const never = {
    closed_at: null,
    cancelled_at: null,
    accepted_at: null,
    refunded_at: null,
    refunded_by: null,
  };
  return { id, ...sold, ...shop, ...terms, ...times, ...none, ...nowhere, ...never };
}

function outputRow(id: string, of: typeof output extends fc.Arbitrary<infer S> ? S : never) {
  const { coin, state, vout, atoms: amount } = of;
  const place = { coin, mode: 'live' as const, txid: id, vout, address_id: 1, merchant_id: `m${made}` };
  const seen = { state, height: state === 'confirmed' ? 1 : null, block_hash: null, maturity: 1 };
  const prompt = { first_seen_at: 1, late: 0 as const, late_due: null, updated_at: 1 };
  const unspent = { spent_by: null, spent_height: null, send_id: null };
  return { payment_id: id, amount, ...place, ...seen, ...prompt, ...unspent };
}

async function take(step: Step, ids: string[]): Promise<void> {
  const id = ids['which' in step ? step.which % Math.max(1, ids.length) : 0] ?? 'none';
  const payment = db.updateTable('payments').where('id', '=', id);
  const outputs = (vout: number) => sql<boolean>`txid = ${id} and vout = ${vout}`;
  switch (step.kind) {
    case 'sell':
      ids.push(`m${made}-${ids.length}`);
      await db
        .insertInto('payments')
        .values(paymentRow(ids.at(-1) ?? '', step))
        .execute();
      return;
    case 'pay':
      return inTransaction(db, async (tx) => putOutput(tx, outputRow(id, step)));
    case 'turn':
      await payment.set({ status: step.status }).execute();
      return;
    case 'change': {
      const { at: created_at, ...of } = step.of;
      await payment.set({ ...of, created_at }).execute();
      return;
    }
    case 'assign': {
      const payment_id = step.to === null ? null : (ids[step.to] ?? null);
      await db.updateTable('outputs').set({ payment_id }).where(outputs(step.vout)).execute();
      return;
    }
    case 'unpay':
      await db.deleteFrom('outputs').where(outputs(step.vout)).execute();
      return;
    case 'unsell':
      await db.deleteFrom('payments').where('id', '=', id).execute();
      return;
    case 'undone': {
      const undone = inTransaction(db, async (tx) => {
        await tx.updateTable('outputs').set({ state: 'gone', height: null }).where('txid', '=', id).execute();
        await tx.deleteFrom('payments').where('id', '=', id).execute();
        throw new Error('taken back');
      });
      await expect(undone).rejects.toThrow('taken back');
    }
  }
}

/** In one part for each kind. */
async function kept(filter: VolumeFilter) {
  const coins = new Map<string, readonly [bigint, number]>();
  const fiat = new Map<string, readonly [bigint, number]>();
  const add = (to: typeof coins, key: string, sum: bigint, payments: number): void => {
    const [had, count] = to.get(key) ?? [0n, 0];
    to.set(key, [had + sum, count + payments]);
  };
  const found = await volumeOf(db, filter);
  for (const { coin, atoms, payments } of found.coins) add(coins, coin, atoms, payments);
  for (const each of found.fiat)
    add(fiat, `${each.currency} ${each.coin} ${each.scale}`, each.sum, each.payments);
  return { coins, fiat };
}

async function addedUp(filter: VolumeFilter) {
  const coins = await coinVolume(db, filter);
  const fiat = await fiatVolume(db, filter);
  return {
    coins: new Map(coins.map(({ coin, atoms, payments }) => [coin, [atoms, payments]])),
    fiat: new Map(
      fiat.map(({ currency, coin, scale, sum, payments }) => [
        `${currency} ${coin} ${scale}`,
        [sum, payments],
      ]),
    ),
  };
}

test('volume stays what the payments add up to, whatever becomes of them and of their money', async () => {
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
            expect(await kept(filter)).toEqual(await addedUp(filter));
          }
        }
        for (const table of ['volume_hours', 'volume_days'] as const) {
          const negative = db
            .selectFrom(table)
            .selectAll()
            .where((eb) => eb.or([eb('priced', '<', 0), eb('payments', '<', 0)]));
          expect(await negative.execute()).toEqual([]);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('a payment and its money are found by themselves when they are added, not among all others', async () => {
  for (const payments of ["'a'", "'a', 'b'"]) {
    const plan = sql.raw<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT * FROM takings WHERE payment_id IN (${payments})`,
    );
    const details = (await plan.execute(db)).rows.map(({ detail }) => detail).join('\n');
    expect(details).toContain('SEARCH p USING INDEX sqlite_autoindex_payments_1 (id=?)');
    expect(details).toContain('USING COVERING INDEX outputs_by_payment (payment_id=? AND state=?)');
    expect(details).not.toMatch(/SCAN (p|o|outputs)\b/);
  }
});
