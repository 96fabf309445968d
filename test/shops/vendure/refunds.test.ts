import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Owner } from '../_helpers/owner.ts';
import { VendureShop } from './driver.ts';

/** Refunds as they are: in Vendure, in tilld, and in both. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: VendureShop;

beforeAll(async () => {
  owner = stack.use(await Owner.start());
  const port = await freePort();
  const setup = { tilldUrl: owner.till.api.baseUrl, publicUrl: `http://127.0.0.1:${port}`, port };
  shop = stack.use(await VendureShop.start(setup));
  await shop.connect((address) => owner.agree(address));
});
afterAll(() => stack.disposeAsync());

async function paidOrder() {
  const order = await shop.order();
  await owner.payFinally(order.paymentId);
  await eventually(
    'the order is paid',
    () => shop.state(order.orderId),
    (state) => state === 'paid',
    60_000,
  );
  return order;
}

async function told(orderId: string, part: string): Promise<void> {
  await eventually(
    `it is told: ${part}`,
    () => shop.notes(orderId),
    (notes) => notes.some((note) => note.includes(part)),
    60_000,
  );
}

const statesOf = async (orderId: string): Promise<string[]> =>
  (await shop.refundsOf(orderId)).refunds.map(({ state }) => state);

// First, while the wallet holds the money of one payment only.
it('the Vendure plugin replaces a claimed refund link by one that deducts the fee, when the wallet has only that money', async () => {
  const { orderId, paymentId } = await paidOrder();
  const { linkUrl } = await shop.refund(orderId);
  await owner.claim(linkUrl);
  await owner.approve(paymentId);
  await told(orderId, 'with the fee deducted');
  expect(await statesOf(orderId)).toEqual(['Pending']);
  const [before] = (await shop.refundsOf(orderId)).links;
  await shop.admin.ask('mutation ($id: ID!) { renewTilldRefund(refundId: $id, deductFee: true) { url } }', {
    id: before?.refundId,
  });
  const [link] = (await shop.refundsOf(orderId)).links;
  expect(link?.url).not.toBe(linkUrl);
  await told(orderId, 'less the network fee');
  await owner.claimAndApprove(link?.url ?? '', paymentId);
  await eventually(
    'it is settled',
    () => statesOf(orderId),
    ([state]) => state === 'Settled',
    60_000,
  );
  expect(await statesOf(orderId)).toEqual(['Settled']);
});

it('the Vendure plugin sets a refund to failed when its link ended without a claim, and reports it', async () => {
  const { orderId, paymentId } = await paidOrder();
  await shop.refund(orderId);
  expect(await statesOf(orderId)).toEqual(['Pending']);
  await owner.cancelRefund(paymentId);
  await told(orderId, 'nothing was given back by it');
  expect(await statesOf(orderId)).toEqual(['Failed']);
});

it('the Vendure plugin settles a partial refund when it is paid, and records one made in tilld', async () => {
  const { orderId, paymentId } = await paidOrder();
  await shop.refundPart(orderId, 1_000);
  const { links } = await eventually(
    'the link is there',
    () => shop.refundsOf(orderId),
    (found) => found.links.length === 1,
  );
  await owner.claimAndApprove(links[0]?.url ?? '', paymentId);
  await eventually(
    'the part is settled',
    () => statesOf(orderId),
    ([state]) => state === 'Settled',
    60_000,
  );
  await owner.refund(paymentId, '5.00', 'USD');
  await told(orderId, '5.00 USD of this order was given back in tilld');
  const { refunds } = await shop.refundsOf(orderId);
  expect(refunds.map(({ state, total }) => [state, total])).toEqual([
    ['Settled', 1_000],
    ['Settled', 500],
  ]);
  await shop.reconcile();
  await shop.reconcile();
  expect((await shop.refundsOf(orderId)).refunds).toHaveLength(2);
});
