import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { type ApiClient, Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';
import { liveEnv, Till, TillProcess } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const PASSPHRASE = 'a passphrase of the operator';
const PASSWORD = 'correct horse battery';

function atomsOf(payment: PaymentJson, coin: 'ETH' | 'SOL'): bigint {
  return parseCoinAmount(payment.options[coin].amount, coin);
}

/** A chain of accounts, as far as these tests need one. */
interface Ground {
  readonly url: string;
  pay(address: string, amount: bigint): Promise<void>;
  /** Pays by another program: a contract, or through a table of addresses. */
  payOddly(address: string, amount: bigint): Promise<void>;
  /** Everything so far becomes final, and what waits is mined. */
  settle(isFirst: boolean): Promise<void>;
  newAddress(): Promise<string>;
  balance(address: string): Promise<bigint>;
  stop(): Promise<void>;
}

async function ethereum(): Promise<Ground> {
  const anvil = await Anvil.start();
  return {
    url: anvil.rpcUrl,
    pay: async (address, amount) => void (await anvil.pay({ address, amount })),
    payOddly: async (address, amount) => void (await anvil.payInside([{ address, amount }])),
    settle: async (isFirst) => anvil.mine(isFirst ? 13 : 5),
    newAddress: async () => anvil.newAddress(),
    balance: async (address) => anvil.balance(address),
    stop: async () => anvil.stop(),
  };
}

async function solana(): Promise<Ground> {
  const node = await SvmNode.start();
  const payer = new Payer(node);
  return {
    url: node.url,
    pay: async (address, amount) => void payer.pay([{ address, amount }]),
    payOddly: async (address, amount) => void payer.payThroughTable([{ address, amount }]),
    settle: async (isFirst) => node.advance(isFirst ? 34 : 5),
    newAddress: async () => strangerAddress(),
    balance: async (address) => node.ledger.machine.lamports(address),
    stop: async () => node.stop(),
  };
}

const KINDS = [
  ['ETH', ethereum, requireAnvil()],
  ['SOL', solana, true],
] as const;

describe.each(KINDS)('restoring a wallet with a real %s node', (coin, start, isThere) => {
  describe.skipIf(!isThere)('after the machine was lost', () => {
    let ground: Ground;
    let env: Record<string, string>;
    let dir: string;
    let till: TillProcess;
    let shop: Shop;

    beforeAll(async () => {
      ground = await start();
      dir = mkdtempSync(join(tmpdir(), 'till-ops-'));
      env = { ...liveEnv({ [coin]: ground.url }), TILLD_KEYRING_PASSPHRASE: PASSPHRASE };
      till = await TillProcess.start(env);
      shop = await Shop.open(till.api);
      await till.ready();
    });
    afterAll(async () => {
      await till.end();
      await ground.stop();
      rmSync(dir, { recursive: true, force: true });
    });

    const order = async (): Promise<PaymentJson> => shop.createPayment({ allowedCryptos: [coin] });
    const viewOf = async (api: ApiClient, id: string): Promise<PaymentJson> =>
      api.must<PaymentJson>('GET', `/payment/get?paymentId=${id}`, { token: shop.secretKey });
    const balanceAt = async (api: ApiClient): Promise<bigint> => {
      const balances = await api.must<Record<string, string>>('GET', '/merchant/wallet/balances', {
        token: shop.secretKey,
      });
      return parseCoinAmount(balances[coin] ?? '0', coin);
    };
    const settledWhen = async <T>(what: string, read: () => Promise<T>, is: (now: T) => boolean) => {
      let settledAt = 0;
      return eventually(
        what,
        async () => {
          // Not faster than a busy machine can read.
          if (Date.now() - settledAt > 1_500) {
            await ground.settle(settledAt === 0);
            settledAt = Date.now();
          }
          return read();
        },
        is,
        90_000,
      );
    };
    const paid = async (api: ApiClient, { id }: PaymentJson): Promise<void> =>
      void (await settledWhen(
        'paid',
        () => viewOf(api, id),
        ({ status }) => status === 'completed',
      ));
    /** What the chain itself holds for the shop. */
    const onChain = async (payments: readonly PaymentJson[]): Promise<bigint> => {
      const addresses = [shop.wallets[coin], ...payments.map(({ options }) => options[coin].address)];
      const held = await Promise.all(addresses.map(async (address) => ground.balance(address)));
      return held.reduce((sum, amount) => sum + amount, 0n);
    };

    it(
      'from a backup credits payments made since, to addresses in the backup and later ones, and finds later sends',
      {
        timeout: 180_000,
      },
      async () => {
        const settled = await order();
        const waiting = await order();
        await ground.pay(settled.options[coin].address, atomsOf(settled, coin));
        await paid(till.api, settled);

        const file = join(dir, 'one.backup');
        const load = (async () => {
          for (let made = 0; made < 10; made += 1) await order();
        })();
        expect(await runTool('backup', [file, '--data-dir', till.dataDir], { env })).toMatchObject({
          code: 0,
        });
        await load;

        // After the backup: an old payment is paid, new ones are made and paid, money is sent.
        await ground.payOddly(waiting.options[coin].address, atomsOf(waiting, coin));
        const later = [await order(), await order(), await order()];
        await ground.pay(later[1]!.options[coin].address, atomsOf(later[1]!, coin));
        await ground.payOddly(later[2]!.options[coin].address, atomsOf(later[2]!, coin));
        for (const payment of [waiting, ...later.slice(1)]) await paid(till.api, payment);
        const all = [settled, waiting, ...later];
        await settledWhen(
          'all of it can be sent',
          async () => [await balanceAt(till.api), await onChain(all)],
          ([told, held]) => told === held && told! > atomsOf(settled, coin) * 3n,
        );
        // Nearly all: whatever came after the backup is sent on, and balances alone no longer tell that it came.
        const amount = formatCoinAmount((atomsOf(settled, coin) * 38n) / 10n, coin);
        const sent = await shop.send({ destination: await ground.newAddress(), amount, coin });
        expect(sent.body.error).toBeNull();
        await settledWhen(
          'the send is confirmed',
          () =>
            till.api.must<{ status: string }>(
              'GET',
              `/merchant/wallet/send-status?txHash=${sent.body.data.txHash}`,
              { token: shop.secretKey },
            ),
          ({ status }) => status === 'confirmed',
        );
        await till.ready();
        const final = await balanceAt(till.api);
        expect(final).toBe(await onChain(all));
        await till.kill9();

        const target = join(dir, 'restored');
        const args = [file, '--nothing-revoked', '--data-dir', target, '--look-ahead', '60'];
        expect(await runTool('restore', args, { env })).toMatchObject({ code: 0 });
        await using restored = await Till.start(env, {}, target);
        await restored.ready();
        expect((await viewOf(restored.api, settled.id)).status).toBe('completed');
        await paid(restored.api, waiting);
        const found = await viewOf(restored.api, waiting.id);
        expect(found).toMatchObject({ status: 'completed', exception: null });
        expect(found.options[coin].received).toBe(waiting.options[coin].amount);
        await settledWhen(
          'the balance is that of before',
          () => balanceAt(restored.api),
          (now) => now === final,
        );
        const old = new Set(later.map((payment) => payment.options[coin].address));
        const again = await restored.api.must<PaymentJson>('POST', '/payment/create', {
          token: shop.publicKey,
          body: {
            amount: '100',
            currency: 'USD',
            customerId: shop.customerId,
            orderId: 'after the restore',
            allowedCryptos: [coin],
          },
        });
        expect(old.has(again.options[coin].address)).toBe(false);
        await ground.pay(again.options[coin].address, atomsOf(again, coin));
        await paid(restored.api, again);
        const checked = await runTool('reconcile', ['--data-dir', target], { env });
        expect(checked.stdout + checked.stderr).toContain(' 0 differences');
      },
    );

    it(
      'from the 24 seed words alone finds the same addresses and the same money',
      { timeout: 180_000 },
      async () => {
        await till.end();
        till = await TillProcess.start(env);
        shop = await Shop.open(till.api);
        await till.ready();
        const { stdout: words } = await runTool('seed', ['show', '--yes', '--data-dir', till.dataDir], {
          env,
        });
        const payments: PaymentJson[] = [];
        for (let at = 0; at < 34; at += 1) payments.push(await order());
        // Far apart: each moves the window on for the next.
        const some = [payments[15]!, payments[32]!];
        await ground.pay(some[0]!.options[coin].address, atomsOf(some[0]!, coin));
        await ground.payOddly(some[1]!.options[coin].address, atomsOf(some[1]!, coin));
        for (const payment of some) await paid(till.api, payment);
        await till.kill9();

        const target = join(dir, 'from-seed');
        const password = join(dir, 'password');
        writeFileSync(password, PASSWORD);
        const newEnv = { ...env, TILLD_KEYRING_PASSPHRASE: 'a new passphrase, why not' };
        const args = ['--words-file', '-', '--password-file', password, '--accounts', '1', '--gap', '20'];
        const made = await runTool(
          'seed',
          ['restore', '--email', 'me@example.com', '--data-dir', target, ...args],
          { env: newEnv, input: words },
        );
        expect(made).toMatchObject({ code: 0 });
        await using restored = await Till.start(newEnv, {}, target);
        await restored.ready();
        const { token } = await restored.api.must<{ token: string }>('POST', '/auth/login', {
          body: { email: 'me@example.com', password: PASSWORD },
        });
        const { merchants } = await restored.api.must<{ merchants: { id: string }[] }>(
          'GET',
          '/merchant/list',
          { token },
        );
        const [merchant] = merchants;
        const watched = await watchedAddresses(target);
        const given = [shop.wallets[coin], ...payments.map(({ options }) => options[coin].address)];
        expect(given.filter((address) => !watched.has(address))).toEqual([]);
        // Swept or not, and whatever that cost: what the chain holds for the shop can be spent.
        await settledWhen(
          'the money of the old till can be spent',
          async () => {
            const balances = await restored.api.must<Record<string, string>>(
              'GET',
              `/merchant/wallet/balances?merchantId=${merchant?.id}`,
              { token },
            );
            return [parseCoinAmount(balances[coin] ?? '0', coin), await onChain(payments)].map(String);
          },
          ([told, chain]) => told === chain && chain !== '0',
        );
        const checked = await runTool('reconcile', ['--data-dir', target], { env: newEnv });
        expect(checked.stdout + checked.stderr).toContain(' 0 differences');
        const sent = await restored.api.call('POST', '/merchant/wallet/send', {
          token,
          body: {
            merchantId: merchant?.id,
            coin,
            amount: payments[0]!.options[coin].amount,
            destination: await ground.newAddress(),
          },
        });
        expect([sent.status, sent.body.error]).toEqual([200, null]);
      },
    );
  });
});

async function watchedAddresses(dataDir: string): Promise<Set<string>> {
  const database = await openDatabase(join(dataDir, 'tilld.sqlite'));
  const rows = await database.db.selectFrom('addresses').select('address').execute();
  await database.close();
  return new Set(rows.map(({ address }) => address));
}
