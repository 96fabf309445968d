/** A node that loses or hides the transaction of a submitted PSBT: it may still confirm. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SEND_POLICY } from '../../../src/domain/send/policy.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { type LiveWorld, openLiveWorld } from '../../_helpers/live-world.ts';
import { type RegtestNode, requireNode, RpcError, toAtoms } from '../../_helpers/nodes/index.ts';
import { newPerson } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { Till } from '../../_helpers/till.ts';
import { fundAccount, NodeAccount } from './node-account.ts';

const EVENTS = ['send.awaiting_signature', 'send.broadcast', 'send.confirmed'];
const HOUR_MS = 3_600_000;
const AMOUNT = '0.0004';
/** What the till asks a node about a transaction in no block. */
const UNCONFIRMED = ['getrawmempool', 'getmempoolentry', 'getrawtransaction', 'gettransaction'];

interface PsbtSend {
  readonly id: string;
  readonly status: string;
  readonly psbt: string | null;
  readonly txHash: string | null;
}

describe.skipIf(!requireNode('BTC'))('a broadcast send from a watched account', () => {
  let world: LiveWorld<RegtestNode, Till>;
  beforeAll(async () => {
    world = await openLiveWorld('BTC');
  });
  afterEach(async () => world.proxy.heal());
  afterAll(async () => world?.end());

  /** The outputs of the account, in atoms, are enough for one send. */
  async function ordered() {
    // The sessions of earlier tests have ended, because the clock was advanced.
    const owner = await newPerson(world.till.api, 'owner');
    const shop = await Shop.open(world.till.api, { owner: owner.token, webhookUrl: world.sink.url });
    const account = new NodeAccount();
    await fundAccount(account, { owner, shop, node: world.node }, [100_000n]);
    const destination = await world.node.foreignAddress();
    const order = async () =>
      world.till.api.call<PsbtSend>('POST', '/merchant/wallet/send', {
        token: shop.secretKey,
        body: { coin: 'BTC', destination, amount: AMOUNT },
        headers: { 'idempotency-key': destination },
      });
    const { id, psbt } = (await order()).body.data;
    const body = { sendId: id, psbt: account.sign(psbt ?? '') };
    const submit = async () =>
      world.till.api.must<PsbtSend>('POST', '/merchant/wallet/psbt/submit', { token: shop.secretKey, body });
    const status = async () =>
      world.till.api.must<PsbtSend>('GET', `/merchant/wallet/send-status?sendId=${id}`, {
        token: shop.secretKey,
      });
    /** It is mined now, and was paid once. */
    const expectConfirmed = async (txHash: string | null, events = EVENTS): Promise<void> => {
      await world.node.mine(1);
      await eventually('it is confirmed', status, ({ status: now }) => now === 'confirmed');
      expect((await status()).txHash).toBe(txHash);
      expect((await order()).body.data.id).toBe(id);
      const { unspents } = await world.node.rpc<{ unspents: { amount: string }[] }>('scantxoutset', [
        'start',
        [`addr(${destination})`],
      ]);
      expect(unspents.map(({ amount }) => toAtoms(amount))).toEqual([toAtoms(AMOUNT)]);
      await world.sink.waitForEvent('send.confirmed', id);
      expect(world.sink.types(id)).toEqual(events);
    };
    return { id, order, submit, status, expectConfirmed };
  }

  function hide(): void {
    world.proxy.inject(
      {
        kind: 'rewrite',
        rewrite: (result, method) => {
          if (method === 'getrawmempool') return Array.isArray(result) ? [] : {};
          if (UNCONFIRMED.includes(method))
            throw new RpcError(method, -5, 'No such mempool or blockchain transaction');
          return result;
        },
      },
      { methods: UNCONFIRMED },
    );
  }

  /** Blocks without it. */
  async function mineEmpty(count: number): Promise<void> {
    const address = await world.node.newAddress();
    for (let mined = 0; mined < count; mined += 1) await world.node.rpc('generateblock', [address, []]);
  }

  /** The next rebroadcast. */
  async function rebroadcast(): Promise<void> {
    const before = world.proxy.calls('sendrawtransaction');
    world.till.clock.advance(DEFAULT_SEND_POLICY.rebroadcastMs);
    await world.proxy.waitForCall('sendrawtransaction', before + 1, 60_000);
  }

  it('stays broadcast and is rebroadcast while the node shows nothing of it, also after its time to sign', async () => {
    const { submit, status, expectConfirmed } = await ordered();
    const { txHash } = await submit();
    hide();
    await rebroadcast();
    await mineEmpty(DEFAULT_SEND_POLICY.surplusDepth + 1);
    world.till.clock.advance(25 * HOUR_MS);
    await rebroadcast();
    expect(await status()).toMatchObject({ status: 'broadcast', txHash, psbt: null });
    expect(await submit()).toMatchObject({ status: 'broadcast', txHash });
    await world.proxy.heal();
    await expectConfirmed(txHash);
  });

  it('is rebroadcast when the node was restarted with an empty mempool', async () => {
    const { submit, status, expectConfirmed } = await ordered();
    const { txHash } = await submit();
    await world.node.restart({ dropMempool: true });
    expect(await world.node.getMempool()).not.toContain(txHash);
    await mineEmpty(DEFAULT_SEND_POLICY.surplusDepth + 1);
    expect(await status()).toMatchObject({ status: 'broadcast', txHash });
    world.till.clock.advance(DEFAULT_SEND_POLICY.rebroadcastMs);
    await eventually(
      'the node has it again',
      async () => world.node.getMempool(),
      (txids) => txids.includes(txHash ?? ''),
    );
    await expectConfirmed(txHash);
  });

  it('is neither failed nor paid again when the node did not answer the broadcast and shows nothing of it', async () => {
    const { id, order, submit, status, expectConfirmed } = await ordered();
    hide();
    world.proxy.inject({ kind: 'dropResponse' }, { methods: ['sendrawtransaction'] });
    const { txHash, status: unknown } = await submit();
    expect(unknown).toBe('signed');
    await rebroadcast();
    await mineEmpty(DEFAULT_SEND_POLICY.surplusDepth + 1);
    world.till.clock.advance(25 * HOUR_MS);
    await rebroadcast();
    expect(await status()).toMatchObject({ status: 'signed', txHash });
    expect((await order()).body.data.id).toBe(id);
    await world.proxy.heal();
    // No answer said that the network has it.
    await expectConfirmed(txHash, ['send.awaiting_signature', 'send.confirmed']);
  });
});
