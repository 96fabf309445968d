import type { Coin, Mode, Network } from './coins.ts';
import type { Finality } from './confirmations.ts';
import type { KeyPath, KeySource } from './keys.ts';

/** Signs a plan with the wallet's keys; who holds it can sign, but never has a key. */
export type PlanSigner = (adapter: Pick<ChainAdapter, 'signSend'>, plan: SendPlan) => SignedTransaction;

/**
 * The port every chain adapter implements. Adapters answer in these terms only; nothing of a
 * node's own vocabulary crosses this line. All amounts are bigint atoms.
 */
export interface ChainAdapter {
  readonly coin: Coin;
  readonly mode: Mode;
  readonly network: Network;
  /** Smallest amount in atoms that can be paid to a fresh address and spent from it later (dust, rent). */
  readonly minimumPayment: bigint;

  /** Identity and health of the node. @throws {ChainError} `wrong_chain` when it serves another network. */
  status(): Promise<NodeStatus>;
  tip(): Promise<BlockRef>;
  /** Where the chain has such: height of the newest block that cannot be taken back. */
  finalizedHeight?(): Promise<number>;
  /**
   * Where the network itself says which blocks stay: the newest block of each kind asked for.
   * @throws {ChainError} when the node does not say, naming what it lacks.
   */
  finalBlocks?(wanted: readonly Finality[]): Promise<ReadonlyMap<Finality, BlockRef>>;
  /**
   * Where history can have holes: the first block above a height that the node has and that cannot be taken back; null
   * while there is none.
   */
  finalAfter?(height: number): Promise<ChainBlockHeader | null>;
  /**
   * Hash of the block on which the node's best chain stands at a height; null above its tip, and where the node does
   * not show a block: that proves nothing. Where a height can stay without a block, it is that of the block below once
   * its child proves it.
   */
  hashAt(height: number): Promise<string | null>;
  /** The highest block whose time is at or before `timeMs` (block 0 at least): where a new cursor starts. */
  blockBefore(timeMs: number): Promise<ChainBlockHeader>;
  /**
   * One whole block reduced to what concerns us; null above the tip.
   * @throws {ChainError} `pruned` when the node no longer has it, naming the missing range.
   */
  blockAt(height: number): Promise<ChainBlock | null>;
  /**
   * Where several blocks are cheaper than each alone: those from a height on, in a row; empty above
   * the tip. Nothing concerns us in any but the last: it may change what the next ones mean.
   * @throws {ChainError} `pruned` as blockAt does.
   */
  blocksFrom?(height: number): Promise<readonly ChainBlock[]>;
  /**
   * Where blocks are too many to fetch each: the next block above the cursor that is worth
   * recording, with the cursor as its parent, at the latest the tip itself; null at the tip. Chains
   * without it are walked height by height.
   * @throws {ChainError} `pruned` as blockAt does.
   */
  blockAfter?(cursor: BlockRef): Promise<ChainBlock | null>;
  /**
   * Everything unconfirmed that concerns us, complete at each call (not a difference), with the
   * tip the node had when the view was taken.
   */
  unconfirmed(): Promise<UnconfirmedView>;
  /**
   * What became of transactions that left the unconfirmed view without being mined. May rebroadcast them.
   * @param ledger the block up to which the ledger has read the chain: none of them is in it, or below
   * @param proof `final`: where a nonce ends a transaction, only one that a final block has used
   */
  recheck(
    transactions: readonly StoredTransaction[],
    ledger?: BlockRef,
    proof?: 'block' | 'final',
  ): Promise<ReadonlyMap<string, Fate>>;

  /** Null when the text is a spendable address of this coin and network; else why not, for a person. */
  addressProblem(address: string): string | null;
  /** The key under which payments to an address are found on the chain (script hex, account). Pure. */
  watchKey(address: string): string;
  /** Payment URI: BIP21, EIP-681 or Solana Pay. Pure. */
  paymentUri(request: { address: string; amount: bigint; label?: string }): string;

