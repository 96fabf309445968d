/** Orders paid to addresses of a cold wallet on real nodes, which the till watches and cannot spend. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wallet } from 'ethers/wallet';
import { hex } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { type ApiClient, type PaymentJson, Shop } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { coldAddresses, coldKey } from '../../_helpers/listed-addresses.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';
import { liveEnv, Till, TillProcess } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const PASSPHRASE = 'a passphrase of the operator';
const LIMIT_MS = 90_000;
type Coin = 'ETH' | 'SOL';

interface ListJson {
  readonly id: string;
  readonly state: string;
  readonly nextIndex: number;
  readonly balance: string;
  readonly list: { readonly remaining: number } | null;
}

/** A chain of accounts, as far as these tests need one. */
interface Ground {
  readonly url: string;
  pay(address: string, amount: bigint): Promise<void>;
  settle(): Promise<void>;
  balance(address: string): Promise<bigint>;
  newAddress(): Promise<string>;
  stop(): Promise<void>;
}

async function ethereum(): Promise<Ground> {
  const anvil = await Anvil.start();
  return {
    url: anvil.rpcUrl,
    pay: async (address, amount) => void (await anvil.pay({ address, amount })),
    settle: async () => anvil.mine(13),
    balance: async (address) => anvil.balance(address),
    newAddress: async () => anvil.newAddress(),
    stop: async () => anvil.stop(),
  };
}

async function solana(): Promise<Ground> {
  const node = await SvmNode.start();
  const payer = new Payer(node);
  return {
    url: node.url,
    pay: async (address, amount) => void payer.pay([{ address, amount }]),
    settle: async () => node.advance(34),
    balance: async (address) => node.ledger.machine.lamports(address),
    newAddress: async () => strangerAddress(),
    stop: async () => node.stop(),
  };
}

function atomsIn(coin: Coin, { options }: PaymentJson): bigint {
  return parseCoinAmount(options[coin].amount, coin);
}

async function readLists(api: ApiClient, { secretKey: token }: Shop): Promise<ListJson[]> {
  return (await api.must<{ accounts: ListJson[] }>('GET', '/merchant/wallet/watch', { token })).accounts;
}

async function watchList(api: ApiClient, { merchantId, token }: Shop, list: object): Promise<ListJson> {
  const body = { merchantId, ...list };
  const { id } = await api.must<ListJson>('POST', '/merchant/wallet/watch', { token, body });
  return api.must('POST', '/merchant/wallet/watch/confirm', { token, body: { merchantId, id } });
}

async function viewOf(api: ApiClient, { secretKey: token }: Shop, id: string): Promise<PaymentJson> {
  return api.must<PaymentJson>('GET', `/payment/get?paymentId=${id}`, { token });
}

const KINDS = [
  ['ETH', ethereum, requireAnvil()],
  ['SOL', solana, true],
] as const;

