/** What leaves without an approval on real nodes of two coins, while the daemon is killed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { type SendJson, Shop } from '../../_helpers/api-client.ts';
import { type RegtestNode, requireNode, startNode, toAtoms } from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { liveEnv, TillProcess } from '../../_helpers/till.ts';

/** 100 dollars each, at the fixed rates of test daemons. */
const AMOUNTS = { BTC: '0.001', ETH: '0.025' } as const;
const DOLLARS = 100;
const PER_DAY = 1_000;
const KEY_PER_DAY = 300;
const REQUESTS = 50;
const KILLS = 4;

type Coin = keyof typeof AMOUNTS;

describe.skipIf(!requireNode('BTC') || !requireAnvil())('limits on real BTC and ETH nodes', () => {
  let bitcoind: RegtestNode;
  let anvil: Anvil;
  let till: TillProcess;
  let shop: Shop;

  beforeAll(async () => {
    [bitcoind, anvil] = await Promise.all([startNode('BTC'), Anvil.start()]);
    till = await TillProcess.start(liveEnv({ BTC: bitcoind.rpcUrl, ETH: anvil.rpcUrl }));
    shop = await Shop.open(till.api);
    await till.ready();
  });
  afterAll(async () => {
    await till?.end();
    await anvil?.stop();
    await bitcoind?.stop();
  });

  const settle = async (): Promise<void> => {
    await bitcoind.mine(1);
    await anvil.mine(3);
  };

  async function fund(): Promise<void> {
    await bitcoind.pay({ address: shop.wallets.BTC, amounts: Array<bigint>(20).fill(10_000_000n) });
    await anvil.pay({ address: shop.wallets.ETH, amount: 10n ** 18n });
    await eventually(
      'the wallet has the money',
      async () => {
        await settle();
        return [await shop.balance('BTC'), await shop.balance('ETH')].map(Number);
      },
      ([btc = 0, eth = 0]) => btc >= 2 && eth >= 1,
      120_000,
    );
  }

  async function newKey(limits?: object): Promise<string> {
    const body = { merchantId: shop.merchantId, name: 'Payouts', scopes: ['wallet:send'], limits };
    const { key } = await till.api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', {
      token: shop.token,
      body,
    });
    return key.value;
  }

  /** Dollars that a destination got on its chain. */
  async function received(coin: Coin, address: string): Promise<number> {
    if (coin === 'ETH') {
      const each = parseCoinAmount(AMOUNTS.ETH, 'ETH');
      return (Number(await anvil.balance(address)) / Number(each)) * DOLLARS;
    }
    const found = await bitcoind.rpc<{ total_amount: string }>('scantxoutset', [
      'start',
      [`addr(${address})`],
    ]);
    return (Number(toAtoms(found.total_amount)) / Number(toAtoms(AMOUNTS.BTC))) * DOLLARS;
  }

  it(
    '50 sends by three API keys in two coins, with kill -9 and fee bumps, pay exactly the daily limit',
    { timeout: 400_000 },
    async () => {
      await fund();
      const limits = { merchantId: shop.merchantId, perDay: String(PER_DAY), currency: 'USD' };
      await till.api.must('PATCH', '/merchant/wallet/limits', { token: shop.token, body: limits });
      const limited = await newKey({ perDay: String(KEY_PER_DAY), currency: 'USD' });
      const keys = [shop.secretKey, limited, await newKey()];
      // The limited key has destinations of its own, so that the chains tell what it sent.
      const payees = {
        own: { BTC: await bitcoind.foreignAddress(), ETH: await anvil.newAddress() },
        others: { BTC: await bitcoind.foreignAddress(), ETH: await anvil.newAddress() },
      };
      const request = async (at: number) => {
        const coin: Coin = at % 2 === 0 ? 'BTC' : 'ETH';
        const token = keys[at % 3] ?? '';
        const destination = payees[token === limited ? 'own' : 'others'][coin];
        const body = { coin, amount: AMOUNTS[coin], destination };
        const headers = { 'idempotency-key': `payout-${at}` };
        return till.api
          .call<SendJson>('POST', '/merchant/wallet/send', { token, body, headers })
          .catch(() => null);
      };
      const bump = async (sendId: string) =>
        till.api
          .call('POST', '/merchant/wallet/send/bump', {
            token: shop.secretKey,
            body: { sendId, maxFee: '0.9' },
          })
          .catch(() => null);
      const rush = async () => Promise.all(Array.from({ length: REQUESTS }, async (_, at) => request(at)));
      for (let kill = 0; kill < KILLS; kill += 1) {
        const rushed = rush();
        for (let turn = 0; turn < 20 * 4 ** kill; turn += 1)
          await new Promise((resolve) => setImmediate(resolve));
        await till.kill9();
        await rushed;
        await till.up();
        await till.ready();
        await settle();
      }
      const answers = await eventually(
        'each request has its answer',
        async () => {
          await settle();
          return rush();
        },
        (all) => all.every((answer) => answer?.status === 200 || answer?.status === 202),
        120_000,
      );
      const sent = answers.flatMap((answer) => (answer?.status === 200 ? [answer.body.data] : []));
      const bumps = await Promise.all(sent.map(async ({ id }) => bump(id)));
      expect(bumps.filter((answer) => answer?.status === 200)).toEqual([]);
      expect(sent).toHaveLength(PER_DAY / DOLLARS);
      const sums = await eventually(
        'everything that was sent is mined',
        async () => {
          await settle();
          return {
            own: (await received('BTC', payees.own.BTC)) + (await received('ETH', payees.own.ETH)),
            others: (await received('BTC', payees.others.BTC)) + (await received('ETH', payees.others.ETH)),
          };
        },
        ({ own, others }) => own + others >= PER_DAY,
        120_000,
      );
      expect(sums.own + sums.others).toBe(PER_DAY);
      expect(sums.own).toBeLessThanOrEqual(KEY_PER_DAY);
    },
  );
});