  /** Reads what signing needs from the node (fee level, nonce, blockhash). Called outside transactions. */
  feeQuote(intent?: SendIntent): Promise<FeeQuote>;
  /**
   * Where a node can run a transaction without a trace: the quote with what this draft would use of
   * the chain's computing, or as it was when the node does not tell. Called outside transactions.
   */
  measure?(draft: SendPlan, quote: FeeQuote): Promise<FeeQuote>;
  /**
   * Where accounts are spent as a whole: what each of these, a hundred at most, holds on the chain now,
   * atoms. What came in unnoticed makes a transaction fail that was to leave nothing there.
   */
  heldNow?(accounts: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
  /** Where money is held in outputs: what spending one costs at a rate, atoms. Pure. */
  inputCost?(rate: bigint): bigint;
  /**
   * Where money is held in accounts: what each of these, a hundred at most, holds after a block or a later one, atoms.
   * @throws {ChainError} `unavailable` when the node cannot tell: never taken for a balance of 0.
   */
  heldAfter?(watchKeys: readonly string[], block: BlockRef): Promise<ReadonlyMap<string, bigint>>;
  /** Chooses funds for a send. Pure. @throws {InsufficientFunds} {UnsendableAmount} */
  planSend(request: SendRequest): SendPlan;
  /** Signs a plan. Pure and synchronous: it runs inside the transaction that stores the result. */
  signSend(plan: SendPlan, keys: KeySource): SignedTransaction;
  /**
   * A plan that replaces a stuck send at a higher fee and pays the same destination the same
   * amount; null when a replacement would not raise the fee enough or cannot be paid for.
   */
  planBump(request: BumpRequest): SendPlan | null;
  /**
   * Where transactions expire: a plan that pays the same again once every version signed so far is
   * proven to have expired without ever landing; null while that is not proven. It may cost more, within the cap
   * of the quote.
   */
  planRenewal?(
    previous: SendPlan,
    quote: FeeQuote,
    terms: { readonly subtractFee: boolean; readonly feeLimit: bigint },
  ): SendPlan | null;
  /** Hands signed bytes to the node. Never throws for an unclear outcome: that is `unknown`. */
  broadcast(transaction: StoredTransaction): Promise<BroadcastResult>;
  /**
   * What the node's own set of unspent outputs holds for us, for reconciliation; may take minutes.
   * Absent where a chain has no outputs.
   */
  scanUnspent?(query: UnspentQuery): Promise<UnspentScan>;
  /**
   * What the chain itself says accounts hold, for reconciliation. Absent where money is held in outputs.
   * @param ledger the block that the ledger stands on
   * @throws {ChainError} `unavailable` when the node cannot tell: never taken for a balance of 0.
   */
  balancesAt?(watchKeys: readonly string[], ledger: BlockRef): Promise<BalanceReading>;
  /**
   * Where a node can say by itself that something happened: calls `wake` then, until the answer is
   * called. Only ever a reason to look earlier.
   */
  listen?(wake: () => void): () => void;
  close(): Promise<void>;
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

export interface StoredTransaction {
  readonly txid: string;
  readonly raw: string | null;
  /** Where transactions expire: what it is dated with, if that was written down. Proof of its end needs it. */
  readonly lifetime?: Lifetime | undefined;
}

/**
 * `present`: known to the node, mined or not; `gone`: cannot confirm any more (inputs spent otherwise); `absent`: a node
 * in step has it in no block and, its bytes offered again as far as they are at hand, not in its mempool, which proves
 * nothing at once; `unknown`: the node could not tell.
 */
export type Fate = 'present' | 'gone' | 'absent' | 'unknown';

export interface NodeStatus {
  readonly tip: BlockRef;
  /** The node's own view of how far the chain goes; larger than tip.height while it syncs. */
  readonly headersHeight: number;
  readonly syncing: boolean;
  /** Lowest height whose block body the node still has; 0 when unpruned. */
  readonly pruneHeight: number;
  /** Connected peers; null where a node may be alone (regtest, the simulator). */
  readonly peers: number | null;
  readonly version: string;
  readonly warnings: string | null;
  /** Where balances are watched: accounts that hold something else than the history explains, and by how much, atoms. */
  readonly unexplained?: { readonly accounts: number; readonly amount: bigint };
  /** What the warnings are about, as far as it is one of these. */
  readonly alarms?: readonly ChainAlarm[];
}

/**
 * Signs that node, chain and this program no longer fit together. `unknown_version`: what cannot be read,
 * so the chain is not followed past it. `new_transactions`: a kind not known here that could be read all
 * the same. `unreadable`: a block or answer that makes no sense. `blocks_only`: the node takes no unconfirmed
 * transactions, so that payments are seen only once a block has them. The rest says itself.
 */
export const CHAIN_ALARMS = [
  'unknown_version',
  'new_transactions',
  'unreadable',
  'wrong_chain',
  'pruned',
  'clock_skew',
  'node_outdated',
  'blocks_only',
] as const;
export type ChainAlarm = (typeof CHAIN_ALARMS)[number];

/** Finds which of the things a block or mempool mentions are ours. Backed by the store's indexes. */
export interface ChainIndex {
  /** Of these watch keys, the ones we watch. */
  watched(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Of these outputs (`txid:index`), those whose spending concerns us: ours, and those that unconfirmed payments to us spend. */
  ownOutputs(refs: readonly string[]): Promise<ReadonlySet<string>>;
  /** On chains of accounts: what each account holds in blocks, as outputs that no block has spent. */
  holdings(watchKeys: readonly string[]): Promise<ReadonlyMap<string, readonly Holding[]>>;
  /** On chains of accounts: how many transactions that spent from an account are known in blocks. */
  outgoing?(watchKey: string): Promise<number>;
  /** The merchants' own watch keys, and those of payments that wait for money or closed after a time, ms. */
  open(closedAfterMs: number): Promise<readonly OpenKey[]>;
  /**
   * Where the index can read both together: as `open` and `holdings`, piece by piece, so that a node is asked
   * about the first while the next are read. What is given out meanwhile need not be among them.
   */
  openAccounts?(closedAfterMs: number): AsyncIterable<readonly OpenAccount[]>;
  /**
   * The share of all watch keys ever given out whose turn it is at a height: a bounded number, the
   * same for the same height, and every key again and again as heights go by.
   */
  turn(height: number): Promise<readonly OpenKey[]>;
  /** All watch keys in the order in which they were given out, those after a position (0: from the first). */
  watchKeysAfter(
    after: number,
    limit: number,
  ): Promise<readonly { readonly position: number; readonly watchKey: string }[]>;
  /** Outputs that no block holds at the moment, with their watch keys. */
  unsettled(): Promise<readonly Pick<Credit, 'ref' | 'watchKey'>[]>;
  /** When the ledger was put back from a backup, ms: what was received and sent on between is not in it. */
  restoredAt?(): Promise<number | null>;
  /** A first look without the database, where the index has one; null while it gets ready: then ask about everything. */
  sieve?(): Promise<Sieve | null>;
}

/**
 * Holds back what is certainly not ours, for chains whose blocks mention thousands of strangers. Says
 * maybe to some of those, too; never no to what was ours when the sieve was handed out.
 */
export interface Sieve {
  /** @param script bytes in which a watch key (a script) lies between two offsets */
  readonly mayWatch: (script: Uint8Array, start: number, end: number) => boolean;
  /** @param idTail the last 32 bits of the id of a transaction whose output is spent, as it is written */
  readonly mayOwn: (idTail: number) => boolean;
}

/** One part of what an account holds. */
export interface Holding {
  readonly ref: OutputRef;
  readonly amount: bigint;
}

export interface OpenKey {
  readonly watchKey: string;
  /** When its address was given out, ms: what it held before came from no payer. */
  readonly since: number;
}

/** An open key with what the ledger says that its account holds (see ChainIndex.holdings). */
export interface OpenAccount extends OpenKey {
  readonly held: readonly Holding[];
  /**
   * True for a merchant's own account and for one whose payment still waits for money: look at it every time. False
   * once its payment is completed, cancelled or expired: a look may leave it out, it has its turn later.
   */
  readonly isAwaited: boolean;
}

/** `txid:index`, the form in which ChainIndex and logs name an output. */
export function outputKey(ref: OutputRef): string {
  return `${ref.txid}:${ref.index}`;
}

/** What the node said about fees. `rate` is in atoms per 1,000 units of size (vB, gas, compute). */
export interface FeeQuote {
  readonly rate: bigint;
  readonly source: string;
  readonly at: number;
  /** The rate below which a transaction is not relayed or cannot be mined at this moment. */
  readonly minimum?: bigint;
  /** The configured cap: no rate above it is ever paid. */
  readonly maximum?: bigint;
  /** Where transactions expire: what a new one is dated with. */
  readonly lifetime?: Lifetime & { readonly finalizedHeight: number };
  /** On chains of accounts: what a transaction of the intended sender needs. */
  readonly account?: AccountTerms;
  /** Where computing is paid for by a limit set beforehand: what a transaction of so many accounts and transfers was measured to need. */
  readonly measured?: {
    readonly accounts: number;
    readonly transfers: number;
    readonly computeUnits: number;
  };
  /** Where accounts are spent as a whole: what the chain says they hold, whatever the ledger says; atoms. */
  readonly held?: ReadonlyMap<string, bigint>;
}

/** A transaction dated with this block hash can land up to and including a block height. */
export interface Lifetime {
  readonly blockhash: string;
  readonly lastValidHeight: number;
  /** The slot of that block: it can land in later ones only. */
  readonly slot?: number;
}

/** Who is going to pay whom how much, for chains whose fee and sequence depend on it. */
export interface SendIntent {
  readonly from: string;
  readonly destination: string;
  readonly amount: bigint;
}

/** What a transaction of one account is signed with besides amounts. */
export interface AccountTerms {
  readonly chainId: number;
  readonly nonce: number;
  readonly gasLimit: bigint;
}

/** What other sends of the same account have taken that its outputs do not show yet. */
export interface Lane {
  /** Sequence numbers (nonces) of its sends, unconfirmed or not. */
  readonly taken: ReadonlySet<number>;
  /** Atoms that its unconfirmed sends will use, fees included. */
  readonly committed: bigint;
}

/** Money that a send may use: confirmed, mature, unspent, unreserved. */
export interface Fund {
  readonly ref: OutputRef;
  readonly amount: bigint;
  readonly address: string;
  readonly keyPath: KeyPath;
}

/** An unconfirmed transaction of our own that must be mined before, or together with, one that spends from it. */
export interface FeeAncestor {
  readonly txid: string;
  readonly fee: bigint;
  /** Virtual size. */
  readonly size: bigint;
}

/** Unconfirmed ancestors by the output (see outputKey) that a transaction may spend; confirmed outputs have no entry. */
export type Ancestry = ReadonlyMap<string, readonly FeeAncestor[]>;

export interface SendRequest {
  readonly funds: readonly Fund[];
  /** Of funds that no block holds yet: what pays for them, too, where they pay less than the rate asks. */
  readonly ancestry?: Ancestry;
  readonly destination: string;
  /** Atoms. With subtractFee the destination gets this less the fee. */
  readonly amount: bigint;
  readonly subtractFee: boolean;
  readonly changeAddress: string;
  readonly quote: FeeQuote;
  readonly lane?: Lane;
}

export interface SendPlan {
  readonly inputs: readonly Fund[];
  readonly destination: string;
  /** What the destination receives. */
  readonly amount: bigint;
  readonly fee: bigint;
  readonly change: { readonly address: string; readonly amount: bigint } | null;
  /** Atoms per 1,000 size units actually paid. */
  readonly feeRate: bigint;
  readonly lifetime?: Lifetime;
  readonly account?: AccountTerms;
  /** The limit on computing that its fee pays for, where there is one. */
  readonly computeUnits?: number;
}

export interface BumpRequest {
  readonly previous: SendPlan;
  /** More confirmed funds that may be added. */
  readonly funds: readonly Fund[];
  readonly changeAddress: string;
  readonly quote: FeeQuote;
  readonly lane?: Lane;
  /** The higher fee may come out of the amount: nobody outside waits for it. */
  readonly fromAmount?: boolean;
  /** Of the inputs that no block holds yet. */
  readonly ancestry?: Ancestry;
  /** Everything goes to `changeAddress`: the replacement takes the payment back. */
  readonly toSelf?: boolean;
}

export interface SignedTransaction {
  readonly txid: string;
  readonly raw: string;
  /** Addresses of its outputs in their order, where money is held in outputs. */
  readonly outputs?: readonly string[];
}

export type BroadcastResult =
  | { readonly kind: 'accepted' }
  /** The node refused these bytes for good: they cannot confirm. `isExpired`: they were fine, and came too late, if not twice. */
  | { readonly kind: 'rejected'; readonly reason: string; readonly isExpired?: true }
  /** No clear answer (timeout, broken connection, node busy): try again, never assume. `isLasting`: time alone brings none. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly isLasting?: true };

/** `unknown_version`: a transaction or block of a form newer than this program. */
export type ChainErrorKind = 'unavailable' | 'wrong_chain' | 'pruned' | 'bad_answer' | 'unknown_version';

/** As nodes and providers put it, in codes and words. */
const RATE_LIMITED =
  /\b429\b|\brate.?limit|limits our rate|too many requests|compute units per second|request limit|over rate/i;

/** Anything that went wrong with a node. The message is for operators and carries no credentials. */
export class ChainError extends Error {
  override name = 'ChainError';
  readonly kind: ChainErrorKind;

  /** The node, or the provider in front of it, was asked more than it allows. */
  get isRateLimited(): boolean {
    return this.kind === 'unavailable' && RATE_LIMITED.test(this.message);
  }

  constructor(kind: ChainErrorKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
  }
}

/** The funds do not cover the send; amounts in atoms. */
export class InsufficientFunds extends Error {
  override name = 'InsufficientFunds';
  readonly available: bigint;
  readonly needed: bigint;

  constructor(available: bigint, needed: bigint) {
    super(`available ${available}, needed ${needed}`);
    this.available = available;
    this.needed = needed;
  }
}

/** The amount cannot be paid on this chain whatever the funds (dust, or eaten by its fee). The message is for the caller. */
export class UnsendableAmount extends Error {
  override name = 'UnsendableAmount';
}
