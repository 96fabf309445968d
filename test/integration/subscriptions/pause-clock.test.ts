/** Pauses and edits while the clock of the server is wrong: they give no paid time away, and take none. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Chains } from '../../../src/domain/chains.ts';
import { changeSubscriptionStatus } from '../../../src/usecases/subscriptions/act-on-subscription.ts';
import { editSubscription } from '../../../src/usecases/subscriptions/edit-subscription.ts';
import { SubscriptionWorld } from '../../_helpers/subscription-world.ts';

const DAY = 86_400_000;
let world: SubscriptionWorld;
beforeEach(async () => {
  world = await SubscriptionWorld.open();
});
afterEach(async () => world.close());

/** The chains of the world as public ones. */
const onMainnet = (): Chains => ({
  get: (coin, mode) => {
    const adapter = world.deps.chains.get(coin, mode);
    return adapter === null ? null : { ...adapter, network: 'mainnet' };
  },
});
const act = async (id: string, type: 'pause' | 'resume', chains = onMainnet()): Promise<unknown> =>
  changeSubscriptionStatus(
    { ...world.deps, chains },
    { merchantId: world.merchantId, subscriptionId: id },
    { type, by: 'merchant' },
  );
const mine = async (coin: 'BTC' | 'LTC'): Promise<void> => {
  world.payments.chains[coin].mine(world.payments.now());
  await world.payments.poll(coin);
};
async function subscribe(): Promise<string> {
  const { id } = await world.subscribe(await world.price('10.00'));
  await world.pay(id);
  return id;
}
/** The paid time that is left, in days. */
const left = async (id: string): Promise<number> =>
  Math.round((Date.parse((await world.read(id)).activeUntil ?? '') - world.payments.now()) / DAY);

describe('an edit of the quantity in a paid period', () => {
  it('is rejected while the clock is behind the newest block or far ahead of all chains', async () => {
    const id = await subscribe();
    const edit = async (quantity: number): Promise<unknown> => {
      const deps = { ...world.deps, chains: onMainnet() };
      return editSubscription(deps, { merchant: await world.merchant(), subscriptionId: id, quantity });
    };
    await edit(10);
    await world.pass(20);
    for (const days of [-18, 5]) {
      world.payments.advance(days * DAY);
      await expect(edit(1)).rejects.toMatchObject({ code: 'INVALID_STATE' });
      world.payments.advance(-days * DAY);
    }
    await edit(1);
    await act(id, 'pause');
    world.payments.advance(100 * DAY);
    // The time of a pause does not count.
    await edit(2);
  });
});

describe('a pause of a subscription', () => {
  it('does not begin while the clock is behind the newest block, on a private network either', async () => {
    const id = await subscribe();
    const before = await left(id);
    world.payments.advance(-10 * DAY);
    await expect(act(id, 'pause')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(act(id, 'pause', world.deps.chains)).rejects.toThrow(/behind the newest blocks/);
    world.payments.advance(10 * DAY);
    await act(id, 'pause');
    await act(id, 'resume');
    expect(await left(id)).toBe(before);
  });

  it('does not end, also by a cancellation, while the clock is far ahead of all chains', async () => {
    const id = await subscribe();
    const before = await left(id);
    await act(id, 'pause');
    world.payments.advance(100 * DAY);
    await expect(act(id, 'resume')).rejects.toThrow(/ahead of the newest blocks/);
    const at = { merchantId: world.merchantId, subscriptionId: id };
    const cancel = { type: 'cancel', by: 'payer', atPeriodEnd: false } as const;
    const deps = { ...world.deps, chains: onMainnet() };
    await expect(changeSubscriptionStatus(deps, at, cancel)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    world.payments.advance(-100 * DAY);
    await act(id, 'resume');
    expect(await left(id)).toBe(before);
  });

  it('ends while the chain of one coin lags, if that of another one confirms the time', async () => {
    const id = await subscribe();
    const before = await left(id);
    await act(id, 'pause');
    world.payments.advance(20 * DAY);
    await mine('LTC');
    await act(id, 'resume');
    expect(await left(id)).toBe(before);
  });
});
