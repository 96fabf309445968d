import type { ChainAdapter, PlanSigner, SendPlan, SignedTransaction } from '../../../domain/chain.ts';
import { requireUnfrozen } from '../../../store/sends/wallet-freezes.ts';
import type { Tx } from '../../../store/sqlite/database.ts';

/**
 * Signs a plan in the transaction that stores it. Every signature is made here, so that a frozen wallet signs
 * nothing but cancellations, which pay it back to itself. @throws {AppError} WALLET_FROZEN
 */
export async function signPlan(
  tx: Tx,
  { sign }: { readonly sign: PlanSigner },
  request: {
    readonly merchantId: string;
    readonly adapter: ChainAdapter;
    readonly plan: SendPlan;
    readonly cancels?: boolean;
  },
): Promise<SignedTransaction> {
  const { merchantId, adapter, plan, cancels = false } = request;
  if (!cancels) await requireUnfrozen(tx, merchantId);
  return sign(adapter, plan);
}
