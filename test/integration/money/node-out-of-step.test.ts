import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';

const DUE = 50_000_000n;
let world: PaymentWorld;
let payment: PaymentView;

/** Looks every ten seconds for a while, as the watcher does. */
async function watchFor(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10_000) {
    world.advance(10_000);
    await world.poll();
    await world.expire();
  }
}

beforeEach(async () => {
  world = await openPaymentWorld({ network: 'mainnet' });
  world.chains.BTC.status = { peers: 8 };
  world.chains.LTC.status = { peers: 8 };
  await watchFor(5 * MINUTE);
  payment = await world.order({ allowed: ['BTC'] });
});

afterEach(async () => {
  await world.close();
});

/** Events on the network while the daemon was down: a payment in time, mined in time. */
function catchUpWithNetwork(paidAtMs: number): void {
  world.chains.BTC.status = { peers: 8 };
  world.chains.BTC.mine(paidAtMs, [creditTo(addressOf(payment, 'BTC'), DUE)]);
  world.chains.BTC.mine(paidAtMs + 10 * MINUTE);
}

describe('a node that is out of sync with its network', () => {
  it.each([
    ['has no peers yet', { peers: 0 }],
    ['knows of blocks that it does not have', { peers: 3, syncing: true }],
  ])(
    'causes no payment to expire after a power failure of three hours while it %s',
    async (_what, status) => {
      const paidAt = world.now() + 10 * MINUTE;
      world.advance(180 * MINUTE);
      world.restart();
      world.chains.BTC.status = status;
      await watchFor(10 * MINUTE);
      expect(await world.eventsOf(payment)).toEqual(['created']);
      expect(world.follower('BTC').health().state).toBe('behind');
      catchUpWithNetwork(paidAt);
      await watchFor(10 * MINUTE);
      expect(await world.payment(payment)).toMatchObject({ status: 'completed', exception: null });
      expect(await world.eventsOf(payment)).toEqual(['created', 'confirming', 'completed']);
    },
  );

  it('gets time to learn of new blocks after the machine was suspended, even if it kept its peers', async () => {
    const paidAt = world.now() + 10 * MINUTE;
    world.advance(180 * MINUTE);
    await world.poll();
    expect(await world.expire()).toBe(0);
    catchUpWithNetwork(paidAt);
    await watchFor(5 * MINUTE);
    expect(await world.payment(payment)).toMatchObject({ status: 'completed', exception: null });
  });

  it('causes no payment to expire while its newest block is hours old, even if it has peers and knows no other block', async () => {
    const paidAt = world.now() + 10 * MINUTE;
    world.advance(180 * MINUTE);
    world.restart();
    await watchFor(10 * MINUTE);
    expect(await world.eventsOf(payment)).toEqual(['created']);
    const { state, nodeWarnings } = world.follower('BTC').health();
    expect({ state, nodeWarnings }).toEqual({
      state: 'behind',
      nodeWarnings: 'the node is not in step with its network; no payment expires until it is',
    });
    catchUpWithNetwork(paidAt);
    world.chains.BTC.mine(world.now());
    await watchFor(5 * MINUTE);
    expect(await world.payment(payment)).toMatchObject({ status: 'completed', exception: null });
    expect(world.follower('BTC').health()).toMatchObject({ state: 'following', nodeWarnings: null });
  });

  it('lets payments expire soon after it is in sync again', async () => {
    world.advance(180 * MINUTE);
    world.restart();
    world.chains.BTC.mine(world.now());
    await watchFor(5 * MINUTE);
    expect(await world.eventsOf(payment)).toEqual(['created', 'expired']);
    world.chains.BTC.unconfirmed = [unconfirmed(creditTo(addressOf(payment, 'BTC'), DUE))];
    await watchFor(MINUTE);
    expect((await world.payment(payment)).transactions).toMatchObject([{ late: true }]);
  });

  it('causes no payment to expire or to be late while its network connection is broken, even if it still reports peers', async () => {
    const { BTC } = world.chains;
    BTC.mine(world.now());
    await watchFor(MINUTE);
    payment = await world.order({ allowed: ['BTC'] });
    await watchFor(50 * MINUTE);
    BTC.mine(world.now());
    BTC.view = { hasNews: false };
    await watchFor(15 * MINUTE);
    expect(await world.eventsOf(payment)).toEqual(['created']);
    BTC.view = { hasNews: true };
    await watchFor(5 * MINUTE);
    expect(await world.eventsOf(payment)).toEqual(['created']);
    catchUpWithNetwork(Date.parse(payment.expiresAt) - MINUTE);
    await watchFor(MINUTE);
    expect(await world.payment(payment)).toMatchObject({ status: 'completed', exception: null });
    expect(await world.eventsOf(payment)).toEqual(['created', 'confirming', 'completed']);
  });

  it('is polled again immediately while some of its unconfirmed transactions are unread', async () => {
    const follower = world.follower('BTC');
    world.chains.BTC.view = { isPartial: true, left: 5 };
    expect(await follower.round()).toBe(true);
    world.chains.BTC.view = { isPartial: true };
    expect(await follower.round()).toBe(false);
  });

  it.each([
    ['cannot return all transactions that it lists', { isPartial: true as const }, {}],
    ['has more new transactions than one view reads', { isPartial: true as const, left: 5 }, {}],
    ['lags behind the backend that returned its status', {}, { tip: { height: 9, hash: 'f'.repeat(64) } }],
  ])(
    'causes no payment to expire when the mempool backend %s, and transactions in it are credited',
    async (_what, view, status) => {
      const shown = world.chains.BTC;
      shown.mine(world.now());
      shown.view = view;
      shown.status = { peers: 8, ...status };
      const other = await world.order({ allowed: ['BTC'] });
      shown.unconfirmed = [unconfirmed(creditTo(addressOf(other, 'BTC'), DUE))];
      await watchFor(70 * MINUTE);
      expect(await world.eventsOf(payment)).toEqual(['created']);
      expect(await world.eventsOf(other)).toEqual(['created', 'confirming']);
      shown.view = {};
      shown.status = { peers: 8 };
      await watchFor(5 * MINUTE);
      expect(await world.eventsOf(payment)).toEqual(['created', 'expired']);
    },
  );
});
