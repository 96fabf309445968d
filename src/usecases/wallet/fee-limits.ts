import type { StoredSend } from '../../store/sends.ts';
import type { SendPolicy } from './send-policy.ts';

const BPS = 10_000n;

/** The most that the network may take for a send, raises included: as ordered, else a share of the amount. */
export function feeLimitOf(
  { max_fee: ordered, amount }: Pick<StoredSend, 'max_fee' | 'amount'>,
  { maxFeeShareBps }: Pick<SendPolicy, 'maxFeeShareBps'>,
): bigint {
  return ordered === null ? (BigInt(amount) * BigInt(maxFeeShareBps)) / BPS : BigInt(ordered);
}
