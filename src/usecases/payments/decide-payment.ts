import { AppError, assertNever } from '../../domain/errors.ts';
import { acceptanceProblem } from '../../domain/payment/acceptance.ts';
import type { PaymentFact } from '../../domain/payment/types.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import type { StoredPayment } from '../../store/payments/payments.ts';
import { findPaymentInvoice } from '../../store/subscriptions/invoices.ts';
import { cancelUnpaidLinks } from './refunds/cancel-links.ts';
import { applyFacts, type ApplyFactsDeps } from './apply-facts.ts';
import { findOwnGroupLead, findOwnPayment } from './get-payment.ts';
import { loadPayment } from './load-payment.ts';
import { presentPayment, type PaymentView } from './present-payment.ts';

export interface DecidePaymentDeps extends ApplyFactsDeps {
  readonly db: Db;
  readonly wakeWebhooks: () => void;
}

interface At {
  readonly merchantId: string;
  readonly paymentId: string;
}

/**
 * Cancels an unpaid payment; cancelling a cancelled one changes nothing.
 * @throws {AppError} PAYMENT_NOT_FOUND; INVALID_STATE once money was seen, for it or for the payment that
 * superseded it, or it ended otherwise
 */
export async function cancelPayment(deps: DecidePaymentDeps, at: At): Promise<PaymentView> {
  return decide(deps, at, { type: 'cancel' }, (row) => row.status === 'cancelled');
}

/**
 * The merchant's decision on money that is not accepted automatically: `accept` completes the payment with
 * the received money, once it has its confirmations; `refunded` records a refund outside tilld.
 * @throws {AppError} PAYMENT_NOT_FOUND; INVALID_STATE when there is nothing to decide, or a claim of the
 * money waits to be sent
 */
export async function resolvePayment(
  deps: DecidePaymentDeps,
  at: At,
  action: 'accept' | 'refunded',
): Promise<PaymentView> {
  return decide(deps, at, { type: 'resolve', action }, (row) =>
    action === 'refunded' ? row.status === 'refunded' : isAlreadyAccepted(row),
  );
}

/**
 * An acceptance whose money was lost since has no effect: the merchant may accept the present money again.
 */
function isAlreadyAccepted({ acceptedAt, status }: StoredPayment): boolean {
  return acceptedAt !== null && (status === 'completed' || status === 'confirming');
}

async function decide(
  deps: DecidePaymentDeps,
  at: At,
  fact: PaymentFact,
  alreadySo: (row: StoredPayment) => boolean,
): Promise<PaymentView> {
  await deps.db.transaction(async (tx: Tx) => {
    const row = await findOwnGroupLead(tx, at);
    if (alreadySo(row)) return;
    if (fact.type === 'resolve' && fact.action === 'accept') await refuseAcceptance(tx, deps, row);
    if (fact.type === 'cancel') await refuseOpenInvoice(tx, row);
    const events = await applyFacts(tx, deps, row.id, [fact]);
    if (fact.type === 'resolve' && fact.action === 'refunded') await cancelUnpaidLinks(tx, deps, row.id);
    if (events.length === 0) throw notThisWay(row);
  });
  deps.wakeWebhooks();
  return presentPayment(deps.db, deps, await findOwnPayment(deps.db, at));
}

/** An open invoice whose payment is cancelled could never be paid. @throws {AppError} INVALID_STATE */
async function refuseOpenInvoice(tx: Tx, row: StoredPayment): Promise<void> {
  const invoice = await findPaymentInvoice(tx, row.id);
  if (invoice?.status !== 'open') return;
  throw new AppError('INVALID_STATE', 'The payment is an open invoice: cancel or pause its subscription');
}

/** Money that the payer has claimed cannot be accepted. @throws {AppError} INVALID_STATE */
async function refuseAcceptance(tx: Tx, deps: DecidePaymentDeps, row: StoredPayment): Promise<void> {
  const problem = acceptanceProblem((await loadPayment(tx, deps, row)).state);
  if (problem === null) return;
  switch (problem) {
    case 'status':
      throw notThisWay(row);
    case 'claimed':
      throw new AppError(
        'INVALID_STATE',
        'The payer has claimed money of this payment by a refund link, and it is not sent yet: cancel that link first, or accept the remainder once it is sent',
      );
    case 'nothing_left':
      throw new AppError('INVALID_STATE', 'All money of this payment was refunded: none is left to accept');
    default:
      assertNever(problem);
  }
}

function notThisWay({ status }: StoredPayment): AppError {
  return new AppError('INVALID_STATE', `A payment that is ${status} cannot be changed this way`);
}
