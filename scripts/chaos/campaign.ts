import type { Coin } from '../../src/domain/coins.ts';
import { startWorld } from './chains/start-world.ts';
import type { ChainWorld } from './chain-world.ts';
import { printRound } from './report.ts';
import { playRound } from './round.ts';
import type { RoundResult } from './stage.ts';
import type { Tally } from './tally.ts';
import { WorldClock } from './world-clock.ts';

/** Rounds on one chain, before it becomes too long. */
const ROUNDS_PER_WORLD = 15;

export interface CampaignOptions {
  /** Seed of the first round; each later round uses the next one. */
  readonly seed: number;
  readonly rounds: number;
  readonly isVerbose: boolean;
}

export async function runCampaign(coin: Coin, { seed, rounds, isVerbose }: CampaignOptions): Promise<Tally> {
  const tally: Tally = {
    coin,
    rounds: 0,
    transfers: 0,
    sends: 0,
    unknown: 0,
    broken: 0,
    seconds: 0,
    violations: [],
    mischiefs: new Map(),
  };
  let world: ChainWorld | null = null;
  for (let at = 0; at < rounds; at += 1) {
    if (at % ROUNDS_PER_WORLD === 0) {
      await world?.stop();
      world = null;
    }
    try {
      world ??= await startWorld(coin, new WorldClock(Date.now()));
      const round = await playRound(world, seed + at);
      count(tally, round);
      printRound(coin, round, isVerbose);
    } catch (error) {
      tally.broken += 1;
      process.stdout.write(
        `${coin} seed ${seed + at}: could not be played: ${String((error as Error).stack)}\n`,
      );
      await world?.stop();
      world = null;
    }
  }
  await world?.stop();
  return tally;
}

function count(tally: Tally, round: RoundResult): void {
  tally.rounds += 1;
  tally.transfers += round.transfers;
  tally.sends += round.sends;
  tally.unknown += round.unknown.length;
  tally.seconds += round.seconds;
  tally.violations.push(...round.violations);
  for (const [name, hits] of round.hits) {
    if (hits > 0) tally.mischiefs.set(name, (tally.mischiefs.get(name) ?? 0) + 1);
  }
}
