import type { FeeQuote, SendPlan } from '../chain.ts';
import type { Coin } from '../coins.ts';
import { AppError } from '../errors.ts';
import { formatCoinAmount } from '../money.ts';
import { virtualSize } from './package-fee.ts';
import type { SendPolicy } from './policy.ts';

/**
 * The fee budget of a send: the maximum that all its transactions may pay to the network, including fee
 * bumps, renewals and its cancellation. It is set at creation, and the store rejects a version above it.
 * Atoms; rates in atoms per 1,000 units of size.
 */

type Share = Pick<SendPolicy, 'maxFeeShareBps'>;
type Planned = Pick<SendPlan, 'fee' | 'feeRate'>;

const BPS = 10_000n;
/** A transfer within the wallet is worth its fee only if the fee is at most a twentieth of the amount. */
const LEAST_MULTIPLE_OF_FEE = 20n;

/**
 * Budget of an ordered send: the ordered limit, or else a share of the amount. In any case it allows the
 * minimum relay rate and the fee at the time of the order: an order without a limit accepts the current fee,
 * not a higher one later.
 */
export function orderBudget(
  { amount, maxFee = null }: { readonly amount: bigint; readonly maxFee?: bigint | null },
  plan: Planned,
  { quote, policy }: { readonly quote: Pick<FeeQuote, 'minimum'>; readonly policy: Share },
): bigint {
  if (maxFee !== null) return maxFee;
  const relayFee = (virtualSize(plan.fee, plan.feeRate) * (quote.minimum ?? 0n) + 999n) / 1000n;
  return larger(larger(feeShare(amount, policy), smaller(relayFee, amount)), plan.fee);
}

/**
 * Budget of a transfer within the wallet that starts while fee rates are low: its size at the highest rate at
 * which it starts, and at most its share of the amount.
 * @param plan made at that rate or a lower one
 */
export function consolidationBudget(
  plan: Planned,
  terms: { readonly moved: bigint; readonly startsBelow: bigint; readonly policy: Share },
): bigint {
  const { moved, startsBelow, policy } = terms;
  // The planned rate is rounded down, so this is the smallest possible size.
  const size = (plan.fee * 1000n) / (plan.feeRate + 1n) + 1n;
  return smaller(shareOfMove(moved, policy), larger((size * startsBelow) / 1000n, plan.fee));
}

/**
 * Budget of a transfer within the wallet that starts once it is worth its fee. A sweep is not urgent, because
 * fees may fall again.
 */
export function sweepBudget(moved: bigint, policy: Share): bigint {
  return smaller(shareOfMove(moved, policy), moved / LEAST_MULTIPLE_OF_FEE);
}

/**
 * A share of zero forbids every fee bump of an order. A transfer within the wallet has no accepted fee, so it
 * would never start without a budget.
 */
function shareOfMove(moved: bigint, policy: Share): bigint {
  return policy.maxFeeShareBps === 0 ? moved / LEAST_MULTIPLE_OF_FEE : feeShare(moved, policy);
}

/**
 * Budget of a transaction that fills a nonce gap so that later sends can be mined: the sum of their own
 * budgets, which covers the fee that each was ordered at, or the share of the waiting amount if that is
 * higher.
 */
export function nonceGapBudget(waiting: bigint, budgets: bigint, policy: Share): bigint {
  return larger(feeShare(waiting, policy), budgets);
}

/** The maximum fee as a share of the amount where no other limit was ordered. */
export function feeShare(amount: bigint, { maxFeeShareBps }: Share): bigint {
  return (amount * BigInt(maxFeeShareBps)) / BPS;
}

/** The fee rate at which a transaction of the same size would cost the whole budget. */
export function rateWithin(budget: bigint, { fee, feeRate }: Planned): bigint {
  const size = virtualSize(fee, feeRate);
  return size === 0n ? 0n : (budget * 1000n) / size;
}

/** @throws {AppError} FEE_ABOVE_LIMIT */
export function requireWithin(budget: bigint, fee: bigint, coin: Coin): void {
  if (fee > budget) throw feeAboveLimit(fee, budget, coin);
}

/** FEE_ABOVE_LIMIT whose message says how a caller who agrees to the fee can pay it. */
export function feeAboveLimit(fee: bigint, budget: bigint, coin: Coin): AppError {
  const [feeText, most] = [fee, budget].map((atoms) => `${formatCoinAmount(atoms, coin)} ${coin}`);
  const message = `the network fee of ${feeText} is above the limit of ${most}: wait until fees fall, or set a higher maxFee`;
  return new AppError('FEE_ABOVE_LIMIT', message);
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
