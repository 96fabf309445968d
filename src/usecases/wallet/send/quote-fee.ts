import {
  inputCostAt,
  ChainError,
  nodeFault,
  UnsendableAmount,
  type ChainAdapter,
  type FeeQuote,
} from '../../../domain/chain.ts';
import { AppError, invalidField } from '../../../domain/errors.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { recordFeeLevel } from '../../../store/ledger/fee-levels.ts';
import { withChainBalances } from './drawable-funds.ts';
import { atRate } from './fee-terms.ts';
import { planOneTransaction, type PlanOrderDeps } from './plan-order.ts';
import type { SendOrder } from './send-order.ts';
import { sendsFromOneAddress } from './sender.ts';

/**
 * Asks the node for the fee quote of an order; waits for the network.
 * @throws {AppError} NODE_UNAVAILABLE, VALIDATION_INVALID when the destination rejects money, and like
 * planOrder where the node measures a draft.
 */
export async function quoteFee(
  deps: PlanOrderDeps & { readonly db: Db },
  adapter: ChainAdapter,
  order: SendOrder,
): Promise<FeeQuote> {
  const { coin, feeRate = null } = order;
  try {
    const quote = atRate(await askFee(deps, adapter, order), feeRate, coin);
    await recordFeeLevel(deps.db, order, { ...quote, inputCost: inputCostAt(adapter, quote) });
    if (adapter.wholeAccounts !== undefined) {
      // The funds planned here may be spent when the send is stored; the plan is then made without the
      // measurement.
      const draft = await planOneTransaction(deps.db, deps, order, { adapter, quote });
      return await adapter.wholeAccounts.measure(draft, quote);
    }
    return quote;
  } catch (error) {
    if (error instanceof UnsendableAmount) throw invalidField('destination', error.message);
    if (!(error instanceof ChainError)) throw error;
    const message = `${nodeFault(adapter.coin, error)}; nothing was sent`;
    throw new AppError('NODE_UNAVAILABLE', message, { cause: error });
  }
}

async function askFee(
  deps: PlanOrderDeps & { readonly db: Db },
  adapter: ChainAdapter,
  order: SendOrder,
): Promise<FeeQuote> {
  const { coin, mode, account, destination, amount } = order;
  const from = deps.deriver.address({ coin, mode, account, branch: 0, index: 0 });
  const intent = { from, destination, amount };
  if (adapter.wholeAccounts !== undefined)
    return withChainBalances(deps.db, adapter, { wallet: order }, await adapter.feeQuote(intent));
  return sendsFromOneAddress(order) ? adapter.feeQuote(intent) : adapter.feeQuote();
}
