import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Owner } from '../_helpers/owner.ts';
import { ShopProxy } from '../_helpers/proxies.ts';
import { WooShop } from './driver.ts';

/** What WooCommerce's customers are told of refunds, and its books have of them. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: WooShop;
let toShop: ShopProxy;
let customers = 0;

beforeAll(async () => {
  owner = stack.use(await Owner.start());
  toShop = stack.use(await ShopProxy.start());
  const port = await freePort();
  toShop.port = port;
  const setup = { tilldUrl: owner.till.api.baseUrl, publicUrl: toShop.url, port };
  shop = stack.use(await WooShop.start(setup));
  await shop.connect((address) => owner.agree(address));
}, 1_200_000);
afterAll(() => stack.disposeAsync());

interface PaidOrder {
  readonly orderId: string;
  readonly paymentId: string;
  readonly email: string;
}

/** Another order pays the network fees, which go on top of a refund. */
async function paidOrder(): Promise<PaidOrder> {
  const email = `customer-${++customers}@example.com`;
  const order = await shop.order({ email, lines: ['24.90'], currency: 'EUR' });
  await owner.payFinally(order.paymentId);
  await reaches(order.orderId, 'paid');
  return { ...order, email };
}

async function reaches(orderId: string, wanted: string): Promise<void> {
  await eventually(
    `the order is ${wanted}`,
    () => shop.state(orderId),
    (state) => state === wanted,
    60_000,
  );
}

async function hasNote(orderId: string, text: RegExp): Promise<void> {
  await eventually(
    `a note says ${text}`,
    () => shop.notes(orderId),
    (notes) => notes.some((note) => text.test(note)),
    60_000,
  );
}

/** Mails that say that money was given back. */
async function refundMails(email: string): Promise<string[]> {
  return (await shop.mails(email))
    .map(({ subject }) => subject)
    .filter((subject) => subject.includes('refunded'));
}

async function amounts(orderId: string): Promise<number[]> {
  return (await shop.refunds(orderId)).map(({ amount }) => Number(amount)).toSorted((a, b) => a - b);
}

async function refundedCents(orderId: string): Promise<number> {
  return (await amounts(orderId)).reduce((sum, amount) => sum + Math.round(amount * 100), 0);
}

/** What both sides refuse is refused: nothing is left, or no link is open. */
async function take(
  order: PaidOrder,
  open: string[],
  { what, cents }: { what: string; cents: number },
): Promise<void> {
  const amount = (cents / 100).toFixed(2);
  if (what === 'link') open.push((await shop.refund(order.orderId, amount)).linkUrl);
  if (what === 'tilld') await owner.refund(order.paymentId, amount, 'EUR');
  if (what === 'pay') await owner.claimAndApprove(open.shift() ?? '', order.paymentId);
  if (what === 'cancel' && open.length > 0) await owner.cancelRefund(order.paymentId);
}

describe('a full refund when the wallet of the WooCommerce shop has only that payment', () => {
  it('waits because the fee is not covered, and an order action creates a new link for the same refund that deducts it', async () => {
    const { orderId, paymentId } = await paidOrder();
    const { linkUrl } = await shop.refund(orderId, '24.90');
    await owner.claim(linkUrl);
    await owner.approve(paymentId);
    await hasNote(orderId, /cannot be sent at present.*New refund link, less the network fee/);
    await shop.command('deductFee', { orderId });
    const links = await owner.refundLinks(paymentId);
    expect(links.map(({ status, deductFee }) => [status, deductFee])).toEqual(
      expect.arrayContaining([
        ['cancelled', false],
        ['open', true],
      ]),
    );
    await shop.reconcile();
    expect(await amounts(orderId)).toEqual([24.9]);
    const note = (await shop.notes(orderId)).findLast((text) => text.includes('/r/')) ?? '';
    const [newUrl = ''] = /https?:\/\/\S+\/r\/[\w-]+/.exec(note) ?? [];
    expect(newUrl).not.toBe(linkUrl);
    await owner.claimAndApprove(newUrl, paymentId);
    await reaches(orderId, 'refunded');
  });
});