describe.each(KINDS)('a list of %s addresses on a real node', (coin, start, isThere) => {
  describe.skipIf(!isThere)('of a cold wallet', () => {
    let ground: Ground;
    let env: Record<string, string>;
    let dir: string;
    const tills: (Till | TillProcess)[] = [];

    beforeAll(async () => {
      ground = await start();
      dir = mkdtempSync(join(tmpdir(), 'till-lists-'));
      const settings = { TILLD_KEYRING_PASSPHRASE: PASSPHRASE, TILLD_FORWARD_DELAY: '0s' };
      env = { ...liveEnv({ [coin]: ground.url }), ...settings };
    });
    afterAll(async () => {
      for (const till of tills) await till.end();
      await ground?.stop();
      rmSync(dir, { recursive: true, force: true });
    });

    const settled = async <T>(what: string, read: () => Promise<T>, is: (now: T) => boolean): Promise<T> => {
      let settledAt = 0;
      return eventually(
        what,
        async () => {
          // Not faster than a busy machine can read.
          if (Date.now() - settledAt > 1_500) {
            await ground.settle();
            settledAt = Date.now();
          }
          return read();
        },
        is,
        LIMIT_MS,
      );
    };
    const pay = async (api: ApiClient, shop: Shop, payment: PaymentJson): Promise<void> => {
      await ground.pay(payment.options[coin].address, atomsIn(coin, payment));
      const read = async () => viewOf(api, shop, payment.id);
      await settled('the payment is completed', read, ({ status }) => status === 'completed');
    };

    it(
      'completes orders, and neither the balance, a sweep nor a send of the till uses their money',
      { timeout: 4 * LIMIT_MS },
      async () => {
        const till = await Till.start(env);
        tills.push(till);
        const shop = await Shop.open(till.api);
        await till.ready();
        const order = async (): Promise<PaymentJson> => shop.createPayment({ allowedCryptos: [coin] });
        const own = await order();
        await pay(till.api, shop, own);
        const cold = coldAddresses(coin, `cold ${dir}`, 3);
        expect((await watchList(till.api, shop, { coin, addresses: cold })).state).not.toBe('proposed');
        const orders = [await order(), await order(), await order()];
        expect(orders.map(({ options }) => options[coin].address)).toEqual(cold);
        for (const one of orders.slice(0, 2)) await pay(till.api, shop, one);
        const refused = await till.api.call('POST', '/payment/create', {
          token: shop.publicKey,
          body: {
            amount: '100',
            currency: 'USD',
            customerId: shop.customerId,
            orderId: 'beyond',
            allowedCryptos: [coin],
          },
        });
        expect(refused.body.error).toMatchObject({ code: 'COIN_UNAVAILABLE' });

        const held = orders.slice(0, 2).map((one) => atomsIn(coin, one));
        const onCold = async () =>
          Promise.all(cold.slice(0, 2).map(async (address) => ground.balance(address)));
        // On Ethereum the deposit of the till itself is swept; that is the round in which the others were, too.
        const hot = [own.options[coin].address, shop.wallets[coin]];
        if (coin === 'ETH')
          await settled(
            'the own deposit is swept',
            async () => ground.balance(hot[0] ?? ''),
            (now) => now === 0n,
          );
        const readBalance = async () => parseCoinAmount(await shop.balance(coin), coin);
        const hotOnChain = async () => {
          const [deposit = 0n, wallet = 0n] = await Promise.all(
            hot.map(async (address) => ground.balance(address)),
          );
          return deposit + wallet;
        };
        await settled(
          'the balance is the money of the till alone',
          async () => [await readBalance(), await hotOnChain()],
          ([told, chain]) => told === chain && told !== 0n,
        );
        expect(await onCold()).toEqual(held);
        const [view] = await readLists(till.api, shop);
        expect(parseCoinAmount(view?.balance ?? '0', coin)).toBe(held.reduce((sum, one) => sum + one, 0n));

        const amount = own.options[coin].amount;
        const destination = await ground.newAddress();
        const beyond = await shop.send({ destination, amount, coin });
        expect(beyond.body.error).toMatchObject({
          code: 'INSUFFICIENT_BALANCE',
          details: expect.arrayContaining([expect.objectContaining({ code: 'watched' })]) as unknown,
        });
        const named = await shop.send({ destination, amount: 'max', coin, from: view?.id });
        expect(named.body.error).toMatchObject({ code: 'VALIDATION_INVALID' });
        const all = await shop.send({ destination, amount: 'max', coin });
        expect(all.body.error).toBeNull();
        await settled(
          'the send arrived',
          async () => ground.balance(destination),
          (now) => now > 0n,
        );
        expect(await ground.balance(destination)).toBeLessThan(atomsIn(coin, own));
        expect(await onCold()).toEqual(held);
        await till.ready();
        const checked = await runTool('reconcile', ['--data-dir', till.dataDir], { env });
        expect(checked.stdout + checked.stderr).toContain(' 0 differences');
      },
    );

    it(
      'keeps its addresses from later orders after a backup is restored, and shows money received since',
      { timeout: 4 * LIMIT_MS },
      async () => {
        const till = await TillProcess.start(env);
        tills.push(till);
        const shop = await Shop.open(till.api);
        await till.ready();
        const order = async (): Promise<PaymentJson> => shop.createPayment({ allowedCryptos: [coin] });
        const cold = coldAddresses(coin, `restored ${dir}`, 20);
        await watchList(till.api, shop, { coin, addresses: cold });
        await pay(till.api, shop, await order());
        const file = join(dir, 'one.backup');
        expect(await runTool('backup', [file, '--data-dir', till.dataDir], { env })).toMatchObject({
          code: 0,
        });
        const later = [await order(), await order()];
        const [first] = later;
        if (first === undefined) throw new Error('no order');
        await pay(till.api, shop, first);
        await till.kill9();

        const target = join(dir, 'restored');
        const args = [file, '--nothing-revoked', '--data-dir', target, '--look-ahead', '4'];
        expect(await runTool('restore', args, { env })).toMatchObject({ code: 0 });
        const restored = await Till.start(env, {}, target);
        tills.push(restored);
        await restored.ready();
        const [ended] = await readLists(restored.api, shop);
        expect(ended?.state).toBe('ended');
        // Those of the look-ahead, and as many again beyond the one that was paid.
        expect(ended?.nextIndex).toBeGreaterThanOrEqual(5);
        const [, second] = later;
        if (second === undefined) throw new Error('no order');
        await ground.pay(second.options[coin].address, atomsIn(coin, second));
        await settled(
          'money on an address that was given out since the backup is shown',
          async () => parseCoinAmount((await readLists(restored.api, shop))[0]?.balance ?? '0', coin),
          (now) => now >= atomsIn(coin, first) + atomsIn(coin, second),
        );
        const { token, merchantId } = shop;
        await restored.api.must('POST', '/merchant/wallet/watch/confirm', {
          token,
          body: { merchantId, id: ended?.id },
        });
        const again = await restored.api.must<PaymentJson>('POST', '/payment/create', {
          token: shop.publicKey,
          body: {
            amount: '100',
            currency: 'USD',
            customerId: shop.customerId,
            orderId: 'after',
            allowedCryptos: [coin],
          },
        });
        expect(cold.indexOf(again.options[coin].address)).toBeGreaterThanOrEqual(5);
      },
    );
  });
});

