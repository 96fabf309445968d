import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rememberedBlocks } from '../../../src/store/chain/chain-cursors.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { findForkPoint } from '../../../src/workers/chain-watcher/fork-point.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo } from '../../_helpers/scripted-chain.ts';

const DUE = 50_000_000n;
const BTC = { coin: 'BTC', mode: 'live' } as const;
let world: PaymentWorld;
let payment: PaymentView;

beforeEach(async () => {
  world = await openPaymentWorld();
  payment = await world.order({ allowed: ['BTC'] });
  for (let block = 0; block < 5; block += 1) world.chains.BTC.mine(world.now());
  world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), DUE)]);
  await world.poll();
});
afterEach(async () => {
  await world.close();
});

const standing = () => world.follower('BTC').health();

describe('a recorded block that the node does not return although its chain grows', () => {
  it('causes no reversal, because a backend may lag for a moment, and the next read continues', async () => {
    const { chains } = world;
    const before = await world.eventsOf(payment);
    const cursor = chains.BTC.tip.height;
    for (let block = 0; block < 10; block += 1) {
      chains.BTC.mine(world.now());
      chains.BTC.isUnshown = (height) => height >= cursor + block;
      world.advance(1_000);
      await world.poll();
      expect(standing()).toMatchObject({ state: 'following', height: cursor + block });
      chains.BTC.isUnshown = () => false;
      world.advance(1_000);
      await world.poll();
      expect(standing()).toMatchObject({ state: 'following', height: cursor + block + 1 });
    }
    expect((await world.eventsOf(payment)).slice(before.length)).toEqual(['completed']);
    expect((await world.payment(payment)).transactions).toMatchObject([{ blockHeight: cursor }]);
  });

  it('stops the daemon from reading further, and marks the node as behind when the block stays missing', async () => {
    const { chains } = world;
    const cursor = chains.BTC.tip.height;
    chains.BTC.mine(world.now());
    chains.BTC.isUnshown = (height) => height >= cursor;
    const events = await world.eventsOf(payment);
    for (let look = 0; look < 10; look += 1) {
      world.advance(MINUTE / 4);
      await world.poll();
    }
    expect(standing()).toMatchObject({ state: 'behind', height: cursor });
    expect(await world.eventsOf(payment)).toEqual(events);
    chains.BTC.isUnshown = () => false;
    await world.poll();
    expect(standing()).toMatchObject({ state: 'following', height: cursor + 1 });
  });

  it('counts as reorganised only when the chain has another block at that height', async () => {
    const { db } = world.wallet;
    const cursor = world.chains.BTC.tip;
    const recorded = await rememberedBlocks(db, BTC, cursor.height, 100);
    const shown = fc.array(fc.constantFrom('same', 'other', 'missing'), {
      minLength: recorded.length,
      maxLength: recorded.length,
    });
    await fc.assert(
      fc.asyncProperty(shown, fc.integer({ min: -3, max: 3 }), async (blocks, ahead) => {
        const at = new Map(recorded.map((block, place) => [block.height, { ...block, is: blocks[place]! }]));
        const adapter = {
          ...BTC,
          tip: async () => ({ height: cursor.height + ahead, hash: 'tip' }),
          hashAt: async (height: number) => {
            const block = at.get(height);
            if (block === undefined || block.is === 'missing' || height > cursor.height + ahead) return null;
            return block.is === 'same' ? block.hash : 'another';
          },
        };
        const visible = recorded.filter(({ height }) => height <= cursor.height + ahead);
        const seen = visible.map(({ height }) => at.get(height)!.is);
        const same = seen.indexOf('same');
        const isForked = seen.slice(0, same === -1 ? undefined : same).includes('other');
        const fork = await findForkPoint(db, adapter, cursor).catch(() => null);
        if (same === -1 && isForked) expect(fork).toBeNull();
        else if (isForked) expect(fork).toEqual({ kind: 'fork', at: visible[same] });
        else expect(fork?.kind).toBe(ahead < 0 ? 'behind' : 'unshown');
      }),
    );
  });
});
