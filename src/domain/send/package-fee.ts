import { outputKey, type FeeAncestor, type Ancestry, type Fund } from '../chain.ts';

/**
 * Fees of transactions that spend from unconfirmed ones. Miners evaluate a transaction together with the
 * ancestors that it needs, at their common rate (child pays for parent, CPFP). Rates per 1,000 vB.
 */

/** An ordinary node accepts at most 24 unconfirmed ancestors per transaction; this leaves a margin. */
export const MAX_ANCESTORS = 20;
/** Maximum virtual size of a transaction with all its unconfirmed ancestors that nodes relay. */
export const MAX_PACKAGE_SIZE = 101_000n;
/** Maximum virtual size of the ancestors alone with which a send spends unconfirmed change. */
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

/** Total virtual size of ancestors. */
export function sizeTogether(ancestors: readonly FeeAncestor[]): bigint {
  return ancestors.reduce((sum, { size }) => sum + size, 0n);
}

/**
 * The amount by which ancestors fall short of a rate. An ancestor above the rate does not help the others,
 * because it is mined without them.
 */
export function deficitAt(rate: bigint, ancestors: readonly FeeAncestor[]): bigint {
  return ancestors.reduce((sum, { fee, size }) => {
    const missing = (size * rate + 999n) / 1000n - fee;
    return missing > 0n ? sum + missing : sum;
  }, 0n);
}

/** The effective rate for miners: its own, or less where its ancestors pay less. */
export function packageRate(
  child: { readonly fee: bigint; readonly feeRate: bigint },
  ancestors: readonly FeeAncestor[],
): bigint {
  const lacking = ancestors.filter((each) => feeRatePerKilo(each) < child.feeRate);
  if (lacking.length === 0) return child.feeRate;
  const size = lacking.reduce((sum, each) => sum + each.size, virtualSize(child.fee, child.feeRate));
  const fee = lacking.reduce((sum, each) => sum + each.fee, child.fee);
  const together = (fee * 1000n) / size;
  return together < child.feeRate ? together : child.feeRate;
}

/** Virtual size of a transaction by its fee and its rate per 1,000; rounded up. */
export function virtualSize(fee: bigint, feeRate: bigint): bigint {
  return feeRate === 0n ? 0n : (fee * 1000n + feeRate - 1n) / feeRate;
}

function feeRatePerKilo({ fee, size }: FeeAncestor): bigint {
  return size === 0n ? 0n : (fee * 1000n) / size;
}
