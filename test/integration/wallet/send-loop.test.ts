import { afterEach, beforeEach, test } from 'vitest';
import { SendLoop } from '../../../src/workers/chain-watcher/send-loop.ts';
import { eventually } from '../../_helpers/poll.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const YEAR_MS = 365 * 24 * 3_600_000;
const dear = { rate: 40_000_000n, source: 'test', at: 0 };
let sim: SimulatedWorld;
let loop: SendLoop;

beforeEach(async () => {
  sim = await openSimulatedWorld();
  const timing = { intervalMs: 10, bumpIntervalMs: 60_000, poll: () => undefined };
  const deps = { ...sim.world.deps, confirmations: () => ({ base: 1, tiers: [] }) };
  loop = new SendLoop(deps, [sim.world.chain('BTC')], timing);
});
afterEach(async () => {
  await loop.stop();
  await sim.close();
});

test('SendLoop bumps the fee of a send that was signed while the clock was ahead, after the usual time', async () => {
  const { clock, deps } = sim.world;
  await sim.fund('BTC', ONE.BTC);
  clock.advance(YEAR_MS);
  const sent = await sim.send('BTC', '0.1');
  clock.advance(deps.policy.bumpAfterMs - YEAR_MS);
  sim.line.quote = dear;
  loop.start();
  const isRaised = async (): Promise<boolean> => (await sim.status(sent.id)).txHash !== sent.txHash;
  await eventually('a higher fee', isRaised, Boolean, 3_000);
});

test('SendLoop bumps fees again after the clock was set back', async () => {
  const { clock, deps } = sim.world;
  await sim.fund('BTC', ONE.BTC, ONE.BTC);
  clock.advance(YEAR_MS);
  const early = await sim.send('BTC', '0.1');
  clock.advance(deps.policy.bumpAfterMs);
  sim.line.quote = dear;
  loop.start();
  const isRaised = async ({ id, txHash }: typeof early): Promise<boolean> =>
    (await sim.status(id)).txHash !== txHash;
  await eventually('the first look at fees', async () => isRaised(early), Boolean);
  clock.advance(-YEAR_MS);
  sim.line.quote = null;
  const late = await sim.send('BTC', '0.1');
  sim.line.quote = dear;
  clock.advance(deps.policy.bumpAfterMs);
  await eventually('a look at fees after that', async () => isRaised(late), Boolean, 3_000);
});

test('SendLoop bumps a send behind any number of sends whose higher fee cannot be paid', async () => {
  const { clock, deps } = sim.world;
  const poor = 110;
  await sim.fund('BTC', ...Array.from({ length: poor + 1 }, () => ONE.BTC));
  sim.line.broadcast = async () => ({ kind: 'accepted' });
  for (let made = 0; made < poor; made += 1) await sim.send('BTC', '1', { subtractFee: true });
  clock.advance(1);
  const able = await sim.send('BTC', '0.1');
  clock.advance(deps.policy.bumpAfterMs);
  sim.line.quote = dear;
  loop.start();
  const isRaised = async (): Promise<boolean> => {
    clock.advance(60_000);
    return (await sim.status(able.id)).txHash !== able.txHash;
  };
  await eventually('a higher fee', isRaised, Boolean, 15_000);
});
