/** A wallet that holds one payment and nothing else: all of it goes back, less the network fee. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { requireNode, startNode, toAtoms, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';
import {
  claimLink,
  paymentThat,
  refund,
  type RefundedPaymentJson,
  type RefundLinkJson,
} from './refund-client.ts';

interface World {
  readonly till: Till;
  readonly node: RegtestNode | null;
}

async function paid({ node }: World, shop: Shop): Promise<RefundedPaymentJson> {
  const payment = await shop.createPayment({ allowedCryptos: ['BTC'] });
  const { address, amount, requiredConfirmations } = payment.options.BTC;
  if (node === null) {
    const body = { paymentId: payment.id, scenario: 'exact', confirmations: requiredConfirmations };
    await shop.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
  } else {
    await node.pay({ address, amountAtoms: toAtoms(amount) });
    await node.mine(requiredConfirmations);
  }
  return paymentThat(shop, payment, 'completed', ({ status }) => status === 'completed');
}

/** A foreign address. */
async function payer({ till }: World): Promise<string> {
  return (await Shop.open(till.api)).wallets.BTC;
}

async function newLink(shop: Shop, paymentId: string, fields: object): Promise<RefundLinkJson> {
  const body = { paymentId, preset: 'all', ...fields };
  return shop.api.must<RefundLinkJson>('POST', '/payment/refund-link', { token: shop.secretKey, body });
}

async function linkThat(
  shop: Shop,
  { id, paymentId }: RefundLinkJson,
  what: string,
  satisfies: (link: RefundLinkJson) => boolean,
): Promise<RefundLinkJson> {
  return eventually(
    `link ${what}`,
    async () => {
      const path = `/payment/refund-links?paymentId=${paymentId}`;
      const { refundLinks } = await shop.api.must<{ refundLinks: RefundLinkJson[] }>('GET', path, {
        token: shop.secretKey,
      });
      const found = refundLinks.find((link) => link.id === id);
      if (found === undefined) throw new Error(`the list has no link ${id}`);
      return found;
    },
    satisfies,
  );
}

describe.each(['the sandbox', 'a wallet of a real BTC node'])(
  'a refund of the only payment in %s',
  (place) => {
    const isReal = place !== 'the sandbox';
    describe.skipIf(isReal && !requireNode('BTC'))('which must pay the network fee itself,', () => {
      let world: World;
      beforeAll(async () => {
        const node = isReal ? await startNode('BTC') : null;
        const till = await Till.start(node === null ? {} : liveEnv({ BTC: node.rpcUrl }));
        world = { till, node };
        await till.ready();
      });
      afterAll(async () => {
        await world?.till.end();
        await world?.node?.stop();
      });

      async function openShop(): Promise<Shop> {
        const shop = await Shop.open(world.till.api);
        if (isReal)
          await shop.api.must('POST', '/merchant/sandbox', {
            token: shop.secretKey,
            body: { sandboxMode: false },
          });
        return shop;
      }

      it('succeeds in full with the fee deducted, as the error without that option suggests', async () => {
        const shop = await openShop();
        const payment = await paid(world, shop);
        const destination = await payer(world);
        const { received } = payment.options.BTC;
        const wish = { paymentId: payment.id, destination, amount: received };
        const refused = await refund(shop, wish);
        expect([refused.status, refused.body.error?.code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
        expect(refused.body.error?.message).toContain('with subtractFee: true it comes out of the amount');
        expect(refused.body.error?.details).toContainEqual(
          expect.objectContaining({ field: 'subtractFee', code: 'fee_on_top' }),
        );
        const { status, body } = await refund(shop, { ...wish, subtractFee: true });
        expect([status, body.error]).toEqual([200, null]);
        const { refunded, amount, fee } = body.data.refund;
        expect(refunded).toBe(received);
        expect(toAtoms(amount) + toAtoms(fee)).toBe(toAtoms(received));
        await paymentThat(shop, payment, 'refunded', ({ status: now }) => now === 'refunded');
        expect(await shop.balance('BTC')).toBe('0');
      });

      it('succeeds through a link that deducts the fee, as the error of a claim without that option suggests', async () => {
        const shop = await openShop();
        const payment = await paid(world, shop);
        const claim = { coin: 'BTC', destination: await payer(world) };
        const onTop = await newLink(shop, payment.id, {});
        await claimLink(world.till.api, onTop.url, claim);
        const { problem } = await linkThat(shop, onTop, 'waits', (link) => link.problem !== null);
        expect(problem).toContain('a refund link with deductFee: true takes it out of the refund');
        const token = shop.secretKey;
        await shop.api.must('POST', '/payment/refund-link/cancel', { token, body: { linkId: onTop.id } });
        const deducting = await newLink(shop, payment.id, { deductFee: true });
        await claimLink(world.till.api, deducting.url, claim);
        await linkThat(shop, deducting, 'paid', (link) => link.status === 'paid');
        const done = await paymentThat(shop, payment, 'refunded', ({ status }) => status === 'refunded');
        expect(done.refunds.map(({ refunded }) => refunded)).toEqual([payment.options.BTC.received]);
      });
    });
  },
);
