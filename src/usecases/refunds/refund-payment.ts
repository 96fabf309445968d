import { AppError } from '../../domain/errors.ts';
import { currencyDigits } from '../../domain/currencies.ts';
import { formatCoinAmount, parseDecimal } from '../../domain/money.ts';
import type { Rates } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findRefund } from '../../store/payments/refunds.ts';
import type { StoredSend } from '../../store/sends/sends.ts';
import { placeSend, readAmount, type SendCoinsDeps, type SendOrder } from '../wallet/index.ts';
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
  /** The same key of the same merchant is the same refund for ever, also after a crash. */
  readonly idempotencyKey: string | null;
}

export interface RefundPaymentDeps extends SendCoinsDeps {
  readonly rates: Rates;
}

/**
 * Sends a payment's money back to its payer from the merchant's wallet, as `sendCoins` sends: the
 * refund is stored together with the signed send, checked there against everything that was
 * received for good and not refunded yet. The payment is refunded once a node took the last of it,
 * and no longer if that send fails for good; the amount is then free to be refunded again.
 * @throws {AppError} PAYMENT_NOT_FOUND, INVALID_STATE (nothing refundable), VALIDATION_INVALID
 * (coin, amount, currency, destination), RATE_UNAVAILABLE and everything that sendCoins throws
 */
export async function refundPayment(
  deps: RefundPaymentDeps,
  input: RefundPaymentInput,
): Promise<PaymentView & { refund: RefundView }> {
  const { merchant, paymentId, idempotencyKey } = input;
  const at = { merchantId: merchant.id, paymentId };
  await findOwnPayment(deps.db, at);
  let wish: RefundInput = input;
  if (input.rate === 'current' && input.currency !== undefined) await deps.rates.ensure(input.currency);
  const send = await placeSend(deps, {
    merchantId: merchant.id,
    idempotencyKey,
    repeated: async (db, earlier) => repeatedRefund(db, earlier, input),
    order: async (db) => {
      const order = await orderRefund(db, deps, wish);
      // Another coin may come in, or the price move, while the node is asked for its fee: the choice stays.
      wish = { ...withFixedCoins(input, order), coin: order.coin };
      return order;
    },
    stored: async (tx, send, { amount }) => {
      await storeRefund(tx, deps, { send, paymentId, atoms: amount }, fiatOf(input));
    },
  });
  const payment = await presentPayment(deps.db, deps, await findOwnPayment(deps.db, at));
  // As it is shown among the others: it may be in a block a moment later.
  const listed = payment.refunds.find(({ sendId }) => sendId === send.id);
  return { ...payment, refund: listed ?? (await readRefund(deps.db, send.id, payment)) };
}

/** Coins bought at the price of now are so many, however it moves until they are sent. */
function withFixedCoins(input: RefundInput, { coin, amount }: SendOrder): RefundInput {
  if (input.currency === undefined || input.rate !== 'current') return input;
  const { currency: _currency, rate: _rate, ...wish } = input;
  return { ...wish, amount: formatCoinAmount(amount, coin) };
}

function fiatOf({ amount, currency, rate = 'received' }: RefundInput) {
  if (amount === undefined || currency === undefined)
    return { fiat_amount: null, rate: null, minorUnits: null };
  const minorUnits = rate === 'current' ? parseDecimal(amount, currencyDigits(currency) ?? 0) : null;
  return { fiat_amount: amount, rate, minorUnits };
}

/** Lists are cut: a refund that is asked for again may be older than all that are shown. */
async function readRefund(
  db: Db,
  sendId: string,
  payment: Pick<PaymentView, 'amount' | 'currency'>,
): Promise<RefundView> {
  const refund = await findRefund(db, sendId);
  if (refund === undefined) throw new Error(`send ${sendId} was stored without its refund`);
  return presentRefund(refund, payment);
}

/** What the request names must be what was sent; what it leaves open was decided then. */
async function repeatedRefund(db: Db, send: StoredSend, input: RefundPaymentInput): Promise<StoredSend> {
  const { coin, amount, subtractFee } = input;
  const earlier = await findRefund(db, send.id);
  const asked = fiatOf(input);
  const same =
    earlier?.payment_id === input.paymentId &&
    earlier.fiat_amount === asked.fiat_amount &&
    earlier.rate === asked.rate &&
    send.destination === input.destination.trim() &&
    (coin === undefined || send.coin === coin) &&
    (amount === undefined ||
      asked.fiat_amount !== null ||
      readAmount(amount, send.coin) === BigInt(send.ordered)) &&
    (subtractFee ?? amount === undefined) === (send.subtract_fee === 1);
  if (same) return send;
  throw new AppError('IDEMPOTENCY_MISMATCH', 'this Idempotency-Key was used for something else');
}
