/** Going live with nodes in every state, and live payments after a shop returns to the sandbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressScript } from '../../../src/chains/utxo/address.ts';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { toAtoms } from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { TillBesideNodes } from '../../_helpers/daemon-with-nodes.ts';

let world: TillBesideNodes;
beforeAll(async () => {
  world = await TillBesideNodes.start();
});
afterAll(async () => world[Symbol.asyncDispose]());

describe('switching to live mode', () => {
  it('succeeds when at least one coin is ready, and names those that are not', async () => {
    expect((await world.switchTo('sandbox')).status).toBe(200);
    const { status, body } = await world.switchTo('live');
    expect([status, body.data]).toEqual([
      200,
      {
        sandboxMode: false,
        message:
          'Live mode enabled: new payments are paid with real money. Ready: BTC. Not ready: ETH (its node cannot be reached), ' +
          'LTC (its node serves another network), SOL (this server has no node for it)',
      },
    ]);
  });

  it('succeeds while the only node still syncs, returns its height, and live payments can be created', async () => {
    await world.switchTo('sandbox');
    await world.setHeadersAhead(5);
    const { status, body } = await world.switchTo('live');
    expect([status, body.data]).toEqual([
      200,
      {
        sandboxMode: false,
        message:
          'Live mode enabled: new payments are paid with real money. No coin is ready. ' +
          'Not ready: BTC (its node is still syncing at block 2, 5 to go), ETH (its node cannot be reached), ' +
          'LTC (its node serves another network), SOL (this server has no node for it)',
      },
    ]);
    expect((await world.shop.payment((await world.shop.createPayment()).id)).sandbox).toBe(false);
    await world.setHeadersAhead(0);
  });
});

describe('a live payment', () => {
  it('is refused with COIN_UNAVAILABLE while the server has no node for any coin of the payment', async () => {
    const { shop, till } = world;
    const order = { amount: '5', currency: 'USD', customer: {}, orderId: 'no node', allowedCryptos: ['SOL'] };
    const create = async () =>
      till.api.call('POST', '/payment/create', { token: shop.publicKey, body: order });
    await world.switchTo('live');
    const { status, body } = await create();
    expect([status, body.error?.code]).toEqual([503, 'COIN_UNAVAILABLE']);
    await world.switchTo('sandbox');
    expect((await create()).status).toBe(201);
  });
});

describe('switching back to sandbox', () => {
  it('does not affect an open live payment, which is watched until it completes', async () => {
    const { node, shop, till } = world;
    const hasLivePayment = async () =>
      (await till.api.must<{ hasLivePayment: boolean }>('GET', '/merchant/setup', { token: shop.secretKey }))
        .hasLivePayment;
    await world.switchTo('live');
    const { id } = await shop.createPayment({ amount: '100', allowedCryptos: ['BTC'] });
    const payment = await shop.payment(id);
    expect([payment.sandbox, await hasLivePayment()]).toEqual([false, false]);
    expect((await world.switchTo('sandbox')).status).toBe(200);
    const { address, amount } = payment.options.BTC;
    node.pay(addressScript(UTXO_COINS.BTC, 'regtest', address), toAtoms(amount));
    node.mine(2);
    await eventually(
      'the payment to be completed',
      () => shop.payment(id),
      ({ status }) => status === 'completed',
    );
    expect(await hasLivePayment()).toBe(true);
  });
});
