import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UnconfirmedCredit } from '../../../src/domain/chain.ts';
import { rescanChain } from '../../../src/usecases/chain-sync/rescan-chain.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';

const DUE = 50_000_000n;
const DAY = 24 * 60 * MINUTE;
let world: PaymentWorld;
let payment: PaymentView;
let credit: UnconfirmedCredit;

async function seenAtMinute59(latePolicy: 'accept' | 'review'): Promise<void> {
  world = await openPaymentWorld({ latePolicy });
  await world.poll();
  payment = await world.order({ allowed: ['BTC'] });
  credit = unconfirmed(creditTo(addressOf(payment, 'BTC'), DUE));
  world.advance(59 * MINUTE);
  world.chains.BTC.unconfirmed = [credit];
  await world.poll('BTC');
}

async function daysPass(days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    world.advance(DAY);
    world.chains.BTC.mine(world.now());
    await world.poll('BTC');
    await world.expire();
  }
}

async function mined(): Promise<PaymentView> {
  world.chains.BTC.unconfirmed = [];
  world.chains.BTC.mine(world.now(), [credit]);
  world.chains.BTC.mine(world.now());
  await world.poll('BTC');
  return world.payment(payment);
}

afterEach(async () => world.close());

describe('money that was seen before the deadline but mined after it', () => {
  beforeEach(async () => seenAtMinute59('accept'));

  it('is on time when it is mined within a day', async () => {
    world.advance(DAY);
    await world.expire();
    expect(await mined()).toMatchObject({ status: 'completed', exception: null });
    expect(await world.eventsOf(payment)).toEqual(['created', 'confirming', 'completed']);
  });

  it('is late when it is mined after more than a day, and valued at the rate of that day', async () => {
    await daysPass(13);
    expect(await world.payment(payment)).toMatchObject({ status: 'confirming', exception: 'late' });
    world.rate = '50';
    const after = await mined();
    expect(after).toMatchObject({ status: 'expired', exception: 'late' });
    expect(await world.eventsOf(payment)).toContain('late');
    expect(await world.eventsOf(payment)).not.toContain('completed');
  });

  it('is late by its block time alone when the daemon was down meanwhile', async () => {
    world.advance(13 * DAY);
    world.restart();
    world.rate = '50';
    expect((await mined()).status).not.toBe('completed');
  });

  it('is on time when it was mined before the deadline and the chain is rescanned later', async () => {
    await mined();
    world.advance(30 * DAY);
    await rescanChain(world.deps, world.chains.BTC.adapter('BTC'), { height: 0 });
    world.restart();
    await world.poll('BTC');
    await world.expire();
    expect(await world.payment(payment)).toMatchObject({ status: 'completed', exception: null });
    expect(await world.eventsOf(payment)).toEqual(['created', 'confirming', 'completed']);
  });
});

it('money that is mined too late is left for the merchant to decide under the review policy', async () => {
  await seenAtMinute59('review');
  await daysPass(2);
  expect(await world.payment(payment)).toMatchObject({ status: 'expired', exception: 'late' });
  expect(await mined()).toMatchObject({ status: 'expired', exception: 'late' });
  expect(await world.eventsOf(payment)).toEqual(['created', 'confirming', 'late']);
});
