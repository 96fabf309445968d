import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import { parseFiat } from '../../domain/fiat.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { REFUND_RATES } from '../../domain/payment/refund-link.ts';
import type { Rates } from '../../domain/ports.ts';
import { toCreator } from '../../store/creators.ts';
import type { StoredApproval } from '../../store/sends/send-approvals.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findRefund } from '../../store/payments/refunds.ts';
import type { StoredSend } from '../../store/sends/sends.ts';
import {
  type Approve,
  sendOrHold,
  readAmount,
  type SendCoinsDeps,
  type SendOrder,
  type SendRequest,
  viewHeldSend,
} from '../wallet/index.ts';
import {
  findOwnPayment,
  type PaymentView,
  presentPayment,
  presentRefund,
  type RefundView,
} from '../payments/index.ts';
import { orderRefund, type RefundInput } from './refund-order.ts';
import { storeRefund } from './store-refund.ts';

export interface RefundPaymentInput extends RefundInput {
  /** The same key of the same merchant always means the same refund, even after a crash. */
  readonly idempotencyKey: string | null;
}

export interface RefundPaymentDeps extends SendCoinsDeps {
  readonly rates: Rates;
}

type HeldRefundView = ReturnType<typeof viewHeldRefund>;

/**
 * Refunds a payment from the merchant's wallet, as `sendCoins` sends: the refund is stored together with the
 * signed send, and checked there against the confirmed and unrefunded money. The payment is refunded once a
 * node accepts the last of it, and no longer if that send fails for good; the amount is then refundable
 * again.
 * @throws {AppError} PAYMENT_NOT_FOUND, INVALID_STATE (nothing refundable), VALIDATION_INVALID (coin, amount,
 * currency, destination), RATE_UNAVAILABLE and all errors of sendCoins
 */
export async function refundPayment(
  deps: RefundPaymentDeps,
  input: RefundPaymentInput,
): Promise<PaymentView & { refund: RefundView | HeldRefundView }> {
  const at = { merchantId: input.merchant.id, paymentId: input.paymentId };
  await findOwnPayment(deps.db, at);
  if (input.rate === 'current' && input.currency !== undefined) await deps.rates.ensure(input.currency);
  const { send, held } = await sendOrHold(deps, toRequest(deps, input));
  const payment = await presentPayment(deps.db, deps, await findOwnPayment(deps.db, at));
  if (send === null) return { ...payment, refund: viewHeldRefund(held) };
  // As listed with the other refunds, because it may be in a block a moment later.
  const listed = payment.refunds.find(({ sendId }) => sendId === send.id);
  return { ...payment, refund: listed ?? (await readRefund(deps.db, send.id, payment)) };
}

const storedRequest = z.object({
  paymentId: z.string(),
  destination: z.string(),
  coin: z.enum(COINS).optional(),
  amount: z.string().optional(),
  currency: z.string().optional(),
  rate: z.enum(REFUND_RATES).optional(),
  subtractFee: z.boolean().optional(),
  maxFee: z.string().optional(),
});

/** Makes a refund that was approved: exactly the coins that were shown. @throws {AppError} like refundPayment */
export async function refundApproved(
  deps: RefundPaymentDeps,
  {
    merchant,
    held,
    approve,
  }: { readonly merchant: RefundInput['merchant']; readonly held: StoredApproval; readonly approve: Approve },
): Promise<void> {
  const stored = storedRequest.parse(JSON.parse(held.requestJson));
  const input: RefundPaymentInput = {
    ...stored,
    merchant,
    creator: toCreator(held),
    idempotencyKey: held.idempotencyKey,
  };
  const request = toRequest(deps, input);
  const coins = { amount: BigInt(held.ordered), subtractFee: held.subtractFee };
  await sendOrHold(deps, {
    ...request,
    order: async (db) => ({ ...(await orderRefund(db, deps, inCoins(input, held))), ...coins }),
    approval: { id: held.id, maxFee: BigInt(held.maxFee), approve },
  });
}

