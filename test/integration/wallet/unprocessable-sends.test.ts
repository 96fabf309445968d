import { afterEach, beforeEach, expect, test } from 'vitest';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

let sim: SimulatedWorld;

beforeEach(async () => {
  sim = await openSimulatedWorld();
  await sim.fund('BTC', ONE.BTC, ONE.BTC);
});
afterEach(async () => sim.close());

/** Two sends without an answer of a node; the stored plan and bytes of the first are corrupt. */
async function oneSpoiltOneSound(): Promise<{ spoilt: string; sound: string }> {
  sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
  const first = await sim.send('BTC', '0.4');
  sim.world.clock.advance(1_000);
  const second = await sim.send('BTC', '0.4');
  sim.line.broadcast = null;
  await sim.world.db
    .updateTable('send_versions')
    .set({ planJson: 'spoilt', version: 3 })
    .where('sendId', '=', first.id)
    .execute();
  return { spoilt: first.id, sound: second.id };
}

test('a send that cannot be processed does not delay the next send', async () => {
  const { spoilt, sound } = await oneSpoiltOneSound();
  sim.world.clock.advance(120_000);
  await advanceSends(sim.world.deps, sim.world.chain('BTC'));
  expect((await sim.status(sound)).status).toBe('broadcast');
  expect((await sim.status(spoilt)).status).toBe('signed');
});

test('any number of unprocessable sends do not delay the valid sends behind them', async () => {
  await sim.fund('BTC', ...Array.from({ length: 52 }, () => ONE.BTC));
  sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
  for (let made = 0; made < 52; made += 1) await sim.send('BTC', '0.4');
  sim.world.clock.advance(1_000);
  const sound = await sim.send('BTC', '0.4');
  await sim.world.db
    .updateTable('send_versions')
    .set({ planJson: 'spoilt' })
    .where('sendId', '!=', sound.id)
    .execute();
  sim.line.broadcast = null;
  sim.world.clock.advance(120_000);
  for (let round = 0; round < 2; round += 1)
    await advanceSends(sim.world.deps, sim.world.chain('BTC'), { resume: round === 0 });
  expect((await sim.status(sound.id)).status).toBe('broadcast');
});

test('a send whose fee cannot be bumped does not prevent the bumps of others', async () => {
  const { sound } = await oneSpoiltOneSound();
  const before = await sim.status(sound);
  sim.world.clock.advance(2 * 3_600_000);
  const quote = await sim.world.adapter('BTC').feeQuote();
  sim.line.quote = { ...quote, rate: quote.rate * 10n };
  await bumpSends(sim.world.deps, sim.world.chain('BTC'));
  expect(Number((await sim.status(sound)).fee)).toBeGreaterThan(Number(before.fee));
});

test('a send is retried without delay when the clock was a day ahead for a while', async () => {
  sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
  await sim.send('BTC', '0.4');
  sim.world.clock.advance(24 * 3_600_000);
  await advanceSends(sim.world.deps, sim.world.chain('BTC'));
  sim.world.clock.advance(-24 * 3_600_000);
  const offers = sim.line.offered.length;
  await advanceSends(sim.world.deps, sim.world.chain('BTC'));
  expect(sim.line.offered.length).toBe(offers + 1);
  await advanceSends(sim.world.deps, sim.world.chain('BTC'));
  expect(sim.line.offered.length).toBe(offers + 1);
});
