import type { Logger, MedusaContainer } from '@medusajs/framework/types';
import { createPaymentSessionsWorkflow, deletePaymentSessionsWorkflow } from '@medusajs/medusa/core-flows';
import { shopState, type Payment, type Tilld } from '@tilld/sdk';
import { closePayment, hasEnded, hasMoney } from '@tilld/sdk/shop';
import { covers, isWorth } from '../money';
import type TilldService from '../modules/tilld/service';
import { findCart, findSession, isTooLittle, type CartState } from './find';

/** What the plugin keeps of a payment. */
export type PaymentRow = Awaited<ReturnType<TilldService['listPayments']>>[number];

interface Scene {
  readonly container: MedusaContainer;
  readonly tilld: TilldService;
  readonly client: Tilld;
  readonly logger: Logger;
  readonly payment: Payment;
}

/** Where the money of a payment goes. */
export interface Target {
  readonly sessionId: string;
  /** Why it pays for nothing: the cart costs more by now, or went on in another way. */
  readonly refusal: 'price' | 'cart' | null;
}

/**
 * The one session by which a cart takes money that is there: the payment's own, that which the cart has by now, or a new
 * one where it has none. The payment stands for it from then on, and other sessions of the cart with us end: requests at
 * once each leave a session, and Medusa completes a cart by any of them.
 * @throws when the cart changes at the same moment: the payment must be applied again
 */
export async function claimSession(scene: Scene, row: PaymentRow): Promise<Target> {
  const { container, payment } = scene;
  const own = await findSession(container, row.session_id);
  if (own !== null && (own.order !== null || own.isOnly)) {
    const isPrice = covers(payment, own.amount, own.currency) && !isTooLittle(own);
    return { sessionId: own.id, refusal: isPrice ? null : 'price' };
  }
  const cart = row.cart_id === null ? null : await findCart(container, row.cart_id);
  const refused = (refusal: 'price' | 'cart'): Target => ({ sessionId: row.session_id, refusal });
  if (cart === null) return refused('cart');
  const session = cart.own.find(({ id }) => id === row.session_id) ?? cart.own[0];
  if (session === undefined) {
    // Also of a placed order: a customer who went on to pay at that moment may have taken its session.
    if (cart.hasOther || cart.providerId === null) return refused('cart');
    if (!covers(payment, cart.amount, cart.currency)) return refused('price');
    return makeSession(scene, row, cart);
  }
  if (!covers(payment, session.amount, session.currency)) return refused('price');
  if (session.id !== row.session_id && !(await takeSession(scene, session.id))) return refused('cart');
  if (!cart.isCompleted) await endOthers(scene, cart, session.id);
  return { sessionId: session.id, refusal: null };
}

/** The provider finds the payment that has the money, and makes no other one. */
async function makeSession({ container, tilld, payment }: Scene, row: PaymentRow, cart: CartState) {
  await createPaymentSessionsWorkflow(container).run({
    input: { payment_collection_id: cart.collectionId, provider_id: cart.providerId ?? '' },
  });
  const [now] = await tilld.listPayments({ id: payment.id }, { take: 1 });
  const sessionId = now?.session_id ?? row.session_id;
  return { sessionId, refusal: sessionId === row.session_id ? 'cart' : null } satisfies Target;
}

/** @returns false where the payment of that session has money itself */
async function takeSession({ tilld, client, logger, payment }: Scene, sessionId: string): Promise<boolean> {
  const bound = await tilld.boundTo(sessionId);
  if (bound !== undefined) {
    const other = await client.payments.get({ paymentId: bound.id });
    if (hasMoney(shopState(other)) && isWorth(other, tilld.options)) return false;
  }
  await tilld.bind(payment.id, sessionId);
  if (bound !== undefined) {
    await closePayment(client, bound.id);
    logger.info(`tilld: payment ${payment.id} has the money of its cart; it takes the place of ${bound.id}`);
  }
  return true;
}

/** A payment of theirs that has money keeps it, and is told as paid twice. */
async function endOthers({ container, tilld, client }: Scene, { own }: CartState, sessionId: string) {
  const ids = own.map(({ id }) => id).filter((id) => id !== sessionId);
  if (ids.length === 0) return;
  for (const id of ids) {
    const bound = await tilld.boundTo(id);
    if (bound === undefined) continue;
    await tilld.release(bound.id, id);
    await closePayment(client, bound.id);
  }
  await deletePaymentSessionsWorkflow(container).run({ input: { ids } });
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
  hasSession: boolean,
): Promise<void> {
  const [now] = await tilld.listPayments({ id: row.id }, { take: 1 });
  const cartId = now?.cart_id ?? row.cart_id;
  if (cartId === null) return;
  const rows = await tilld.listPayments({ cart_id: cartId }, { take: null });
  const others = rows.filter(({ id }) => id !== row.id);
  if (hasMoney(row.state)) {
    for (const { id } of others.filter(({ state }) => !hasEnded(state) && !hasMoney(state)))
      await closePayment(client, id);
    return;
  }
  const [next] = others.filter(({ state }) => hasMoney(state));
  if (next === undefined || now === undefined || next.captured || !hasMoney(before)) return;
  await tilld.updatePayments({ id: next.id, pending_look: true });
  if (!hasSession) return;
  await tilld.bind(next.id, now.session_id);
  await tilld.updatePayments({ id: next.id, captured: now.captured, pending_look: true });
  await tilld.tell(next.id, `instead:${row.id}`, 'adopted', { other: row.id });
}
