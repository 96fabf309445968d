import type { Logger, MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys, Modules, PaymentActions } from '@medusajs/framework/utils';
import { completeCartWorkflow, processPaymentWorkflow } from '@medusajs/medusa/core-flows';
import { TilldError, type Payment, type ShopState, type Tilld } from '@tilld/sdk';
import { isForAmount, askedText, isWorth, receivedText, orderState } from '../money';
import { PRICE_DIFFERS } from '../order-payment';
import type TilldService from '../modules/tilld/service';
import { alignOthers, claimSession, paidBeside, type PaymentRow, type Target } from './adopt';
import { findSession, isTooLittle, type Session } from './find';
import { lookAtRefunds } from './refund';
import { recordReturned } from './returned';

const LOCK_SECONDS = 10;
/** A customer who goes to pay again and again makes the rest wait for the job. */
const MOST_ATTEMPTS = 3;

interface Scene {
  readonly container: MedusaContainer;
  readonly tilld: TilldService;
  readonly client: Tilld;
  readonly logger: Logger;
  readonly payment: Payment;
}

/**
 * Makes Medusa right about one payment. It asks tilld and trusts nothing else, so it may be called at any time, in any
 * order and twice at once: payments of one cart are applied one at a time. Answers `foreign` for a payment that is not of
 * this shop.
 */
export async function applyPayment(
  container: MedusaContainer,
  paymentId: string,
): Promise<'applied' | 'foreign'> {
  const tilld = container.resolve<TilldService>('tilld');
  const [known] = await tilld.listPayments({ id: paymentId }, { take: 1 });
  const locking = container.resolve(Modules.LOCKING);
  const keys = [`tilld:${paymentId}`, ...(known?.cart_id ? [`tilld:${known.cart_id}`] : [])];
  const latest = await locking.execute(keys, () => apply(container, paymentId), { timeout: LOCK_SECONDS });
  if (latest === null) return 'foreign';
  // The order is what the payment says that has its money now.
  if (latest.supersededBy !== undefined) await applyPayment(container, latest.supersededBy);
  return 'applied';
}

async function apply(container: MedusaContainer, paymentId: string): Promise<Payment | null> {
  const tilld = container.resolve<TilldService>('tilld');
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
  const client = await tilld.client();
  for (let attempt = 1; ; attempt += 1) {
    const [known] = await tilld.listPayments({ id: paymentId }, { take: 1 });
    const payment = await client.payments.get({ paymentId }).catch((error: unknown) => {
      if (known === undefined && error instanceof TilldError && error.code === 'PAYMENT_NOT_FOUND')
        return null;
      throw error;
    });
    if (payment === null) return null;
    const row = known ?? (await recover(tilld, payment));
    if (row === null) return null;
    try {
      const { latest, isCurrent } = await applyTo({ container, tilld, client, logger, payment }, row);
      if (isCurrent) return latest;
      if (attempt >= MOST_ATTEMPTS) throw new Error(`payment ${paymentId} got another session each time`);
    } catch (error) {
      await tilld.updatePayments({ id: paymentId, pending_look: true });
      throw error;
    }
  }
}

interface Applied {
  readonly latest: Payment;
  /** False where a customer went to pay meanwhile, which gave the payment another session. */
  readonly isCurrent: boolean;
}

async function applyTo(scene: Scene, row: PaymentRow): Promise<Applied> {
  const { container, tilld, client, payment } = scene;
  const paymentId = payment.id;
  const isDue = isToBeTaken(scene, row);
  const target = isDue ? await claimSession(scene, row) : { sessionId: row.session_id, refusal: null };
  const session = await findSession(container, target.sessionId);
  const settled = await settle(scene, target, session, row);
  const now = await findSession(container, target.sessionId);
  // The cart may have changed after it was read and before its order was placed.
  const isDone = payment.status === 'completed' || payment.status === 'confirming';
  const isShort = settled === 'taken' && isDone && now !== null && now.order !== null && isTooLittle(now);
  const outcome = isShort ? await refuse(scene, 'price', row) : settled;
  if (now !== null) await alignCollection(scene, now);
  const wasCaptured = row.captured || session?.payment?.isCaptured === true;
  const captured = outcome !== 'twice' && (wasCaptured || now?.payment?.isCaptured === true);
  // Placing the order asks tilld once more: the money may have become final since the first look.
  const isOlder = captured && !wasCaptured && payment.status !== 'completed';
  const latest = isOlder ? await client.payments.get({ paymentId }) : payment;
  const state = outcome === 'short' ? outcome : orderState(latest, wasCaptured && outcome !== 'twice');
  const before = { state: row.state, exception: row.exception ?? null, captured: wasCaptured };
  if (outcome === 'taken') await tellState({ ...scene, payment: latest }, before, state, session);
  await tilld.updatePayments({
    id: paymentId,
    state: outcome === 'refused' ? row.state : state,
    exception: outcome === 'short' ? PRICE_DIFFERS : latest.exception,
    captured,
    cart_id: now?.cartId ?? row.cart_id,
    order_id: now?.order?.id ?? row.order_id,
    // A change of the cart that began before the capture may raise the collection after it: the job applies it again.
    pending_look: captured && !wasCaptured,
  });
  if (outcome !== 'refused') await alignOthers({ tilld, client }, { ...row, state }, row.state, now !== null);
  await lookAtRefunds({ tilld, client }, paymentId);
  await recordReturned({ container, tilld, client }, { ...row, captured }, latest, now);
  const [kept] = await tilld.listPayments({ id: paymentId }, { take: 1 });
  return { latest, isCurrent: !isDue || kept?.session_id === target.sessionId };
}

