import type { KeyPath, KeySource } from '../keys.ts';
import type { InputSize } from '../psbt.ts';
import type { SendOutput } from '../send/outputs.ts';
import type { BlockRef, OutputRef } from './block.ts';

/** Interprets addresses, and plans and signs transactions. */
export interface SendBuilder {
  /** Smallest amount in atoms that can be paid to a fresh address and spent from it later (dust, rent). */
  readonly minimumPayment: bigint;
  /** Where a send empties whole accounts. */
  readonly wholeAccounts?: WholeAccounts;
  /** Where other wallets sign transactions (PSBT). */
  readonly psbt?: PsbtSupport;
  /** Where transactions expire. */
  readonly expiry?: SendExpiry;

  /**
   * Checks that a text is an address of this coin and network that can be spent from. Returns null for one, else the
   * reason as a predicate for the user: "has a wrong checksum".
   */
  validateAddress(address: string): string | null;
  /** The key under which payments to an address are found on the chain (script hex, account). Pure. */
  watchKey(address: string): string;
  /** Payment URI: BIP21, EIP-681 or Solana Pay. Pure. */
  paymentUri(request: { address: string; amount: bigint; label?: string }): string;

  /** Reads from the node what signing needs (fee rate, nonce, blockhash). Called outside transactions. */
  feeQuote(intent?: SendIntent): Promise<FeeQuote>;
  /** Selects funds for a send. Pure. @throws {InsufficientFunds} {UnsendableAmount} */
  planSend(request: SendRequest): SendPlan;
  /**
   * Signs a plan, inside the transaction that stores the result: it reads nothing, and lets other work go on between
   * the signatures of many inputs.
   */
  signSend(plan: SendPlan, keys: KeySource): Promise<SignedTransaction>;
  /**
   * Plans a replacement of a stuck send at a higher fee (RBF, BIP-125) that pays the same destination the
   * same amount; null when it would not raise the fee enough or the funds do not cover it.
   */
  planReplacement(request: ReplacementRequest): SendPlan | null;
}

/** Signs a plan with the wallet's keys; the caller never sees a key. */
export type PlanSigner = (
  adapter: Pick<SendBuilder, 'signSend'>,
  plan: SendPlan,
) => Promise<SignedTransaction>;

export interface PsbtSupport {
  /**
   * The transactions that created outputs, hex by txid, each from its block; those that the node does not have are left
   * out. Called outside transactions.
   */
  previousTransactions(
    of: readonly { readonly txid: string; readonly blockHash: string }[],
  ): Promise<ReadonlyMap<string, string>>;
  /**
   * The node's last block, if the node shows all these outputs unspent, its mempool included, and does not know the
   * transaction; null: it does not show that. Called outside transactions.
   * @throws {ChainError} when the node does not answer
   */
  unspentAt(txid: string, outputs: readonly OutputRef[]): Promise<BlockRef | null>;
}

