import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { ApiClient, Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { requireNode, toAtoms, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { openLiveProcess, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till, TillProcess } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const PASSPHRASE = 'a passphrase of the operator';
const PASSWORD = 'correct horse battery';

describe.each(['LTC', 'BTC'] as const)('restoring a wallet with a real %s node', (coin) => {
  describe.skipIf(!requireNode(coin))('after the machine was lost', () => {
    let world: LiveWorld<RegtestNode, TillProcess>;
    let node: RegtestNode;
    let env: Record<string, string>;
    let dir: string;
    let till: TillProcess;
    let shop: Shop;

    beforeAll(async () => {
      dir = mkdtempSync(join(tmpdir(), 'till-ops-'));
      world = await openLiveProcess(coin, {
        env: { TILLD_KEYRING_PASSPHRASE: PASSPHRASE },
      });
      ({ node, env, till, shop } = world);
    });
    afterAll(async () => {
      await world.end();
      rmSync(dir, { recursive: true, force: true });
    });

    const pay = async (payment: PaymentJson): Promise<string> =>
      node.pay({
        address: payment.options[coin].address,
        amountAtoms: toAtoms(payment.options[coin].amount),
      });
    const order = async (): Promise<PaymentJson> => shop.createPayment({ allowedCryptos: [coin] });
    const viewOf = async (api: ApiClient, id: string): Promise<PaymentJson> =>
      api.must<PaymentJson>('GET', `/payment/get?paymentId=${id}`, { token: shop.secretKey });
    let leftAfterSend = 0n;
    const balanceAt = async (api: ApiClient): Promise<bigint> => {
      const balances = await api.must<Record<string, string>>('GET', '/merchant/wallet/balances', {
        token: shop.secretKey,
      });
      return toAtoms(balances[coin] ?? '0');
    };

    it('from a backup credits payments made since, to addresses in the backup and later ones, and change', async () => {
      const settled = await order();
      const waiting = await order();
      await pay(settled);
      await node.mine(settled.options[coin].requiredConfirmations);
      await eventually(
        'paid',
        () => shop.payment(settled.id),
        ({ status }) => status === 'completed',
      );

      const file = join(dir, 'one.backup');
      const load = (async () => {
        for (let made = 0; made < 15; made += 1) await order();
      })();
      expect(await runTool('backup', [file, '--data-dir', till.dataDir], { env })).toMatchObject({ code: 0 });
      await load;

      // After the backup: an old payment is paid, new ones are made and paid, money is sent with change.
      await pay(waiting);
      const later = [await order(), await order(), await order()];
      for (const payment of later.slice(1)) await pay(payment);
      await node.mine(3);
      await eventually(
        'paid',
        () => shop.payment(waiting.id),
        ({ status }) => status === 'completed',
      );
      const sent = await shop.send({ destination: await node.newAddress(), amount: '0.0003', coin });
      expect(sent.body.success, JSON.stringify(sent.body.error)).toBe(true);
      await eventually(
        'the send is out',
        () => node.getMempool(),
        (txids) => txids.includes(sent.body.data.txHash),
      );
      await node.mine(3);
      const final = await eventually(
        'the change is back',
        () => balanceAt(till.api),
        (balance) =>
          balance === toAtoms(settled.options[coin].amount) * 4n - 30_000n - toAtoms(sent.body.data.fee),
      );
      await till.kill9();

      const target = join(dir, 'restored');
      const args = [file, '--nothing-revoked', '--data-dir', target, '--look-ahead', '60'];
      expect(await runTool('restore', args, { env })).toMatchObject({ code: 0 });
      await using restored = await Till.start(env, {}, target);
      await restored.ready();
      expect((await viewOf(restored.api, settled.id)).status).toBe('completed');
      const found = await viewOf(restored.api, waiting.id);
      expect(found).toMatchObject({ status: 'completed', exception: null });
      expect(found.options[coin].received).toBe(waiting.options[coin].amount);
      // Money of payments and change that the backup knows nothing of is still in the balance.
      expect(await balanceAt(restored.api)).toBe(final);
      // No address given out after the backup is given out again.
      const old = new Set(later.map((payment) => payment.options[coin].address));
      const again = await restored.api.must<PaymentJson>('POST', '/payment/create', {
        token: shop.publicKey,
        body: { ...order0(shop), allowedCryptos: [coin] },
      });
      expect(old.has(again.options[coin].address)).toBe(false);
      await pay(again);
      await node.mine(again.options[coin].requiredConfirmations);
      await eventually(
        'paid',
        () => viewOf(restored.api, again.id),
        ({ status }) => status === 'completed',
      );
      // And all of it can be sent.
      const all = await restored.api.call('POST', '/merchant/wallet/send', {
        token: shop.secretKey,
        body: { coin, amount: '0.0045', destination: await node.newAddress(), subtractFee: true },
      });
      expect([all.status, all.body.error]).toEqual([200, null]);
      leftAfterSend = await balanceAt(restored.api);
    });

    it('from the 24 seed words alone finds the same addresses and the same money', async () => {
      await till.up();
      await till.ready();
      const before = await balanceAt(till.api);
      const { stdout: words } = await runTool('seed', ['show', '--yes', '--data-dir', till.dataDir], { env });
      // Far apart, out of order and in one block: each moves the window on for the next.
      const addresses: string[] = [];
      for (let at = 0; at < 75; at += 1) addresses.push((await order()).options[coin].address);
      for (const address of [addresses[20]!, addresses[70]!, addresses[45]!]) {
        await node.pay({ address, amountAtoms: 50_000n });
      }
      await node.pay({ address: shop.wallets[coin], amountAtoms: 70_000n });
      await node.mine(3);
      await eventually(
        'all is seen',
        () => balanceAt(till.api),
        (balance) => balance === before + 220_000n,
      );
      await till.kill9();

      const target = join(dir, 'from-seed');
      const password = join(dir, 'password');
      writeFileSync(password, PASSWORD);
      const secrets = ['--words-file', '-', '--password-file', password];
      // restore-deep covers money beyond the gap limit: each scanned address costs the node a key derivation.
      const sizes = ['--accounts', '2', '--gap', '40', '--scan', '200'];
      const made = await runTool(
        'seed',
        ['restore', '--email', 'me@example.com', '--data-dir', target, ...secrets, ...sizes],
        { env: { ...env, TILLD_KEYRING_PASSPHRASE: 'a new passphrase, why not' }, input: words },
      );
      expect(made).toMatchObject({ code: 0 });
      await using restored = await Till.start(
        { ...env, TILLD_KEYRING_PASSPHRASE: 'a new passphrase, why not' },
        {},
        target,
      );
      await restored.ready();
      const { token } = await restored.api.must<{ token: string }>('POST', '/auth/login', {
        body: { email: 'me@example.com', password: PASSWORD },
      });
      const { merchants } = await restored.api.must<{
        merchants: { id: string; name: string }[];
      }>('GET', '/merchant/list', { token });
      expect(merchants).toHaveLength(2);
      const first = merchants.find(({ name }) => name === 'Recovered shop 1')!;
      const watched = await watchedAddresses(target, first.id);
      expect([shop.wallets[coin], ...addresses].filter((address) => !watched.has(address))).toEqual([]);
      const balances = await restored.api.must<Record<string, string>>(
        'GET',
        `/merchant/wallet/balances?merchantId=${first.id}`,
        { token },
      );
      // What the restored daemon had after its send, whose change the first one does not know, and what came since.
      expect(toAtoms(balances[coin]!)).toBe(leftAfterSend + 220_000n);
    });
  });
});

async function watchedAddresses(dataDir: string, merchantId: string): Promise<Set<string>> {
  const database = await openDatabase(join(dataDir, 'tilld.sqlite'));
  const rows = await database.db
    .selectFrom('addresses')
    .select('address')
    .where('merchantId', '=', merchantId)
    .execute();
  await database.close();
  return new Set(rows.map(({ address }) => address));
}

function order0(shop: Shop): Record<string, unknown> {
  return { amount: '100', currency: 'USD', customerId: shop.customerId, orderId: 'after the restore' };
}
