/** Forwards of coins that are held in accounts, from a running daemon on real nodes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';

type Coin = 'ETH' | 'SOL';

interface SendEvent {
  readonly type: string;
  readonly data: {
    readonly send?: {
      readonly coin: Coin;
      readonly reason: string | null;
      readonly destination: string;
      readonly amount: string;
      readonly fee: string;
      readonly maxFee: string;
    };
  };
}

const TERMS = {
  ETH: { keep: '0.2', threshold: '0.5' },
  SOL: { keep: '2', threshold: '5' },
} as const;
const LIMIT_MS = 120_000;

describe.skipIf(!requireAnvil())('forwards of ETH and SOL on real nodes', () => {
  let anvil: Anvil;
  let svm: SvmNode;
  let till: Till;
  let shop: Shop;

  beforeAll(async () => {
    [anvil, svm] = await Promise.all([Anvil.start(), SvmNode.start()]);
    const env = { ...liveEnv({ ETH: anvil.rpcUrl, SOL: svm.url }), TILLD_FORWARD_DELAY: '0s' };
    till = await Till.start(env);
    shop = await Shop.open(till.api);
    await till.ready();
  });
  afterAll(async () => {
    await till?.end();
    await svm?.stop();
    await anvil?.stop();
  });

  const settle = async (coin: Coin): Promise<void> => {
    if (coin === 'ETH') await anvil.mine(3);
    else svm.advance(40);
  };
  const pay = async (coin: Coin, amount: string, address = shop.wallets[coin]): Promise<void> => {
    if (coin === 'ETH') await anvil.pay({ address, amount: parseCoinAmount(amount, coin) });
    else svm.airdrop(address, parseCoinAmount(amount, coin));
    await settle(coin);
  };
  const onChain = async (coin: Coin, address: string): Promise<bigint> =>
    coin === 'ETH' ? anvil.balance(address) : svm.ledger.machine.lamports(address);
  const call = async <T>(method: string, path: string, body?: object): Promise<T> =>
    till.api.must<T>(method, path, { token: shop.token, ...(body === undefined ? {} : { body }) });
  const status = async (coin: Coin): Promise<string | undefined> => {
    const { forwards } = await till.api.must<{ forwards: { coin: string; status: string }[] }>(
      'GET',
      '/merchant/wallet/forward',
      { token: shop.secretKey },
    );
    return forwards.find((one) => one.coin === coin)?.status;
  };
  const forwardEvents = async (coin: Coin) => {
    const { events } = await till.api.must<{ events: SendEvent[] }>(
      'GET',
      '/merchant/events?after=0&limit=100',
      {
        token: shop.secretKey,
      },
    );
    return events.flatMap(({ type, data: { send } }) =>
      send?.coin === coin && send.reason === 'forward' ? [{ type, send }] : [],
    );
  };

  it.each(['ETH', 'SOL'] as const)(
    'sends %s above the threshold, keeps what is promised, and pays at most its share as fee',
    async (coin) => {
      const { keep, threshold } = TERMS[coin];
      // What an open refund link promises.
      const payment = await shop.createPayment({ allowedCryptos: [coin] });
      await pay(coin, payment.options[coin].amount, payment.options[coin].address);
      await eventually(
        'the payment is completed',
        async () => {
          await settle(coin);
          return (await shop.payment(payment.id)).status;
        },
        (now) => now === 'completed',
        LIMIT_MS,
      );
      await till.api.must('POST', '/payment/refund-link', {
        token: shop.secretKey,
        body: { paymentId: payment.id, preset: 'all' },
      });
      const destination =
        coin === 'ETH' ? await anvil.newAddress() : '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
      const rule = { merchantId: shop.merchantId, coin, destination, keep, threshold, intervalMinutes: 1 };
      await call('PATCH', '/merchant/wallet/forward', rule);
      expect(await status(coin)).toBe('below_threshold');
      expect(await onChain(coin, destination)).toBe(0n);
      await pay(coin, formatCoinAmount(2n * parseCoinAmount(threshold, coin), coin));
      const [confirmed] = await eventually(
        'the forward is confirmed',
        async () => {
          await settle(coin);
          return (await forwardEvents(coin)).filter(({ type }) => type === 'send.confirmed');
        },
        ({ length }) => length > 0,
        LIMIT_MS,
      );
      const {
        amount,
        fee,
        destination: paid,
      } = confirmed?.send ?? { amount: '0', fee: '0', destination: '' };
      const [atoms, burnt] = [parseCoinAmount(amount, coin), parseCoinAmount(fee, coin)];
      expect(paid).toBe(destination);
      expect(await onChain(coin, destination)).toBe(atoms);
      expect(atoms + burnt).toBeGreaterThanOrEqual(parseCoinAmount(threshold, coin));
      expect(burnt * 100n).toBeLessThanOrEqual(atoms + burnt);
      expect((await forwardEvents(coin)).map(({ type }) => type)).toEqual([
        'send.broadcast',
        'send.confirmed',
      ]);
      const promised = parseCoinAmount(payment.options[coin].amount, coin);
      const left = parseCoinAmount(await shop.balance(coin), coin);
      expect(left).toBeGreaterThanOrEqual(promised + parseCoinAmount(keep, coin));
      expect(await status(coin)).not.toBe('due');
    },
    2 * LIMIT_MS,
  );
});