export interface WholeAccounts {
  /**
   * Current on-chain balance of each of these accounts (at most 100), atoms. Unnoticed deposits would make a
   * transaction fail that is meant to empty an account.
   */
  heldNow(accounts: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
  /**
   * Adds to the quote the compute units of this draft, measured by simulation on the node; returns it
   * unchanged when the simulation fails. Called outside transactions.
   */
  measure(draft: SendPlan, quote: FeeQuote): Promise<FeeQuote>;
}

export interface SendExpiry {
  /**
   * Plans the same payment again once every signed version is proven to have expired without being executed;
   * null while that is not proven. It may cost more, within the cap of the quote.
   */
  planRenewal(
    previous: SendPlan,
    quote: FeeQuote,
    terms: { readonly subtractFee: boolean; readonly feeLimit: bigint },
  ): SendPlan | null;
}

/** The node's fee quote. `rate` is in atoms per 1,000 units of size (vB, gas, compute). */
export interface FeeQuote {
  readonly rate: bigint;
  readonly source: string;
  readonly at: number;
  /** The rate below which a transaction is currently not relayed or mined. */
  readonly minimum?: bigint;
  /**
   * The rate that the node requires of a replacement on top of the replaced one (incremental relay fee,
   * BIP-125 rule 4), per 1,000 units.
   */
  readonly increment?: bigint;
  /** The configured cap: the daemon never pays a higher rate. */
  readonly maximum?: bigint;
  /** Where transactions expire: the lifetime of a new one. */
  readonly lifetime?: Lifetime & { readonly finalizedHeight: number };
  /** On account chains: nonce and limits for a transaction of the intended sender. */
  readonly account?: AccountTerms;
  /**
   * Where a compute limit is set in advance: the measured compute units of a transaction with this many
   * accounts and transfers.
   */
  readonly measured?: {
    readonly accounts: number;
    readonly transfers: number;
    readonly computeUnits: number;
  };
  /**
   * Where a send empties whole accounts: their on-chain balances, which may differ from the ledger's; atoms.
   */
  readonly balances?: ReadonlyMap<string, bigint>;
}

/** Validity of a transaction with this block hash: it can be executed up to and including a block height. */
export interface Lifetime {
  readonly blockhash: string;
  readonly lastValidHeight: number;
  /** The slot of that block: it can be executed only in later slots. */
  readonly slot?: number;
}

/** Sender, destination and amount of a planned send, for chains whose fee and nonce depend on them. */
export interface SendIntent {
  readonly from: string;
  readonly destination: string;
  readonly amount: bigint;
}

/** Signing parameters of an account's transaction besides amounts. */
export interface AccountTerms {
  readonly chainId: number;
  readonly nonce: number;
  readonly gasLimit: bigint;
}

/** Nonces and money that other sends of the same account use and that its outputs do not reflect yet. */
export interface NonceSequence {
  /** Nonces of its sends, unconfirmed or not. */
  readonly usedNonces: ReadonlySet<number>;
  /** Atoms that its unconfirmed sends will spend, fees included. */
  readonly committed: bigint;
}

/** Money that a send may use: confirmed, mature, unspent, unreserved. */
export interface Fund {
  readonly ref: OutputRef;
  readonly amount: bigint;
  readonly address: string;
  readonly keyPath: KeyPath;
}

/** An unconfirmed transaction of our own that must be mined before or together with its descendants. */
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
  /** Spends all of the funds, whatever they are worth. */
  readonly spendsAll?: boolean | undefined;
  /** Ancestors of unconfirmed funds: the send also pays for those below the rate (CPFP). */
  readonly ancestry?: Ancestry;
  readonly destination: string;
  /** Atoms. With subtractFee the destination receives this minus the fee. */
  readonly amount: bigint;
  /** Several recipients, `destination` the first of them: what each receives of `amount` (see splitAmount). */
  readonly outputs?: readonly SendOutput[] | null;
  readonly subtractFee: boolean;
  readonly changeAddress: string;
  readonly quote: FeeQuote;
  readonly nonceSequence?: NonceSequence;
  /** Of the funds, where they are on a watched account. */
  readonly inputSize?: InputSize;
}

export interface SendPlan {
  readonly inputs: readonly Fund[];
  readonly destination: string;
  /** What the destination receives; with `outputs` all recipients together. */
  readonly amount: bigint;
  /** What each receives where there are several; `destination` is the first. */
  readonly outputs?: readonly SendOutput[];
  readonly fee: bigint;
  readonly change: { readonly address: string; readonly amount: bigint } | null;
  /** Atoms per 1,000 size units actually paid. */
  readonly feeRate: bigint;
  readonly lifetime?: Lifetime;
  readonly account?: AccountTerms;
  /** The compute limit that its fee pays for, where there is one. */
  readonly computeUnits?: number;
}

export interface ReplacementRequest {
  readonly previous: SendPlan;
  /** Further confirmed funds that may be added. */
  readonly funds: readonly Fund[];
  readonly changeAddress: string;
  readonly quote: FeeQuote;
  readonly nonceSequence?: NonceSequence;
  /** The higher fee may be taken from the amount: the send has no outside recipient. */
  readonly fromAmount?: boolean;
  /** Ancestors of unconfirmed inputs. */
  readonly ancestry?: Ancestry;
  /** Everything goes to `changeAddress`: the replacement cancels the payment. */
  readonly toSelf?: boolean;
}

export interface SignedTransaction {
  readonly txid: string;
  readonly raw: string;
  /** Addresses of its outputs in their order, where money is held in outputs. */
  readonly outputs?: readonly string[];
}
