import { expect, it } from 'vitest';
import { eventually } from '../../_helpers/poll.ts';
import type { ShopDriver } from './driver.ts';
import type { Owner } from './owner.ts';

interface RefundWorld {
  readonly owner: Owner;
  readonly shop: ShopDriver;
}

const LIMIT_MS = 90_000;

/** A shop's books and notes say of refunds what is true: money that has left, and why some did not. */
export function refundsAsTheyAre(world: () => RefundWorld): void {
  async function refunded(): Promise<{ orderId: string; paymentId: string; linkUrl: string }> {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await owner.payFinally(paymentId);
    await eventually(
      'the order is paid',
      () => shop.state(orderId),
      (state) => state === 'paid',
      LIMIT_MS,
    );
    return { orderId, paymentId, ...(await shop.refund(orderId)) };
  }

  /** Looks at what events said, and at what none said. */
  async function toldOf(orderId: string, text: RegExp): Promise<void> {
    const { shop } = world();
    const look = async (): Promise<readonly string[]> => {
      await shop.reconcile();
      return (await shop.notes(orderId)).filter((note) => text.test(note));
    };
    expect(await eventually(`it is told: ${text}`, look, ({ length }) => length > 0, LIMIT_MS)).toHaveLength(
      1,
    );
  }

  it('a claimed refund is settled in the shop only once the money has left the wallet', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId, linkUrl } = await refunded();
    await owner.claim(linkUrl);
    await shop.reconcile();
    expect(await shop.refundSettled(orderId)).toBe(false);
    expect(await shop.state(orderId)).not.toBe('refunded');
    await owner.approve(paymentId);
    await eventually('the refund is settled', () => shop.refundSettled(orderId), Boolean, LIMIT_MS);
  });

  it('an expired refund link is reported to the shopkeeper once, as unpaid', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await refunded();
    await owner.expireRefund(paymentId);
    await toldOf(orderId, /refund (link )?of .*nothing was/i);
    expect(await shop.refundSettled(orderId)).toBe(false);
    expect(await shop.state(orderId)).not.toBe('refunded');
  });

  it('a cancelled refund link is reported to the shopkeeper once, as unpaid', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await refunded();
    await owner.cancelRefund(paymentId);
    await toldOf(orderId, /refund (link )?of .*nothing was/i);
    expect(await shop.refundSettled(orderId)).toBe(false);
    expect(await shop.state(orderId)).not.toBe('refunded');
  });

  it('a partial refund made in tilld is reported to the shopkeeper once', async () => {
    const { shop, owner } = world();
    const { orderId, paymentId } = await shop.order();
    await owner.payFinally(paymentId);
    await eventually(
      'the order is paid',
      () => shop.state(orderId),
      (state) => state === 'paid',
      LIMIT_MS,
    );
    await owner.refund(paymentId, '5', 'USD');
    await toldOf(orderId, /\b5(\.00)? USD .*given back (in|at) tilld/i);
    await shop.reconcile();
    expect(await shop.state(orderId)).not.toBe('refunded');
  });
}