/** A shop whose own rows are gone finds its sessions by what tilld keeps with each payment. */
async function recover(tilld: TilldService, payment: Payment) {
  const sessionId = payment.metadata?.['medusa_session'];
  return typeof sessionId === 'string' ? tilld.remember(payment, sessionId) : null;
}

/** Whether there is money which Medusa does not have in its books. */
function isToBeTaken({ payment, tilld }: Scene, { captured }: PaymentRow): boolean {
  const isDue = payment.status === 'completed' || payment.status === 'confirming';
  return isDue && !captured && isWorth(payment, tilld.options);
}

/**
 * `refused`: not taken as money of the order. `short`: too little for what the cart costs by now. `twice`: another payment
 * of the order has its money. All are told.
 */
type Outcome = 'taken' | 'refused' | 'short' | 'twice';

/** Places the order and takes the money into the books, as far as that is due. */
async function settle(
  scene: Scene,
  { refusal }: Target,
  session: Session | null,
  row: PaymentRow,
): Promise<Outcome> {
  const { payment, tilld } = scene;
  if (!isToBeTaken(scene, row)) {
    if (row.captured || isWorth(payment, tilld.options)) return 'taken';
    if (payment.status !== 'completed' && payment.status !== 'confirming') return 'taken';
    await tilld.tell(payment.id, 'sandbox', 'sandbox');
    return 'refused';
  }
  if (refusal !== null) return refuse(scene, refusal, row);
  if (session === null) throw new Error(`the session of payment ${payment.id} is replaced at this moment`);
  if (payment.status === 'completed') return (await takeMoney(scene, session)) ? 'taken' : 'refused';
  if (tilld.options.placeOrders === 'seen' && session.order === null) await placeOrder(scene, session);
  return 'taken';
}

async function refuse(
  { payment, tilld, logger }: Scene,
  refusal: 'price' | 'cart',
  row: PaymentRow,
): Promise<Outcome> {
  const other = await paidBeside(tilld, payment.id, row.cart_id);
  if (other !== undefined) {
    logger.error(`tilld: payment ${payment.id} has money, and so has ${other.id} of the same order`);
    const values = { received: receivedText(payment), other: other.id };
    await tilld.tell(payment.id, 'twice', 'paid_twice', values);
    return refusal === 'price' ? 'short' : 'twice';
  }
  if (refusal === 'price') {
    logger.error(`tilld: payment ${payment.id} asks for less than its cart costs`);
    const requestedText = `${payment.amount} ${payment.currency}`;
    await tilld.tell(payment.id, 'amount', 'amount_differs', { asked: requestedText });
    return 'short';
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
    if (!session.isOnly) throw new Error('another payment method was chosen meanwhile');
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
  // Also when it is captured: a crash may have left the order without its transaction.
  await capture(container, session);
  return true;
}

/**
 * Requests of the order what its session pays, where Medusa requests more. A cart that is changed while its session is
 * being paid keeps the amount of the change after it was undone, because the session could not be deleted; the capture
 * counts as a part then. An order that was edited costs more than its session, and is left alone.
 */
async function alignCollection({ container, logger }: Scene, session: Session): Promise<void> {
  const { collection, amount, order } = session;
  if (order === null || !session.isOnly || collection.amount <= amount || order.total > amount) return;
  logger.warn(`tilld: order ${order.id} requests ${collection.amount} and costs ${order.total}; corrected`);
  await container.resolve(Modules.PAYMENT).updatePaymentCollections(collection.id, { amount });
  if (session.payment?.isCaptured === true) await capture(container, session);
}

/** Records the capture; each step is done once, so that it may be repeated. */
async function capture(container: MedusaContainer, { id, amount }: Session): Promise<void> {
  await processPaymentWorkflow(container).run({
    input: { action: PaymentActions.SUCCESSFUL, data: { session_id: id, amount } },
  });
}

interface LastApplied {
  readonly state: string;
  readonly exception: string | null;
  readonly captured: boolean;
}

async function tellState(
  { tilld, payment, logger }: Scene,
  before: LastApplied,
  state: ShopState,
  session: Session | null,
): Promise<void> {
  if (before.state === state && before.exception === payment.exception) return;
  const isLower =
    state === 'paid' && session !== null && !isForAmount(payment, session.amount, session.currency);
  const code = orderNote(state, before, payment, isLower);
  if (code === null) return;
  const requestedText = isLower ? `${session.amount} ${session.currency.toUpperCase()}` : askedText(payment);
  const values = { received: receivedText(payment), asked: requestedText };
  const key = `${state}:${payment.exception ?? ''}:${payment.timeline.at(-1)?.sequence ?? 0}`;
  const isNew = await tilld.tell(payment.id, key, code, values);
  if (isNew && code === 'reversed')
    logger.error(`tilld: money of payment ${payment.id} is gone after it was final`);
  if (state === 'paid' && payment.sandbox) await tilld.tell(payment.id, 'sandbox', 'sandbox');
}

function orderNote(state: ShopState, before: LastApplied, payment: Payment, isLower: boolean): string | null {
  if (state === 'paid')
    return isLower || payment.exception === 'overpaid' || payment.exception === 'multiple' ? 'over' : 'paid';
  if (state === 'lost' && before.captured) return 'reversed';
  if (state === 'superseded') return null;
  if (state === 'waiting') return before.state === 'waiting' ? null : 'gone';
  return state;
}
