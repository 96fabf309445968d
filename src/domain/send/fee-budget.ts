import type { FeeQuote, SendPlan } from '../chain.ts';
import type { Coin } from '../coins.ts';
import { AppError } from '../errors.ts';
import { formatCoinAmount } from '../money.ts';
import { virtualSize } from './package-fee.ts';
import type { SendPolicy } from './policy.ts';

/**
 * The fee budget of a send: the most that the network may take for it, raises, renewals and its cancellation included.
 * It is set at birth, and the store refuses a version above it. Atoms; rates in atoms per 1,000 units of size.
 */

type Share = Pick<SendPolicy, 'maxFeeShareBps'>;
type Planned = Pick<SendPlan, 'fee' | 'feeRate'>;

const BPS = 10_000n;
/** A move within the wallet that no fee rate has started is worth it while the fee is at most a twentieth of it. */
const LEAST_MULTIPLE_OF_FEE = 20n;

/**
 * Budget of a send that was ordered: the ordered limit, else a share of the amount. Whatever the share, the amount may
 * pay the rate below which the network relays nothing, and the send the fee at which it was ordered: an order without a
 * limit accepts the fee of that moment, not a higher one later.
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
 * Budget of a move within the wallet that starts while fee rates are low: what its size costs at the highest rate at
 * which it starts, and never more than the share of what it moves.
 * @param plan made at that rate or a lower one
 */
export function consolidationBudget(
  plan: Planned,
  terms: { readonly moved: bigint; readonly startsBelow: bigint; readonly policy: Share },
): bigint {
  const { moved, startsBelow, policy } = terms;
  // The planned rate is rounded down: this is the smallest size that it allows.
  const size = (plan.fee * 1000n) / (plan.feeRate + 1n) + 1n;
  return smaller(shareOfMove(moved, policy), larger((size * startsBelow) / 1000n, plan.fee));
}

/** Budget of a move within the wallet that starts once it is worth its fee. A sweep is not urgent: fees may fall again. */
export function sweepBudget(moved: bigint, policy: Share): bigint {
  return smaller(shareOfMove(moved, policy), moved / LEAST_MULTIPLE_OF_FEE);
}

/** A share of zero forbids every raise of an order. A move has no fee that was accepted: without any, none would start. */
function shareOfMove(moved: bigint, policy: Share): bigint {
  return policy.maxFeeShareBps === 0 ? moved / LEAST_MULTIPLE_OF_FEE : feeShare(moved, policy);
}

/**
 * Budget of what uses up a nonce so that later sends can be mined: what their own budgets allow together, which covers
 * the fee that each was ordered at, or the share of what waits if that is more.
 */
export function gapBudget(waiting: bigint, budgets: bigint, policy: Share): bigint {
  return larger(feeShare(waiting, policy), budgets);
}

/** The share of an amount that its fee stays within where no other limit was ordered. */
function feeShare(amount: bigint, { maxFeeShareBps }: Share): bigint {
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

/** FEE_ABOVE_LIMIT that says how a caller who agrees to the fee can pay it. */
export function feeAboveLimit(fee: bigint, budget: bigint, coin: Coin): AppError {
  const [asked, most] = [fee, budget].map((atoms) => `${formatCoinAmount(atoms, coin)} ${coin}`);
  const message = `the network fee of ${asked} is above the limit of ${most}: wait until fees fall, or give a higher maxFee`;
  return new AppError('FEE_ABOVE_LIMIT', message);
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
