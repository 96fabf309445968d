import {
  InsufficientFunds,
  outputKey,
  UnsendableAmount,
  type ChainAdapter,
  type FeeAncestor,
  type FeeQuote,
  type SendPlan,
} from '../../../domain/chain.ts';
import type { AddressDeriver } from '../../../domain/keys.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { findMerchant } from '../../../store/merchants/merchants.ts';
import { findChangeOutput } from '../../../store/ledger/own-change.ts';
import { remainingBudget } from '../../../store/sends/fee-budgets.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import { MAX_ANCESTORS, MAX_PACKAGE_SIZE, sizeTogether } from '../../../domain/send/package-fee.ts';
import { ancestorsOfRefs } from './ancestry.ts';
import { nextChangeAddress, reserveChangeAddress } from '../../addresses/index.ts';
import { storeSend, type StoreSendDeps } from '../send/store-send.ts';
import type { NewVersion } from './store-version.ts';

/** Upper bound of the virtual size of a child, which has one input and one output. */
const CHILD_SIZE = 200n;

/**
 * Child pays for parent (CPFP): moves the unconfirmed change of a stuck send within the wallet, at a fee that makes
 * both worth mining. Null without such change. The child draws on the budget of the payer: `over` when the rest of that
 * does not suffice.
 */
export async function storeCpfpChild(
  tx: Tx,
  deps: StoreSendDeps & { readonly deriver: AddressDeriver },
  request: {
    readonly childId: string;
    readonly send: StoredSend;
    readonly adapter: ChainAdapter;
    readonly quote: FeeQuote;
    /** The send itself, or an ancestor that the child also pays for. */
    readonly payer: StoredSend;
  },
): Promise<NewVersion | { readonly over: bigint } | null> {
  const { childId: sendId, send, adapter, quote, payer } = request;
  // Its change is on a watched account.
  if (send.byPsbt) return null;
  const change = send.txid === null ? null : await findChangeOutput(tx, send, send.txid);
  if (change === null || change.heldBy !== null || change.isFrozen) return null;
  const { fund } = change;
  const ancestors = await ancestorsOfRefs(tx, send, [fund.ref]);
  const merchant = await findMerchant(tx, send.merchantId);
  if (ancestors === null || !isPackage(ancestors) || merchant === undefined) return null;
  const { coin, mode, merchantId } = send;
  const wallet = { coin, mode, merchantId, account: merchant.account };
  const address = await nextChangeAddress(tx, deps, wallet);
  const order = { ...wallet, destination: address, amount: fund.amount, subtractFee: true };
  const plan = planOrNull(() =>
    adapter.planSend({
      funds: [fund],
      ancestry: new Map([[outputKey(fund.ref), ancestors]]),
      destination: address,
      changeAddress: address,
      amount: fund.amount,
      subtractFee: true,
      quote,
    }),
  );
  if (plan === null) return null;
  const maxFee = await remainingBudget(tx, payer);
  if (plan.fee > maxFee) return { over: plan.fee };
  await reserveChangeAddress(tx, deps, { wallet, adapter, address });
  const stored = await storeSend(tx, deps, {
    sendId,
    order,
    adapter,
    plan,
    purpose: 'sweep',
    idempotencyKey: null,
    maxFee,
    drawsOn: payer.id,
  });
  return { sendId, version: stored.send.version, transaction: stored.transaction, plan };
}

/** Whether nodes relay one more small transaction on top of these. */
function isPackage(ancestors: readonly FeeAncestor[]): boolean {
  return ancestors.length <= MAX_ANCESTORS && sizeTogether(ancestors) + CHILD_SIZE <= MAX_PACKAGE_SIZE;
}

function planOrNull(plan: () => SendPlan): SendPlan | null {
  try {
    return plan();
  } catch (error) {
    if (error instanceof InsufficientFunds || error instanceof UnsendableAmount) return null;
    throw error;
  }
}
