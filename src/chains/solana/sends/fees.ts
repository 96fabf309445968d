import type { FeeQuote } from '../../../domain/chain.ts';
import type { NodeClient } from '../rpc/node-client.ts';

/** Lamports for each signature, by protocol. */
const SIGNATURE_FEE = 5_000n;
/** Compute units set aside for one instruction where no node has measured them: three times what those of a send use. */
const UNITS_PER_INSTRUCTION = 450;
/** Compute limit and price are instructions, too. */
const BUDGET_INSTRUCTIONS = 2;
/** The state may be another one when the transaction runs. */
const MARGIN_PERCENT = 20;
/** The most that one transaction may use, by protocol. */
const MAX_UNITS = 1_400_000;
/** Lamports per 1,000 compute units: never none, for leaders take paying transactions first. */
const FLOOR_RATE = 1n;
/** Keeps a spike from costing more than the signatures of a large send. */
export const CAP_RATE = 5_000n;
/** Of the recent blocks' priority fees, the one that three quarters do not exceed. */
const PERCENTILE = 75;
const MICRO = 1_000_000n;

/**
 * Priority fee by what recent blocks took, capped, and the block hash that dates a transaction.
 * `rate` is in lamports per 1,000 compute units.
 * @param writable accounts that the transaction writes to: for none the node tells the cheapest transaction of each
 * block, with them what it took to write to the busiest of them
 */
export async function quoteFee(
  client: NodeClient,
  terms: { readonly capRate: bigint; readonly at: number; readonly writable: readonly string[] },
): Promise<FeeQuote> {
  const { capRate, at, writable } = terms;
  const [fees, latest, finalizedHeight] = await Promise.all([
    client.priorityFees(writable),
    client.latestBlockhash('confirmed'),
    client.height('finalized'),
  ]);
  const sorted = fees.toSorted((a, b) => (a === b ? 0 : a < b ? -1 : 1));
  const recent = sorted[Math.floor(((sorted.length - 1) * PERCENTILE) / 100)] ?? 0n;
  // Millionths of a lamport per unit → lamports per 1,000 units, rounded up.
  const asked = (recent + 999n) / 1_000n;
  const rate = asked > capRate ? capRate : asked < FLOOR_RATE ? FLOOR_RATE : asked;
  return {
    rate,
    source: asked > capRate ? 'recent priority fees, capped' : 'recent priority fees',
    at,
    lifetime: {
      blockhash: latest.blockhash,
      lastValidHeight: latest.lastValidBlockHeight,
      slot: latest.slot,
      finalizedHeight,
    },
  };
}

/** Compute limit of a send that draws on so many accounts: as measured, else with much room to spare. */
export function computeUnits(accounts: number, { measured }: Pick<FeeQuote, 'measured'>): number {
  if (measured?.accounts === accounts) return measured.computeUnits;
  // One account may pay two: the destination and the change.
  return UNITS_PER_INSTRUCTION * (accounts + 1 + BUDGET_INSTRUCTIONS);
}

/** Compute limit for a transaction that a node has run: with a margin, within what the network allows. */
export function limitFor(unitsConsumed: number): number {
  return Math.min(Math.ceil((unitsConsumed * (100 + MARGIN_PERCENT)) / 100), MAX_UNITS);
}

/** Price per compute unit, in millionths of a lamport, for a rate per 1,000 units. */
export function unitPrice(rate: bigint): bigint {
  return (rate * MICRO) / 1_000n;
}

/** What the network takes for a send that draws on so many accounts, in lamports. */
export function sendFee(accounts: number, quote: Pick<FeeQuote, 'rate' | 'measured'>): bigint {
  return feeOf(accounts, computeUnits(accounts, quote), quote.rate);
}

/** What a transaction with so many signatures and this compute limit costs at a rate, in lamports. */
export function feeOf(signatures: number, units: number, rate: bigint): bigint {
  const priority = (unitPrice(rate) * BigInt(units) + MICRO - 1n) / MICRO;
  return SIGNATURE_FEE * BigInt(signatures) + priority;
}
