import type { Coin } from '../../src/domain/coins.ts';
import type { Violation } from './oracle/verdict.ts';

/** The result of a campaign. */
export interface Tally {
  readonly coin: Coin;
  rounds: number;
  transfers: number;
  sends: number;
  unknown: number;
  /** Rounds that failed before their end. */
  broken: number;
  seconds: number;
  readonly violations: Violation[];
  readonly mischiefs: Map<string, number>;
}
