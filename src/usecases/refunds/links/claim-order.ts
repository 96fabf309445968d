import { AppError } from '../../../domain/errors.ts';
import { depthToLeave } from '../../../domain/payment/remaining-refundable.ts';
import { toCreator } from '../../../store/creators.ts';
import { findMerchant } from '../../../store/merchants/merchants.ts';
import { findPayment } from '../../../store/payments/payments.ts';
import { findRefundLink, type StoredRefundLink } from '../../../store/payments/refund-links.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { loadPayment, type LoadPaymentDeps } from '../../payments/index.ts';
import { nothingRefundable } from '../refundable.ts';
import { outputsForRefund } from '../unproven-failures.ts';
import type { SendCoinsDeps, SendOrder } from '../../wallet/index.ts';
import { remainingForClaim } from './remaining-claim.ts';

/** What a claim sends. */
export interface Claim {
  readonly coin: NonNullable<StoredRefundLink['coin']>;
  readonly atoms: bigint;
  readonly destination: string;
}

/** The terms of a link on which the send for a claim depends. */
export type LinkTerms = Pick<
  StoredRefundLink,
  'merchantId' | 'mode' | 'deductFee' | 'creatorKind' | 'creatorId'
>;

/** The send that pays a claim on a link. */
export async function toSendOrder(db: Db, link: LinkTerms, claim: Claim): Promise<SendOrder> {
  const merchant = await findMerchant(db, link.merchantId);
  if (merchant === undefined) throw new Error(`merchant ${link.merchantId} does not exist`);
  return {
    coin: claim.coin,
    mode: link.mode,
    merchantId: link.merchantId,
    account: merchant.account,
    destination: claim.destination,
    amount: claim.atoms,
    subtractFee: link.deductFee,
    feeField: 'deductFee',
    // The payer chooses the time and the coin, so the fee never exceeds the refunded amount.
    maxFee: claim.atoms,
    // No key can set it.
    freeFee: claim.atoms,
    creator: toCreator(link),
  };
}

/**
 * The send for a waiting claim. Inside a transaction the result stays valid until its end, which prevents
 * that a claim is paid twice, or after it was cancelled.
 * @throws {AppError} INVALID_STATE when it no longer waits, or its money is missing
 */
export async function orderClaim(
  db: Db,
  deps: Pick<SendCoinsDeps, 'policy' | 'confirmations'>,
  linkId: string,
): Promise<SendOrder> {
  const link = await findRefundLink(db, linkId);
  if (link === undefined) throw new Error(`refund link ${linkId} does not exist`);
  const isAgreed = link.status === 'approved' || (link.status === 'claimed' && !link.approval);
  const { coin, claimed, destination } = link;
  if (!isAgreed || link.sendId !== null || coin === null || claimed === null || destination === null) {
    throw new AppError('INVALID_STATE', 'the claim no longer waits for a send');
  }
  const row = await findPayment(db, link.paymentId);
  if (row === undefined) throw new Error(`payment ${link.paymentId} does not exist`);
  const payment = await loadPayment(db, deps, row);
  const atoms = BigInt(claimed);
  if (remainingForClaim(link, payment, coin) < atoms) throw nothingRefundable(payment, coin);
  const order = await toSendOrder(db, link, { coin, atoms, destination });
  return { ...order, only: await outputsForRefund(db, deps, { coin, paymentId: row.id }) };
}

/**
 * The confirmations that a claim waits for while its money is present but not yet deep enough; null where it
 * does not wait for them.
 */
export async function pendingConfirmationsOfClaim(
  db: Db,
  deps: LoadPaymentDeps,
  link: StoredRefundLink,
): Promise<string | null> {
  const { coin, claimed } = link;
  const row = await findPayment(db, link.paymentId);
  if (row === undefined || coin === null || claimed === null || link.sendId !== null) return null;
  const payment = await loadPayment(db, deps, row);
  const isDeep = remainingForClaim(link, payment, coin) >= BigInt(claimed);
  if (isDeep || remainingForClaim(link, payment, coin, { mayWait: true }) < BigInt(claimed)) return null;
  return `It is sent once the ${coin} of the payment has ${depthToLeave(payment.state, coin)} confirmations`;
}
