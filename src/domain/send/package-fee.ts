import { outputKey, type FeeAncestor, type Ancestry, type Fund } from '../chain.ts';

/**
 * Fees of transactions that spend from unconfirmed ones. Miners take a transaction together with the
 * ancestors that it needs, at the rate of all of them (child pays for parent). Rates per 1,000 vB.
 */

/** Unconfirmed ancestors that an ordinary node accepts for one transaction is 24; some room is left. */
export const MAX_ANCESTORS = 20;
/** Virtual size of a transaction with all its unconfirmed ancestors up to which nodes relay it. */
export const MAX_PACKAGE_SIZE = 101_000n;
/** Virtual size of the ancestors alone up to which a send spends unconfirmed change. */
export const MAX_ANCESTORS_SIZE = 50_000n;

/** The distinct unconfirmed ancestors of a transaction that spends these. */
export function distinctAncestors(
  funds: readonly Pick<Fund, 'ref'>[],
  ancestry: Ancestry | undefined,
): FeeAncestor[] {
  const distinct = new Map<string, FeeAncestor>();
  for (const { ref } of funds) {
    for (const ancestor of ancestry?.get(outputKey(ref)) ?? []) distinct.set(ancestor.txid, ancestor);
  }
  return [...distinct.values()];
}

/** Virtual size of ancestors together. */
export function sizeTogether(ancestors: readonly FeeAncestor[]): bigint {
  return ancestors.reduce((sum, { size }) => sum + size, 0n);
}

/** What ancestors pay less than a rate asks. One that pays more helps nobody: it is mined without the others. */
export function deficitAt(rate: bigint, ancestors: readonly FeeAncestor[]): bigint {
  return ancestors.reduce((sum, { fee, size }) => {
    const missing = (size * rate + 999n) / 1000n - fee;
    return missing > 0n ? sum + missing : sum;
  }, 0n);
}

/** The rate at which a transaction is worth mining: its own, or less where its ancestors pay less. */
export function packageRate(
  own: { readonly fee: bigint; readonly feeRate: bigint },
  ancestors: readonly FeeAncestor[],
): bigint {
  const lacking = ancestors.filter((each) => rateOf(each) < own.feeRate);
  if (lacking.length === 0) return own.feeRate;
  const size = lacking.reduce((sum, each) => sum + each.size, virtualSize(own.fee, own.feeRate));
  const fee = lacking.reduce((sum, each) => sum + each.fee, own.fee);
  const together = (fee * 1000n) / size;
  return together < own.feeRate ? together : own.feeRate;
}

/** Virtual size of a transaction by its fee and its rate per 1,000; rounded up. */
export function virtualSize(fee: bigint, feeRate: bigint): bigint {
  return feeRate === 0n ? 0n : (fee * 1000n + feeRate - 1n) / feeRate;
}

function rateOf({ fee, size }: FeeAncestor): bigint {
  return size === 0n ? 0n : (fee * 1000n) / size;
}
