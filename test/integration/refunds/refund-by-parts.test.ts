import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { refundPayment, type RefundPaymentDeps } from '../../../src/usecases/refunds/refund-payment.ts';
import { sendCoins } from '../../../src/usecases/wallet/send/send-coins.ts';
import { prepareSends } from '../../../src/usecases/wallet/lifecycle/prepare-sends.ts';
import { withMostInputs } from '../../_helpers/most-inputs.ts';
import { eventually } from '../../_helpers/poll.ts';
import { openSandboxShop, type SandboxShop } from '../sandbox/sandbox-shop.ts';

let shop: SandboxShop;
beforeEach(async () => {
  shop = await openSandboxShop();
});
afterEach(async () => shop.close());

/** The wallet on a network that relays few inputs in one transaction. */
function onNarrowNetwork(): RefundPaymentDeps {
  const { chains, ...deps } = shop.world.deps;
  return {
    ...deps,
    chains: {
      get: (coin, mode) => {
        const adapter = chains.get(coin, mode);
        return adapter === null ? null : withMostInputs(adapter, 10);
      },
    },
  };
}

test('a refund with more inputs than one transaction may spend first consolidates them, and the payment is refunded once it is sent', async () => {
  const { world } = shop;
  const { merchant } = world;
  const destination = world.deps.deriver.address({
    coin: 'BTC',
    mode: 'sandbox',
    account: 999,
    branch: 0,
    index: 7,
  });
  const payment = await shop.order(['BTC']);
  await shop.simulate(payment, { scenario: 'exact', coin: 'BTC', confirmations: 2 });
  await eventually(
    'the payment in the wallet',
    async () => world.balance('BTC'),
    (balance) => balance !== '0',
  );
  const amount = parseCoinAmount(await world.balance('BTC'), 'BTC');
  await sendCoins(world.deps, { merchant, destination, amount: 'max', coin: 'BTC', idempotencyKey: null });
  const address = world.address('BTC');
  await shop.control('BTC').pay(Array.from({ length: 30 }, () => ({ address, amount: amount / 20n })));
  await shop.control('BTC').mine(1);
  await world.sync('BTC');

  const deps = onNarrowNetwork();
  const refunded = await refundPayment(deps, {
    merchant,
    paymentId: payment.id,
    destination,
    idempotencyKey: 'r',
  });
  expect(refunded).toMatchObject({ status: 'completed', refund: { status: 'preparing', txHash: null } });
  await expect(
    refundPayment(deps, { merchant, paymentId: payment.id, destination, idempotencyKey: 'other' }),
  ).rejects.toMatchObject({ code: 'INVALID_STATE' });
  for (let round = 0; round < 4; round += 1) {
    world.clock.advance(world.deps.policy.retryMaxMs);
    await prepareSends(deps, world.chain('BTC'));
    await shop.control('BTC').mine(1);
    await world.sync('BTC');
  }
  const again = await refundPayment(deps, {
    merchant,
    paymentId: payment.id,
    destination,
    idempotencyKey: 'r',
  });
  expect(again).toMatchObject({ status: 'refunded', refund: { status: 'confirmed' } });
  expect(again.refund.fee).toBe(refunded.refund.fee);
});
