import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { cancelSend } from '../../../src/usecases/wallet/send/cancel-send.ts';
import { sendCoins } from '../../../src/usecases/wallet/send/send-coins.ts';
import type { SendView } from '../../../src/usecases/wallet/send/send-view.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { prepareSends } from '../../../src/usecases/wallet/lifecycle/prepare-sends.ts';
import { expectBooksToAgree } from '../../_helpers/books.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const EACH = 1_000_000n;
const HOUR_MS = 3_600_000;
let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld({}, { mostInputs: 20 });
  await sim.fund('BTC', ...Array.from({ length: 60 }, () => EACH));
});
afterEach(async () => sim.close());

const place = async (amount: string): Promise<SendView> =>
  sendCoins(sim.world.deps, sim.order('BTC', amount));

async function rounds(count: number): Promise<void> {
  const { deps, clock } = sim.world;
  for (let at = 0; at < count; at += 1) {
    clock.advance(deps.policy.retryMaxMs);
    await advanceSends(deps, sim.world.chain('BTC'));
    await prepareSends(deps, sim.world.chain('BTC'));
    await sim.mine('BTC');
  }
}

async function raiseFees(): Promise<void> {
  const quote = await sim.world.adapter('BTC').feeQuote();
  sim.line.quote = { ...quote, rate: quote.rate * 10n };
}

/** A send, and one that gathers all other outputs and needs the change of it. */
async function both(): Promise<{ parent: SendView; whole: SendView }> {
  const parent = await place('0.001');
  expect(parent.status).toBe('broadcast');
  const whole = await place('0.595');
  expect(whole.status).toBe('preparing');
  return { parent, whole };
}

describe('a send in preparation that has reserved the change of an unconfirmed send', () => {
  it.each(['by the daemon', 'by command'])(
    'uses the change of the replacement when the unconfirmed send is bumped %s',
    async (how) => {
      const { parent, whole } = await both();
      await raiseFees();
      if (how === 'by the daemon') {
        sim.world.clock.advance(2 * HOUR_MS);
        await bumpSends(sim.world.deps, sim.world.chain('BTC'));
      } else await bumpSend(sim.world.deps, { merchantId: sim.world.merchant.id, sendId: parent.id });
      expect((await sim.status(parent.id)).txHash).not.toBe(parent.txHash);
      sim.line.quote = null;
      await sim.mine('BTC');
      await rounds(8);
      expect((await sim.status(whole.id)).status).toBe('confirmed');
      expect((await sim.status(parent.id)).status).toBe('confirmed');
      await expectBooksToAgree(sim.world.db);
    },
  );

  it('uses the returned funds when the unconfirmed send is cancelled', async () => {
    const { parent, whole } = await both();
    await cancelSend(sim.world.deps, { merchantId: sim.world.merchant.id, sendId: parent.id });
    await sim.mine('BTC', 8);
    await rounds(8);
    expect((await sim.status(whole.id)).status).toBe('confirmed');
    await expectBooksToAgree(sim.world.db);
  });

  it('uses the change of the first version when a block contains that version instead of the replacement', async () => {
    const { parent, whole } = await both();
    await raiseFees();
    sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'the node is down' });
    await bumpSend(sim.world.deps, { merchantId: sim.world.merchant.id, sendId: parent.id });
    sim.line.broadcast = null;
    sim.line.quote = null;
    await sim.mine('BTC');
    expect((await sim.status(parent.id)).txHash).toBe(parent.txHash);
    await rounds(8);
    expect((await sim.status(whole.id)).status).toBe('confirmed');
    await expectBooksToAgree(sim.world.db);
  });
});
