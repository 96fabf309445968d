import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { getPayment } from '../../../src/usecases/payments/get-payment.ts';
import { cancelPayment, resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
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

test('money that arrived after a refund made outside tilld is refunded once, although the clock was set back in between', async () => {
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

test('money that arrived before a refund made outside tilld is not refunded, although the clock was ahead at its arrival', async () => {
  const payment = await shop.order([COIN]);
  shop.world.clock.advance(HOUR / 2);
  await pay(payment);
  shop.world.clock.advance(-HOUR / 2);
  await returnedElsewhere(payment);
  await expect(refund(payment)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  expect((await read(payment)).refunds).toEqual([]);
});

test('an RBF replacement of a transaction is not refunded again when its payment was marked as refunded outside tilld', async () => {
  const payment = await shop.order([COIN]);
  const other = await shop.order([COIN]);
  await pay(other);
  const { address = '', amount = '' } = (await read(payment)).options[COIN] ?? {};
  const first = await shop.control(COIN).pay([{ address, amount: parseCoinAmount(amount, COIN) }]);
  await eventually(
    'it is seen',
    async () => read(payment),
    ({ transactions }) => transactions.length === 1,
  );
  await returnedElsewhere(payment);
  shop.world.clock.advance(1_000);
  const replacement = await shop.control(COIN).replace(first, address);
  await shop.control(COIN).mine(2);
  await eventually(
    'the replacement is settled',
    async () => read(payment),
    ({ transactions }) => transactions.some((one) => one.txid === replacement && one.confirmations >= 2),
  );
  await expect(refund(payment)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  const extra = await shop.control(COIN).pay([{ address, amount: parseCoinAmount('0.2', COIN) }]);
  await shop.control(COIN).mine(2);
  await eventually(
    'what came on top is settled',
    async () => read(payment),
    ({ transactions }) => transactions.some((one) => one.txid === extra && one.confirmations >= 2),
  );
  await pay(await shop.order([COIN]));
  // The replacement paid one atom more as its fee.
  expect((await refund(payment)).refund.refunded).toBe('0.19999999');
  await expect(refund(payment)).rejects.toMatchObject({ code: 'INVALID_STATE' });
});

test('money that arrives after a refund made outside tilld can be refunded, although the clock was set back before its arrival', async () => {
  const payment = await shop.order([COIN]);
  await pay(payment);
  await returnedElsewhere(payment);
  shop.world.clock.advance(-HOUR);
  const { address = '' } = (await read(payment)).options[COIN] ?? {};
  await shop.control(COIN).pay([{ address, amount: parseCoinAmount('0.2', COIN) }]);
  await shop.control(COIN).mine(2);
  await eventually(
    'what came after it is settled',
    async () => read(payment),
    ({ transactions }) => transactions.length === 2 && transactions.every((one) => one.confirmations >= 2),
  );
  await pay(await shop.order([COIN]));
  expect((await refund(payment)).refund.refunded).toBe('0.2');
});

test('an acceptance by the merchant covers only money that arrived before it, although the clock was set back before more arrived', async () => {
  const payment = await shop.order([COIN]);
  await pay(payment, 'underpay');
  await resolvePayment(
    shop.world.deps,
    { merchantId: shop.world.merchant.id, paymentId: payment.id },
    'accept',
  );
  shop.world.clock.advance(-HOUR);
  const { address = '' } = (await read(payment)).options[COIN] ?? {};
  await shop.control(COIN).pay([{ address, amount: parseCoinAmount('0.24', COIN) }]);
  await shop.control(COIN).mine(2);
  await eventually(
    'more came',
    async () => read(payment),
    ({ transactions }) => transactions.length === 2,
  );
  const [accepted] = (await read(payment)).transactions;
  await shop.control(COIN).reorg({ fate: 'replaced', txids: [accepted?.txid ?? ''] });
  await shop.control(COIN).mine(3);
  const now = await eventually(
    'the accepted money is gone',
    async () => read(payment),
    ({ transactions }) => transactions.some(({ status }) => status === 'reversed'),
  );
  // What came since was not accepted.
  expect(now.status).toBe('underpaid');
});

test('money for a cancelled payment is late, although the clock was set back after the cancellation', async () => {
  const payment = await shop.order([COIN]);
  const { deps, merchant } = shop.world;
  await cancelPayment(deps, { merchantId: merchant.id, paymentId: payment.id });
  shop.world.clock.advance(-HOUR / 2);
  const { address = '', amount = '' } = (await read(payment)).options[COIN] ?? {};
  await shop.control(COIN).pay([{ address, amount: parseCoinAmount(amount, COIN) }]);
  const now = await eventually(
    'it is seen',
    async () => read(payment),
    ({ transactions }) => transactions.length === 1,
  );
  expect(now.transactions).toMatchObject([{ late: true }]);
});
