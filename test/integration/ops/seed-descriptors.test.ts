import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentJson, Shop } from '../../_helpers/api-client.ts';
import { requireNode, toAtoms, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { openLiveProcess, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { TillProcess } from '../../_helpers/till.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { runTool } from '../../_helpers/tool.ts';

const PASSWORD = 'correct horse battery';
/** Bitcoin Core has descriptor wallets; Debian's Litecoin Core imports descriptors into a wallet of the older kind. */
const IMPORT = { BTC: 'importdescriptors', LTC: 'importmulti' } as const;

interface WalletBalance {
  readonly trusted: string | number;
}

describe.each(['BTC', 'LTC'] as const)('tillctl seed descriptors --coin %s', (coin) => {
  describe.skipIf(!requireNode(coin))('on a shop with deposits and change', () => {
    let world: LiveWorld<RegtestNode, TillProcess>;
    let node: RegtestNode;
    let shop: Shop;

    beforeAll(async () => {
      world = await openLiveProcess(coin);
      ({ node, shop } = world);
      const { till } = world;
      for (let deposit = 0; deposit < 3; deposit += 1) {
        const payment: PaymentJson = await shop.createPayment({ allowedCryptos: [coin] });
        const { address, amount, requiredConfirmations } = payment.options[coin];
        await node.pay({ address, amountAtoms: toAtoms(amount) });
        await node.mine(requiredConfirmations);
        await eventually(
          'paid',
          () => shop.payment(payment.id),
          ({ status }) => status === 'completed',
        );
      }
      const sent = await till.api.call('POST', '/merchant/wallet/send', {
        token: shop.secretKey,
        body: { coin, amount: '0.0001', destination: await node.newAddress() },
      });
      expect(sent.status).toBe(200);
      await node.mine(3);
      await eventually(
        'the change is confirmed',
        () =>
          till.api.must<{ outputs: { confirmations: number }[] }>(
            'GET',
            `/merchant/wallet/outputs?coin=${coin}`,
            { token: shop.secretKey },
          ),
        ({ outputs }) => outputs.length > 0 && outputs.every(({ confirmations }) => confirmations >= 3),
      );
    });
    afterAll(async () => world.end());

    const importInto = async (wallet: string, isPrivate: boolean): Promise<void> => {
      const flags = isPrivate ? ['--private', '--yes'] : [];
      const printed = await runTool(
        'seed',
        ['descriptors', '--coin', coin, '--data-dir', world.till.dataDir, ...flags],
        { env: world.env },
      );
      expect(printed).toMatchObject({ code: 0 });
      await node.rpc('createwallet', [wallet, !isPrivate, true]);
      const results = await node.walletRpc<{ success: boolean; warnings?: string[] }[]>(
        IMPORT[coin],
        [JSON.parse(printed.stdout)],
        wallet,
      );
      expect(results.filter(({ success }) => !success)).toEqual([]);
    };

    const balanceOfShop = async (): Promise<bigint> => {
      const balances = await world.till.api.must<Record<string, string>>('GET', '/merchant/wallet/balances', {
        token: shop.secretKey,
      });
      return toAtoms(balances[coin] ?? '0');
    };

    it('prints descriptors with which a watch-only wallet of the node shows the balance of the shop', async () => {
      await importInto('watching', false);
      const { mine, watchonly } = await node.walletRpc<{ mine: WalletBalance; watchonly?: WalletBalance }>(
        'getbalances',
        [],
        'watching',
      );
      const balance = await balanceOfShop();
      expect(balance).toBeGreaterThan(0n);
      expect(toAtoms(String((watchonly ?? mine).trusted))).toBe(balance);
    });

    it('prints private descriptors with --private, with which the node can spend everything, and records that in the audit log', async () => {
      await importInto('spending', true);
      const balance = await balanceOfShop();
      const held = await node.walletRpc<string | number>('getbalance', [], 'spending');
      expect(toAtoms(String(held))).toBe(balance);
      const destination = await node.newAddress();
      await node.walletRpc('sendtoaddress', [destination, held, '', '', true], 'spending');
      await node.mine(1);
      const received = await node.walletRpc<string>('getreceivedbyaddress', [destination]);
      expect(toAtoms(received)).toBeGreaterThan(balance - 100_000n);
      const { user } = await world.till.api.must<{ user: { email: string } }>('GET', '/auth/me', {
        token: shop.token,
      });
      const session = await SessionClient.signIn(world.till.api.baseUrl, {
        email: user.email,
        password: PASSWORD,
      });
      const { body } = await session.call<{ entries: { action: string }[] }>(
        'GET',
        `/merchant/audit?merchantId=${shop.merchantId}`,
      );
      expect(body.data.entries.map(({ action }) => action)).toContain('tillctl seed descriptors --private');
    });

    it('refuses a coin without descriptors and an unknown shop', async () => {
      const command = ['descriptors', '--data-dir', world.till.dataDir, '--coin'];
      const refused = { code: 2, stdout: '' };
      expect(await runTool('seed', [...command, 'ETH'])).toMatchObject(refused);
      expect(
        await runTool('seed', [...command, coin, '--merchant', 'mer_none'], { env: world.env }),
      ).toMatchObject(refused);
    });
  });
});
