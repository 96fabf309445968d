import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UnconfirmedCredit } from '../../../src/domain/chain.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, freshTxid, unconfirmed } from '../../_helpers/scripted-chain.ts';

const DUE = 50_000_000n;
let world: PaymentWorld;
let payment: PaymentView;
let parent: string;
let credit: UnconfirmedCredit;

beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
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
  await world.poll('BTC');
}

describe('a payment with an unconfirmed parent transaction, on a node that loses its mempool,', () => {
  it('stays credited while its parent is unconfirmed, and completes when both are mined', async () => {
    world.chains.BTC.unconfirmed = [credit];
    world.chains.BTC.others = [parent];
    await world.poll('BTC');
    await loseMempool();
    world.restart();
    await loseMempool();
    expect(await world.eventsOf(payment)).toEqual(['created', 'confirming']);
    world.chains.BTC.mine(world.now(), [credit]);
    world.chains.BTC.mine(world.now());
    await world.poll('BTC');
    expect(await world.eventsOf(payment)).toEqual(['created', 'confirming', 'completed']);
  });

  it('is reversed when its parent was mined meanwhile, because then its input is double-spent', async () => {
    world.chains.BTC.unconfirmed = [credit];
    world.chains.BTC.others = [parent];
    await world.poll('BTC');
    world.chains.BTC.others = [];
    world.chains.BTC.mine(world.now());
    await world.poll('BTC');
    await loseMempool();
    expect(await world.eventsOf(payment)).toEqual(['created', 'confirming', 'reversed']);
  });

  it('is reversed when the node has not returned it for two hours, and credited when it is seen again', async () => {
    world.chains.BTC.unconfirmed = [credit];
    world.chains.BTC.others = [parent];
    await world.poll('BTC');
    await loseMempool();
    await minutesPass(118);
    expect(await world.eventsOf(payment)).not.toContain('reversed');
    await minutesPass(4);
    expect(await world.eventsOf(payment)).toEqual(['created', 'confirming', 'reversed', 'failed']);
    world.chains.BTC.unconfirmed = [credit];
    await world.poll('BTC');
    expect(await world.payment(payment)).toMatchObject({ status: 'confirming', exception: null });
  });
});

describe('a payment whose transaction the node lacks and does not accept again', () => {
  beforeEach(async () => {
    world.chains.BTC.unconfirmed = [credit];
    await world.poll('BTC');
    world.chains.BTC.unconfirmed = [];
  });

  it('is dropped after two hours', async () => {
    world.chains.BTC.fates.set(credit.ref.txid, 'absent');
    await minutesPass(119);
    expect(await world.eventsOf(payment)).not.toContain('reversed');
    await minutesPass(4);
    expect(await world.eventsOf(payment)).toContain('reversed');
  });

  it('is never dropped while the node cannot return its status', async () => {
    await minutesPass(300);
    expect(await world.eventsOf(payment)).toEqual(['created', 'confirming']);
  });

  it('is dropped only after two hours in which the node was in sync', async () => {
    world.chains.BTC.fates.set(credit.ref.txid, 'absent');
    await minutesPass(60);
    world.chains.BTC.status = { peers: 0 };
    await minutesPass(120);
    world.chains.BTC.status = { peers: null };
    await minutesPass(50);
    expect(await world.eventsOf(payment)).toEqual(['created', 'confirming']);
    await minutesPass(14);
    expect(await world.eventsOf(payment)).toContain('reversed');
  });

  it('is not dropped when the two hours passed while the daemon was down', async () => {
    world.chains.BTC.fates.set(credit.ref.txid, 'absent');
    await minutesPass(2);
    world.advance(24 * 60 * MINUTE);
    await minutesPass(100);
    expect(await world.eventsOf(payment)).not.toContain('reversed');
  });
});

async function minutesPass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    world.advance(MINUTE);
    await world.poll('BTC');
    await world.expire();
  }
}

async function settles(): Promise<void> {
  world.chains.BTC.mine(world.now());
  await world.poll('BTC');
  expect(await world.eventsOf(payment)).toEqual(['created', 'confirming', 'completed']);
}

describe('a payment whose transaction the payer replaced (RBF) with the same amount', () => {
  let raised: UnconfirmedCredit;

  beforeEach(async () => {
    raised = { ...unconfirmed(creditTo(addressOf(payment, 'BTC'), DUE)), inputs: credit.inputs };
    world.chains.BTC.unconfirmed = [credit];
    await world.poll('BTC');
  });

  const spends = () => credit.inputs.map((ref) => ({ ref, byTxid: raised.ref.txid }));

  it('is not reported as reversed when the block with the replacement arrives between two checks', async () => {
    const { BTC } = world.chains;
    BTC.unconfirmed = [];
    BTC.fates.set(credit.ref.txid, 'gone');
    BTC.beforeRecheck = () => {
      BTC.beforeRecheck = () => {};
      BTC.mine(world.now(), [raised], spends());
    };
    await world.poll('BTC');
    await world.poll('BTC');
    await settles();
  });

  it('is not reported as reversed while the node does not return the status of the replaced transaction, and counts once', async () => {
    const { BTC } = world.chains;
    BTC.unconfirmed = [raised];
    BTC.debits = spends();
    await world.poll('BTC');
    expect((await world.payment(payment)).options.BTC?.received).toBe('0.5');
    BTC.unconfirmed = [];
    BTC.debits = [];
    BTC.mine(world.now(), [raised], spends());
    await settles();
  });
});
