import { ChainError, type FeeQuote, type SendPlan } from '../../../domain/chain.ts';
import type { Logger } from '../../../domain/ports.ts';
import { groupByAccount } from '../accounts/account-funds.ts';
import { limitFor } from './fees.ts';
import { unsignedTransfers } from './message.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { RpcRefusal } from '../../shared/json-rpc.ts';
import { buildMessage } from './sign-send.ts';

/**
 * Measures a draft's compute limit by simulation on the node. Where that is unsupported or fails, the quote
 * is unchanged, and the limit is the plan's bounded estimate.
 */
export async function simulateComputeUnits(
  deps: { readonly client: Pick<NodeClient, 'simulate'>; readonly logger: Logger },
  draft: SendPlan,
  quote: FeeQuote,
): Promise<FeeQuote> {
  try {
    const message = buildMessage(draft);
    const units = await deps.client.simulate(unsignedTransfers(message));
    if (units === null) return quote;
    const accounts = groupByAccount(draft.inputs).length;
    const transfers = message.transfers.length;
    return { ...quote, measured: { accounts, transfers, computeUnits: limitFor(units) } };
  } catch (error) {
    if (!(error instanceof RpcRefusal || error instanceof ChainError)) throw error;
    deps.logger.debug(
      { error: error.message },
      'simulation of a send failed; its compute limit is estimated',
    );
    return quote;
  }
}
