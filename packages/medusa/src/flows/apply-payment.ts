import type { Logger, MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys, Modules, PaymentActions } from '@medusajs/framework/utils';
import { completeCartWorkflow, processPaymentWorkflow } from '@medusajs/medusa/core-flows';
import { TilldError, type Payment, type ShopState } from '@tilld/sdk';
import { asksFor, askedText, isWorth, receivedText, stateOf } from '../money';
import type TilldService from '../modules/tilld/service';
import { findSession, type Session } from './find';
import { lookAtRefunds } from './refund';

const LOCK_SECONDS = 10;

interface Scene {
  readonly container: MedusaContainer;
  readonly tilld: TilldService;
  readonly logger: Logger;
  readonly payment: Payment;
}

/**
 * Makes Medusa right about one payment. It asks tilld and trusts nothing else, so it may be called at any time, in any
 * order and twice at once. Answers `foreign` for a payment that is not of this shop.
 */
export async function applyPayment(
  container: MedusaContainer,
  paymentId: string,
): Promise<'applied' | 'foreign'> {
  const locking = container.resolve(Modules.LOCKING);
  return locking.execute(`tilld:${paymentId}`, () => apply(container, paymentId), { timeout: LOCK_SECONDS });
}

async function apply(container: MedusaContainer, paymentId: string): Promise<'applied' | 'foreign'> {
  const tilld = container.resolve<TilldService>('tilld');
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
  const client = await tilld.client();
  const [known] = await tilld.listPayments({ id: paymentId }, { take: 1 });
  const payment = await client.payments.get({ paymentId }).catch((error: unknown) => {
    if (known === undefined && error instanceof TilldError && error.code === 'PAYMENT_NOT_FOUND') return null;
    throw error;
  });
  if (payment === null) return 'foreign';
  const row = known ?? (await recover(tilld, payment));
  if (row === null) return 'foreign';
  const scene = { container, tilld, logger, payment };
  try {
    const session = await findSession(container, row.session_id);
    const isTaken = await settle(scene, session, row.captured);
    const now = await findSession(container, row.session_id);
    const wasCaptured = row.captured || session?.payment?.isCaptured === true;
    const captured = wasCaptured || now?.payment?.isCaptured === true;
    // Placing the order asks tilld once more: the money may have become final since the first look.
    const isOlder = captured && !wasCaptured && payment.status !== 'completed';
    const latest = isOlder ? await client.payments.get({ paymentId }) : payment;
    const state = isTaken ? stateOf(latest, wasCaptured) : row.state;
    const before = { state: row.state, exception: row.exception ?? null, captured: wasCaptured };
    if (isTaken) await tellState({ ...scene, payment: latest }, before, stateOf(latest, wasCaptured));
    await tilld.updatePayments({
      id: paymentId,
      state,
      exception: latest.exception,
      captured,
      cart_id: now?.cartId ?? row.cart_id,
      order_id: now?.order?.id ?? row.order_id,
      pending_look: false,
    });
    await lookAtRefunds({ tilld, client }, paymentId);
    // The order is what the payment says that has its money now.
    if (latest.supersededBy !== undefined) await applyPayment(container, latest.supersededBy);
    return 'applied';
  } catch (error) {
    await tilld.updatePayments({ id: paymentId, pending_look: true });
    throw error;
  }
}

/** A shop whose own rows are gone finds its sessions by what tilld keeps with each payment. */
async function recover(tilld: TilldService, payment: Payment) {
  const sessionId = payment.metadata?.['medusa_session'];
  return typeof sessionId === 'string' ? tilld.remember(payment, sessionId) : null;
}

/**
 * Places the order and takes the money into the books, as far as that is due. Answers false for money that is not taken
 * as that of the order: the shopkeeper was told why, and nothing shall say that the order is paid.
 */
