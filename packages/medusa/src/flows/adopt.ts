import type { Logger, MedusaContainer } from '@medusajs/framework/types';
import { createPaymentSessionsWorkflow } from '@medusajs/medusa/core-flows';
import { shopState, type Payment, type Tilld } from '@tilld/sdk';
import { asksFor, isWorth } from '../money';
import type TilldService from '../modules/tilld/service';
import { hasEnded, hasMoney } from '../order-payment';
import { findCart } from './find';
import { close } from './one-payment';

/** What the plugin keeps of a payment. */
export type PaymentRow = Awaited<ReturnType<TilldService['listPayments']>>[number];

interface Scene {
  readonly container: MedusaContainer;
  readonly tilld: TilldService;
  readonly client: Tilld;
  readonly logger: Logger;
  readonly payment: Payment;
}

/**
 * The session by which an order takes late money: the one that the cart has now, or a new one where it has none. Its
 * payment is the one that has the money from then on.
 * @returns null when the cart went on in another way, or costs something else now
 */
export async function adoptingSession(scene: Scene, row: PaymentRow): Promise<string | null> {
  const { container, tilld, client, logger, payment } = scene;
  if (row.cart_id === null) return null;
  const cart = await findCart(container, row.cart_id);
  if (cart === null) return null;
  if (cart.own !== null) {
    if (cart.own.id === row.session_id) return row.session_id;
    if (!asksFor(payment, cart.own.amount, cart.own.currency)) return null;
    const bound = await tilld.boundTo(cart.own.id);
    if (bound !== undefined) {
      const other = await client.payments.get({ paymentId: bound.id });
      if (hasMoney(shopState(other)) && isWorth(other, tilld.options)) return null;
    }
    await tilld.bind(payment.id, cart.own.id);
    if (bound !== undefined) await close(client, bound.id);
    logger.info(`tilld: payment ${payment.id} has the money of its cart; it takes the place of ${bound?.id}`);
    return cart.own.id;
  }
  if (cart.isCompleted || cart.hasOther || cart.providerId === null) return null;
  // The provider finds the payment that has the money, and makes no other one.
  await createPaymentSessionsWorkflow(container).run({
    input: { payment_collection_id: cart.collectionId, provider_id: cart.providerId },
  });
  const [now] = await tilld.listPayments({ id: payment.id }, { take: 1 });
  return now === undefined || now.session_id === row.session_id ? null : now.session_id;
}

/** Another payment of the same cart that has money. */
export async function paidBeside(
  tilld: TilldService,
  paymentId: string,
  cartId: string | null,
): Promise<PaymentRow | undefined> {
  if (cartId === null) return undefined;
  const rows = await tilld.listPayments({ cart_id: cartId }, { take: null });
  return rows.find(({ id, state }) => id !== paymentId && hasMoney(state));
}

/**
 * The payment that has the order's money is the order's payment: those that wait for money are closed. Where its money is
 * gone, another one of the order that has money takes its place.
 */
export async function alignOthers(
  { tilld, client }: Pick<Scene, 'tilld' | 'client'>,
  row: PaymentRow,
  before: string,
): Promise<void> {
  const [now] = await tilld.listPayments({ id: row.id }, { take: 1 });
  const cartId = now?.cart_id ?? row.cart_id;
  if (cartId === null) return;
  const rows = await tilld.listPayments({ cart_id: cartId }, { take: null });
  const others = rows.filter(({ id }) => id !== row.id);
  if (hasMoney(row.state)) {
    for (const { id } of others.filter(({ state }) => !hasEnded(state) && !hasMoney(state)))
      await close(client, id);
    return;
  }
  const [next] = others.filter(({ state }) => hasMoney(state));
  if (next === undefined || now === undefined || !hasMoney(before)) return;
  await tilld.bind(next.id, now.session_id);
  await tilld.updatePayments({ id: next.id, captured: now.captured, pending_look: true });
  await tilld.tell(next.id, `instead:${row.id}`, 'adopted', { other: row.id });
}
