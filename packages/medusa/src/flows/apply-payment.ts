import type { Logger, MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys, Modules, PaymentActions } from '@medusajs/framework/utils';
import { completeCartWorkflow, processPaymentWorkflow } from '@medusajs/medusa/core-flows';
import { TilldError, type Payment, type ShopState, type Tilld } from '@tilld/sdk';
import { asksFor, askedText, isWorth, receivedText, stateOf } from '../money';
import type TilldService from '../modules/tilld/service';
import { adoptingSession, alignOthers, paidBeside, type PaymentRow } from './adopt';
import { findSession, type Session } from './find';
import { lookAtRefunds } from './refund';
import { recordReturned } from './returned';

const LOCK_SECONDS = 10;

interface Scene {
  readonly container: MedusaContainer;
  readonly tilld: TilldService;
  readonly client: Tilld;
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
  const scene = { container, tilld, client, logger, payment };
  try {
    const latest = await applyTo(scene, row);
    // The order is what the payment says that has its money now.
    if (latest.supersededBy !== undefined) await applyPayment(container, latest.supersededBy);
    return 'applied';
  } catch (error) {
    await tilld.updatePayments({ id: paymentId, pending_look: true });
    throw error;
  }
}

async function applyTo(scene: Scene, row: PaymentRow): Promise<Payment> {
  const { container, tilld, client, payment } = scene;
  const paymentId = payment.id;
  const sessionId = await sessionFor(scene, row);
  const session = await findSession(container, sessionId);
  const outcome = await settle(scene, session, row.captured);
  const now = await findSession(container, sessionId);
  const wasCaptured = row.captured || session?.payment?.isCaptured === true;
  const captured = outcome !== 'twice' && (wasCaptured || now?.payment?.isCaptured === true);
  // Placing the order asks tilld once more: the money may have become final since the first look.
  const isOlder = captured && !wasCaptured && payment.status !== 'completed';
  const latest = isOlder ? await client.payments.get({ paymentId }) : payment;
  const state = stateOf(latest, wasCaptured && outcome !== 'twice');
  const before = { state: row.state, exception: row.exception ?? null, captured: wasCaptured };
  if (outcome === 'taken') await tellState({ ...scene, payment: latest }, before, state);
  await tilld.updatePayments({
    id: paymentId,
    state: outcome === 'refused' ? row.state : state,
    exception: latest.exception,
    captured,
    cart_id: now?.cartId ?? row.cart_id,
    order_id: now?.order?.id ?? row.order_id,
    pending_look: false,
  });
  if (outcome !== 'refused') await alignOthers({ tilld, client }, { ...row, state }, row.state);
  await lookAtRefunds({ tilld, client }, paymentId);
  await recordReturned({ container, tilld, client }, { ...row, captured }, latest, now);
  return latest;
}

/** The session of a payment; that of its cart, where its own was replaced and its money came all the same. */
async function sessionFor(scene: Scene, row: PaymentRow): Promise<string> {
  const { container, tilld, payment } = scene;
  const isDue = payment.status === 'completed' || payment.status === 'confirming';
  if (!isDue || row.captured || !isWorth(payment, tilld.options)) return row.session_id;
  const own = await findSession(container, row.session_id);
  if (own !== null && (own.order !== null || own.first === own.id)) return row.session_id;
  return (await adoptingSession(scene, row)) ?? row.session_id;
}

/** A shop whose own rows are gone finds its sessions by what tilld keeps with each payment. */
async function recover(tilld: TilldService, payment: Payment) {
  const sessionId = payment.metadata?.['medusa_session'];
  return typeof sessionId === 'string' ? tilld.remember(payment, sessionId) : null;
}

/** `refused`: not taken as money of the order. `twice`: another payment of the order has its money. Both are told. */
type Outcome = 'taken' | 'refused' | 'twice';

/** Places the order and takes the money into the books, as far as that is due. */
async function settle(scene: Scene, session: Session | null, wasCaptured: boolean): Promise<Outcome> {
  const { payment, tilld, logger } = scene;
  const isDue = payment.status === 'completed' || payment.status === 'confirming';
  if (!isDue || wasCaptured) return 'taken';
  if (!isWorth(payment, tilld.options)) {
    await tilld.tell(payment.id, 'sandbox', 'sandbox');
    return 'refused';
  }
  if (session === null) return withoutSession(scene);
  if (!asksFor(payment, session.amount, session.currency)) {
    logger.error(`tilld: payment ${payment.id} asks for another amount than its payment session`);
    const asked = `${payment.amount} ${payment.currency}`;
    await tilld.tell(payment.id, 'amount', 'amount_differs', { asked });
    return 'refused';
  }
  if (payment.status === 'completed') return (await takeMoney(scene, session)) ? 'taken' : 'refused';
  if (tilld.options.placeOrders === 'seen' && session.order === null) await placeOrder(scene, session);
  return 'taken';
}

async function withoutSession({ payment, tilld, logger }: Scene): Promise<Outcome> {
  const [row] = await tilld.listPayments({ id: payment.id }, { take: 1 });
  const other = await paidBeside(tilld, payment.id, row?.cart_id ?? null);
  if (other !== undefined) {
    logger.error(`tilld: payment ${payment.id} has money, and so has ${other.id} of the same order`);
    const values = { received: receivedText(payment), other: other.id };
    await tilld.tell(payment.id, 'twice', 'paid_twice', values);
    return 'twice';
  }
  if (payment.status !== 'completed') return 'taken';
  logger.error(`tilld: payment ${payment.id} is paid, but its payment session is gone`);
  await tilld.tell(payment.id, 'no_session', 'paid_without_order', { received: receivedText(payment) });
  return 'refused';
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