describe.skipIf(!requireAnvil())('the wallet of a list of ETH addresses', () => {
  it('spends their money without a reversal of the payment', { timeout: 2 * LIMIT_MS }, async () => {
    const anvil = await Anvil.start();
    const till = await Till.start({ ...liveEnv({ ETH: anvil.rpcUrl }), TILLD_FORWARD_DELAY: '0s' });
    try {
      const shop = await Shop.open(till.api);
      await till.ready();
      const { merchantId, token } = shop;
      const cold = coldAddresses('ETH', 'spender', 1);
      const body = { merchantId, coin: 'ETH' satisfies Coin, addresses: cold };
      const { id } = await till.api.must<ListJson>('POST', '/merchant/wallet/watch', { token, body });
      await till.api.must('POST', '/merchant/wallet/watch/confirm', { token, body: { merchantId, id } });
      const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
      const amount = parseCoinAmount(payment.options.ETH.amount, 'ETH');
      await anvil.pay({ address: cold[0] ?? '', amount });
      const read = async () => {
        await anvil.mine(13);
        return shop.payment(payment.id);
      };
      await eventually('the payment is completed', read, ({ status }) => status === 'completed', LIMIT_MS);
      const wallet = new Wallet(`0x${hex.encode(coldKey('spender', 0))}`);
      const gasPrice = 10_000_000_000n;
      const raw = await wallet.signTransaction({
        to: await anvil.newAddress(),
        value: amount - 21_000n * gasPrice,
        gasLimit: 21_000n,
        gasPrice,
        nonce: 0,
        chainId: BigInt(await anvil.rpc<string>('eth_chainId')),
      });
      await anvil.rpc('eth_sendRawTransaction', [raw]);
      await eventually(
        'the list holds nothing',
        async () => {
          await anvil.mine(13);
          const path = '/merchant/wallet/watch';
          return (await till.api.must<{ accounts: ListJson[] }>('GET', path, { token: shop.secretKey }))
            .accounts[0];
        },
        (list) => list?.balance === '0',
        LIMIT_MS,
      );
      expect(await shop.payment(payment.id)).toMatchObject({ status: 'completed', exception: null });
    } finally {
      await till.end();
      await anvil.stop();
    }
  });
});
