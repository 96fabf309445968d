import type { ChainAdapter, ChainIndex } from '../../src/domain/chain.ts';
import type { Coin } from '../../src/domain/coins.ts';
import type { KeySource } from '../../src/domain/keys.ts';
import type { BlockByCore } from '../_helpers/nodes/core-client.ts';
import type { OwnedAddress } from './own-keys.ts';

/**
 * What the conformance suite needs of a chain family. A new family is one file in harnesses/ that
 * exports `harnesses`; the suite finds it automatically.
 */
export interface ChainHarness {
  readonly name: string;
  readonly coin: Coin;
  /** False when what it needs is not installed (never in CI, where that is a failure). */
  readonly available: boolean;
  /** Whether the node is another process: its worlds then have `wire`. */
  readonly wired: boolean;
  /** There is a client that shares no code with ours: its worlds then have `blockByCore`. */
  readonly hasIndependentClient?: boolean;
  /** A transaction that does not land expires, and nothing replaces it before: its worlds then have `expire`. */
  readonly expiring?: boolean;
  start(): Promise<ChainWorld>;
}

export type ReorgFate = 'moved' | 'dropped' | 'replaced';

/** One running network with a payer, a miner and the means to break it. */
export interface ChainWorld {
  /** A new adapter on the same node: a restarted daemon. */
  createAdapter(index: ChainIndex): ChainAdapter;
  readonly keys: KeySource;
  /** An ordinary payment on this chain, in atoms: far above dust and fees. */
  readonly amount: bigint;
  /** One sender for each transaction, whose rest stays with it; internal transfers show only once they are mined. */
  readonly isAccounts?: true;
  newAddress(): OwnedAddress;
  strangerAddress(): Promise<string>;
  /** One transaction of the payer with these outputs, in this order. */
  pay(outputs: readonly { address: string; amount: bigint }[]): Promise<string>;
  mine(blocks: number): Promise<void>;
  /** Replaces the last `depth` blocks by more blocks. `txid` is a payer's payment in them. */
  reorg(request: { depth: number; fate: ReorgFate; txid: string }): Promise<void>;
  /** The payer double-spends an unconfirmed payment to a stranger. Answers the new txid. */
  replace(txid: string): Promise<string>;
  /** Fee of a transaction as the chain itself has it: inputs less outputs. */
  feeOf(txid: string): Promise<bigint>;
  /** A block as a client reads it that shares no code with ours, where there is one. */
  readonly blockByCore?: (height: number) => Promise<BlockByCore>;
  /** The chain credits an account once per transaction, however often that pays it. */
  readonly creditsByAccount?: boolean;
  /** What is unconfirmed is known as far as it concerns us. */
  readonly knowsOnlyOwn?: boolean;
  /** Lets what has not landed expire. */
  expire?(): Promise<void>;
  /** Makes the newest block final, where only that proves what a used nonce means. */
  finalize?(): Promise<void>;
  readonly outage: { begin(): Promise<void>; end(): Promise<void> };
  /** Addresses that must be refused, each with what is wrong about it. */
  readonly badAddresses: Readonly<Record<string, string>>;
  /** What only a node on the other side of a wire can do wrong. */
  readonly wire?: WireFaults;
  stop(): Promise<void>;
}

export interface WireFaults {
  /** An adapter that expects another network than the node serves. */
  wrongChainAdapter(index: ChainIndex): Promise<ChainAdapter>;
  /** From now on the node says that it knows ten more headers than blocks. Answers how to end that. */
  fallBehind(): Promise<() => void>;
  /** From now on the parts of an answer come in reverse order, or twice. Answers how to end that. */
  scramble(how: 'reversed' | 'duplicated'): Promise<() => void>;
}
