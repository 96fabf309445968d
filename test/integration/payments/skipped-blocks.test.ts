import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChainError, type ChainAdapter, type UnspentOutput } from '../../../src/domain/chain.ts';
import { allSkippedBlocks } from '../../../src/store/chain/skipped-blocks.ts';
import { reconcileSkippedBlocks } from '../../../src/usecases/chain-sync/reconcile-skipped-blocks.ts';
import { rescanChain } from '../../../src/usecases/chain-sync/rescan-chain.ts';
import { skipBlocks } from '../../../src/usecases/chain-sync/skip-blocks.ts';
import { ChainFollower } from '../../../src/workers/chain-watcher/chain-follower.ts';
import { readChains } from '../../../src/workers/chain-watcher/chain-warnings.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, type ScriptedChain } from '../../_helpers/scripted-chain.ts';
import { outputFunds } from '../../_helpers/output-funds.ts';

const DUE = 50_000_000n;
const PRUNED = 50;
let world: PaymentWorld;
beforeEach(async () => {
  world = await openPaymentWorld();
});
afterEach(async () => world.close());
const chain = (): ScriptedChain => world.chains.LTC;

/** Of the chain's blocks, those below a height are gone. */
function pruned(): ChainAdapter {
  const whole = chain().adapter('LTC');
  return {
    ...whole,
    status: async () => ({ ...(await whole.status()), pruneHeight: PRUNED }),
    blockAt: async (height) => {
      if (height < PRUNED)
        throw new ChainError('pruned', `the node pruned blocks ${height} to ${PRUNED - 1}`);
      return whole.blockAt(height);
    },
  };
}

function follow(adapter: ChainAdapter): ChainFollower {
  return new ChainFollower(world.deps, adapter, { pollIntervalMs: 1, maxBackoffMs: 1, statusEveryMs: 1 });
}

function mineUpTo(height: number): void {
  while (chain().tip.height < height) {
    world.advance(MINUTE / 4);
    chain().mine(world.now());
  }
}

const at = (height: number) => ({
  coin: 'LTC' as const,
  mode: 'live' as const,
  funds: {
    model: 'accounts' as const,
    balancesAt: async () => ({ height, hash: null, balances: new Map<string, bigint>() }),
    heldAfter: async () => new Map<string, bigint>(),
  },
});

describe('a coin added later, on a pruned node,', () => {
  it('is read from the first available block when no payment was ever offered in it', async () => {
    mineUpTo(100);
    const follower = follow(pruned());
    while (await follower.round());
    expect(follower.health()).toMatchObject({ state: 'following', height: 100 });
    const payment = await world.order({ allowed: ['LTC'] });
    chain().mine(world.now(), [creditTo(addressOf(payment, 'LTC'), DUE)]);
    chain().mine(world.now());
    while (await follower.round());
    expect((await world.payment(payment)).status).toBe('completed');
  });

  it('is not read while a payment may have been made in the pruned blocks', async () => {
    await world.order({ allowed: ['LTC'] });
    mineUpTo(100);
    const follower = follow(pruned());
    await expect(follower.round()).rejects.toThrow('pruned');
    await expect(rescanChain(world.deps, pruned(), { height: 10 })).rejects.toThrow('--skip-to 50');
    await expect(rescanChain(world.deps, pruned(), { height: 60 })).rejects.toThrow('--skip-to');
  });
});

it('skipped blocks are reported as a gap until the payments in them are credited, at the time of their block', async () => {
  const payment = await world.order({ allowed: ['LTC'] });
  mineUpTo(20);
  const credit = creditTo(addressOf(payment, 'LTC'), DUE);
  const paid = chain().mine(world.now(), [credit]);
  mineUpTo(100);
  world.advance(120 * MINUTE);
  const { gap } = await skipBlocks(world.deps, pruned(), PRUNED);
  expect(gap).toMatchObject({ from: 0, to: PRUNED });
  const follower = follow(pruned());
  while (await follower.round());
  expect(follower.health()).toMatchObject({ state: 'following', height: 100 });
  const warnings = async () => {
    const watcher = { health: () => [follower.health()] };
    const [read] = await readChains({
      db: world.deps.db,
      clock: world.deps.clock,
      network: 'regtest',
      watcher,
    });
    return read?.warnings;
  };
  expect(await warnings()).toEqual([
    expect.stringContaining(`gap in the chain: blocks 0 to ${PRUNED} were skipped`),
  ]);
  const { hash, timeMs, height } = paid;
  const { ref, amount, watchKey } = credit;
  const output: UnspentOutput = { ref, amount, height, watchKey, block: { hash, timeMs, maturity: 1 } };
  const tip = { height: 100, hash: chain().tip.hash };
  const adapter = {
    ...pruned(),
    funds: outputFunds(async () => ({ tip, outputs: [output], isComplete: true })),
  };
  expect(await reconcileSkippedBlocks(world.deps, adapter)).toBe(true);
  expect(await world.payment(payment)).toMatchObject({ status: 'completed', exception: null });
  expect(await allSkippedBlocks(world.deps.db)).toEqual([]);
  expect(await warnings()).toEqual([]);
});

it.each([
  ['below its end', () => ({ height: PRUNED - 1, hash: 'f'.repeat(64) })],
  ['of another chain', () => ({ height: 100, hash: 'f'.repeat(64) })],
])('a gap of skipped blocks stays open when the answer comes from a backend %s', async (_what, tip) => {
  await world.order({ allowed: ['LTC'] });
  mineUpTo(100);
  await skipBlocks(world.deps, pruned(), PRUNED);
  const follower = follow(pruned());
  while (await follower.round());
  const behind = {
    ...pruned(),
    funds: outputFunds(async () => ({ tip: tip(), outputs: [], isComplete: true })),
  };
  expect(await reconcileSkippedBlocks(world.deps, behind)).toBe(false);
  expect(await allSkippedBlocks(world.deps.db)).toHaveLength(1);
});

it('a gap of skipped blocks stays open while the node does not respond', async () => {
  await world.order({ allowed: ['LTC'] });
  mineUpTo(100);
  await skipBlocks(world.deps, pruned(), PRUNED);
  const silent = {
    ...pruned(),
    funds: outputFunds(async () => Promise.reject(new ChainError('unavailable', 'no answer'))),
  };
  await expect(reconcileSkippedBlocks(world.deps, silent)).rejects.toThrow('no answer');
  expect(await allSkippedBlocks(world.deps.db)).toHaveLength(1);
});

it('a gap of skipped blocks stays open when the balances come from a node below the gap', async () => {
  await world.order({ allowed: ['LTC'] });
  mineUpTo(100);
  await skipBlocks(world.deps, pruned(), PRUNED);
  const follower = follow(pruned());
  while (await follower.round());
  await expect(reconcileSkippedBlocks(world.deps, at(PRUNED - 1))).rejects.toThrow('below');
  expect(await allSkippedBlocks(world.deps.db)).toHaveLength(1);
  expect(await reconcileSkippedBlocks(world.deps, at(PRUNED))).toBe(true);
});
