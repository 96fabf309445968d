import { ChainError, type FeeQuote, type SendPlan } from '../../../domain/chain.ts';
import type { Logger } from '../../../domain/ports.ts';
import { accountsOf } from '../accounts/account-funds.ts';
import { limitFor } from './fees.ts';
import { unsignedTransfers } from './message.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { RpcRefusal } from '../rpc/rpc.ts';
import { messageOf } from './sign-send.ts';

/**
 * The compute limit that a draft needs, by the node's dry run. A node that does not run it, or whose
 * run fails, leaves the quote as it is: the limit is then the bounded guess of the plan.
 */
export async function simulateComputeUnits(
  deps: { readonly client: Pick<NodeClient, 'simulate'>; readonly logger: Logger },
  draft: SendPlan,
  quote: FeeQuote,
): Promise<FeeQuote> {
  try {
    const message = messageOf(draft);
    const units = await deps.client.simulate(unsignedTransfers(message));
    if (units === null) return quote;
    const accounts = accountsOf(draft.inputs).length;
    const transfers = message.transfers.length;
    return { ...quote, measured: { accounts, transfers, computeUnits: limitFor(units) } };
  } catch (error) {
    if (!(error instanceof RpcRefusal || error instanceof ChainError)) throw error;
    deps.logger.debug({ error: error.message }, 'no dry run: the compute limit is a guess');
    return quote;
  }
}
