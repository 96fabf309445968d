import { afterEach, beforeEach, expect, test } from 'vitest';
import { cancelSend } from '../../../src/usecases/wallet/send/cancel-send.ts';
import { failReverted } from '../../../src/usecases/wallet/lifecycle/fail-reverted.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld();
});
afterEach(async () => sim.close());

const settle = async (coin: 'BTC' | 'ETH') =>
  failReverted({ ...sim.world.deps, confirmations: () => ({ base: 2, tiers: [] }) }, sim.world.chain(coin));

test.each(['BTC', 'ETH'] as const)(
  'a cancelled %s send fails once, releases its funds, and the next send gets a new nonce',
  async (coin) => {
    await sim.fund(coin, 2n * ONE[coin]);
    const sent = await sim.send(coin, '0.5', { maxFee: '0.1' });
    sim.line.quote = { ...(await sim.world.adapter(coin).feeQuote()), rate: 10n ** 13n };
    if (coin === 'BTC') sim.line.quote = { ...sim.line.quote, rate: 40_000n };
    await cancelSend(sim.world.deps, { merchantId: sim.world.merchant.id, sendId: sent.id });
    await sim.mine(coin);
    await settle(coin);
    expect(await sim.status(sent.id)).toMatchObject({ status: 'broadcast', confirmations: 0 });
    await sim.mine(coin);
    await settle(coin);
    expect(await sim.status(sent.id)).toMatchObject({ status: 'failed' });
    sim.line.quote = null;
    const next = await sim.send(coin, '1.8');
    await sim.mine(coin);
    expect(await sim.status(next.id)).toMatchObject({ status: 'confirmed' });
    expect(await sim.world.sendEvents()).toEqual([
      'send.broadcast',
      'send.failed',
      'send.broadcast',
      'send.confirmed',
    ]);
  },
);
