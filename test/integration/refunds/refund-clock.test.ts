import { afterEach, beforeEach, expect, test } from 'vitest';
import { getPayment } from '../../../src/usecases/payments/get-payment.ts';
import { resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import { refundPayment } from '../../../src/usecases/refunds/refund-payment.ts';
import { eventually } from '../../_helpers/poll.ts';
import { openSandboxShop, type SandboxShop } from '../sandbox/sandbox-shop.ts';

const COIN = 'LTC';
const HOUR = 3_600_000;
let shop: SandboxShop;

beforeEach(async () => {
  shop = await openSandboxShop();
});
afterEach(async () => shop.close());

type Payment = { readonly id: string };

async function pay(payment: Payment, scenario: 'exact' | 'underpay' = 'exact'): Promise<void> {
  const before = (await read(payment)).transactions.length;
  await shop.simulate(payment, { scenario, coin: COIN, confirmations: 2 });
  await eventually(
    'it is settled',
    async () => read(payment),
    ({ transactions }) =>
      transactions.length > before && transactions.every(({ confirmations }) => confirmations >= 2),
  );
}

const read = async ({ id }: Payment) =>
  getPayment(shop.world.deps, { merchantId: shop.world.merchant.id, paymentId: id });

const returnedElsewhere = async ({ id }: Payment) =>
  resolvePayment(shop.world.deps, { merchantId: shop.world.merchant.id, paymentId: id }, 'refunded');

async function refund({ id }: Payment) {
  const destination = shop.world.deps.deriver.address({
    coin: COIN,
    mode: 'sandbox',
    account: 999,
    branch: 0,
    index: 7,
  });
  const { merchant } = shop.world;
  return refundPayment(shop.world.deps, {
    merchant,
    paymentId: id,
    destination,
    idempotencyKey: null,
  });
}

test('what came after a return elsewhere goes back once, though the clock was set back meanwhile', async () => {
  const payment = await shop.order([COIN]);
  await pay(payment, 'underpay');
  await returnedElsewhere(payment);
  shop.world.clock.advance(1_000);
  await pay(payment, 'underpay');
  const others = await Promise.all([shop.order([COIN]), shop.order([COIN])]);
  for (const other of others) await pay(other);
  shop.world.clock.advance(-HOUR);
  const { refund: made } = await refund(payment);
  expect(made).toMatchObject({
    status: 'broadcast',
    refunded: (await read(payment)).transactions[1]?.amount,
  });
  await expect(refund(payment)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  expect((await read(payment)).refunds).toHaveLength(1);
});

test('what came before a return elsewhere stays where it is, though the clock was ahead when it came', async () => {
  const payment = await shop.order([COIN]);
  shop.world.clock.advance(HOUR / 2);
  await pay(payment);
  shop.world.clock.advance(-HOUR / 2);
  await returnedElsewhere(payment);
  await expect(refund(payment)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  expect((await read(payment)).refunds).toEqual([]);
});
