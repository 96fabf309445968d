import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BroadcastResult } from '../../../src/domain/chain.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { SendLoop } from '../../../src/workers/chain-watcher/send-loop.ts';
import { eventually } from '../../_helpers/poll.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const REFUSED: BroadcastResult = { kind: 'rejected', reason: 'no' };
const UNCLEAR: BroadcastResult = { kind: 'unknown', reason: 'timeout' };
let sim: SimulatedWorld;

beforeEach(async () => {
  sim = await openSimulatedWorld();
});
afterEach(async () => sim.close());

/** Holds back the next offers; each is answered by hand. */
function heldOffers() {
  const waiting: { answer: (result: BroadcastResult | 'through') => void }[] = [];
  sim.line.broadcast = async (_transaction, forward) => {
    const { promise, resolve } = Promise.withResolvers<BroadcastResult | 'through'>();
    waiting.push({ answer: resolve });
    const result = await promise;
    return result === 'through' ? forward() : result;
  };
  const nth = async (at: number) => {
    await eventually(
      `offer ${at + 1}`,
      () => waiting.length,
      (count) => count > at,
    );
    return waiting[at];
  };
  return { waiting, nth };
}

test('SendLoop does not broadcast a send that a request is just broadcasting, in the first round after a start', async () => {
  await sim.fund('BTC', ONE.BTC);
  const { waiting, nth } = heldOffers();
  const sending = sim.send('BTC', '0.5');
  const offer = await nth(0);
  const deps = { ...sim.world.deps, confirmations: () => ({ base: 1, tiers: [] }) };
  let looks = 0;
  const clock = { now: () => ((looks += 1), sim.world.clock.now()) };
  const loop = new SendLoop({ ...deps, clock }, [sim.world.chain('BTC')], {
    intervalMs: 1,
    bumpIntervalMs: 1,
    poll: () => undefined,
  });
  loop.start();
  await eventually(
    'some rounds',
    () => looks,
    (count) => count > 10,
  );
  expect(waiting).toHaveLength(1);
  offer?.answer('through');
  expect(await sending).toMatchObject({ status: 'broadcast' });
  await loop.stop();
  expect(sim.line.offered).toHaveLength(1);
});

test('a rejection fails a send only when no other broadcast of the send is in flight', async () => {
  await sim.fund('BTC', ONE.BTC);
  const { waiting, nth } = heldOffers();
  const sending = sim.send('BTC', '0.5').catch((error: unknown) => error);
  const mine = await nth(0);
  const round = advanceSends(sim.world.deps, sim.world.chain('BTC'), { resume: true });
  await Promise.race([round, nth(1)]);
  // Were there a second offer, the network would have taken it by now.
  waiting[1]?.answer('through');
  mine?.answer(REFUSED);
  expect(await sending).toMatchObject({ code: 'SEND_REJECTED' });
  await round;
  expect(waiting).toHaveLength(1);
  expect(await sim.world.balance('BTC')).toBe('1');
});

test('SendLoop does not rebroadcast a send that a request has broadcast during a slow round', async () => {
  await sim.fund('BTC', ONE.BTC, ONE.BTC);
  sim.line.broadcast = async () => UNCLEAR;
  await sim.send('BTC', '0.5');
  sim.world.clock.advance(600_000);
  const { nth } = heldOffers();
  const sending = sim.send('BTC', '0.5');
  const mine = await nth(0);
  const round = advanceSends(sim.world.deps, sim.world.chain('BTC'), { resume: true });
  const other = await nth(1);
  mine?.answer('through');
  const sent = await sending;
  expect(sent).toMatchObject({ status: 'broadcast' });
  sim.line.broadcast = null;
  other?.answer('through');
  await round;
  expect(sim.line.offered.filter(({ txid }) => txid === sent.txHash)).toHaveLength(1);
  expect(sim.line.offered).toHaveLength(3);
});

test('two concurrent rounds of SendLoop broadcast a send once, and do not bump its fee meanwhile', async () => {
  await sim.fund('BTC', ONE.BTC);
  sim.line.broadcast = async () => UNCLEAR;
  const { id, txHash } = await sim.send('BTC', '0.5');
  sim.world.clock.advance(sim.world.deps.policy.bumpAfterMs);
  sim.line.quote = { rate: 40_000_000n, source: 'test', at: 0 };
  const { waiting, nth } = heldOffers();
  const chain = sim.world.chain('BTC');
  const first = advanceSends(sim.world.deps, chain);
  const offer = await nth(0);
  await Promise.race([advanceSends(sim.world.deps, chain), nth(1)]);
  await Promise.race([bumpSends(sim.world.deps, chain), nth(1)]);
  expect(waiting).toHaveLength(1);
  offer?.answer('through');
  await first;
  expect(await sim.status(id)).toMatchObject({ status: 'broadcast', txHash });
  sim.line.broadcast = null;
  await bumpSends(sim.world.deps, chain);
  expect((await sim.status(id)).txHash).not.toBe(txHash);
});
