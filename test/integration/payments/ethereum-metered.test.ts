import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { MeteredProvider } from '../../_helpers/anvil/metered-provider.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';

const ORDERS = 400;
const UNITS_PER_SECOND = 500;
const BLOCK_MS = 12_000;
/** Without calls, balances are asked for singly, by turns: several rounds of all orders fit into this. */
const LONGEST_MS = 300_000;

describe.skipIf(!requireAnvil())('Ethereum with a provider that limits requests', () => {
  let anvil: Anvil;
  beforeAll(async () => (anvil = await Anvil.start()));
  afterAll(async () => anvil.stop());

  /** Pays one order and mines as the mainnet does; answers after how many ms it was completed. */
  const paidAfter = async (shop: Shop, payment: PaymentJson, isInside: boolean): Promise<number> => {
    const { address, amount } = payment.options.ETH;
    const output = { address, amount: parseCoinAmount(amount, 'ETH') };
    await (isInside ? anvil.payInside([output]) : anvil.pay(output));
    const started = Date.now();
    let minedAt = 0;
    for (;;) {
      if (Date.now() - minedAt > BLOCK_MS) {
        await anvil.mine(1);
        minedAt = Date.now();
      }
      if ((await shop.payment(payment.id)).status === 'completed') return Date.now() - started;
      if (Date.now() - started > LONGEST_MS) return Infinity;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  };

  it.each([
    ['without traces in the plan', /^(debug|trace)_/, 60_000],
    ['with neither traces nor eth_call in the plan', /^(debug|trace)_|^eth_call$/, LONGEST_MS],
  ])(
    'credits, %s, a plain transfer among 400 open payments within a minute, and contract payments',
    async (_plan, refused, insideMs) => {
      await using provider = await MeteredProvider.start(anvil.rpcUrl, UNITS_PER_SECOND, refused);
      const env = { TILLD_POLL_INTERVAL: '5s', TILLD_CONFIRMATIONS_ETH: '1' };
      await using till = await Till.start({ ...liveEnv({ ETH: provider.url }), ...env });
      await till.ready(60_000);
      const shop = await Shop.open(till.api);
      const payments: PaymentJson[] = [];
      for (let at = 0; at < ORDERS; at += 1) {
        payments.push(await shop.createPayment({ allowedCryptos: ['ETH'] }));
      }
      expect(await paidAfter(shop, payments[ORDERS / 2]!, false)).toBeLessThan(60_000);
      expect(await paidAfter(shop, payments[ORDERS / 4]!, true)).toBeLessThan(insideMs);
    },
    600_000,
  );
});
