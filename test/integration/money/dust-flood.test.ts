import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Credit } from '../../../src/domain/chain.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, freshTxid, unconfirmed } from '../../_helpers/scripted-chain.ts';
import { measureCpuMs } from '../../_helpers/timing/cpu-time.ts';

const DUST = 294n;
const OUTPUTS = 5_000;
let world: PaymentWorld;

beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
});

afterEach(async () => {
  await world.close();
});

/** Transactions of the largest size relayed, full of dust for one address. */
function flood(address: string, outputs: number): Credit[] {
  const perTransaction = 2_500;
  const raw = 'ab'.repeat(99_000);
  const credits: Credit[] = [];
  while (credits.length < outputs) {
    const txid = freshTxid();
    for (let index = 0; index < perTransaction && credits.length < outputs; index += 1) {
      credits.push({ ...creditTo(address, DUST, txid, index), raw });
    }
  }
  return credits;
}

describe('thousands of tiny outputs to one payment address', () => {
  it('do not slow down mempool reads, blocks, a reorg or the responses to the shop', async () => {
    const payment = await world.order({ allowed: ['BTC'] });
    const credits = flood(addressOf(payment, 'BTC'), OUTPUTS);
    const { BTC } = world.chains;
    BTC.unconfirmed = credits.map((credit) => unconfirmed(credit));
    const took: Record<string, number> = {};
    took['first sight'] = await measureCpuMs(async () => world.poll('BTC'));
    took['second sight'] = await measureCpuMs(async () => world.poll('BTC'));
    BTC.unconfirmed = [];
    BTC.mine(world.now(), credits);
    took['its block'] = await measureCpuMs(async () => world.poll('BTC'));
    BTC.mine(world.now());
    took['next block'] = await measureCpuMs(async () => world.poll('BTC'));
    BTC.drop(2);
    BTC.mine(world.now());
    BTC.mine(world.now());
    BTC.mine(world.now());
    BTC.unconfirmed = credits.map((credit) => unconfirmed(credit));
    took['reorganisation'] = await measureCpuMs(async () => world.poll('BTC'));
    BTC.unconfirmed = [];
    for (const { ref } of credits) BTC.fates.set(ref.txid, 'gone');
    took['double-spend'] = await measureCpuMs(async () => world.poll('BTC'));
    const view = await world.payment(payment);
    expect(view).toMatchObject({ status: 'pending', options: { BTC: { received: '0' } } });
    expect(view.transactions).toHaveLength(100);
    expect(Object.entries(took).filter(([, ms]) => ms > 8_000)).toEqual([]);
  });
});
