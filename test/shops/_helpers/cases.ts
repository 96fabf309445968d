import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { OrderState, ShopDriver, StartShop } from './driver.ts';
import { Owner } from './owner.ts';
import { ShopProxy, TilldProxy } from './proxies.ts';
import { refundsAsTheyAre } from './refund-cases.ts';

/** A webhook's retries and a shop's start have their place in it. */
const LIMIT_MS = 90_000;
/** Money may move once more after a state was reached: so long it must stay. */
const QUIET_MS = 1_500;

/** A shop and its owner, with the network between them. */
export interface World {
  readonly owner: Owner;
  readonly shop: ShopDriver;
  readonly toShop: ShopProxy;
  readonly toTilld: TilldProxy;
}

/**
 * The same life of orders in every shop: each `it` is one line of the table cases x shops.
 *
 * @param more cases that only some shops run, as `onePayment`
 */
export function describeShop(
  name: string,
  startShop: StartShop,
  ...more: ((world: () => World) => void)[]
): void {
  describe(name, () => {
    let world: World;
    const stack = new AsyncDisposableStack();

    beforeAll(async () => {
      const owner = stack.use(await Owner.start());
      const toShop = stack.use(await ShopProxy.start());
      const toTilld = stack.use(await TilldProxy.start(owner.till.api.baseUrl));
      const port = await freePort();
      toShop.port = port;
      const shop = stack.use(await startShop({ tilldUrl: toTilld.url, publicUrl: toShop.url, port }));
      await shop.connect((address) => owner.agree(address));
      world = { owner, shop, toShop, toTilld };
    }, 1_200_000);

    afterAll(() => stack.disposeAsync());

    paying(() => world);
    moneyThatLeaves(() => world);
    lostWebhooks(() => world);
    changedOrders(() => world);
    refunds(() => world);
    delayedRefunds(() => world);
    refundsAsTheyAre(() => world);
    trouble(() => world);
    for (const cases of more) cases(() => world);
  });
}

async function reaches({ shop }: World, orderId: string, ...wanted: OrderState[]): Promise<void> {
  await eventually(
    `the order is ${wanted.join(' or ')}`,
    () => shop.state(orderId),
    (state) => wanted.includes(state),
    LIMIT_MS,
  );
}

async function stays({ shop }: World, orderId: string, ...wanted: OrderState[]): Promise<void> {
  const end = Date.now() + QUIET_MS;
  do expect(wanted).toContain(await shop.state(orderId));
  while (Date.now() < end);
}

function paying(world: () => World): void {
  it('an order with an exact payment moves from waiting to seen to paid', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId, checkoutUrl } = await shop.order({ email: 'payer@example.com' });
    expect(checkoutUrl).toContain(paymentId);
    expect(await shop.state(orderId)).toBe('waiting');
    await owner.pay(paymentId);
    await reaches(world(), orderId, 'seen');
    await owner.mine(paymentId);
    await reaches(world(), orderId, 'paid');
    const notes = await shop.notes(orderId);
    expect(notes.length).toBeGreaterThan(0);
    expect(new Set(notes).size).toBe(notes.length);
  });

  it('an order without an email address is accepted', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await owner.payFinally(paymentId);
    await reaches(world(), orderId, 'paid');
  });

  it('an underpaid order asks for the remainder, and is paid once the remainder arrives', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await owner.pay(paymentId, 'underpay');
    await reaches(world(), orderId, 'short');
    await owner.mine(paymentId);
    await stays(world(), orderId, 'short');
    await owner.payFinally(paymentId);
    await reaches(world(), orderId, 'paid');
  });

  it('an overpaid order is marked as paid, and the excess is reported to the shopkeeper', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await owner.payFinally(paymentId, 'overpay');
    await reaches(world(), orderId, 'paid');
    expect((await shop.notes(orderId)).join('\n')).toMatch(/BTC/);
  });

  it('late money is accepted as payment of the order', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await owner.payFinally(paymentId, 'late');
    await reaches(world(), orderId, 'paid');
  });

  it('late money under the review policy ships no goods until the owner accepts it', async () => {
    const { shop, owner } = world();
    await owner.editShop({ latePayments: 'review' });
    try {
      const { orderId, paymentId } = await shop.order();
      await owner.payFinally(paymentId, 'late');
      await reaches(world(), orderId, 'late');
      await owner.resolve(paymentId, 'accept');
      await reaches(world(), orderId, 'paid');
    } finally {
      await owner.editShop({ latePayments: 'accept' });
    }
  });
}

