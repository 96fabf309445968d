import { formatCoinAmount } from '../../../domain/money.ts';
import { orderBudget, requireWithin } from '../../../domain/send/fee-budget.ts';
import type { SendCoinsDeps } from './make-send.ts';
import { planOrder, sumPlan } from './plan-order.ts';
import { quoteFee } from './quote-fee.ts';
import { chainFor, readOrder, type SendInput } from './send-order.ts';
import { orderedAmount } from './store-send.ts';
import { withSource } from './watched-source.ts';

export interface FeeEstimate {
  /** The total of all its transactions. */
  readonly fee: string;
  /** The amount that the destination would receive. */
  readonly amount: string;
  /** The amount that would leave the wallet. */
  readonly total: string;
  /** The fee budget that the send would have. Where the fee is above it, the send needs a higher `maxFee`. */
  readonly maxFee: string;
}

/**
 * Estimates the cost of a send made now; nothing is stored or reserved.
 * @throws {AppError} like `sendCoins` before it signs; FEE_ABOVE_LIMIT for an ordered limit only.
 */
export async function estimateFee(
  deps: Pick<SendCoinsDeps, 'db' | 'chains' | 'clock' | 'deriver' | 'policy' | 'readWatchAccount'>,
  input: SendInput,
): Promise<FeeEstimate> {
  const order = await withSource(deps.db, deps, readOrder(input), input.from);
  const adapter = chainFor(deps.chains, order);
  const quote = await quoteFee(deps, adapter, order);
  const plan = await planOrder(deps.db, deps, order, { adapter, quote });
  const { coin, maxFee = null } = order;
  const totals = sumPlan(plan);
  const { amount, fee } = totals;
  if (maxFee !== null) requireWithin(maxFee, fee, coin);
  const budget = orderBudget({ amount: orderedAmount(order, totals), maxFee }, totals, { ...deps, quote });
  return {
    fee: formatCoinAmount(fee, coin),
    amount: formatCoinAmount(amount, coin),
    total: formatCoinAmount(amount + fee, coin),
    maxFee: formatCoinAmount(budget, coin),
  };
}
