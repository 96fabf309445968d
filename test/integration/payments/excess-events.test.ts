import { afterEach, beforeEach, expect, it } from 'vitest';
import { rescanChain } from '../../../src/usecases/chain-sync/rescan-chain.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, type ScriptedChain } from '../../_helpers/scripted-chain.ts';

const DUE = 50_000_000n;
let world: PaymentWorld;
beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
});
afterEach(async () => world.close());
const chain = (): ScriptedChain => world.chains.BTC;

it('payment.overpaid is emitted once, however often the blocks are read again', async () => {
  const over = await world.order({ allowed: ['BTC'] });
  const twice = await world.order({ allowed: ['BTC'] });
  const start = chain().tip.height;
  chain().mine(world.now(), [
    creditTo(addressOf(over, 'BTC'), DUE + DUE / 2n),
    creditTo(addressOf(twice, 'BTC'), DUE),
  ]);
  chain().mine(world.now(), [creditTo(addressOf(twice, 'BTC'), DUE)]);
  for (let count = 0; count < 3; count += 1) chain().mine(world.now());
  await world.poll('BTC');
  for (let again = 0; again < 2; again += 1) {
    await rescanChain(world.deps, chain().adapter('BTC'), { height: start });
    world.restart();
    await world.poll('BTC');
  }
  for (const [payment, exception] of [
    [over, 'overpaid'],
    [twice, 'multiple'],
  ] as const) {
    expect(await world.payment(payment)).toMatchObject({ status: 'completed', exception });
    expect((await world.eventsOf(payment)).filter((event) => event === 'overpaid')).toHaveLength(1);
  }
});

it('payment.overpaid is emitted once when a reorg moves the transaction, and again when more money settles', async () => {
  const payment = await world.order({ allowed: ['BTC'] });
  const credit = creditTo(addressOf(payment, 'BTC'), DUE + DUE / 2n);
  chain().mine(world.now(), [credit]);
  chain().mine(world.now());
  await world.poll('BTC');
  chain().drop(2);
  chain().mine(world.now());
  chain().mine(world.now(), [credit]);
  chain().mine(world.now());
  await world.poll('BTC');
  expect(await world.eventsOf(payment)).toEqual(['created', 'confirming', 'completed', 'overpaid']);
  chain().mine(world.now(), [creditTo(addressOf(payment, 'BTC'), 1_000_000n)]);
  chain().mine(world.now());
  await world.poll('BTC');
  expect(await world.eventsOf(payment)).toEqual([
    'created',
    'confirming',
    'completed',
    'overpaid',
    'overpaid',
  ]);
});
