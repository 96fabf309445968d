/** Money that a cold wallet received before an order got its address: it pays no order. */
import { describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { coldAddresses } from '../../_helpers/listed-addresses.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer } from '../../_helpers/svm/payer.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';

const LIMIT_MS = 90_000;
/** Minutes before the order, which is no clock that is wrong. */
const AGE_MS = 120_000;
const ETHER = 10n ** 18n;
const SOL = 10n ** 9n;

interface Ground {
  readonly url: string;
  pay(address: string, amount: bigint): Promise<void>;
  settle(): Promise<void>;
  stop(): Promise<void>;
}

async function ethereum(): Promise<Ground> {
  const anvil = await Anvil.start();
  return {
    url: anvil.rpcUrl,
    pay: async (address, amount) => void (await anvil.pay({ address, amount })),
    settle: async () => anvil.mine(13),
    stop: async () => anvil.stop(),
  };
}

async function solana(): Promise<Ground> {
  let age = AGE_MS;
  const node = await SvmNode.start({ now: () => Date.now() - age });
  const payer = new Payer(node);
  return {
    url: node.url,
    pay: async (address, amount) => void payer.pay([{ address, amount }]),
    settle: async () => {
      age = 0;
      node.advance(34);
    },
    stop: async () => node.stop(),
  };
}

describe.each([
  ['ETH', ethereum, ETHER, requireAnvil()],
  ['SOL', solana, SOL, true],
] as const)('an address of a %s list', (coin, start, one, isThere) => {
  it.runIf(isThere)('does not credit an order with earlier money', { timeout: 3 * LIMIT_MS }, async () => {
    const ground = await start();
    const [used = '', next = ''] = coldAddresses(coin, 'used before', 2);
    await ground.pay(used, 5n * one);
    await ground.settle();
    const till = await Till.start({ ...liveEnv({ [coin]: ground.url }), TILLD_FORWARD_DELAY: '0s' });
    try {
      const shop = await Shop.open(till.api);
      await till.ready();
      const { merchantId, token } = shop;
      const list = { merchantId, coin, addresses: [used, next] };
      const { id } = await till.api.must<{ id: string }>('POST', '/merchant/wallet/watch', {
        token,
        body: list,
      });
      await till.api.must('POST', '/merchant/wallet/watch/confirm', { token, body: { merchantId, id } });
      const [order, paid] = [
        await shop.createPayment({ allowedCryptos: [coin] }),
        await shop.createPayment({ allowedCryptos: [coin] }),
      ];
      expect([order.options[coin].address, paid.options[coin].address]).toEqual([used, next]);
      await ground.pay(next, parseCoinAmount(paid.options[coin].amount, coin));
      await eventually(
        'the second order is completed',
        async () => {
          await ground.settle();
          return shop.payment(paid.id);
        },
        ({ status }) => status === 'completed',
        LIMIT_MS,
      );
      expect(await shop.payment(order.id)).toMatchObject({ status: 'pending' });
    } finally {
      await till.end();
      await ground.stop();
    }
  });
});
