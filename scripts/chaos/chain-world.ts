import type { Coin } from '../../src/domain/coins.ts';
import type { Env } from '../../test/_helpers/till.ts';
import type { Mischief } from './mischief.ts';
import type { Random } from './random.ts';
import type { WorldClock } from './world-clock.ts';

/** Where a transaction is, as the real node knows it. */
export type Whereabouts =
  | { readonly kind: 'mined'; readonly height: number; readonly timeMs: number }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'absent' };

/** Money that an address got on the best chain. */
export interface Receipt {
  readonly txid: string;
  readonly amount: bigint;
}

export type ReorgFate = 'moved' | 'dropped' | 'replaced';

/** A real node, its chain and everybody on it but the till. */
export interface ChainWorld {
  readonly coin: Coin;
  readonly clock: WorldClock;
  /** The real node's address: read anew for each request, since a restart may change it. */
  readonly target: () => URL;
  /** The till's settings besides the common ones. */
  readonly env: (rpcUrl: string) => Env;
  /** Ways to pay, by name. */
  readonly ways: readonly string[];
  /** Price range of an order in whole US dollars. */
  readonly price: { readonly low: number; readonly high: number };

  /** Called before each round. */
  begin(): Promise<void>;
  /** Time passes, and the chain grows as it does in that time. */
  pass(ms: number, random: Random): Promise<void>;
  /** So many blocks that everything in them is settled. */
  settle(): Promise<void>;
  /** The highest block whose payments may count as settled now, by the amount that is at stake. */
  settledHeights(): Promise<(amount: bigint) => number>;
  pay(to: { readonly address: string; readonly amount: bigint; readonly way: string }): Promise<string>;
  /** The payer pays the same again at a higher fee. Null where that is not possible. */
  raiseFee(txid: string): Promise<string | null>;
  /** The payer takes an unconfirmed payment back. False where that is not possible. */
  doubleSpend(txid: string): Promise<boolean>;
  reorg(depth: number, fate: ReorgFate, victims: readonly string[]): Promise<void>;
  /** Unconfirmed transactions vanish from the node: of the till and, where `all`, of everybody. */
  loseUnconfirmed(all: boolean): Promise<void>;
  /** Kills the node and starts it again, where it is a daemon. */
  crashNode?(): Promise<void>;
  whereabouts(txids: readonly string[]): Promise<ReadonlyMap<string, Whereabouts>>;
  received(address: string): Promise<readonly Receipt[]>;
  /** What each address holds on the best chain, atoms. */
  balances(addresses: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
  newDestination(): Promise<string>;
  /** Hands bytes straight to the node, whatever it says. */
  offer(raw: string): Promise<void>;
  /** Makers of what this family's nodes do wrong. */
  readonly mischiefs: readonly ((random: Random) => Mischief)[];
  stop(): Promise<void>;
}
