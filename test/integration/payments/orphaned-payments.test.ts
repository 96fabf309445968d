import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { requireNode, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

const ORDERS = 5;
const REPLACEABLE = 0xfffffffd;

interface Coin {
  readonly txid: string;
  readonly vout: number;
  readonly amount: number | string;
}

describe.skipIf(!requireNode('BTC'))('payments whose parent transaction is unconfirmed', () => {
  let world: LiveWorld<RegtestNode, Till>;
  let node: RegtestNode;
  let shop: Shop;

  beforeAll(async () => {
    world = await openLiveWorld('BTC');
    ({ node, shop } = world);
  });
  afterAll(async () => world.end());

  const raw = async (inputs: object[], outputs: Record<string, string>): Promise<string> =>
    node.rpc<string>('createrawtransaction', [inputs, outputs]);
  const sign = async (hex: string): Promise<string> =>
    (await node.walletRpc<{ hex: string }>('signrawtransactionwithwallet', [hex])).hex;

  /** A parent with an output for each of them, and a conflicting spend of the same coin. */
  async function family(count: number, due: string): Promise<{ parent: string; conflict: string }> {
    const coins = await node.walletRpc<Coin[]>('listunspent', []);
    const [coin] = coins.toSorted((a, b) => Number(b.amount) - Number(a.amount));
    if (coin === undefined) throw new Error('the miner has no coin');
    const input = { txid: coin.txid, vout: coin.vout, sequence: REPLACEABLE };
    const outputs: Record<string, string> = {};
    const each = Number(due) + 0.0001;
    for (let at = 0; at < count; at += 1) outputs[await node.newAddress()] = each.toFixed(8);
    const change = Number(coin.amount) - count * each - 0.0005;
    outputs[await node.newAddress()] = change.toFixed(8);
    const all = { [await node.newAddress()]: (Number(coin.amount) - 0.001).toFixed(8) };
    return { parent: await sign(await raw([input], outputs)), conflict: await sign(await raw([input], all)) };
  }

  it('are reversed by the block that contains a double spend of the parent', async () => {
    const payments: PaymentJson[] = [];
    for (let at = 0; at < ORDERS; at += 1)
      payments.push(await shop.createPayment({ allowedCryptos: ['BTC'] }));
    const due = payments[0]?.options.BTC.amount ?? '0';
    const { parent, conflict } = await family(ORDERS, due);
    const txid = await node.rpc<string>('sendrawtransaction', [parent]);
    for (const [vout, payment] of payments.entries()) {
      const { address, amount } = payment.options.BTC;
      const child = await sign(await raw([{ txid, vout, sequence: REPLACEABLE }], { [address]: amount }));
      await node.rpc('sendrawtransaction', [child]);
    }
    const all = async (): Promise<PaymentJson[]> =>
      Promise.all(payments.map(async ({ id }) => shop.payment(id)));
    await eventually('all are seen', all, (now) => now.every(({ status }) => status === 'confirming'));
    await node.mineOnly([conflict]);
    const after = await eventually('all are lost', all, (now) =>
      now.every(({ status }) => status !== 'confirming'),
    );
    for (const { status, timeline } of after) {
      expect(status).toBe('pending');
      expect(timeline.map(({ type }) => type)).toContain('payment.reversed');
    }
  });
});