/** The amount is fixed in coins; the price may have changed since. */
function inCoins(input: RefundPaymentInput, { ordered, coin, subtractFee }: StoredApproval): RefundInput {
  const { currency: _currency, rate: _rate, ...rest } = input;
  return { ...rest, coin, amount: formatCoinAmount(BigInt(ordered), coin), subtractFee };
}

function toRequest(deps: RefundPaymentDeps, input: RefundPaymentInput): SendRequest {
  const { merchant, paymentId, idempotencyKey, creator = null } = input;
  const { destination, amount, currency, rate, subtractFee, maxFee } = input;
  let request: RefundInput = input;
  return {
    merchantId: merchant.id,
    creator,
    idempotencyKey,
    hold: {
      kind: 'refund',
      paymentId,
      request: { paymentId, destination, coin: input.coin, amount, currency, rate, subtractFee, maxFee },
    },
    repeated: async (db, earlier) => repeatedRefund(db, earlier, input),
    order: async (db) => {
      const order = await orderRefund(db, deps, request);
      // The choice is fixed, because another coin may arrive, or the price change, while the node quotes its
      // fee.
      request = { ...withFixedCoins(input, order), coin: order.coin };
      return order;
    },
    stored: async (tx, send, { amount }) => {
      await storeRefund(tx, deps, { send, paymentId, atoms: amount }, orderedFiat(input));
    },
  };
}

/** A refund that waits for an approval, as the API presents refunds. */
function viewHeldRefund(held: StoredApproval) {
  const { amount, fee, maxFee, destination, status, expiresAt, createdAt } = viewHeldSend(held);
  const { id: sendId, coin, ordered } = held;
  return {
    sendId,
    coin,
    refunded: formatCoinAmount(BigInt(ordered), coin),
    amount,
    fee,
    maxFee,
    feeLimited: false,
    fiatAmount: null,
    linkId: null,
    txHash: null,
    destination,
    status,
    error: null,
    expiresAt,
    createdAt,
  };
}

/** Fixes the number of coins at the current price, regardless of price changes before the send. */
function withFixedCoins(input: RefundInput, { coin, amount }: SendOrder): RefundInput {
  if (input.currency === undefined || input.rate !== 'current') return input;
  const { currency: _currency, rate: _rate, ...inCoins } = input;
  return { ...inCoins, amount: formatCoinAmount(amount, coin) };
}

function orderedFiat({ amount, currency, rate = 'received' }: RefundInput) {
  if (amount === undefined || currency === undefined)
    return { fiatAmount: null, rate: null, minorUnits: null };
  const minorUnits = rate === 'current' ? parseFiat(amount, currency).minor : null;
  return { fiatAmount: amount, rate, minorUnits };
}

/** Lists are truncated, so a repeated refund may be older than all listed ones. */
async function readRefund(
  db: Db,
  sendId: string,
  payment: Pick<PaymentView, 'amount' | 'currency'>,
): Promise<RefundView> {
  const refund = await findRefund(db, sendId);
  if (refund === undefined) throw new Error(`send ${sendId} was stored without its refund`);
  return presentRefund(refund, payment);
}

/** A repeat must name what was sent; fields that it omits were decided then. */
async function repeatedRefund(db: Db, send: StoredSend, input: RefundPaymentInput): Promise<StoredSend> {
  const { coin, amount, subtractFee } = input;
  const earlier = await findRefund(db, send.id);
  const orderedFiatAmount = orderedFiat(input);
  const same =
    earlier?.paymentId === input.paymentId &&
    earlier.fiatAmount === orderedFiatAmount.fiatAmount &&
    earlier.rate === orderedFiatAmount.rate &&
    send.destination === input.destination.trim() &&
    (coin === undefined || send.coin === coin) &&
    (amount === undefined ||
      orderedFiatAmount.fiatAmount !== null ||
      readAmount(amount, send.coin) === BigInt(send.ordered)) &&
    (subtractFee ?? amount === undefined) === send.subtractFee;
  if (same) return send;
  throw new AppError('IDEMPOTENCY_MISMATCH', 'this Idempotency-Key was used for another request');
}
