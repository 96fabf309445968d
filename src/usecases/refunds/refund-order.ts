import { COINS, type Coin } from '../../domain/coins.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { liveCredits } from '../../domain/payment/machine.ts';
import { refundableMoney } from '../../domain/payment/refunds.ts';
import { findWatched } from '../../store/ledger/addresses.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { chainFor, readAmount, type SendOrder } from '../sends/send-order.ts';
import type { SendCoinsDeps } from '../sends/send-coins.ts';
import { ownPayment } from '../payments/get-payment.ts';
import { loadPayment, type LoadedPayment } from '../payments/load-payment.ts';

/** What the caller wants given back; texts as they came in. */
export interface RefundInput {
  readonly merchant: Pick<MerchantRow, 'id' | 'account'>;
  readonly paymentId: string;
  readonly destination: string;
  /** Needed only when money came in several coins. */
  readonly coin?: Coin | undefined;
  /** In the coin's unit; everything that can still be refunded when left out. */
  readonly amount?: string | undefined;
  /** Without an amount the fee comes out of the refund, with one it is paid on top, unless said otherwise. */
  readonly subtractFee?: boolean | undefined;
}

/**
 * The send that a refund comes to as things stand: in the payment's own mode, whatever mode the
 * merchant is in now. Inside a transaction the answer holds until its end.
 * @throws {AppError} PAYMENT_NOT_FOUND, INVALID_STATE, VALIDATION_INVALID, COIN_UNAVAILABLE
 */
export async function orderRefund(
  db: Db,
  deps: Pick<SendCoinsDeps, 'chains'>,
  input: RefundInput,
): Promise<SendOrder> {
  const { merchant, paymentId } = input;
  const payment = await loadPayment(db, await ownPayment(db, { merchantId: merchant.id, paymentId }));
  const coin = refundCoin(payment, input.coin);
  const order: SendOrder = {
    coin,
    mode: payment.row.mode,
    merchantId: merchant.id,
    account: merchant.account,
    destination: input.destination.trim(),
    amount: refundAmount(payment, coin, input.amount),
    subtractFee: input.subtractFee ?? input.amount === undefined,
  };
  await refuseOwnAddress(db, deps, order);
  return order;
}

function refundCoin(payment: LoadedPayment, wanted: Coin | undefined): Coin {
  if (wanted !== undefined) {
    if (payment.state.options[wanted] === undefined) {
      throw invalidField('coin', `this payment takes no ${wanted}`);
    }
    return wanted;
  }
  const live = liveCredits(payment.state);
  const [coin, ...others] = COINS.filter((candidate) => live.some((credit) => credit.coin === candidate));
  if (coin === undefined) throw new AppError('INVALID_STATE', 'No money of this payment is there to refund');
  if (others.length > 0) {
    throw invalidField(
      'coin',
      `name one of ${[coin, ...others].join(', ')}: all of them were paid`,
      'required',
    );
  }
  return coin;
}

function refundAmount(payment: LoadedPayment, coin: Coin, wanted: string | undefined): bigint {
  const amount = wanted === undefined ? null : readAmount(wanted, coin);
  const left = refundableMoney(payment.state, coin) - spokenFor(payment, coin);
  if (left <= 0n) throw nothingLeft(payment, coin);
  if (amount === null) return left;
  if (amount <= left) return amount;
  throw invalidField('amount', `at most ${formatCoinAmount(left, coin)} ${coin} can still be refunded`);
}

/** What refunds take already, sent or under way; those that failed for good take nothing. */
function spokenFor(payment: LoadedPayment, coin: Coin): bigint {
  const { refundedAt, refundedBy } = payment.state;
  const since = refundedBy === 'merchant' ? (refundedAt ?? 0) : 0;
  return payment.refunds
    .filter((refund) => refund.coin === coin && refund.status !== 'failed' && refund.created_at >= since)
    .reduce((sum, refund) => sum + BigInt(refund.refunded), 0n);
}

function nothingLeft(payment: LoadedPayment, coin: Coin): AppError {
  if (payment.state.refundedBy === 'merchant') {
    return new AppError('INVALID_STATE', 'This payment is recorded as refunded elsewhere');
  }
  const settled = refundableMoney(payment.state, coin);
  const live = liveCredits(payment.state).some((credit) => credit.coin === coin);
  if (live && settled === 0n) {
    return new AppError('INVALID_STATE', `The ${coin} of this payment has not all its confirmations yet`);
  }
  return new AppError('INVALID_STATE', `No ${coin} of this payment is left to refund`);
}

/** The merchant's own addresses give nothing back to anybody. */
async function refuseOwnAddress(
  db: Db,
  deps: Pick<SendCoinsDeps, 'chains'>,
  order: SendOrder,
): Promise<void> {
  const adapter = chainFor(deps.chains, order);
  const [known] = await findWatched(db, order, [adapter.watchKey(order.destination)]);
  if (known?.merchant_id === order.merchantId) {
    throw invalidField('destination', 'is an address of your own: a refund goes to the payer');
  }
}
