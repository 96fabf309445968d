import {
  InsufficientFunds,
  type FeeQuote,
  type Fund,
  type SendBuilder,
  type SendPlan,
  UnsendableAmount,
} from '../chain.ts';
import type { SendOutput } from './outputs.ts';

/**
 * Sends that spend more outputs than fit into one transaction. Parts gather outputs within the wallet, each
 * into one output; once blocks hold them, the send itself spends their outputs and the remaining ones.
 * Everything is planned from the outputs that were reserved when the send was ordered, and from no others.
 */

/** A part gathers half as many outputs as fit into one transaction, so that miners find room for it. */
const PART_DIVISOR = 2;
/** Maximum number of outputs that one send reserves: about 28 parts. */
export const MAX_RESERVED_OUTPUTS = 20_000;

/** The amount of a send, and how its fee is paid. Atoms. */
export interface PartedOrder {
  readonly destination: string;
  /** Several recipients, `destination` the first. */
  readonly outputs?: readonly SendOutput[] | null;
  /** As ordered: with subtractFee the total that leaves the wallet. */
  readonly amount: bigint;
  readonly subtractFee: boolean;
  /** All reserved money is sent. */
  readonly everything: boolean;
}

export interface PartTerms {
  readonly adapter: Pick<SendBuilder, 'planSend'>;
  readonly quote: FeeQuote;
  /** Where parts and change are paid to. */
  readonly changeAddress: string;
  /** Maximum number of outputs that one transaction of the chain spends. */
  readonly mostInputs: number;
  /** Cost of spending one output at a rate, atoms. */
  readonly inputCost: (rate: bigint) => bigint;
}

/** The current state of the reserved outputs. */
export interface Reserved {
  /** Outputs of parts that are in blocks. */
  readonly gathered: readonly Fund[];
  /** Outputs in blocks that no part has spent, largest first. */
  readonly ungathered: readonly Fund[];
  /** Amounts of unconfirmed outputs: those of parts, and reserved ones that wait for a block. */
  readonly expected: readonly bigint[];
  /** Fees of all parts together, atoms. */
  readonly partsFee: bigint;
}

export function worthSpending(funds: readonly Fund[], { inputCost, quote }: PartTerms): readonly Fund[] {
  const cost = inputCost(quote.rate);
  return funds.filter(({ amount }) => amount > cost);
}

/** Sizes of the parts that must precede the last transaction. */
export function partSizes(
  gathered: number,
  ungathered: number,
  terms: Pick<PartTerms, 'mostInputs'>,
): number[] {
  const sizes: number[] = [];
  let [made, left] = [gathered, ungathered];
  while (made + left > terms.mostInputs && left > 1) {
    const size = Math.min(left, outputsPerPart(terms), made + left - terms.mostInputs + 1);
    sizes.push(size);
    made += 1;
    left -= size;
  }
  return sizes;
}

export function outputsPerPart({ mostInputs }: Pick<PartTerms, 'mostInputs'>): number {
  return Math.max(2, Math.floor(mostInputs / PART_DIVISOR));
}

/** Null when the inputs do not pay for more than their own fee. */
export function planPart(
  inputs: readonly Fund[],
  { adapter, quote, changeAddress }: PartTerms,
): SendPlan | null {
  const amount = sumFunds(inputs);
  const paid = { destination: changeAddress, changeAddress, amount, subtractFee: true };
  try {
    return adapter.planSend({ ...paid, funds: inputs, quote });
  } catch (error) {
    if (error instanceof InsufficientFunds || error instanceof UnsendableAmount) return null;
    throw error;
  }
}

/** Null when the inputs do not cover it. @throws {UnsendableAmount} */
export function planLast(
  { destination, outputs = null, subtractFee, ...order }: PartedOrder,
  { funds, partsFee }: { readonly funds: readonly Fund[]; readonly partsFee: bigint },
  { adapter, quote, changeAddress }: PartTerms,
): SendPlan | null {
  const amount = order.everything ? sumFunds(funds) : order.amount - (subtractFee ? partsFee : 0n);
  try {
    return adapter.planSend({ funds, destination, outputs, amount, subtractFee, changeAddress, quote });
  } catch (error) {
    if (error instanceof InsufficientFunds) return null;
    throw error;
  }
}

/** Atoms. */
export function sumFunds(funds: readonly Fund[]): bigint {
  return funds.reduce((sum, { amount }) => sum + amount, 0n);
}
