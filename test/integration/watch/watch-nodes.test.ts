/** Orders paid to an account of the node's own wallet, which then spends the money. */
import { randomBytes } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { type LiveWorld, openLiveWorld } from '../../_helpers/live-world.ts';
import { NODE_COINS, type RegtestNode, requireNode, toAtoms } from '../../_helpers/nodes/index.ts';
import { newPerson, type Person } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { Till } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const WALLET = 'cold';
/** Of private and public keys on test networks (SLIP-132). */
const VERSIONS = { private: 0x04_35_83_94, public: 0x04_35_87_cf };

interface AccountJson {
  readonly id: string;
  readonly state: string;
  readonly addresses: string[];
  readonly balance: string;
}

/** Makes a wallet with the keys of an account. */
async function openWallet(node: RegtestNode, account: HDKey): Promise<void> {
  // litecoind has no descriptor wallets.
  const isDescriptorWallet = node.coin === 'BTC';
  // Name, private keys enabled, blank, no passphrase, no avoiding of reuse.
  await node.rpc('createwallet', [WALLET, false, true, '', false, isDescriptorWallet]);
  const requests = await Promise.all(
    [0, 1].map(async (branch) => {
      const text = `wpkh(${account.privateExtendedKey}/${branch}/*)`;
      const { checksum } = await node.rpc<{ checksum: string }>('getdescriptorinfo', [text]);
      const request = {
        desc: `${text}#${checksum}`,
        internal: branch === 1,
        range: [0, 100],
        timestamp: 'now',
      };
      return isDescriptorWallet ? { ...request, active: true } : request;
    }),
  );
  const method = isDescriptorWallet ? 'importdescriptors' : 'importmulti';
  const imported = await node.walletRpc<{ success: boolean }[]>(method, [requests], WALLET);
  expect(imported.map(({ success }) => success)).toEqual([true, true]);
}

describe.each(NODE_COINS)('a watched account of %s', (coin) => {
  describe.skipIf(!requireNode(coin))('with a real node', () => {
    let world: LiveWorld<RegtestNode, Till>;
    let owner: Person;
    let shop: Shop;

    beforeAll(async () => {
      world = await openLiveWorld(coin);
      owner = await newPerson(world.till.api, 'owner');
      shop = await Shop.open(world.till.api, { owner: owner.token });
    });
    afterAll(async () => world.end());

    const read = async (): Promise<AccountJson | undefined> => {
      const { body } = await owner.session.call<{ accounts: AccountJson[] }>(
        'GET',
        `/merchant/wallet/watch?merchantId=${shop.merchantId}`,
      );
      return body.data.accounts[0];
    };

    it('is paid by an order, belongs to the wallet that has its keys, and is spent there without a reversal', async () => {
      const { node } = world;
      const account = HDKey.fromMasterSeed(randomBytes(32), VERSIONS).derive("m/84'/1'/0'");
      await openWallet(node, account);
      const text = `wpkh(${account.publicExtendedKey}/0/*)`;
      const { descriptor } = await node.rpc<{ descriptor: string }>('getdescriptorinfo', [text]);
      const { merchantId } = shop;
      const proposed = await owner.session.call<AccountJson>('POST', '/merchant/wallet/watch', {
        merchantId,
        coin,
        descriptor,
      });
      expect(proposed.body.error).toBeNull();
      const { id, addresses } = proposed.body.data;
      expect(addresses).toEqual(await node.rpc('deriveaddresses', [descriptor, [0, 4]]));
      await owner.session.call('POST', '/merchant/wallet/watch/confirm', { merchantId, id });
      expect((await read())?.state).toBe('active');

      const payment = await shop.createPayment({ allowedCryptos: [coin] });
      const { address, amount, requiredConfirmations } = payment.options[coin];
      expect(address).toBe(addresses[0]);
      await node.pay({ address, amountAtoms: toAtoms(amount) });
      await node.mine(requiredConfirmations);
      const completed = async () => shop.payment(payment.id);
      await eventually('the payment is completed', completed, ({ status }) => status === 'completed');
      expect(toAtoms(await node.walletRpc<string>('getbalance', [], WALLET))).toBe(toAtoms(amount));
      expect(toAtoms((await read())?.balance ?? '0')).toBe(toAtoms(amount));
      expect(toAtoms(await shop.balance(coin))).toBe(0n);

      // To the miner, with the fee taken from the amount.
      const back = [await node.newAddress(), amount, '', '', true];
      await node.walletRpc('sendtoaddress', back, WALLET);
      await node.mine(requiredConfirmations);
      await eventually(
        'the account is empty',
        read,
        (now) => now !== undefined && toAtoms(now.balance) === 0n,
      );
      expect(await completed()).toMatchObject({ status: 'completed', exception: null });
    });

    it('does not credit an order with money that the wallet received on its address before, found by a rescan', async () => {
      const { node, till, env } = world;
      const atoms = 7_000_000n;
      const before = toAtoms((await read())?.balance ?? '0');
      const [used = ''] = (await read())?.addresses ?? [];
      await node.pay({ address: used, amountAtoms: atoms });
      await node.mine(1);
      const height = await node.rpc<number>('getblockcount');
      await node.mine(1);
      await eventually(
        'the block is in the ledger',
        async () => till.api.call<{ chains: Record<string, { height: number | null }> }>('GET', '/readyz'),
        ({ body }) => Object.values(body.data.chains).some((chain) => chain.height === height + 1),
      );
      const order = await shop.createPayment({ allowedCryptos: [coin] });
      expect(order.options[coin].address).toBe(used);
      const args = [coin, '--from', String(height), '--online', '--data-dir', till.dataDir];
      expect(await runTool('rescan', args, { env })).toMatchObject({ code: 0 });
      await eventually(
        'the earlier money is on the account',
        read,
        (now) => toAtoms(now?.balance ?? '0') === before + atoms,
      );
      expect(await shop.payment(order.id)).toMatchObject({ status: 'pending' });
      const { amount, requiredConfirmations } = order.options[coin];
      await node.pay({ address: used, amountAtoms: toAtoms(amount) });
      await node.mine(requiredConfirmations);
      const paid = async () => shop.payment(order.id);
      await eventually('the payer pays the order', paid, ({ status }) => status === 'completed');
      expect(await paid()).toMatchObject({ exception: null });
    });
  });
});