async function settle(scene: Scene, session: Session | null, wasCaptured: boolean): Promise<boolean> {
  const { payment, tilld, logger } = scene;
  const isDue = payment.status === 'completed' || payment.status === 'confirming';
  if (!isDue || wasCaptured) return true;
  if (!isWorth(payment, tilld.options)) {
    await tilld.tell(payment.id, 'sandbox', 'sandbox');
    return false;
  }
  if (session === null) {
    if (payment.status !== 'completed') return true;
    logger.error(`tilld: payment ${payment.id} is paid, but its payment session is gone`);
    await tilld.tell(payment.id, 'no_session', 'paid_without_order', { received: receivedText(payment) });
    return false;
  }
  if (!asksFor(payment, session.amount, session.currency)) {
    logger.error(`tilld: payment ${payment.id} asks for another amount than its payment session`);
    const asked = `${payment.amount} ${payment.currency}`;
    await tilld.tell(payment.id, 'amount', 'amount_differs', { asked });
    return false;
  }
  if (payment.status === 'completed') return takeMoney(scene, session);
  if (tilld.options.placeOrders === 'seen' && session.order === null) await placeOrder(scene, session);
  return true;
}

async function placeOrder(scene: Scene, session: Session): Promise<void> {
  const { container, payment, tilld, logger } = scene;
  if (session.cartId === null) return;
  try {
    if (session.first !== session.id) throw new Error('another payment method was chosen meanwhile');
    await completeCartWorkflow(container).run({ input: { id: session.cartId } });
  } catch (error) {
    const { message } = error as Error;
    logger.error(
      `tilld: money came by ${payment.id}, but the order of cart ${session.cartId} fails: ${message}`,
    );
    await tilld.tell(payment.id, `not_placed:${message}`.slice(0, 200), 'not_placed', { reason: message });
    throw error;
  }
}

async function takeMoney(scene: Scene, session: Session): Promise<boolean> {
  const { container, payment, tilld, logger } = scene;
  if (session.order?.status === 'canceled') {
    logger.error(`tilld: payment ${payment.id} is paid, but its order ${session.order.id} is cancelled`);
    await tilld.tell(payment.id, 'cancelled', 'paid_after_cancel', { received: receivedText(payment) });
    return false;
  }
  if (session.order === null) await placeOrder(scene, session);
  const placed = await findSession(container, session.id);
  if (!placed?.order && session.cartId !== null) throw new Error(`no order was placed for ${payment.id}`);
  // Also when it is captured: a crash may have left the order without its transaction. Each step is done once.
  await processPaymentWorkflow(container).run({
    input: {
      action: PaymentActions.SUCCESSFUL,
      data: { session_id: session.id, amount: session.amount },
    },
  });
  return true;
}

interface Told {
  readonly state: string;
  readonly exception: string | null;
  readonly captured: boolean;
}

async function tellState({ tilld, payment, logger }: Scene, before: Told, state: ShopState): Promise<void> {
  if (before.state === state && before.exception === payment.exception) return;
  const code = noteOf(state, before, payment);
  if (code === null) return;
  const values = { received: receivedText(payment), asked: askedText(payment) };
  const key = `${state}:${payment.exception ?? ''}:${payment.timeline.at(-1)?.sequence ?? 0}`;
  const isNew = await tilld.tell(payment.id, key, code, values);
  if (isNew && code === 'reversed')
    logger.error(`tilld: money of payment ${payment.id} is gone after it was final`);
  if (state === 'paid' && payment.sandbox) await tilld.tell(payment.id, 'sandbox', 'sandbox');
}

function noteOf(state: ShopState, before: Told, payment: Payment): string | null {
  if (state === 'paid')
    return payment.exception === 'overpaid' || payment.exception === 'multiple' ? 'over' : 'paid';
  if (state === 'lost' && before.captured) return 'reversed';
  if (state === 'superseded') return null;
  if (state === 'waiting') return before.state === 'waiting' ? null : 'gone';
  return state;
}
