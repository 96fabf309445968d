import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UnconfirmedCredit } from '../../../src/domain/chain.ts';
import type { PaymentView } from '../../../src/usecases/payment/present-payment.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, freshTxid, unconfirmed } from '../../_helpers/scripted-chain.ts';

const DUE = 50_000_000n;
let world: PaymentWorld;
let payment: PaymentView;
let parent: string;
let credit: UnconfirmedCredit;

beforeEach(async () => {
  world = await openPaymentWorld();
  await world.look();
  payment = await world.order({ allowed: ['BTC'] });
  parent = freshTxid();
  credit = {
    ...unconfirmed(creditTo(addressOf(payment, 'BTC'), DUE)),
    inputs: [{ txid: parent, index: 1 }],
  };
});

afterEach(async () => {
  await world.close();
});

/** The node has lost its mempool: asked again it refuses the payment, since it knows none of its inputs. */
async function loseMempool(): Promise<void> {
  world.chains.BTC.unconfirmed = [];
  world.chains.BTC.others = [];
  world.chains.BTC.fates.set(credit.ref.txid, 'gone');
  world.advance(MINUTE);
  await world.look('BTC');
}

describe('a payment that spends unconfirmed money, in a node that loses its mempool', () => {
  it('is waited for while its parent was unconfirmed, and completes when both are mined', async () => {
    world.chains.BTC.unconfirmed = [credit];
    world.chains.BTC.others = [parent];
    await world.look('BTC');
    await loseMempool();
    world.restart();
    await loseMempool();
    expect(await world.eventsOf(payment)).toEqual(['created', 'confirming']);
    world.chains.BTC.mine(world.now(), [credit]);
    world.chains.BTC.mine(world.now());
    await world.look('BTC');
    expect(await world.eventsOf(payment)).toEqual(['created', 'confirming', 'completed']);
  });

  it('is taken back when its parent had been mined meanwhile: then its input is really spent', async () => {
    world.chains.BTC.unconfirmed = [credit];
    world.chains.BTC.others = [parent];
    await world.look('BTC');
    world.chains.BTC.others = [];
    world.chains.BTC.mine(world.now());
    await world.look('BTC');
    await loseMempool();
    expect(await world.eventsOf(payment)).toEqual(['created', 'confirming', 'reversed']);
  });

  it('is taken back after three days without a sign', async () => {
    world.chains.BTC.unconfirmed = [credit];
    world.chains.BTC.others = [parent];
    await world.look('BTC');
    await loseMempool();
    world.advance(73 * 60 * MINUTE);
    await world.look('BTC');
    expect(await world.eventsOf(payment)).toContain('reversed');
  });
});
