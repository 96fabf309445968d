import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { openLiveWorld } from '../../_helpers/live-world.ts';
import { requireNode, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { LiveWorld } from '../../_helpers/live-world.ts';
import type { Till } from '../../_helpers/till.ts';
import { claimLink, paymentThat, read, readLink, refund, type RefundLinkJson } from './refund-client.ts';

/** One confirmation, and six from this amount on. */
const TIER = { BTC: '0.01', ETH: '0.2' } as const;
const DEPOSIT = { BTC: '1', ETH: '5' } as const;
const COINS = ['BTC', 'ETH'] as const;

describe.each(COINS.filter((coin) => coin !== 'BTC' || requireNode(coin)))(
  'a large payment for a small order in %s',
  (coin) => {
    let world: LiveWorld<RegtestNode | Anvil, Till>;

    beforeAll(async () => {
      const env = { [`TILLD_CONFIRMATIONS_${coin}`]: `1,${TIER[coin]}:6` };
      world = await openLiveWorld(coin, { env });
      const { node, shop } = world;
      // Pays what goes back, whatever becomes of the deposit.
      await pay(shop.wallets[coin] ?? '', DEPOSIT[coin]);
      await pay(shop.wallets[coin] ?? '', DEPOSIT[coin]);
      await node.mine(12);
      await eventually(
        'the wallet is filled',
        () => shop.balance(coin),
        (balance) => Number(balance) > 1,
      );
    });
    afterAll(async () => world.end());

    const pay = async (address: string, amount: string): Promise<string> => {
      const { node } = world;
      const atoms = parseCoinAmount(amount, coin);
      return node instanceof Anvil
        ? node.pay({ address, amount: atoms })
        : node.pay({ address, amountAtoms: atoms });
    };
    const fork = async (depth: number, txid: string): Promise<void> => {
      const { node } = world;
      if (node instanceof Anvil) await node.reorg(depth, { doubleSpend: txid });
      else await node.reorg({ depth, drop: [txid] });
    };
    const order = async () => world.shop.createPayment({ allowedCryptos: [coin], amount: '10' });
    const seen = async (payment: { id: string }, confirmations: number) =>
      paymentThat(world.shop, payment, `has ${confirmations} confirmations`, ({ transactions }) =>
        transactions.some((one) => one.confirmations >= confirmations),
      );

    it.each([1, 2, 3, 4, 5])(
      'cannot be refunded after %i confirmations, because a reorg might still drop it',
      async (depth) => {
        const { node, shop } = world;
        const payment = await order();
        expect(payment.options[coin].requiredConfirmations).toBe(1);
        const txid = await pay(payment.options[coin].address, DEPOSIT[coin]);
        await node.mine(depth);
        const now = await seen(payment, depth);
        expect(now.status).toBe('confirming');
        expect(now.options[coin].requiredConfirmations).toBe(6);
        const { status, body } = await refund(shop, {
          paymentId: payment.id,
          destination: await node.newAddress(),
          amount: TIER[coin],
        });
        expect([status, body.error?.message]).toEqual([
          400,
          expect.stringContaining('can still be refunded'),
        ]);
        await fork(depth, txid);
        const lost = await paymentThat(shop, payment, 'is reversed', ({ timeline }) =>
          timeline.some(({ type }) => type === 'payment.reversed'),
        );
        expect(lost.refunds).toEqual([]);
      },
    );

    it('is refunded by a claim once it has enough confirmations, and the page says so before', async () => {
      const { node, shop } = world;
      const payment = await order();
      await pay(payment.options[coin].address, DEPOSIT[coin]);
      await node.mine(1);
      await seen(payment, 1);
      const link = await shop.api.must<RefundLinkJson>('POST', '/payment/refund-link', {
        token: shop.secretKey,
        body: { paymentId: payment.id, preset: 'all' },
      });
      await claimLink(shop.api, link.url, { coin, destination: await node.newAddress() });
      const linkNow = async () => {
        const { refundLinks } = await shop.api.must<{
          refundLinks: (RefundLinkJson & { problem: string | null })[];
        }>('GET', `/payment/refund-links?paymentId=${payment.id}`, { token: shop.secretKey });
        return refundLinks[0];
      };
      const waiting = await eventually(
        'the shop is told what it waits for',
        linkNow,
        (now) => typeof now?.problem === 'string',
      );
      expect(waiting).toMatchObject({ status: 'claimed', sendId: null });
      expect(waiting?.problem).toContain('6 confirmations');
      const page = await readLink(shop.api, link.url);
      expect(page.html).toContain('Waiting for confirmations');
      await node.mine(5);
      await eventually('it is paid', linkNow, (now) => now?.status === 'paid');
      expect((await read(shop, payment)).refunds).toHaveLength(1);
    });
  },
);
