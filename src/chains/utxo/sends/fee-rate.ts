import type { FeeQuote } from '../../../domain/chain.ts';
import type { FeeSourceHealth } from '../../shared/fee-source-health.ts';
import type { MempoolFees } from '../rpc/fee-methods.ts';
import type { NodeClient } from '../rpc/node-client.ts';

/** Atoms per 1,000 vB. */
export interface FeeLimits {
  /** 0: the node's relay minimum is the floor. */
  readonly floorRate: bigint;
  /** Used where the node returns no rate. */
  readonly fallbackRate: bigint;
  readonly capRate: bigint;
  readonly confirmTarget: number;
}

/**
 * Fee quote: the highest of the node's estimate, its mempool minimum, its relay minimum and the configured
 * floor, never above the cap. `source` names the deciding one. Calls that the node rejects are skipped.
 */
export async function estimateFeeRate(
  client: Pick<NodeClient, 'estimateSmartFee' | 'mempoolFees'>,
  limits: FeeLimits,
  { at, sources }: { readonly at: number; readonly sources: FeeSourceHealth },
): Promise<FeeQuote> {
  const [estimate, mempool] = await Promise.all([
    client.estimateSmartFee(limits.confirmTarget),
    client.mempoolFees(),
  ]);
  note(sources, 'estimatesmartfee', estimate.problem);
  note(sources, 'getmempoolinfo', mempool.problem);
  const { minimum = 0n, relay = 0n, increment = limits.fallbackRate } = mempool.rates ?? {};
  return chooseFeeRate({ estimate: estimate.rates, minimum, relay, increment }, limits, at);
}

function note(sources: FeeSourceHealth, method: string, problem: string | null): void {
  if (problem === null) sources.answered(method);
  else sources.failed(method, problem);
}

/** The rule of quoteFee. Pure. */
export function chooseFeeRate(
  seen: MempoolFees & { readonly estimate: bigint | null },
  limits: FeeLimits,
  at: number,
): FeeQuote {
  const candidates: readonly (readonly [string, bigint])[] = [
    ['estimatesmartfee', seen.estimate ?? 0n],
    ['mempool minimum', seen.minimum],
    ['relay floor', seen.relay],
    ['configured floor', limits.floorRate],
  ];
  const [named, highest] = candidates.reduce((best, next) => (next[1] > best[1] ? next : best));
  const [source, rate] = highest > 0n ? [named, highest] : ['fallback', limits.fallbackRate];
  const bounds = {
    minimum: seen.minimum > seen.relay ? seen.minimum : seen.relay,
    maximum: limits.capRate,
    increment: seen.increment,
  };
  if (rate > limits.capRate) return { rate: limits.capRate, source: `${source}, capped`, at, ...bounds };
  return { rate, source, at, ...bounds };
}
