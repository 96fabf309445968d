import {
  InsufficientFunds,
  outputKey,
  UnsendableAmount,
  type ChainAdapter,
  type FeeQuote,
  type SendPlan,
  type SignedTransaction,
} from '../../domain/chain.ts';
import type { AddressDeriver } from '../../domain/keys.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { changeOf } from '../../store/ledger/own-change.ts';
import type { StoredSend } from '../../store/sends/sends.ts';
import { MAX_ANCESTORS } from '../../domain/send/package-fee.ts';
import { ancestorsOfRefs } from './ancestry.ts';
import { nextChangeAddress, takeChangeAddress } from '../wallet/change-address.ts';
import { storeSend, type StoreSendDeps } from '../sends/store-send.ts';

/**
 * Child pays for parent (CPFP): moves the unconfirmed change of a stuck send within the wallet, at a fee that makes
 * both worth mining, for nodes that take no replacements. Null without such change, or when the limit does not
 * suffice.
 * @param limit maximum fee of the child, later raises of it included
 */
export async function storeChild(
  tx: Tx,
  deps: StoreSendDeps & { readonly deriver: AddressDeriver },
  request: {
    readonly childId: string;
    readonly send: StoredSend;
    readonly adapter: ChainAdapter;
    readonly quote: FeeQuote;
    readonly limit: bigint;
  },
): Promise<{ send: StoredSend; transaction: SignedTransaction; plan: SendPlan } | null> {
  const { childId: sendId, send, adapter, quote, limit } = request;
  const change = await changeOf(tx, send, send.txid);
  if (change === null || change.heldBy !== null) return null;
  const { fund } = change;
  const ancestors = await ancestorsOfRefs(tx, send, [fund.ref]);
  const merchant = await findMerchant(tx, send.merchant_id);
  if (ancestors === null || ancestors.length > MAX_ANCESTORS || merchant === undefined) return null;
  const { coin, mode, merchant_id: merchantId } = send;
  const wallet = { coin, mode, merchantId, account: merchant.account };
  const address = await nextChangeAddress(tx, deps, wallet);
  const order = { ...wallet, destination: address, amount: fund.amount, subtractFee: true, maxFee: limit };
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
  if (plan === null || plan.fee > limit) return null;
  await takeChangeAddress(tx, deps, { wallet, adapter, address });
  const stored = await storeSend(tx, deps, {
    sendId,
    order,
    adapter,
    plan,
    purpose: 'sweep',
    idempotencyKey: null,
  });
  return { ...stored, plan };
}

function planOrNull(plan: () => SendPlan): SendPlan | null {
  try {
    return plan();
  } catch (error) {
    if (error instanceof InsufficientFunds || error instanceof UnsendableAmount) return null;
    throw error;
  }
}
