import { formatCoinAmount } from '../../domain/money.ts';
import type { SendCoinsDeps } from './send-coins.ts';
import { planOrder } from './plan-order.ts';
import { quoteFee } from './quote-fee.ts';
import { chainFor, readOrder, type SendInput } from './send-order.ts';

export interface FeeEstimate {
  readonly fee: string;
  /** What the destination would receive. */
  readonly amount: string;
  /** What would leave the wallet. */
  readonly total: string;
}

/**
 * Estimates the cost of a send made now; nothing is stored or reserved.
 * @throws {AppError} the same as `sendCoins` before it signs.
 */
export async function estimateFee(
  deps: Pick<SendCoinsDeps, 'db' | 'chains' | 'deriver'>,
  input: SendInput,
): Promise<FeeEstimate> {
  const order = readOrder(input);
  const adapter = chainFor(deps.chains, order);
  const quote = await quoteFee(deps, adapter, order);
  const plan = await planOrder(deps.db, deps, order, { adapter, quote });
  return {
    fee: formatCoinAmount(plan.fee, order.coin),
    amount: formatCoinAmount(plan.amount, order.coin),
    total: formatCoinAmount(plan.amount + plan.fee, order.coin),
  };
}
