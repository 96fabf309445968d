/** What may happen to the sends of a merchant, and the network on which it does. */
import * as fc from 'fast-check';
import type { Coin } from '../../src/domain/coins.ts';
import { ANSWERS, type Answer } from './send-line.ts';

/** Different orders of a merchant. */
export const ORDERS = 5;
/** No block with so many on it leaves the chain in these tests: what rests on one is final. */
export const FINAL_DEPTH = 4;

/** A transaction in a mempool or in a block of the best chain. */
export interface Landed {
  readonly txid: string;
  readonly pays: readonly string[];
  /** Null: unconfirmed. */
  readonly height: number | null;
  /** A block executed it, and it failed without paying. */
  readonly isReverted?: boolean;
}

/** The network as it really is, which the daemon sees through its node only. */
export interface LifeNetwork {
  readonly coin: Coin;
  landed(): Promise<readonly Landed[]>;
  /** A payer pays the merchant, unconfirmed at first. */
  pay(coins: number): Promise<void>;
  mine(count: number): Promise<void>;
  /** Replaces the highest blocks; what they held is mined again, forgotten, or displaced by rivals. */
  reorg(depth: number, fate: 'moved' | 'dropped' | 'replaced'): Promise<void>;
  /** Every node forgets an unconfirmed transaction. */
  drop(txid: string): Promise<void>;
  /** A stranger with the seed spends the same otherwise, unconfirmed at first. */
  steal(txid: string): Promise<void>;
  /** The fee level doubles. */
  raiseFees(): void;
  /** A foreign address, a new one for each number. */
  destination(order: number): string;
}

export type Step =
  | { readonly kind: 'send'; readonly order: number; readonly percent: number }
  | { readonly kind: 'raise' | 'cancel' | 'drop' | 'steal' | 'revive'; readonly which: number }
  | { readonly kind: 'pay'; readonly coins: number }
  | { readonly kind: 'mine'; readonly count: number }
  | { readonly kind: 'reorg'; readonly depth: number; readonly fate: 'moved' | 'dropped' | 'replaced' }
  | { readonly kind: 'look' | 'round' | 'dear' | 'restart' };

/** What happens to the sends of a merchant, and what each offer of theirs meets. */
export interface LifeOf {
  readonly steps: readonly Step[];
  readonly answers: Iterator<Answer>;
}

const which = fc.nat(3);

export const lives: fc.Arbitrary<LifeOf> = fc.record({
  steps: fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('send' as const),
          order: fc.nat(ORDERS - 1),
          percent: fc.integer({ min: 5, max: 60 }),
        }),
      },
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constantFrom(
            'raise' as const,
            'cancel' as const,
            'drop' as const,
            'steal' as const,
            'revive' as const,
          ),
          which,
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 4 }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('pay' as const), coins: fc.integer({ min: 1, max: 8 }) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('reorg' as const),
          depth: fc.integer({ min: 1, max: FINAL_DEPTH - 1 }),
          fate: fc.constantFrom('moved' as const, 'dropped' as const, 'replaced' as const),
        }),
      },
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constantFrom(
            'look' as const,
            'round' as const,
            'round' as const,
            'dear' as const,
            'restart' as const,
          ),
        }),
      },
    ),
    { minLength: 3, maxLength: 14 },
  ),
  answers: fc.infiniteStream(fc.constantFrom(...ANSWERS)),
});
