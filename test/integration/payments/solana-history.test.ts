import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentJson, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { InjectedFault } from '../../_helpers/svm/faults.ts';
import { addressOf, due, SETTLED, SvmWorld } from '../../_helpers/svm/world.ts';

type Listed = readonly { readonly signature: string; readonly slot: number }[];

describe('a Solana node whose signature history lags behind its balances', () => {
  let world: SvmWorld;
  let shop: Shop;

  beforeAll(async () => {
    world = await SvmWorld.start();
    shop = await world.openShop();
  });
  afterAll(async () => world.end());

  const listing = (kept: (listed: Listed) => Listed): InjectedFault =>
    world.node.inject(
      { kind: 'rewrite', rewrite: (result) => kept(result as Listed) },
      { methods: ['getSignaturesForAddress'] },
    );

  async function chain(): Promise<{ warnings: string[]; unexplainedAccounts: number | null }> {
    const { body } = await world.till.api.call<{
      chains: Record<string, { warnings: string[]; unexplainedAccounts: number | null }>;
    }>('GET', '/readyz');
    return body.data.chains['SOL']!;
  }

  function pay(payment: PaymentJson): string {
    return world.payer.pay([{ address: addressOf(payment), amount: due(payment) }]);
  }

  it('delays only the affected payment, which is credited once its transactions are listed', async () => {
    const order = async () => shop.createPayment({ allowedCryptos: ['SOL'] });
    const [late, prompt] = [await order(), await order()];
    const lost = pay(late);
    const lagging = listing((listed) => listed.filter(({ signature }) => signature !== lost));
    world.node.advance(2);
    pay(prompt);
    world.node.advance(SETTLED);
    await world.sink.waitForEvent('payment.completed', prompt.id);
    expect((await shop.payment(late.id)).status).toBe('pending');
    lagging.clear();
    world.node.advance(1);
    await world.sink.waitForEvent('payment.confirming', late.id);
    world.node.advance(SETTLED);
    await world.sink.waitForEvent('payment.completed', late.id);
  });

  it.each([
    ['equal', 1n],
    ['different', 2n],
  ])(
    'causes two payments of %s amounts to be credited once each when the older one is listed last',
    async (_what, times) => {
      const payment = await shop.createPayment({ allowedCryptos: ['SOL'] });
      const amount = due(payment) * times;
      const first = world.payer.pay([{ address: addressOf(payment), amount }]);
      const lagging = listing((listed) => listed.filter(({ signature }) => signature !== first));
      world.node.advance(3);
      const second = pay(payment);
      world.node.advance(3);
      const transactions = async () => (await shop.payment(payment.id)).transactions;
      await eventually(
        'the second is credited although the first is not explained',
        async () => {
          world.till.clock.advance(2_000);
          world.node.advance(1);
          return (await transactions()).map(({ txid }) => txid).join();
        },
        (txids) => txids === second,
        20_000,
      );
      await eventually(
        'the operator is told',
        async () => {
          world.till.clock.advance(30_000);
          return chain();
        },
        ({ warnings, unexplainedAccounts }) =>
          warnings.join().includes("more than the node's history explains") && unexplainedAccounts === 1,
        20_000,
      );
      const [before] = await transactions();
      lagging.clear();
      world.node.advance(SETTLED);
      const both = await eventually('both are credited', transactions, ({ length }) => length === 2, 20_000);
      expect(both.map(({ txid }) => txid).toSorted()).toEqual([first, second].toSorted());
      world.node.advance(SETTLED);
      await world.sink.waitForEvent('payment.completed', payment.id);
      const settled = await eventually(
        'both settle',
        transactions,
        (all) => all.every(({ confirmations }) => confirmations >= 32),
        20_000,
      );
      const kept = settled.find(({ txid }) => txid === second);
      expect(kept?.blockHeight).toBe(before?.blockHeight);
      await eventually(
        'nothing is left unexplained',
        async () => {
          world.till.clock.advance(30_000);
          return chain();
        },
        ({ unexplainedAccounts }) => unexplainedAccounts === 0,
        20_000,
      );
    },
  );
});
