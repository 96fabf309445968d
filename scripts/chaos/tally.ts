import type { Coin } from '../../src/domain/coins.ts';
import type { Violation } from './oracle/verdict.ts';

/** What a campaign came to. */
export interface Tally {
  readonly coin: Coin;
  rounds: number;
  transfers: number;
  sends: number;
  unknown: number;
  /** Rounds that could not be played to their end. */
  broken: number;
  seconds: number;
  readonly violations: Violation[];
  readonly mischiefs: Map<string, number>;
}