function moneyThatLeaves(world: () => World): void {
  it('an order whose payment was double-spent is not marked as paid until other money arrives', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await owner.pay(paymentId);
    await reaches(world(), orderId, 'seen');
    await owner.takeBack(paymentId);
    await reaches(world(), orderId, 'waiting', 'lost');
    await stays(world(), orderId, 'waiting', 'lost');
    await owner.payFinally(paymentId);
    await reaches(world(), orderId, 'paid');
  });

  it('a reorg that removes the money of a paid order is reported to the shopkeeper', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await owner.payFinally(paymentId);
    await reaches(world(), orderId, 'paid');
    const before = (await shop.notes(orderId)).length;
    await owner.takeBack(paymentId);
    await reaches(world(), orderId, 'waiting', 'lost');
    expect((await shop.notes(orderId)).length).toBeGreaterThan(before);
  });

  it('an order is marked as paid again when the money returns after a reorg', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await owner.payFinally(paymentId);
    await reaches(world(), orderId, 'paid');
    await owner.takeBack(paymentId);
    await reaches(world(), orderId, 'waiting', 'lost');
    await owner.payFinally(paymentId);
    await reaches(world(), orderId, 'paid');
  });
}

function lostWebhooks(world: () => World): void {
  it('an order is updated by the scheduled job when webhooks are lost', async () => {
    const { shop, owner, toShop } = world();
    const { orderId, paymentId } = await shop.order();
    toShop.weather = 'lose';
    try {
      await owner.payFinally(paymentId);
      // The order may be paid before `reconcile` is called: a shop runs the job by the clock as well.
      await eventually(
        'every webhook of the payment is lost',
        () => toShop.lostOf(paymentId),
        (types) => types.includes('payment.completed'),
        LIMIT_MS,
      );
    } finally {
      toShop.weather = 'pass';
    }
    await shop.reconcile();
    expect(await shop.state(orderId)).toBe('paid');
  });

  it('an order is marked as paid once when webhooks arrive twice and concurrently', async () => {
    const { shop, owner, toShop } = world();
    const { orderId, paymentId } = await shop.order();
    toShop.weather = 'twice';
    try {
      await owner.pay(paymentId);
      await reaches(world(), orderId, 'seen');
      await owner.mine(paymentId);
      await reaches(world(), orderId, 'paid');
      await stays(world(), orderId, 'paid');
    } finally {
      toShop.weather = 'pass';
    }
    const notes = await shop.notes(orderId);
    expect(new Set(notes).size).toBe(notes.length);
  });

  it('an order is marked as paid when webhooks arrive in the wrong order', async () => {
    const { shop, owner, toShop } = world();
    const { orderId, paymentId } = await shop.order();
    toShop.weather = 'keep';
    try {
      await owner.pay(paymentId);
      await owner.mine(paymentId);
      await eventually(
        'webhooks are kept',
        () => toShop.kept,
        (kept) => kept >= 2,
        LIMIT_MS,
      );
    } finally {
      toShop.weather = 'pass';
    }
    const statuses = await toShop.deliverReversed();
    expect(statuses.every((status) => status < 300)).toBe(true);
    await reaches(world(), orderId, 'paid');
    await stays(world(), orderId, 'paid');
  });

  it('an order is marked as paid when the shop was down while the money arrived', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await shop.stop();
    try {
      await owner.payFinally(paymentId);
    } finally {
      await shop.start();
    }
    await reaches(world(), orderId, 'paid');
  });
}

