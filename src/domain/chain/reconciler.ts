import { OUTPUTS_PER_SEND } from '../accounts.ts';
import type { BlockRef, OutputRef } from './block.ts';

/** How a chain holds money, and how to read the node's balances. */
export type ChainFunds = OutputFunds | AccountFunds;

/** Money is held in outputs. */
export interface OutputFunds {
  readonly model: 'outputs';
  /** Maximum number of outputs that one transaction spends. */
  readonly mostInputs: number;
  /** Cost of spending one output at a rate, atoms. Pure. */
  inputCost(rate: bigint): bigint;
  /** Scans the node's UTXO set for our outputs, for reconciliation; may take minutes. */
  scanUnspent(query: UnspentQuery): Promise<UnspentScan>;
}

/** Money is held in accounts. */
export interface AccountFunds {
  readonly model: 'accounts';
  /**
   * Balance of each of these accounts (at most 100) after a block or a later one, atoms.
   * @throws {ChainError} `unavailable` when the node cannot answer: never treated as a balance of 0
   */
  heldAfter(watchKeys: readonly string[], block: BlockRef): Promise<ReadonlyMap<string, bigint>>;
  /**
   * Account balances on the chain, for reconciliation.
   * @param ledger the last block in the ledger
   * @throws {ChainError} `unavailable` when the node cannot answer: never treated as a balance of 0
   */
  balancesAt(watchKeys: readonly string[], ledger: BlockRef): Promise<BalanceReading>;
  /**
   * The subset of these accounts (at most 100) that hold money or have sent some, as of the node's latest block. Only on
   * chains whose state proves that the others never held any.
   * @throws {ChainError}
   */
  readonly usedAmong?: (watchKeys: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** Cost of spending one output at a quote, atoms; 0 where money is not held in outputs. Pure. */
export function inputCostAt(
  { funds }: { readonly funds?: ChainFunds },
  { rate }: { readonly rate: bigint },
): bigint {
  return funds?.model === 'outputs' ? funds.inputCost(rate) : 0n;
}

/**
 * Maximum number of outputs that one transaction spends; where the chain sets no limit, the maximum of a
 * database column. @param payees recipients: each but the first takes the room of less than one input
 */
export function maxInputs({ funds }: { readonly funds?: ChainFunds }, payees = 1): number {
  if (funds?.model !== 'outputs') return OUTPUTS_PER_SEND;
  return Math.min(funds.mostInputs - (payees - 1), OUTPUTS_PER_SEND);
}

export interface UnspentQuery {
  readonly watchKeys: readonly string[];
  /** Looked up one by one where a node cannot scan by watch key. */
  readonly known: readonly OutputRef[];
  /** Heights for which details are requested: see UnspentOutput.block. */
  readonly within?: { readonly from: number; readonly to: number };
}

export interface UnspentScan {
  /** The block after which this was the state. */
  readonly tip: BlockRef;
  readonly outputs: readonly UnspentOutput[];
  /** False: only `known` outputs were looked up. */
  readonly isComplete: boolean;
}

export interface UnspentOutput {
  readonly ref: OutputRef;
  readonly amount: bigint;
  /** Its block and the watch key that it pays, where the scan returns them. */
  readonly height?: number;
  readonly watchKey?: string;
  /** The other fields of a credit, for outputs within the requested heights. */
  readonly block?: {
    readonly hash: string;
    readonly timeMs: number;
    readonly maturity: number;
  };
}

export interface BalanceReading {
  /** The height at whose end these balances were read. */
  readonly height: number;
  /** The block for which they are exact; null where a later read may still agree with the ledger. */
  readonly hash: string | null;
  /** Atoms of every requested account. */
  readonly balances: ReadonlyMap<string, bigint>;
}
