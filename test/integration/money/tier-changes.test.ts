import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfirmationTier } from '../../../src/domain/confirmations.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo } from '../../_helpers/scripted-chain.ts';

/** The price of every order here: 50 USD at 100 USD a coin. */
const DUE = 50_000_000n;

let world: PaymentWorld;
let payment: PaymentView;

beforeEach(async () => {
  world = await openPaymentWorld();
  payment = await world.order({ allowed: ['BTC'] });
  await world.poll('BTC');
});
afterEach(async () => world.close());

async function pay(amount: bigint): Promise<void> {
  world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), amount)]);
  await world.poll('BTC');
}

async function mine(blocks: number): Promise<string> {
  for (let count = 0; count < blocks; count += 1) world.chains.BTC.mine(world.now());
  await world.poll('BTC');
  return (await world.payment(payment)).status;
}

/** Restarts the daemon with other tiers. */
async function restartWith(tiers: readonly ConfirmationTier[]): Promise<string> {
  Object.assign(world.deps, { confirmations: () => ({ base: 2, tiers }) });
  world.restart();
  await world.poll('BTC');
  return (await world.payment(payment)).status;
}

const SIX = [{ fromAtoms: 2n * DUE, confirmations: 6 }];

describe('a change of the confirmation tiers of the shop', () => {
  it('applies to all money of an order in that coin, including earlier money', async () => {
    await restartWith(SIX);
    await pay(DUE);
    await pay(DUE);
    expect((await world.payment(payment)).options.BTC?.requiredConfirmations).toBe(6);
    expect(await mine(3)).toBe('confirming');
    // What came first has six confirmations, and is the price.
    expect(await mine(1)).toBe('completed');
  });

  it('applies to money that waits for confirmations when a tier was raised, in every block up to the new depth', async () => {
    await pay(2n * DUE);
    expect(await restartWith(SIX)).toBe('confirming');
    expect(await mine(4)).toBe('confirming');
    expect(await mine(1)).toBe('completed');
  });

  it('applies when the daemon starts if a tier was lowered', async () => {
    await restartWith(SIX);
    await pay(2n * DUE);
    expect(await mine(2)).toBe('confirming');
    expect(await restartWith([])).toBe('completed');
    expect(await world.eventsOf(payment)).toContain('completed');
  });
});

describe('payment.overpaid for a completed order', () => {
  it('is emitted at the depth of a confirmation tier that was set while the excess was unconfirmed', async () => {
    await pay(DUE);
    expect(await mine(1)).toBe('completed');
    await pay(DUE);
    expect(await restartWith(SIX)).toBe('completed');
    await mine(5);
    expect((await world.payment(payment)).exception).toBe('multiple');
    expect(await world.eventsOf(payment)).toContain('overpaid');
  });

  it('is emitted once, however often the daemon starts', async () => {
    await pay(DUE);
    await pay(DUE);
    await mine(1);
    for (let start = 0; start < 3; start += 1) await restartWith([]);
    const events = await world.eventsOf(payment);
    expect(events.filter((event) => event === 'overpaid')).toHaveLength(1);
  });
});
