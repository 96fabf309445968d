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
  /** Credits whose block left the chain and that this block shows under another name: never both count. */
  readonly replaces?: readonly OutputRef[];
  /** Credits of earlier blocks that this one proves never to have been. */
  readonly disproved?: readonly OutputRef[];
  /** How many of its transactions have a version number without a meaning, and were read like any other. */
  readonly oddVersions?: number;
}

/** Names one credit for ever: transaction and position in it (output index, trace, account index). */
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
  /** Confirmations the protocol demands before it can be spent: 1 usually, 100 coinbase, 6 MWEB peg-out. */
  readonly maturity: number;
  /** The raw transaction as the network knows it, when it is small enough to keep for a rebroadcast. */
  readonly raw: string | null;
  /** On chains of accounts: what our own spending left where it was. Never a payer's money. */
  readonly remainder?: true;
  /**
   * Where one block stands for many: the height at which it counts, and the time of the block that really holds it,
   * below the one that shows it. What was found only after that height had been recorded counts at the one that shows it.
   */
  readonly heldBy?: { readonly height: number; readonly timeMs: number };
}

/** A transaction that spends outputs of ours, as far as it tells who made it, and what for. */
export interface Spender {
  readonly raw: string;
  /** How many outputs it spends, ours and others; 0 where money is held by accounts. */
  readonly inputs: number;
  /** The account that made it, where its nonce makes it the rival of every other one with the same. */
  readonly account?: { readonly watchKey: string; readonly nonce: number };
  /** Null for outputs that no address stands for. */
  readonly pays: readonly { readonly watchKey: string | null; readonly amount: bigint }[];
}

/** An output whose spending concerns us (see ChainIndex.ownOutputs), and the transaction that spends it. */
export interface Debit {
  readonly ref: OutputRef;
  readonly byTxid: string;
  /** The spending transaction itself, as far as it is told. */
  readonly spender?: Spender;
  /** How the spending transaction ended, where only its block can tell: the fee really paid, and whether it paid anybody. */
  readonly outcome?: { readonly fee: bigint; readonly succeeded: boolean };
}

export interface UnconfirmedView {
  readonly tip: BlockRef;
  readonly credits: readonly UnconfirmedCredit[];
  readonly debits: readonly Debit[];
  /** Whether the node holds this transaction as unconfirmed in this view. */
  has(txid: string): boolean;
  /** Some of what the node lists could not be read: what is not among the credits may have come all the same. */
  readonly isPartial?: true;
}

export interface UnconfirmedCredit extends Credit {
  /** When the node itself first had it, ms, if it says so. */
  readonly nodeTimeMs: number | null;
  /** What its transaction spends, where money is spent by output: a conflict over it undoes the credit. */
  readonly inputs: readonly OutputRef[];
  /** Unconfirmed transactions that it builds on, with what they spend: a conflict over that undoes it as well. */
  readonly ancestors?: readonly Ancestor[];
}

export interface Ancestor {
  readonly txid: string;
  readonly inputs: readonly OutputRef[];
}
