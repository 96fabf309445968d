import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BroadcastResult, TransactionFate } from '../../../src/domain/chain.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { examineSends } from '../../../src/usecases/wallet/lifecycle/examine-sends.ts';
import { confirmUnpaid } from '../../../src/usecases/wallet/lifecycle/possibly-paid.ts';
import { writeMeta } from '../../../src/store/meta.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld();
  await sim.fund('BTC', ONE.BTC);
});
afterEach(async () => sim.close());

/** A send that no clear answer came for. */
async function unclear(): Promise<string> {
  sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
  const { id, status } = await sim.send('BTC', '0.4');
  expect(status).toBe('signed');
  return id;
}

async function found() {
  const findings = await examineSends(sim.world.deps, sim.world.adapter('BTC'));
  return findings.map(({ send, state: standing, why }) => ({ id: send.id, standing, why }));
}

async function afterNextTry(id: string): Promise<string> {
  sim.world.clock.advance(600_000);
  await advanceSends(sim.world.deps, sim.world.chain('BTC'));
  return (await sim.status(id)).status;
}

const refused: BroadcastResult = { kind: 'rejected', reason: 'bad-txns-inputs-missingorspent' };
const cases: [BroadcastResult, TransactionFate | null, string, RegExp, string][] = [
  [
    { kind: 'unknown', reason: 'no history tells', isLasting: true },
    null,
    'open',
    /^no history tells$/,
    'signed',
  ],
  [
    { kind: 'accepted' },
    null,
    'in_network',
    /^the node has [0-9a-f]{64}: it waits for a block$/,
    'broadcast',
  ],
  [{ kind: 'unknown', reason: 'fee too low' }, null, 'open', /possibly temporarily: fee too low$/, 'signed'],
  [refused, 'present', 'in_network', /it waits for a block$/, 'broadcast'],
  [refused, 'unknown', 'open', /missingorspent\), but nothing proves that [0-9a-f]{64} can never/, 'signed'],
  [
    refused,
    'gone',
    'open',
    /none of its transactions can confirm: it fails once that is 6 blocks deep$/,
    'signed',
  ],
];

test.each(cases)(
  'examineSends, with the broadcast answer %o and the status %s, returns %s',
  async (answer, fate, standing, why, becomes) => {
    const id = await unclear();
    sim.line.broadcast = async () => answer;
    sim.line.fate = fate;
    const before = await sim.world.db.selectFrom('sends').selectAll().execute();
    expect(await found()).toEqual([{ id, standing, why: expect.stringMatching(why) as string }]);
    expect(await sim.world.db.selectFrom('sends').selectAll().execute()).toEqual(before);
    expect(await afterNextTry(id)).toBe(becomes);
  },
);

test('examineSends does not return a send as impossible until the ledger has read the blocks of the node', async () => {
  const id = await unclear();
  sim.line.broadcast = async () => refused;
  sim.line.fate = 'gone';
  await sim.control('BTC').mine(1);
  expect(await found()).toMatchObject([
    { id, standing: 'open', why: expect.stringContaining('must first have read every block') as string },
  ]);
  expect(await afterNextTry(id)).toBe('signed');
});

test('examineSends does not list a send that a block contains', async () => {
  const sent = await sim.send('BTC', '0.4');
  expect(await found()).toMatchObject([{ id: sent.id, standing: 'in_network' }]);
  await sim.mine('BTC');
  expect(await found()).toEqual([]);
});

test('examineSends does not broadcast a send during its first broadcast, because a second answer would be ambiguous', async () => {
  const offer = Promise.withResolvers<BroadcastResult>();
  const offered = Promise.withResolvers<void>();
  sim.line.broadcast = async () => {
    offered.resolve();
    return offer.promise;
  };
  const sending = sim.send('BTC', '0.4');
  await offered.promise;
  // Another node behind the same address would take it.
  sim.line.broadcast = async () => ({ kind: 'accepted' });
  const [finding] = await found();
  offer.resolve({ kind: 'unknown', reason: 'timeout' });
  const { id } = await sending;
  expect(finding).toEqual({ id, standing: 'open', why: expect.stringMatching(/first broadcast/) as string });
  expect(sim.line.offered).toHaveLength(1);
  sim.world.clock.advance(sim.world.deps.policy.firstAnswerMs);
  expect(await found()).toMatchObject([{ id, standing: 'in_network' }]);
});

test('examineSends does not broadcast a replacement during its first broadcast', async () => {
  const { id } = await sim.send('BTC', '0.4');
  sim.world.clock.advance(sim.world.deps.policy.bumpAfterMs);
  sim.line.quote = { rate: 40_000_000n, source: 'test', at: 0 };
  let meanwhile: unknown;
  sim.line.broadcast = async () => {
    sim.line.broadcast = async () => ({ kind: 'accepted' });
    meanwhile = await found();
    return { kind: 'unknown', reason: 'timeout' };
  };
  await bumpSends(sim.world.deps, sim.world.chain('BTC'));
  expect(meanwhile).toMatchObject([{ id, standing: 'open' }]);
  expect(sim.line.offered).toHaveLength(2);
  expect(await found()).toMatchObject([{ id, standing: 'in_network' }]);
});

test('examineSends fails a send from before a restore only on proof, after the operator confirmed that it was not paid', async () => {
  const id = await unclear();
  const { db, clock, deps } = sim.world;
  await writeMeta(db, 'restored_at', String(clock.now()));
  sim.line.broadcast = async () => refused;
  sim.line.fate = 'gone';
  expect(await found()).toEqual([
    { id, standing: 'open', why: expect.stringContaining(`tillctl sends --not-paid ${id}`) as string },
  ]);
  expect(await afterNextTry(id)).toBe('signed');
  await confirmUnpaid(deps, id);
  sim.line.fate = 'unknown';
  expect(await afterNextTry(id)).toBe('signed');
  sim.line.fate = 'gone';
  expect(await found()).toMatchObject([{ id, standing: 'open' }]);
  expect(await afterNextTry(id)).toBe('signed');
  await sim.mine('BTC', deps.policy.surplusDepth - 1);
  expect(await found()).toMatchObject([{ id, standing: 'impossible' }]);
  expect(await afterNextTry(id)).toBe('failed');
  await expect(confirmUnpaid(deps, id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  await expect(confirmUnpaid(deps, 'snd_none')).rejects.toMatchObject({ code: 'SEND_NOT_FOUND' });
});
