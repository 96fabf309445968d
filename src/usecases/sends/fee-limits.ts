import type { StoredSend } from '../../store/sends/sends.ts';
import type { SendChain } from '../settlement/send-chain.ts';
import type { SendPolicy } from '../../domain/send/policy.ts';

const BPS = 10_000n;

/** Upper limit of a send's network fee, fee bumps included: as ordered, else a share of the amount. */
export function feeLimitOf(
  { max_fee: ordered, amount }: Pick<StoredSend, 'max_fee' | 'amount'>,
  { maxFeeShareBps }: Pick<SendPolicy, 'maxFeeShareBps'>,
): bigint {
  return ordered === null ? (BigInt(amount) * BigInt(maxFeeShareBps)) / BPS : BigInt(ordered);
}

/**
 * Fee limit of the last send of a chain that pays for its parents (CPFP): the limits of all of them together, less what
 * the others pay, and never more than was ordered for it. A send that only pays for its parents, or moves money within
 * the wallet, adds nothing of its own; a move alone may cost all that it moves.
 */
export function limitOfLast(chain: SendChain, policy: Pick<SendPolicy, 'maxFeeShareBps'>): bigint {
  const [first, ...others] = chain;
  const last = chain.at(-1) ?? first;
  if (others.length === 0) {
    const isFree = first.purpose === 'sweep' && first.max_fee === null;
    return isFree ? BigInt(first.amount) : feeLimitOf(first, policy);
  }
  const payers = [first, ...others.filter(({ purpose }) => purpose === 'send')];
  const together = payers.reduce((sum, send) => sum + feeLimitOf(send, policy), 0n);
  const paid = chain.slice(0, -1).reduce((sum, { fee }) => sum + BigInt(fee), 0n);
  const limit = together - paid;
  const ordered = last.purpose === 'send' && last.max_fee !== null ? BigInt(last.max_fee) : limit;
  return ordered < limit ? ordered : limit;
}

/** Whether none of them was ordered with a limit: then the fee may rise to the network's minimum rate. */
export function mayReachMinimum(chain: SendChain): boolean {
  return chain.every((send) => send.max_fee === null);
}