describe('the email about a WooCommerce refund', () => {
  it('is sent once the refund was broadcast, after an email with the refund link', async () => {
    const { orderId, paymentId, email } = await paidOrder();
    const { linkUrl } = await shop.refund(orderId, '5.50');
    expect((await shop.mails(email)).at(-1)?.text).toContain(linkUrl);
    await owner.claim(linkUrl);
    await hasNote(orderId, /has claimed the refund of 5\.50 EUR/);
    expect(await refundMails(email)).toEqual([]);
    await owner.approve(paymentId);
    await hasNote(orderId, /The refund of 5\.50 EUR is paid/);
    await shop.reconcile();
    expect(await refundMails(email)).toEqual([expect.stringContaining('partially refunded')]);
  });

  it('says that it is a full refund, although the shop sends its emails with a delay', async () => {
    const { orderId, paymentId, email } = await paidOrder();
    await shop.command('options', { shop_test_defer: 1 });
    try {
      const { linkUrl } = await shop.refund(orderId, '24.90');
      await shop.command('sendQueuedMails');
      expect((await shop.mails(email)).at(-1)?.text).toContain(linkUrl);
      expect(await refundMails(email)).toEqual([]);
      await owner.claimAndApprove(linkUrl, paymentId);
      await reaches(orderId, 'refunded');
      await shop.command('sendQueuedMails');
    } finally {
      await shop.command('options', { shop_test_defer: null });
    }
    expect(await refundMails(email)).toEqual([expect.stringContaining('has been refunded')]);
  });

  it('is sent once, also when every webhook is lost and the shop was down', async () => {
    const { orderId, paymentId, email } = await paidOrder();
    const { linkUrl } = await shop.refund(orderId, '24.90');
    toShop.weather = 'lose';
    try {
      await shop.stop();
      await owner.claimAndApprove(linkUrl, paymentId);
      await shop.start();
    } finally {
      toShop.weather = 'pass';
    }
    await shop.reconcile();
    await reaches(orderId, 'refunded');
    await shop.reconcile();
    expect(await refundMails(email)).toHaveLength(1);
  });

  it('is sent immediately for a refund that the shopkeeper pays manually', async () => {
    const { orderId, email } = await paidOrder();
    await shop.command('refund', { orderId, amount: '3', byHand: true });
    expect(await refundMails(email)).toHaveLength(1);
  });
});

describe('a WooCommerce refund whose link is not claimed', () => {
  it.each([
    ['expired', 'in time', async (paymentId: string) => owner.expireRefund(paymentId)],
    ['cancelled', 'was cancelled in tilld', async (paymentId: string) => owner.cancelRefund(paymentId)],
  ])(
    'is removed with instructions when its link is %s, and no email claims that it was paid',
    async (_is, said, end) => {
      const { orderId, paymentId, email } = await paidOrder();
      await shop.refund(orderId, '24.90');
      await end(paymentId);
      await hasNote(orderId, new RegExp(`refund of 24\\.90 EUR .*${said}.*Refund it again`));
      expect(await shop.refunds(orderId)).toEqual([]);
      expect(await shop.state(orderId)).toBe('paid');
      expect(await refundMails(email)).toEqual([]);
    },
  );
});

describe('a WooCommerce refund that the shopkeeper deletes', () => {
  it('cancels the refund link, so that the money cannot be claimed', async () => {
    const { orderId, paymentId } = await paidOrder();
    await shop.refund(orderId, '24.90');
    await shop.command('deleteRefunds', { orderId });
    expect(await shop.refunds(orderId)).toEqual([]);
    expect((await owner.refundLinks(paymentId)).map(({ status }) => status)).toEqual(['cancelled']);
    await hasNote(orderId, /The refund of 24\.90 EUR was deleted here\. It can no longer be claimed/);
    await shop.refund(orderId, '24.90');
    expect(await amounts(orderId)).toEqual([24.9]);
  });

  it('is kept while tilld cannot cancel its link, and the order notes say why', async () => {
    const { orderId, paymentId } = await paidOrder();
    await shop.refund(orderId, '24.90');
    await owner.revokeKeys();
    try {
      await shop.command('deleteRefunds', { orderId });
      expect(await amounts(orderId)).toEqual([24.9]);
      expect((await owner.refundLinks(paymentId)).map(({ status }) => status)).toEqual(['open']);
      await hasNote(orderId, /The refund of 24\.90 EUR stays/);
    } finally {
      await shop.connect((address) => owner.agree(address));
    }
  });
});

