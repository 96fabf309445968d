import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';

const BLOCK_MS = 600_000;
let world: PaymentWorld;

beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
});

afterEach(async () => {
  await world.close();
});

/** What /readyz would tell after each block that the follower records in its next looks. */
async function statesWhileBlocksCome(count: number): Promise<readonly string[]> {
  const chain = world.chains.BTC;
  const follower = world.follower('BTC');
  const states: string[] = [];
  for (let mined = 0; mined < count; mined += 1) chain.mine(world.now() + mined * BLOCK_MS);
  chain.beforeRead = () => states.push(follower.health().state);
  await world.poll('BTC');
  chain.beforeRead = () => {};
  return states;
}

describe('the sync state of a chain', () => {
  it('is following while a single new block is recorded', async () => {
    for (let block = 0; block < 5; block += 1) {
      expect(new Set(await statesWhileBlocksCome(1))).toEqual(new Set(['following']));
    }
  });

  it('is catching_up while many blocks are recorded, and following afterwards', async () => {
    const states = await statesWhileBlocksCome(10);
    expect(states).toContain('catching_up');
    expect(states.lastIndexOf('following')).toBeLessThan(states.indexOf('catching_up'));
    expect(world.follower('BTC').health()).toMatchObject({ state: 'following', lag: 0 });
  });

  it('is catching_up from the first block after an error', async () => {
    world.chains.BTC.status = { peers: 0 };
    world.advance(10_000);
    await world.poll('BTC');
    expect(world.follower('BTC').health().state).toBe('behind');
    expect((await statesWhileBlocksCome(1)).at(-1)).toBe('catching_up');
  });
});
