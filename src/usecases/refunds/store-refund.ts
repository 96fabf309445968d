import type { Insertable } from 'kysely';
import { parseFiat } from '../../domain/fiat.ts';
import { remainingRefundable } from '../../domain/payment/remaining-refundable.ts';
import { nextPosition } from '../../domain/payment/credits.ts';
import { completedBy } from '../../domain/payment/status.ts';
import { findPayment } from '../../store/payments/payments.ts';
import { updateRefundLink, type StoredRefundLink } from '../../store/payments/refund-links.ts';
import { insertRefund } from '../../store/payments/refunds.ts';
import type { RefundRow } from '../../store/schema/payments.ts';
import type { StoredSend } from '../../store/sends/sends.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import {
  type ApplyFactsDeps,
  applyRefunds,
  type LoadedPayment,
  loadPayment,
  refundColumns,
} from '../payments/index.ts';
import { nothingRefundable, refundShare } from './refundable.ts';
import { requireNoSecondPayment } from './unproven-failures.ts';
import type { SendPolicy } from '../../domain/send/policy.ts';

interface StoreRefundDeps extends ApplyFactsDeps {
  readonly policy: SendPolicy;
}

/** A refund whose send was just stored. */
interface NewRefund {
  readonly send: StoredSend;
  readonly paymentId: string;
  /** Atoms of the payment's money. */
  readonly atoms: bigint;
}

/**
 * Stores the refund of a send in its transaction, with the share of the price that it returns. It is the only
 * way in which money leaves a payment, so that no more leaves than is refundable, and only money that is deep
 * enough.
 * @param fiat as ordered; its minor units if it is returned at the current rate
 * @throws {AppError} INVALID_STATE
 */
export async function storeRefund(
  tx: Tx,
  deps: StoreRefundDeps,
  refund: NewRefund,
  fiat: Pick<RefundRow, 'fiatAmount' | 'rate'> & { readonly minorUnits: bigint | null },
): Promise<void> {
  const payment = await readPayment(tx, deps, refund.paymentId);
  const left = remainingRefundable(payment.state, refund.send.coin);
  if (left.atoms < refund.atoms) throw nothingRefundable(payment, refund.send.coin);
  const { fiatAmount, rate, minorUnits } = fiat;
  await insert(tx, deps, payment, refund, {
    fiatAmount,
    rate,
    linkId: null,
    ...refundColumns({
      ...refundShare(payment, left, refund.atoms, minorUnits),
      completedBy: completedBy(payment.state),
    }),
  });
  await applyRefunds(tx, deps, refund.paymentId);
}

/**
 * Stores the refund that pays a claim on a link. Its value is that of the money that pays it: the money that it
 * was claimed of may have left the chain since.
 * @throws {AppError} INVALID_STATE
 */
export async function storeClaimedRefund(
  tx: Tx,
  deps: StoreRefundDeps,
  refund: NewRefund,
  link: StoredRefundLink,
): Promise<void> {
  const payment = await readPayment(tx, deps, refund.paymentId);
  const left = remainingRefundable(payment.state, refund.send.coin, { ownLink: link.id });
  const claim = payment.state.refunds.find(({ id, stage }) => id === link.id && stage === 'promised');
  if (claim === undefined || left.atoms < refund.atoms) throw nothingRefundable(payment, refund.send.coin);
  const minorUnits = link.rate === 'current' ? parseFiat(link.amount, link.currency).minor : null;
  await insert(tx, deps, payment, refund, {
    fiatAmount: link.amount,
    rate: link.rate,
    linkId: link.id,
    ...refundColumns({
      ...refundShare(payment, left, refund.atoms, minorUnits),
      completedBy: claim.completedBy,
    }),
  });
  const now = deps.clock.now();
  await updateRefundLink(tx, link.id, { sendId: refund.send.id, problem: null, updatedAt: now });
  await applyRefunds(tx, deps, refund.paymentId);
}

async function readPayment(tx: Tx, deps: StoreRefundDeps, paymentId: string): Promise<LoadedPayment> {
  const row = await findPayment(tx, paymentId);
  if (row === undefined) throw new Error(`payment ${paymentId} does not exist`);
  return loadPayment(tx, deps, row);
}

async function insert(
  tx: Tx,
  deps: StoreRefundDeps,
  payment: LoadedPayment,
  { send, paymentId, atoms }: NewRefund,
  given: Pick<Insertable<RefundRow>, 'fiatAmount' | 'rate' | 'linkId'> & ReturnType<typeof refundColumns>,
): Promise<void> {
  await requireNoSecondPayment(tx, deps, { send, paymentId });
  await insertRefund(tx, {
    ...given,
    sendId: send.id,
    paymentId,
    coin: send.coin,
    amount: atoms.toString(),
    createdAt: send.createdAt,
    position: nextPosition(payment.state),
  });
}
