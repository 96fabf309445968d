import type { Coin } from '../../src/domain/coins.ts';
import type { Env } from '../../test/_helpers/till.ts';
import type { Mischief } from './mischief.ts';
import type { Random } from './random.ts';
import type { WorldClock } from './world-clock.ts';

/** The position of a transaction according to the real node. */
export type Whereabouts =
  | { readonly kind: 'mined'; readonly height: number; readonly timeMs: number }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'absent' };

/** A received amount on the best chain. */
export interface Receipt {
  readonly txid: string;
  readonly amount: bigint;
}

export type ReorgFate = 'moved' | 'dropped' | 'replaced';

/** A real node, its chain, and all participants except the daemon. */
export interface ChainWorld {
  readonly coin: Coin;
  readonly clock: WorldClock;
  /** The real node's address: read for each request, because a restart may change it. */
  readonly target: () => URL;
  /** Settings of the daemon, in addition to the common ones. */
  readonly env: (rpcUrl: string) => Env;
  /** Payment methods, by name. */
  readonly ways: readonly string[];
  /** Price range of an order in whole US dollars. */
  readonly price: { readonly low: number; readonly high: number };

  /** Called before each round. */
  begin(): Promise<void>;
  /** Advances the clock, and mines the blocks of that time. */
  pass(ms: number, random: Random): Promise<void>;
  /** Mines enough blocks that all earlier ones are settled. */
  settle(): Promise<void>;
  /** The highest block whose payments may count as settled now, by their amount. */
  settledHeights(): Promise<(amount: bigint) => number>;
  pay(to: { readonly address: string; readonly amount: bigint; readonly way: string }): Promise<string>;
  /** Replaces the payment at a higher fee. Null if that is impossible. */
  raiseFee(txid: string): Promise<string | null>;
  /** Replaces an unconfirmed payment by one to another address. False if that is impossible. */
  doubleSpend(txid: string): Promise<boolean>;
  reorg(depth: number, fate: ReorgFate, victims: readonly string[]): Promise<void>;
  /** Drops unconfirmed transactions from the node: the daemon's, or with `all` every one. */
  loseUnconfirmed(all: boolean): Promise<void>;
  /** Kills and restarts the node, if it is a process. */
  crashNode?(): Promise<void>;
  whereabouts(txids: readonly string[]): Promise<ReadonlyMap<string, Whereabouts>>;
  received(address: string): Promise<readonly Receipt[]>;
  /** The balance of each address on the best chain, atoms. */
  balances(addresses: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
  newDestination(): Promise<string>;
  /** Submits bytes to the node directly and ignores its response. */
  offer(raw: string): Promise<void>;
  /** Factories of the faults of this family's nodes. */
  readonly mischiefs: readonly ((random: Random) => Mischief)[];
  stop(): Promise<void>;
}
