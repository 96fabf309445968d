import { OUTPUTS_PER_CONSOLIDATION } from '../../../domain/accounts.ts';
import type { ChainId } from '../../../domain/coins.ts';
import { AppError } from '../../../domain/errors.ts';
import { sweepBudget } from '../../../domain/send/fee-budget.ts';
import { recordFeeLevel } from '../../../store/ledger/fee-levels.ts';
import { merchantsWithManyOutputs } from '../../../store/ledger/spendable.ts';
import type { BumpSendsDeps } from '../lifecycle/bump-sends.ts';
import { gatherOutputs } from './consolidate.ts';

/** Merchants served in one round. */
const ROUND_SIZE = 5;
/** Number of outputs that triggers consolidation; dust is counted, but not consolidated. */
const FROM_OUTPUTS = 200;

/**
 * Consolidates outputs of merchants with hundreds, while fee rates are at or below the policy's limit, so
 * that one transaction can always spend the balance.
 * @throws {ChainError} when the node reports no fee rate.
 */
export async function consolidateRound(deps: BumpSendsDeps, chain: ChainId): Promise<void> {
  const adapter = deps.chains.get(chain.coin, chain.mode);
  const { consolidateBelowRate } = deps.policy;
  if (adapter?.funds?.model !== 'outputs' || consolidateBelowRate === 0n) return;
  const crowded = await merchantsWithManyOutputs(deps.db, chain, { from: FROM_OUTPUTS, limit: ROUND_SIZE });
  if (crowded.length === 0) return;
  const quote = await adapter.feeQuote();
  await recordFeeLevel(deps.db, chain, { ...quote, inputCost: adapter.funds.inputCost(quote.rate) });
  if (quote.rate > consolidateBelowRate) return;
  for (const { merchantId, account, amount } of crowded) {
    const wallet = { ...chain, merchantId, account };
    const most = OUTPUTS_PER_CONSOLIDATION;
    const fee = adapter.funds.inputCost(quote.rate) * BigInt(most);
    if (fee > sweepBudget(amount, deps.policy)) continue;
    try {
      const terms = { maxFee: null, startsBelow: consolidateBelowRate };
      await gatherOutputs(deps, { wallet, adapter, quote, least: FROM_OUTPUTS, most, ...terms });
    } catch (error) {
      // They are too small for the share of them that a fee may take.
      if (error instanceof AppError && error.code === 'FEE_ABOVE_LIMIT') continue;
      deps.logger.error({ ...chain, merchantId, err: error }, 'consolidating outputs failed; will retry');
    }
  }
}
