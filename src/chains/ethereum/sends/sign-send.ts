import { SigningKey } from 'ethers/crypto';
import { getAddress } from 'ethers/address';
import { computeAddress, Transaction } from 'ethers/transaction';
import type { SendPlan, SignedTransaction } from '../../../domain/chain.ts';
import type { KeySource } from '../../../domain/keys.ts';
import { accountKey } from '../address.ts';
import { feeFor, priceFrom } from './eip1559-fees.ts';

/**
 * Signs a plan as an EIP-1559 transaction whose tip equals its max fee, so that the fee of a plain transfer
 * is exact. The same plan and key give the same bytes (RFC 6979).
 * @throws {Error} when the plan's amounts do not add up or the key does not own the account.
 */
export async function signSend(plan: SendPlan, keys: KeySource): Promise<SignedTransaction> {
  const { account, inputs, feeRate } = plan;
  const [fund] = inputs;
  if (account === undefined || fund === undefined) throw new Error('the send plan has no account');
  if (inputs.some(({ address }) => accountKey(address) !== accountKey(fund.address))) {
    throw new Error('the send plan has more than one sender');
  }
  if (feeFor(account.gasLimit, feeRate) !== plan.fee)
    throw new Error('the fee of the send plan differs from gas limit times price');
  const key = new SigningKey(keys.privateKey(fund.keyPath));
  if (accountKey(computeAddress(key.publicKey)) !== accountKey(fund.address)) {
    throw new Error(`the key of ${fund.address} does not belong to it`);
  }
  const price = priceFrom(feeRate);
  const transaction = Transaction.from({
    type: 2,
    chainId: account.chainId,
    nonce: account.nonce,
    gasLimit: account.gasLimit,
    maxFeePerGas: price,
    maxPriorityFeePerGas: price,
    to: getAddress(plan.destination),
    value: plan.amount,
  });
  transaction.signature = key.sign(transaction.unsignedHash);
  if (transaction.hash === null) throw new Error('the signed transaction has no hash');
  return { txid: transaction.hash, raw: transaction.serialized };
}
