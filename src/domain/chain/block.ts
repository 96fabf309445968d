export interface BlockRef {
  readonly height: number;
  readonly hash: string;
}

export interface ChainBlockHeader extends BlockRef {
  readonly parentHash: string;
  readonly timeMs: number;
}

export interface ChainBlock extends ChainBlockHeader {
  readonly credits: readonly Credit[];
  readonly debits: readonly Debit[];
  /**
   * Credits whose block left the chain and that this block contains under another outpoint: only one of the
   * two counts.
   */
  readonly replaces?: readonly OutputRef[];
  /** Credits of earlier blocks that this one disproves. */
  readonly disproved?: readonly OutputRef[];
  /** Number of its transactions with an undefined version; they were parsed like any other. */
  readonly oddVersions?: number;
}

/** Permanent identity of a credit: transaction and position in it (output index, trace, account index). */
export interface OutputRef {
  readonly txid: string;
  readonly index: number;
}

/** `txid:index`, the form in which ChainIndex and logs name an output. */
export function outputKey(ref: OutputRef): string {
  return `${ref.txid}:${ref.index}`;
}

/** Money that reached a watched address. */
export interface Credit {
  readonly ref: OutputRef;
  readonly watchKey: string;
  readonly amount: bigint;
  /**
   * Confirmations that consensus requires before it can be spent: usually 1, 100 for a coinbase, 6 for an
   * MWEB peg-out.
   */
  readonly maturity: number;
  /** The raw transaction as the node returns it, if small enough to store for a rebroadcast. */
  readonly raw: string | null;
  /** On account chains: the remainder that a send of ours left in the account. Never a payer's money. */
  readonly remainder?: true;
  /**
   * Where one recorded block stands for many: the time of the lower block that contains the credit, which
   * counts at the recorded height. A credit that is found only after that height was recorded counts at the
   * block that shows it.
   */
  readonly heldBy?: { readonly height: number; readonly timeMs: number };
}

/** A transaction that spends outputs of ours: the fields that identify its sender and its recipients. */
export interface Spender {
  readonly raw: string;
  /** Number of outputs it spends, ours and others; 0 on account chains. */
  readonly inputs: number;
  /** Its account and nonce, on chains where transactions with the same nonce exclude each other. */
  readonly account?: { readonly watchKey: string; readonly nonce: number };
  /** Null for outputs without an address. */
  readonly pays: readonly { readonly watchKey: string | null; readonly amount: bigint }[];
}

/**
 * An output whose spending is relevant to us (see ChainIndex.ownOutputs), and the transaction that spends it.
 */
export interface Debit {
  readonly ref: OutputRef;
  readonly byTxid: string;
  /** The spending transaction itself, if known. */
  readonly spender?: Spender;
  /**
   * Outcome of the spending transaction, where only its block can tell: the fee actually paid, and whether it
   * succeeded.
   */
  readonly outcome?: { readonly fee: bigint; readonly succeeded: boolean };
}

export interface UnconfirmedView {
  readonly tip: BlockRef;
  readonly credits: readonly UnconfirmedCredit[];
  readonly debits: readonly Debit[];
  /** Whether the node holds this transaction as unconfirmed in this view. */
  has(txid: string): boolean;
  /** Some listed transactions were not read, so a credit that is missing here may still exist. */
  readonly isPartial?: true;
  /** How many of them the next call reads, at once; absent where another call reads nothing more. */
  readonly left?: number;
  /**
   * Whether it lists a transaction that the previous view lacked; absent where the adapter does not compare
   * views.
   */
  readonly hasNews?: boolean;
}

export interface UnconfirmedCredit extends Credit {
  /** When the node itself first saw it, ms, if known. */
  readonly nodeTimeMs: number | null;
  /** Outpoints its transaction spends, on UTXO chains: a double spend of one of them invalidates the credit. */
  readonly inputs: readonly OutputRef[];
  /**
   * Unconfirmed ancestors with the outpoints they spend: a double spend of one of those invalidates the
   * credit as well.
   */
  readonly ancestors?: readonly Ancestor[];
}

export interface Ancestor {
  readonly txid: string;
  readonly inputs: readonly OutputRef[];
}
