import { ChainError, type FeeQuote } from '../../../domain/chain.ts';
import type { FeeSourceHealth } from '../../shared/fee-source-health.ts';
import type { NodeClient } from '../rpc/node-client.ts';

/** Lamports for each signature, by protocol. */
const SIGNATURE_FEE = 5_000n;
/** Compute units per instruction without a measurement: three times the usage of a send. */
const UNITS_PER_INSTRUCTION = 450;
/** Instructions that set compute limit and price, which also use compute units. */
const BUDGET_INSTRUCTIONS = 2;
/** Margin on measured compute units: the state may change before the transaction executes. */
const MARGIN_PERCENT = 20;
/** Maximum compute units of one transaction, by protocol. */
const MAX_UNITS = 1_400_000;
/** Minimum rate in lamports per 1,000 compute units: never zero, because leaders prefer paying transactions. */
const FLOOR_RATE = 1n;
/**
 * Rate where the node returns no recent fees. A transaction cannot be replaced, so it must not pay the
 * minimum.
 */
const DEFAULT_RATE = 10n;
/** Rate cap, so that a spike costs no more than the signatures of a large send. */
export const CAP_RATE = 5_000n;
/** Percentile of the recent blocks' priority fees that is used. */
const PERCENTILE = 75;
const MICRO = 1_000_000n;

/**
 * Quotes the priority fee by recent blocks, capped, and the block hash for a new transaction. `rate` is in lamports
 * per 1,000 compute units.
 * @param writable accounts that the transaction writes to: without any, the node reports each block's cheapest
 * transaction; with them, the fee needed to write to the busiest of them
 */
export async function estimatePriorityFee(
  client: NodeClient,
  terms: {
    readonly capRate: bigint;
    readonly at: number;
    readonly writable: readonly string[];
    readonly sources: FeeSourceHealth;
  },
): Promise<FeeQuote> {
  const { capRate, at, writable, sources } = terms;
  const [fees, latest, finalizedHeight] = await Promise.all([
    recentPriorityFees(client, writable, sources),
    client.latestBlockhash('confirmed'),
    client.height('finalized'),
  ]);
  const computedRate = fees === null ? DEFAULT_RATE : priorityFeeRate(fees);
  const rate = computedRate > capRate ? capRate : computedRate < FLOOR_RATE ? FLOOR_RATE : computedRate;
  const source = fees === null ? 'default' : 'recent priority fees';
  return {
    rate,
    source: computedRate > capRate ? `${source}, capped` : source,
    at,
    lifetime: {
      blockhash: latest.blockhash,
      lastValidHeight: latest.lastValidBlockHeight,
      slot: latest.slot,
      finalizedHeight,
    },
  };
}

/**
 * Priority fees of recent blocks; null where the node does not return them. @throws {ChainError} for an
 * outage.
 */
async function recentPriorityFees(
  client: Pick<NodeClient, 'priorityFees'>,
  writable: readonly string[],
  sources: FeeSourceHealth,
): Promise<readonly bigint[] | null> {
  const method = 'getRecentPrioritizationFees';
  try {
    const fees = await client.priorityFees(writable);
    sources.answered(method);
    return fees;
  } catch (error) {
    if (!(error instanceof ChainError) || error.isRateLimited) throw error;
    if (!error.isRefusal && error.kind !== 'bad_answer') throw error;
    sources.failed(method, error.message);
    return null;
  }
}

function priorityFeeRate(fees: readonly bigint[]): bigint {
  const sorted = fees.toSorted((a, b) => (a === b ? 0 : a < b ? -1 : 1));
  const recent = sorted[Math.floor(((sorted.length - 1) * PERCENTILE) / 100)] ?? 0n;
  // Micro-lamports per unit → lamports per 1,000 units, rounded up.
  return (recent + 999n) / 1_000n;
}

/** Compute limit of a send from this many accounts: the measured one, else a generous estimate. */
export function computeUnits(accounts: number, { measured }: Pick<FeeQuote, 'measured'>): number {
  if (measured?.accounts === accounts) return measured.computeUnits;
  // One account may pay two outputs: the destination and the change.
  return UNITS_PER_INSTRUCTION * (accounts + 1 + BUDGET_INSTRUCTIONS);
}

/** Compute limit from simulated consumption: with a margin, within the protocol's maximum. */
export function limitFor(unitsConsumed: number): number {
  return Math.min(Math.ceil((unitsConsumed * (100 + MARGIN_PERCENT)) / 100), MAX_UNITS);
}

/** Price per compute unit in micro-lamports, for a rate per 1,000 units. */
export function unitPrice(rate: bigint): bigint {
  return (rate * MICRO) / 1_000n;
}

/** Fee in lamports of a send from this many accounts. */
export function sendFee(accounts: number, quote: Pick<FeeQuote, 'rate' | 'measured'>): bigint {
  return transactionFee(accounts, computeUnits(accounts, quote), quote.rate);
}

/** Fee in lamports of a transaction with this many signatures and this compute limit, at a rate. */
export function transactionFee(signatures: number, units: number, rate: bigint): bigint {
  const priority = (unitPrice(rate) * BigInt(units) + MICRO - 1n) / MICRO;
  return SIGNATURE_FEE * BigInt(signatures) + priority;
}
