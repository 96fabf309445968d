import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COINS, type Coin } from '../../../src/domain/coins.ts';
import { PAYMENT_STATUSES } from '../../../src/domain/payment/types.ts';
import { insertAddresses } from '../../../src/store/ledger/addresses.ts';
import { countPayments } from '../../../src/store/operations/counts.ts';
import { listCustomers } from '../../../src/store/catalog/customers.ts';
import { listEvents } from '../../../src/store/webhooks/events.ts';
import type { Db } from '../../../src/store/sqlite/database.ts';
import { upsertOutput, type ObservedOutput } from '../../../src/store/ledger/outputs.ts';
import { listPayments, type PaymentFilter } from '../../../src/store/payments/payment-list.ts';
import { totalPayments } from '../../../src/store/payments/payment-totals.ts';
import { offeredBits } from '../../../src/store/payments/payments.ts';
import { pageWalletTransactions } from '../../../src/store/ledger/wallet-transactions.ts';
import { openShop } from '../../_helpers/webhooks/shop.ts';

let shop: Awaited<ReturnType<typeof openShop>>;
let db: Db;
beforeAll(async () => {
  shop = await openShop();
  db = shop.db;
});
afterAll(async () => shop.close());

const DAY_MS = 86_400_000;
/** Some days and both sides of their limits: midnight is where sums of days and counted rows meet. */
const FIRST_DAY = 20_000;
const moment = fc
  .tuple(fc.nat(4), fc.oneof(fc.constantFrom(0, 1, DAY_MS - 1), fc.nat(DAY_MS - 1)))
  .map(([day, ms]) => (FIRST_DAY + day) * DAY_MS + ms);
const bound = fc.option(moment, { nil: undefined });

const coins = fc.uniqueArray(fc.constantFrom(...COINS), { minLength: 1 });
const mode = fc.constantFrom('live' as const, 'sandbox' as const);
const status = fc.constantFrom(...PAYMENT_STATUSES);
const step = fc.oneof(
  fc.record({ kind: fc.constant('make' as const), coins, mode, status, at: moment }),
  fc.record({ kind: fc.constant('change' as const), which: fc.nat(30), mode, status, at: moment }),
  fc.record({ kind: fc.constant('remove' as const), which: fc.nat(30) }),
);
const range = fc.record({ fromMs: bound, toMs: bound });

/** Every combination that totals are read by. */
function filtersOf(merchantId: string): PaymentFilter[] {
  return (['live', 'sandbox'] as const).flatMap((mode) =>
    [undefined, ...PAYMENT_STATUSES].flatMap((status) =>
      [undefined, ...COINS].map((coin) => ({ merchantId, mode, status, coin })),
    ),
  );
}

test('stored payment totals equal a count of the rows, whatever is created, changed and deleted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.array(range, { maxLength: 3 }),
      async (steps, ranges) => {
        const merchant = await shop.merchant(null);
        const ids: string[] = [];
        for (const each of steps) {
          if (each.kind === 'make') {
            const { id } = await shop.payment(merchant);
            ids.push(id);
            const { mode, status, at } = each;
            const row = { mode, status, offered: offeredBits(each.coins), createdAt: at };
            await db.updateTable('payments').set(row).where('id', '=', id).execute();
            continue;
          }
          const id = ids[each.which % Math.max(1, ids.length)] ?? '';
          if (each.kind === 'remove') await db.deleteFrom('payments').where('id', '=', id).execute();
          else {
            const row = { mode: each.mode, status: each.status, createdAt: each.at };
            await db.updateTable('payments').set(row).where('id', '=', id).execute();
          }
        }
        const rows = await db
          .selectFrom('payments')
          .selectAll()
          .where('merchantId', '=', merchant.id)
          .execute();
        const everAndThen = [
          { fromMs: undefined, toMs: undefined },
          { fromMs: 0, toMs: undefined },
          ...ranges,
        ];
        for (const filter of filtersOf(merchant.id)) {
          const bit = offeredBits(filter.coin === undefined ? [] : [filter.coin]);
          const alike = rows
            .filter((row) => row.mode === filter.mode && row.status === (filter.status ?? row.status))
            .filter((row) => (row.offered & bit) === bit);
          for (const { fromMs, toMs } of everAndThen) {
            const within = alike.filter(
              (row) => row.createdAt >= (fromMs ?? 0) && row.createdAt <= (toMs ?? Infinity),
            );
            const wanted = { ...filter, fromMs, toMs };
            expect(await totalPayments(db, wanted)).toBe(within.length);
            expect(await listPayments(db, wanted, { limit: 100, offset: 0 })).toHaveLength(within.length);
          }
        }
      },
    ),
    { numRuns: 15 },
  );
  const rows = await db.selectFrom('payments').select(['mode', 'status']).execute();
  for (const { mode, status, count } of await countPayments(db)) {
    expect(count).toBe(rows.filter((row) => row.mode === mode && row.status === status).length);
  }
});

