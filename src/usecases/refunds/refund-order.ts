import type { Creator } from '../../domain/actor.ts';
import { COINS, type Coin } from '../../domain/coins.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import { remainingRefundable } from '../../domain/payment/remaining-refundable.ts';
import { liveCredits } from '../../domain/payment/payment-machine.ts';
import { policyIn } from '../../domain/payment/terms.ts';
import type { RefundRate } from '../../domain/payment/refund-link.ts';
import { findWatched } from '../../store/ledger/addresses.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { chainFor, readAmount, readMaxFee, type SendCoinsDeps, type SendOrder } from '../wallet/index.ts';
import { findOwnGroupLead, type LoadedPayment, loadPayment } from '../payments/index.ts';
import {
  nothingRefundable,
  readFiat,
  requireKnownRate,
  requireRefundable,
  toAtoms,
  exchangeRateFor,
} from './refundable.ts';
import { outputsForRefund } from './unproven-failures.ts';

/** The requested refund; texts as received. */
export interface RefundInput {
  readonly merchant: Pick<MerchantRow, 'id' | 'account'>;
  /** Who orders it; absent: unknown. */
  readonly creator?: Creator | null | undefined;
  readonly paymentId: string;
  readonly destination: string;
  /** Required only when money came in several coins. */
  readonly coin?: Coin | undefined;
  /** In the coin's unit, or in `currency`; defaults to the whole refundable amount. */
  readonly amount?: string | undefined;
  /** Makes `amount` fiat, in the payment's own currency. */
  readonly currency?: string | undefined;
  /** The rate that converts it into coins; defaults to the rate at receipt. */
  readonly rate?: RefundRate | undefined;
  /** By default the fee is taken out of the refund without an amount, and paid on top with one. */
  readonly subtractFee?: boolean | undefined;
  /** Fee budget of its send, in the coin; defaults to a share of the amount. */
  readonly maxFee?: string | undefined;
}

/**
 * The send of a refund in the current state: in the payment's own mode, regardless of the merchant's current
 * mode. Inside a transaction the result stays valid until its end.
 * @throws {AppError} PAYMENT_NOT_FOUND, INVALID_STATE, VALIDATION_INVALID, COIN_UNAVAILABLE, RATE_UNAVAILABLE
 */
export async function orderRefund(
  db: Db,
  deps: Pick<SendCoinsDeps, 'chains' | 'rates' | 'policy' | 'confirmations'>,
  input: RefundInput,
): Promise<SendOrder> {
  const { merchant, paymentId } = input;
  const payment = await loadPayment(
    db,
    deps,
    await findOwnGroupLead(db, { merchantId: merchant.id, paymentId }),
  );
  const coin = refundCoin(payment, input.coin);
  const order: SendOrder = {
    coin,
    mode: payment.row.mode,
    merchantId: merchant.id,
    account: merchant.account,
    destination: input.destination.trim(),
    amount: refundAmount(deps, payment, coin, input),
    subtractFee: input.subtractFee ?? input.amount === undefined,
    maxFee: readMaxFee(input.maxFee, coin),
    creator: input.creator ?? null,
    only: await outputsForRefund(db, deps, { coin, paymentId }),
  };
  await rejectOwnRefundAddress(db, deps, order);
  return order;
}

function refundCoin(payment: LoadedPayment, wanted: Coin | undefined): Coin {
  if (wanted !== undefined) {
    if (policyIn(payment.state, wanted) === undefined) {
      throw invalidField('coin', `this payment does not accept ${wanted}`);
    }
    return wanted;
  }
  const live = liveCredits(payment.state);
  const [coin, ...others] = COINS.filter((candidate) => live.some((credit) => credit.coin === candidate));
  if (coin === undefined) throw new AppError('INVALID_STATE', 'This payment has no money to refund');
  if (others.length > 0) {
    throw invalidField(
      'coin',
      `name one of ${[coin, ...others].join(', ')}: all of them were paid`,
      'required',
    );
  }
  return coin;
}

function refundAmount(
  deps: Pick<SendCoinsDeps, 'rates'>,
  payment: LoadedPayment,
  coin: Coin,
  { amount, currency, rate = 'received' }: RefundInput,
): bigint {
  const inFiat =
    amount === undefined || currency === undefined ? null : readFiat({ amount, currency }, payment);
  const inCoins = amount === undefined || inFiat !== null ? null : readAmount(amount, coin);
  const left = remainingRefundable(payment.state, coin);
  if (left.atoms <= 0n) throw nothingRefundable(payment, coin);
  if (inFiat !== null) {
    const worth = exchangeRateFor(deps.rates, payment, left, rate);
    const atoms = toAtoms(inFiat, worth, coin);
    if (rate === 'received') requireKnownRate(left, atoms);
    return requireRefundable(atoms, left.atoms, { coin, payment, worth });
  }
  return inCoins === null
    ? left.atoms
    : requireRefundable(inCoins, left.atoms, { coin, payment, worth: null });
}

/** A refund to one of the merchant's own addresses would return nothing to the payer. */
export async function rejectOwnRefundAddress(
  db: Db,
  deps: Pick<SendCoinsDeps, 'chains'>,
  order: SendOrder,
): Promise<void> {
  const adapter = chainFor(deps.chains, order);
  const [known] = await findWatched(db, order, [adapter.watchKey(order.destination)]);
  if (known?.merchantId === order.merchantId) {
    throw invalidField(
      'destination',
      'is an address of your own wallet: a refund goes to the payer',
      'own_address',
    );
  }
}
