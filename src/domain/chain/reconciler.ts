import type { BlockRef, OutputRef } from './block.ts';

/** How a chain holds money, and what its node says of that. */
export type ChainFunds = OutputFunds | AccountFunds;

/** Money is held in outputs. */
export interface OutputFunds {
  readonly model: 'outputs';
  /** What spending one output costs at a rate, atoms. Pure. */
  inputCost(rate: bigint): bigint;
  /** What the node's own set of unspent outputs holds for us, for reconciliation; may take minutes. */
  scanUnspent(query: UnspentQuery): Promise<UnspentScan>;
}

/** Money is held in accounts. */
export interface AccountFunds {
  readonly model: 'accounts';
  /**
   * What each of these, a hundred at most, holds after a block or a later one, atoms.
   * @throws {ChainError} `unavailable` when the node cannot tell: never taken for a balance of 0.
   */
  heldAfter(watchKeys: readonly string[], block: BlockRef): Promise<ReadonlyMap<string, bigint>>;
  /**
   * What the chain itself says accounts hold, for reconciliation.
   * @param ledger the block that the ledger stands on
   * @throws {ChainError} `unavailable` when the node cannot tell: never taken for a balance of 0.
   */
  balancesAt(watchKeys: readonly string[], ledger: BlockRef): Promise<BalanceReading>;
}

/** What spending one output costs at a quote, atoms; nothing where money is not held in outputs. Pure. */
export function inputCostAt(
  { funds }: { readonly funds?: ChainFunds },
  { rate }: { readonly rate: bigint },
): bigint {
  return funds?.model === 'outputs' ? funds.inputCost(rate) : 0n;
}

export interface UnspentQuery {
  readonly watchKeys: readonly string[];
  /** Asked about one by one where a node cannot scan by watch key. */
  readonly known: readonly OutputRef[];
  /** Heights of which more is asked: see UnspentOutput.block. */
  readonly within?: { readonly from: number; readonly to: number };
}

export interface UnspentScan {
  /** The block after which this was so. */
  readonly tip: BlockRef;
  readonly outputs: readonly UnspentOutput[];
  /** False: only `known` outputs were looked up. */
  readonly isComplete: boolean;
}

export interface UnspentOutput {
  readonly ref: OutputRef;
  readonly amount: bigint;
  /** The block that holds it, and the watch key that it pays, where the scan tells. */
  readonly height?: number;
  readonly watchKey?: string;
  /** What else a credit says, of outputs within the heights asked for. */
  readonly block?: {
    readonly hash: string;
    readonly timeMs: number;
    readonly maturity: number;
  };
}

export interface BalanceReading {
  /** The balances are those after this height. */
  readonly height: number;
  /** The block that they are exactly after; null where a later reading may yet agree with the ledger. */
  readonly hash: string | null;
  /** Atoms of every account asked for. */
  readonly balances: ReadonlyMap<string, bigint>;
}
