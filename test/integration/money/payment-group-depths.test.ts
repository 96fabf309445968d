/** The depth that money waits for follows from the balance of its group, on whichever payment of it the money came. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ConfirmationTier } from '../../../src/domain/confirmations.ts';
import { recheckDepths } from '../../../src/usecases/payments/recheck-depths.ts';
import { openGroupWorld, PRICE, type GroupWorld } from '../../_helpers/payment-group-world.ts';
import { addressOf, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo } from '../../_helpers/scripted-chain.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';

let group: GroupWorld;
let world: PaymentWorld;
beforeEach(async () => {
  group = await openGroupWorld();
  ({ world } = group);
});
afterEach(async () => world.close());

async function payIn(payment: PaymentView, amount: bigint): Promise<void> {
  world.advance(1_000);
  world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), amount)]);
  await world.poll('BTC');
}

async function mine(blocks: number): Promise<void> {
  for (let count = 0; count < blocks; count += 1) world.chains.BTC.mine(world.now());
  await world.poll('BTC');
}

const setTiers = (...tiers: readonly ConfirmationTier[]): unknown =>
  Object.assign(world.deps, { confirmations: () => ({ base: 2, tiers }) });

const SIX = { fromAtoms: (PRICE * 6n) / 10n, confirmations: 6 };

it.for(['runs on', 'restarts'])(
  'money on a superseded payment needs the confirmations of the order total while the daemon %s',
  async (how) => {
    setTiers(SIX);
    const [first, second] = await group.renewed({ amount: '25.00' });
    // The lead's own part has all its confirmations when the rest comes to the old address.
    await payIn(second, 1_000n);
    await mine(8);
    await payIn(first, 2n * PRICE);
    expect((await world.payment(second)).status).toBe('confirming');
    if (how === 'restarts') world.restart();
    await mine(4);
    expect((await world.payment(second)).status).toBe('confirming');
    await mine(1);
    expect((await world.payment(second)).status).toBe('completed');
  },
);

it('money on a superseded payment needs the confirmations of a tier that was raised later', async () => {
  const [first, second] = await group.renewed({ amount: '25.00' });
  await payIn(second, 1_000n);
  await mine(8);
  await payIn(first, 2n * PRICE);
  setTiers(SIX);
  world.restart();
  await mine(4);
  expect((await world.payment(second)).status).toBe('confirming');
  await mine(1);
  expect((await world.payment(second)).status).toBe('completed');
});

it.for([
  ['underpaid', 1_000n, PRICE, { status: 'completed', exception: 'late' }, 'P1 completed'],
  ['completed', PRICE, PRICE, { status: 'completed', exception: 'multiple' }, 'P1 overpaid'],
] as const)(
  'an order that a migration left %s is updated with all its money when the daemon starts, however old the money is',
  async ([status, own, other, expected, event]) => {
    const [first, second] = await group.renewed();
    await payIn(second, own);
    await payIn(first, other);
    await mine(1);
    const { db } = world.deps;
    // As 0036 leaves it: nothing was concluded from the sum yet.
    await db
      .updateTable('payments')
      .set({ status, exception: null, excessTold: null })
      .where('id', '=', second.id)
      .execute();
    await db.updateTable('outputs').set({ height: 1 }).execute();
    await db.updateTable('chain_cursors').set({ height: 5_000 }).where('coin', '=', 'BTC').execute();
    const before = await group.told(second);
    await recheckDepths(world.deps, { coin: 'BTC', mode: 'live' });
    expect(await world.payment(second)).toMatchObject(expected);
    expect((await group.told(second)).slice(before.length)).toEqual([event]);
    await recheckDepths(world.deps, { coin: 'BTC', mode: 'live' });
    expect(await group.told(second)).toHaveLength(before.length + 1);
  },
);