function changedOrders(world: () => World): void {
  it('a cart that changes after the redirect to the checkout is requested at its new total, and only that pays the order', async () => {
    const { shop, owner } = world();
    const first = await shop.order({ quantity: 1 });
    const before = await owner.payment(first.paymentId);
    const changed = await shop.changeCart(first.orderId, 2);
    const after = await owner.payment(changed.paymentId);
    expect(Number(after.amount)).toBeGreaterThan(Number(before.amount));
    if (changed.paymentId !== first.paymentId) {
      expect((await owner.payment(first.paymentId)).status).toBe('cancelled');
    }
    await owner.payFinally(changed.paymentId);
    await reaches(world(), first.orderId, 'paid');
  });

  it('an abandoned order has its payment cancelled', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await shop.cancel(orderId);
    expect(await shop.state(orderId)).toBe('cancelled');
    await eventually(
      'the payment is cancelled',
      () => owner.payment(paymentId),
      ({ status }) => status === 'cancelled',
      LIMIT_MS,
    );
  });

  it('an order that is cancelled after money was seen is kept', async () => {
    const { shop, owner, toShop } = world();
    const { orderId, paymentId } = await shop.order();
    toShop.weather = 'lose';
    try {
      await owner.pay(paymentId);
      await shop.cancel(orderId).catch(() => undefined);
      expect(await shop.state(orderId)).not.toBe('cancelled');
    } finally {
      toShop.weather = 'pass';
    }
    await owner.mine(paymentId);
    await reaches(world(), orderId, 'paid');
  });

  it('an order is never both cancelled and paid when both are concurrent', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await Promise.all([
      owner.pay(paymentId).catch(() => undefined),
      shop.cancel(orderId).catch(() => undefined),
    ]);
    const { status } = await owner.payment(paymentId);
    if (status === 'pending') throw new Error('neither happened');
    if (status === 'cancelled') {
      await stays(world(), orderId, 'cancelled');
      return;
    }
    await owner.mine(paymentId);
    // Money for a cancelled payment is late money, which the shopkeeper hears of.
    await reaches(world(), orderId, 'paid', 'late');
  });

  it('the cleanup of the platform keeps orders with money, although every webhook was lost', async () => {
    const { shop, owner, toShop } = world();
    const [seen, paid, unpaid] = [await shop.order(), await shop.order(), await shop.order()];
    toShop.weather = 'lose';
    try {
      await owner.pay(seen.paymentId);
      await owner.payFinally(paid.paymentId);
      await shop.cleanUp();
      expect(await shop.state(seen.orderId)).not.toBe('cancelled');
      expect(await shop.state(paid.orderId)).not.toBe('cancelled');
      expect(await shop.state(unpaid.orderId)).toBe('cancelled');
    } finally {
      toShop.weather = 'pass';
    }
    await shop.reconcile();
    await reaches(world(), paid.orderId, 'paid');
    await owner.mine(seen.paymentId);
    await reaches(world(), seen.orderId, 'paid');
  });
}

function refunds(world: () => World): void {
  it('a refund by refund link is settled in the shop once tilld has paid it', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await owner.payFinally(paymentId);
    await reaches(world(), orderId, 'paid');
    const { linkUrl } = await shop.refund(orderId);
    expect(await shop.refundSettled(orderId)).toBe(false);
    await owner.claimAndApprove(linkUrl, paymentId);
    await eventually('the refund is settled', () => shop.refundSettled(orderId), Boolean, LIMIT_MS);
    await reaches(world(), orderId, 'refunded');
  });
}

function delayedRefunds(world: () => World): void {
  it('a claimed refund that cannot be sent at present is reported once to the shopkeeper, with the reason', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await owner.payFinally(paymentId);
    await reaches(world(), orderId, 'paid');
    const { linkUrl } = await shop.refund(orderId);
    await owner.claim(linkUrl);
    await owner.takeBack(paymentId);
    await owner.approve(paymentId);
    const told = async () =>
      (await shop.notes(orderId)).filter((note) => note.includes('cannot be sent at present'));
    const notes = await eventually('it is told', told, ({ length }) => length > 0, LIMIT_MS);
    expect(notes[0]).toMatch(/is tried again: \S+/);
    await shop.reconcile();
    await shop.reconcile();
    expect(await told()).toHaveLength(1);
    expect(await shop.refundSettled(orderId)).toBe(false);
  });
}

function trouble(world: () => World): void {
  it('a revoked key is reported to the shopkeeper, loses nothing, and works again once the shop is reconnected', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    expect(await owner.revokeKeys()).toBeGreaterThan(0);
    expect(await shop.health()).toMatchObject({ key: false });
    await owner.payFinally(paymentId);
    await stays(world(), orderId, 'waiting');
    await expect(shop.order()).rejects.toThrow();
    await shop.connect((address) => owner.agree(address));
    expect(await shop.health()).toEqual({ key: true, webhook: true, node: true });
    await reaches(world(), orderId, 'paid');
  });

  it('an order is neither accepted nor cancelled while tilld is down', async () => {
    const { shop, owner, toTilld } = world();
    const { orderId, paymentId } = await shop.order();
    toTilld.isDown = true;
    try {
      await expect(shop.order()).rejects.toThrow();
      expect(await shop.health()).toMatchObject({ node: false });
      await shop.cleanUp().catch(() => undefined);
      expect(await shop.state(orderId)).toBe('waiting');
      await owner.payFinally(paymentId);
      await stays(world(), orderId, 'waiting');
    } finally {
      toTilld.isDown = false;
    }
    await reaches(world(), orderId, 'paid');
    expect((await shop.health()).node).toBe(true);
  });
}
