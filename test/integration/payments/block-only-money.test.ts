import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Credit } from '../../../src/domain/chain.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo } from '../../_helpers/scripted-chain.ts';

const DUE = 50_000_000n;
const MATURITY = 6;
let world: PaymentWorld;
let payment: PaymentView;
beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
  payment = await world.order({ allowed: ['LTC'] });
});
afterEach(async () => world.close());

/** What only a block can hold: the same money has another transaction id in every block. */
function pegOut(amount: bigint): Credit {
  return { ...creditTo(addressOf(payment, 'LTC'), amount), maturity: MATURITY, raw: null };
}

async function mine(...credits: readonly Credit[]): Promise<void> {
  world.chains.LTC.mine(world.now(), credits);
  await world.poll('LTC');
}

async function mineEmpty(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1) world.chains.LTC.mine(world.now());
  await world.poll('LTC');
}

it('a Litecoin peg-out of half the price counts once when a competing block contains it', async () => {
  await mine(pegOut(DUE / 2n));
  world.chains.LTC.drop(1);
  world.chains.LTC.mine(world.now(), [pegOut(DUE / 2n)]);
  await mineEmpty(12);
  const now = await world.payment(payment);
  expect(now).toMatchObject({ status: 'underpaid', exception: null });
  expect(now.options.LTC?.received).toBe('0.25');
  world.advance(15 * 24 * 60 * MINUTE);
  await mineEmpty(1);
  expect(await world.eventsOf(payment)).not.toContain('reversed');
});

it('a Litecoin peg-out that a reorg drops is reversed, and counts again once it is mined again', async () => {
  const first = pegOut(DUE);
  await mine(first);
  world.chains.LTC.drop(1);
  await mineEmpty(2);
  expect(await world.payment(payment)).toMatchObject({ status: 'pending' });
  world.advance(65 * MINUTE);
  await mine(pegOut(DUE));
  await mineEmpty(MATURITY - 1);
  const now = await world.payment(payment);
  expect(now).toMatchObject({ status: 'completed', exception: null });
  expect(now.options.LTC?.received).toBe('0.5');
  expect(await world.eventsOf(payment)).toEqual([
    'created',
    'confirming',
    'reversed',
    'confirming',
    'completed',
  ]);
});

it('a Litecoin peg-out shows the number of confirmations that its maturity requires', async () => {
  await mine(pegOut(DUE));
  await mineEmpty(2);
  const waiting = (await world.payment(payment)).options.LTC;
  expect(waiting).toMatchObject({ confirmations: 3, requiredConfirmations: MATURITY });
  await mineEmpty(3);
  expect(await world.payment(payment)).toMatchObject({ status: 'completed' });
});