describe('refunds from WooCommerce and tilld', () => {
  it('become partial refunds of the order once when they are made in tilld, and a full one marks the order as refunded', async () => {
    const { orderId, paymentId, email } = await paidOrder();
    await owner.refund(paymentId, '5.50', 'EUR');
    await hasNote(orderId, /5\.50 EUR were given back in tilld/);
    await shop.reconcile();
    await shop.reconcile();
    expect(await amounts(orderId)).toEqual([5.5]);
    expect(await shop.state(orderId)).toBe('paid');
    expect(await refundMails(email)).toHaveLength(1);
    const { linkUrl } = await shop.refund(orderId, '19.40');
    await owner.claimAndApprove(linkUrl, paymentId);
    await reaches(orderId, 'refunded');
    expect(await amounts(orderId)).toEqual([5.5, 19.4]);
    expect(await refundMails(email)).toHaveLength(2);
  });

  it('add up to one full refund of the order when they are made in tilld to the last cent', async () => {
    const { orderId, paymentId } = await paidOrder();
    await paidOrder();
    await owner.refund(paymentId, '24.90', 'EUR');
    await reaches(orderId, 'refunded');
    await shop.reconcile();
    expect(await amounts(orderId)).toEqual([24.9]);
  });

  it('never exceed the order total, because a refund in tilld is recorded only after the open link ended', async () => {
    const { orderId, paymentId } = await paidOrder();
    await shop.refund(orderId, '20');
    await owner.refund(paymentId, '10', 'EUR');
    await hasNote(orderId, /10\.00 EUR were given back in tilld/);
    expect(await amounts(orderId)).toEqual([4.9, 20]);
    await owner.cancelRefund(paymentId);
    await hasNote(orderId, /was cancelled in tilld/);
    await shop.reconcile();
    expect((await amounts(orderId)).reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(10);
    await expect(shop.refund(orderId, '14.91')).rejects.toThrow();
    await shop.refund(orderId, '14.90');
  });

  it('are recorded once when the shopkeeper had recorded the same refund manually before', async () => {
    const { orderId, paymentId } = await paidOrder();
    await shop.command('refund', { orderId, amount: '7.25', byHand: true });
    await owner.refund(paymentId, '7.25', 'EUR');
    await hasNote(orderId, /7\.25 EUR were given back in tilld/);
    expect(await amounts(orderId)).toEqual([7.25]);
  });

  it('are not recorded as refunds of the order when they return an overpayment', async () => {
    const email = `customer-${++customers}@example.com`;
    const { orderId, paymentId } = await shop.order({ email, lines: ['24.90'], currency: 'EUR' });
    await owner.payFinally(paymentId, 'overpay');
    await reaches(orderId, 'paid');
    await owner.refund(paymentId, '1', 'EUR');
    await hasNote(orderId, /1\.00 EUR were given back in tilld/);
    expect(await shop.refunds(orderId)).toEqual([]);
  });
});

describe('any sequence of refunds from WooCommerce and tilld', () => {
  const step = fc.record({
    what: fc.constantFrom('link', 'tilld', 'pay', 'cancel', 'tilld', 'link', 'pay'),
    cents: fc.integer({ min: 1, max: 1_500 }),
  });

  it('leaves the order with refunds of exactly the amount refunded by tilld, and never above its total', async () => {
    const life = fc.array(step, { minLength: 4, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(life, async (steps) => {
        const order = await paidOrder();
        const open: string[] = [];
        for (const each of steps) {
          await take(order, open, each).catch(() => undefined);
          await shop.reconcile();
          expect(await refundedCents(order.orderId)).toBeLessThanOrEqual(2_490);
        }
        for (const { status } of await owner.refundLinks(order.paymentId))
          if (status === 'open') await owner.cancelRefund(order.paymentId);
        await eventually(
          `the refunds are what was given back after ${JSON.stringify(steps)}`,
          async () => {
            await shop.reconcile();
            const { keptFiat } = await owner.payment(order.paymentId);
            return [await refundedCents(order.orderId), 2_490 - Math.round(Number(keptFiat) * 100)];
          },
          ([inShop, inTilld]) => inShop === inTilld,
          30_000,
        );
      }),
      { numRuns: Number(process.env['FC_RUNS'] ?? 5), endOnFailure: true },
    );
  });
});

describe('the network fee of a WooCommerce refund', () => {
  it('is deducted from the refund if a setting says so, and the order notes say so', async () => {
    const { orderId, paymentId } = await paidOrder();
    await shop.command('set', { refund_fee: 'yes' });
    try {
      await shop.refund(orderId, '24.90');
    } finally {
      await shop.command('set', { refund_fee: 'no' });
    }
    expect(await owner.refundLinks(paymentId)).toMatchObject([{ amount: '24.90', deductFee: true }]);
    await hasNote(orderId, /network fee is taken out/);
  });
});
