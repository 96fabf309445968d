import { emailKey, maskedEmail } from '../../domain/email.ts';
import { isErased } from '../../domain/erasure.ts';
import { AppError } from '../../domain/errors.ts';
import { findMail, insertMail, mailTimesSince } from '../../store/accounts/mails.ts';
import { findUserByEmail } from '../../store/accounts/users.ts';
import { findUserCustomer } from '../../store/catalog/customers.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { findPayment } from '../../store/payments/payments.ts';
import type { MailRow } from '../../store/schema/accounts.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { type MailText, queueMail, type QueueMailDeps } from '../mail/index.ts';
import { findReachable } from '../access/index.ts';
import { hasReceipt, readCheckout, type CheckoutView, type ReadCheckoutDeps } from './read-checkout.ts';

export interface ReceiptMailDeps extends ReadCheckoutDeps, QueueMailDeps {
  /** Whether this server can send mails. */
  readonly hasMailServer: boolean;
}

/** The address for the receipt of a payment, and the state of its mail. */
export interface ReceiptMail {
  /** The customer's address, masked except for its first letter. */
  readonly to: string;
  readonly state: 'unsent' | MailRow['state'];
}

const HOUR_MS = 3_600_000;
/** A receipt that could not be sent within this time is dropped. */
const LIFETIME_MS = 48 * HOUR_MS;
/** Per person and hour in the sandbox, where payments cost nothing. */
const SANDBOX_PER_HOUR = 20;

/**
 * How the receipt of a payment can be mailed; null where it cannot: the payment is not paid, its customer has
 * no address, or this server sends no mails.
 */
export async function readReceiptMail(
  deps: Pick<ReceiptMailDeps, 'db' | 'hasMailServer'>,
  view: CheckoutView,
): Promise<ReceiptMail | null> {
  if (!deps.hasMailServer || !hasReceipt(view)) return null;
  const email = await customerEmail(deps.db, view);
  if (email === null) return null;
  const mail = await findMail(deps.db, receiptMailId(view));
  return { to: maskedEmail(email), state: mail?.state ?? 'unsent' };
}

/**
 * Queues the receipt of a payment for its customer, once: the mail's id is derived from the payment's, and
 * its row stays. In the sandbox only people of the shop are mailed, because anyone can pay there; the result
 * does not reveal whether a mail was sent.
 * @throws {AppError} PAYMENT_NOT_FOUND; INVALID_STATE where readReceiptMail returns null; RATE_LIMITED after
 * many to the address
 */
export async function mailReceipt(
  deps: ReceiptMailDeps,
  paymentId: string,
  write: (view: CheckoutView) => MailText,
): Promise<ReceiptMail> {
  return deps.db.transaction(async (tx) => {
    const view = await readCheckout({ ...deps, db: tx }, paymentId);
    const mail = await readReceiptMail({ ...deps, db: tx }, view);
    const email = mail === null ? null : await customerEmail(tx, view);
    if (mail === null || email === null)
      throw new AppError('INVALID_STATE', 'The receipt of this payment cannot be mailed');
    if (mail.state !== 'unsent') return mail;
    const reader = view.payment.sandbox
      ? await sandboxReader(tx, deps, { merchantId: view.merchantId, email, kind: 'receipt' })
      : null;
    if (view.payment.sandbox && reader === null) {
      await insertMail(tx, unmailed(view, deps.clock.now()));
      return { ...mail, state: 'failed' };
    }
    const waitMs = await queueMail(tx, deps, {
      id: receiptMailId(view),
      userId: reader,
      to: email,
      kind: 'receipt',
      text: write(view),
      expiresAt: deps.clock.now() + LIFETIME_MS,
    });
    if (waitMs > 0) {
      const message = 'Many receipts were mailed to this address today: try again later';
      throw new AppError('RATE_LIMITED', message, { retryAfterMs: waitMs });
    }
    return { ...mail, state: 'pending' };
  });
}

function receiptMailId({ payment }: CheckoutView): string {
  return `receipt_${payment.id}`;
}

/**
 * Where a mail to the payer of a payment may go: to the address of its customer, in the sandbox only if it is that of
 * a person of the shop; null: nowhere.
 */
export async function findPayerMailbox(
  tx: Tx,
  deps: Pick<ReceiptMailDeps, 'clock'>,
  { isTest, ...of }: PayerOf & { readonly isTest: boolean },
): Promise<Mailbox | null> {
  const email = await findPayerEmail(tx, of);
  return email === null
    ? null
    : choosePayerMailbox(tx, deps, { email, merchantId: of.merchantId, isTest, kind: 'receipt' });
}

/** A mailbox, and the person of the shop whose address it is; null: of a payer, or the operator. */
interface Mailbox {
  readonly email: string;
  readonly userId: string | null;
}

/** The mailbox of an address for mails to payers; null in the sandbox, unless it is that of a person of the shop. */
export async function choosePayerMailbox(
  tx: Tx,
  deps: Pick<ReceiptMailDeps, 'clock'>,
  {
    email,
    merchantId,
    isTest,
    kind,
  }: {
    readonly email: string;
    readonly merchantId: string;
    readonly isTest: boolean;
    readonly kind: MailRow['kind'];
  },
): Promise<Mailbox | null> {
  if (!isTest) return { email, userId: null };
  const userId = await sandboxReader(tx, deps, { merchantId, email, kind });
  return userId === null ? null : { email, userId };
}

interface PayerOf {
  readonly paymentId: string;
  readonly merchantId: string;
}

async function customerEmail(db: Db, { payment, merchantId }: CheckoutView): Promise<string | null> {
  return findPayerEmail(db, { paymentId: payment.id, merchantId });
}

async function findPayerEmail(db: Db, { paymentId, merchantId }: PayerOf): Promise<string | null> {
  const row = await findPayment(db, paymentId);
  const merchant = await findMerchant(db, merchantId);
  const customerId = row?.customerId ?? null;
  if (merchant === undefined || customerId === null) return null;
  const customer = await findUserCustomer(db, merchant.userId, customerId);
  return customer === undefined || isErased(customer) ? null : customer.email;
}

/** The person of the shop who has confirmed the address, unless their limit is reached; null: none. */
async function sandboxReader(
  tx: Tx,
  { clock }: Pick<ReceiptMailDeps, 'clock'>,
  {
    merchantId,
    email,
    kind,
  }: { readonly merchantId: string; readonly email: string; readonly kind: MailRow['kind'] },
): Promise<string | null> {
  const user = await findUserByEmail(tx, emailKey(email));
  if (user === undefined || !user.isVerified) return null;
  if ((await findReachable(tx, user.id, merchantId)) === null) return null;
  const of = { userId: user.id, kind, limit: SANDBOX_PER_HOUR };
  const sent = await mailTimesSince(tx, { ...of, since: clock.now() - HOUR_MS });
  return sent.length < SANDBOX_PER_HOUR ? user.id : null;
}

/** Placeholder row for a mail without a recipient. */
function unmailed(view: CheckoutView, now: number): MailRow {
  return {
    id: receiptMailId(view),
    userId: null,
    kind: 'receipt',
    state: 'failed',
    bodySealed: null,
    attempts: 0,
    nextAttemptAt: now,
    expiresAt: now,
    lastError: 'sandbox: not to a person of the shop',
    recipientHash: null,
    createdAt: now,
    updatedAt: now,
  };
}
