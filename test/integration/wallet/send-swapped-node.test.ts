import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ChainAdapter } from '../../../src/domain/chain.ts';
import { reconcileSkippedBlocks } from '../../../src/usecases/chain-sync/reconcile-skipped-blocks.ts';
import { skipBlocks } from '../../../src/usecases/chain-sync/skip-blocks.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';
import { outputFunds } from '../../_helpers/output-funds.ts';

let sim: SimulatedWorld;

beforeEach(async () => {
  sim = await openSimulatedWorld();
  await sim.fund('BTC', ONE.BTC);
});
afterEach(async () => sim.close());

/** One round of the send loop with a node that knows none of our coins, at this tip. */
async function roundWith(tip: { height: number; hash: string }): Promise<void> {
  const { deps } = sim.world;
  const foreign: ChainAdapter = {
    ...sim.world.adapter('BTC'),
    broadcast: async () => ({ kind: 'rejected', reason: 'bad-txns-inputs-missingorspent' }),
    recheck: async (transactions) => new Map(transactions.map(({ txid }) => [txid, 'gone'])),
    tip: async () => tip,
  };
  sim.world.clock.advance(120_000);
  await advanceSends({ ...deps, chains: { get: () => foreign } }, sim.world.chain('BTC'));
}

async function openSend(): Promise<string> {
  sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
  const send = await sim.send('BTC', '0.4');
  sim.line.broadcast = null;
  return send.id;
}

test('a send is not failed by a rejection from a node of another chain, and its coins stay reserved', async () => {
  const sendId = await openSend();
  await roundWith({ height: 1, hash: 'ee'.repeat(32) });
  expect((await sim.status(sendId)).status).toBe('signed');
  expect(await sim.world.balance('BTC')).toBe('0');
});

test('a send is failed by a node in sync with the ledger after it rejected the send for some blocks', async () => {
  const sendId = await openSend();
  await roundWith(await sim.world.adapter('BTC').tip());
  expect((await sim.status(sendId)).status).toBe('signed');
  await sim.mine('BTC', sim.world.deps.policy.surplusDepth - 1);
  await roundWith(await sim.world.adapter('BTC').tip());
  expect((await sim.status(sendId)).status).toBe('failed');
  expect(await sim.world.balance('BTC')).toBe('1');
});

test('a send is not failed after skipped blocks in which it may have been mined', async () => {
  const sendId = await openSend();
  await sim.control('BTC').mine(3);
  const adapter = sim.world.adapter('BTC');
  sim.world.clock.advance(60_000);
  await skipBlocks(sim.world.deps, adapter, (await adapter.tip()).height);
  await roundWith(await adapter.tip());
  expect((await sim.status(sendId)).status).toBe('signed');
  expect(await sim.world.balance('BTC')).toBe('0');
});

test('a send that was mined in skipped blocks is confirmed by its change once those blocks are reconciled', async () => {
  const send = await sim.send('BTC', '0.4');
  await sim.control('BTC').mine(1);
  const adapter = sim.world.adapter('BTC');
  const { height } = await adapter.tip();
  const block = await adapter.blockAt(height);
  if (block === null) throw new Error('the block is missing');
  await sim.control('BTC').mine(3);
  await skipBlocks(sim.world.deps, adapter, (await adapter.tip()).height);
  const { hash, timeMs } = block;
  const outputs = block.credits.map(({ ref, amount, watchKey, maturity }) => ({
    ref,
    amount,
    height,
    watchKey,
    block: { hash, timeMs, maturity },
  }));
  expect(outputs).toHaveLength(1);
  const tip = await adapter.tip();
  const scanning = { ...adapter, funds: outputFunds(async () => ({ tip, outputs, isComplete: true })) };
  const deps = { ...sim.world.deps, confirmations: () => ({ base: 2, tiers: [] }) };
  expect(await reconcileSkippedBlocks(deps, scanning)).toBe(true);
  expect((await sim.status(send.id)).status).toBe('confirmed');
  const { spentHeight: spentAt } = await sim.world.db
    .selectFrom('outputs')
    .select('spentHeight')
    .where('sendId', '=', send.id)
    .executeTakeFirstOrThrow();
  expect(spentAt).toBe(height);
});
