import type { SendPlan, SignedTransaction } from '../../../domain/chain.ts';
import type { KeySource } from '../../../domain/keys.ts';
import { groupByAccount } from '../accounts/account-funds.ts';
import { unitPrice } from './fees.ts';
import { signTransfers, type Transfer, type TransferMessage } from './message.ts';

/** Signs a plan with the keys of all accounts it spends from. The same plan gives the same bytes. */
export async function signSend(plan: SendPlan, keys: KeySource): Promise<SignedTransaction> {
  const paths = new Map(plan.inputs.map(({ address, keyPath }) => [address, keyPath]));
  const { signature, raw } = signTransfers(buildMessage(plan), (address) => {
    const path = paths.get(address);
    if (path === undefined) throw new Error(`the send plan has no key path of ${address}`);
    return keys.privateKey(path);
  });
  return { txid: signature, raw };
}

/**
 * The transfers of a plan: deposits are emptied, to the destination first and then to the change address; the
 * change address pays the missing part and keeps the rest.
 */
export function buildMessage(plan: SendPlan): TransferMessage {
  const accounts = groupByAccount(plan.inputs);
  const [payer] = accounts;
  const { lifetime, computeUnits } = plan;
  if (payer === undefined || lifetime === undefined || computeUnits === undefined) {
    throw new Error('the send plan lacks accounts, a recent blockhash or a compute limit');
  }
  const keeper = plan.change?.address;
  const transfers: Transfer[] = [];
  let missing = plan.amount;
  const give = (from: string, to: string, lamports: bigint): void => {
    if (lamports > 0n) transfers.push({ from, to, lamports });
  };
  for (const { address, amount } of accounts) {
    if (address === keeper) continue;
    const available = address === payer.address ? amount - plan.fee : amount;
    const paid = available < missing ? available : missing;
    give(address, plan.destination, paid);
    missing -= paid;
    if (keeper !== undefined) give(address, keeper, available - paid);
  }
  if (keeper !== undefined) give(keeper, plan.destination, missing);
  return {
    feePayer: payer.address,
    transfers,
    computeUnits,
    unitPrice: unitPrice(plan.feeRate),
    ...lifetime,
  };
}