test('stored totals of events and customers equal a count of the rows', async () => {
  const merchant = await shop.merchant(null);
  const payment = await shop.payment(merchant);
  const { id } = payment;
  await payment.emit('payment.created');
  await payment.emit('payment.confirming');
  await payment.emit('payment.confirming');
  await db.deleteFrom('events').where('paymentId', '=', id).where('sequence', '=', 2).execute();
  const total = async (type?: 'payment.confirming') => {
    const filter = { merchantId: merchant.id, page: 1, limit: 1, ...(type === undefined ? {} : { type }) };
    return (await listEvents(db, filter)).total;
  };
  expect(await total()).toBe(2);
  expect(await total('payment.confirming')).toBe(1);

  const { userId } = await db
    .selectFrom('merchants')
    .select('userId')
    .where('id', '=', merchant.id)
    .executeTakeFirstOrThrow();
  const page = { userId, search: '', page: 1, limit: 1 };
  expect((await listCustomers(db, page)).total).toBe(1);
  await shop.payment(merchant);
  expect((await listCustomers(db, page)).total).toBe(2);
  await db.deleteFrom('events').where('paymentId', '=', id).execute();
  await db.deleteFrom('payments').where('id', '=', id).execute();
  const { rows } = await listCustomers(db, { ...page, limit: 2 });
  const unused = await db
    .deleteFrom('customers')
    .where('userId', '=', userId)
    .where('id', 'not in', (eb) => eb.selectFrom('payments').select('customerId'))
    .executeTakeFirst();
  expect([rows.length, unused.numDeletedRows]).toEqual([2, 1n]);
  expect((await listCustomers(db, page)).total).toBe(1);
});

test('stored totals of wallet transactions equal a count of the outputs, also when these are seen many times', async () => {
  const merchant = await shop.merchant(null);
  const { id: paymentId } = await shop.payment(merchant);
  const owner = { merchantId: merchant.id, paymentId, purpose: 'payment' as const, createdAt: 1 };
  const total = async (mode: 'live' | 'sandbox', coin: Coin | null) => {
    const filter = { merchantId: merchant.id, mode, coin, direction: null, page: 1, limit: 1 };
    return (await pageWalletTransactions(db, filter)).total;
  };
  const kinds = (['live', 'sandbox'] as const).flatMap((mode) => COINS.map((coin) => ({ coin, mode })));
  for (const [number, chain] of kinds.entries()) {
    const at = { ...owner, ...chain, branch: 0 as const, idx: number + 1 };
    const key = `${merchant.id}-${number}`;
    await db.transaction(async (tx) => {
      const [address] = await insertAddresses(tx, [{ ...at, address: key, watchKey: key }]);
      for (let vout = 0; vout <= number; vout += 1) {
        const row = outputTo(address?.id ?? 0, {
          ...chain,
          merchantId: merchant.id,
          paymentId,
          txid: key,
          vout,
        });
        await upsertOutput(tx, row);
        // Once more, as confirmed now: the same line of the book.
        await upsertOutput(tx, { ...row, state: 'confirmed', height: 7 });
      }
    });
  }
  await db.deleteFrom('outputs').where('merchantId', '=', merchant.id).where('vout', '=', 5).execute();
  const rows = await db.selectFrom('outputs').selectAll().where('merchantId', '=', merchant.id).execute();
  expect(rows).toHaveLength(36 - 3);
  for (const { mode, coin } of kinds) {
    const ofMode = rows.filter((row) => row.mode === mode);
    expect(await total(mode, null)).toBe(ofMode.length);
    expect(await total(mode, coin)).toBe(ofMode.filter((row) => row.coin === coin).length);
  }
});

function outputTo(
  addressId: number,
  of: Pick<ObservedOutput, 'coin' | 'mode' | 'merchantId' | 'paymentId' | 'txid' | 'vout'>,
): ObservedOutput {
  return {
    ...of,
    addressId,
    amount: '1',
    state: 'unconfirmed',
    height: null,
    blockHash: null,
    maturity: 1,
    firstSeenAt: 1,
    late: false,
    lateDue: null,
    spentBy: null,
    spentHeight: null,
    sendId: null,
    updatedAt: 1,
  };
}
