import { COIN_DEFINITIONS, type Network } from '../../domain/coins.ts';
import type { Clock } from '../../domain/ports.ts';
import { newestBlockTimes } from '../../store/operations/counts.ts';
import { allSkippedBlocks } from '../../store/chain/skipped-blocks.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { ChainGapRow } from '../../store/schema/chain.ts';
import type { ChainHealth } from './chain-health.ts';

/** A chain's health with its warnings for the operator. */
export type WatchedChain = ChainHealth & { readonly warnings: readonly string[] };

export interface ChainWarningsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly network: Network | null;
  readonly watcher: { health(): ChainHealth[] };
}

/** Every chain with its warnings: those of the node, of its age, and of clock skew. */
export async function readChains(deps: ChainWarningsDeps): Promise<WatchedChain[]> {
  const now = deps.clock.now();
  const tips = new Map(
    (await newestBlockTimes(deps.db)).map(({ coin, mode, timeMs }) => [`${coin}/${mode}`, timeMs]),
  );
  const gaps = await allSkippedBlocks(deps.db);
  return deps.watcher.health().map((health) => {
    const unread = gaps.filter(({ coin, mode }) => coin === health.coin && mode === health.mode);
    const tip = tips.get(`${health.coin}/${health.mode}`);
    const node = health.nodeWarnings === null ? [] : [health.nodeWarnings];
    const clocks = tip === undefined ? [] : clockSkewWarnings(health, now - tip, deps.network);
    const isSkewed = clocks.length > 0 && tip !== undefined && tip > now;
    const alarms = new Set([
      ...health.alarms,
      ...(isSkewed ? (['clock_skew'] as const) : []),
      ...(unread.length > 0 ? (['pruned'] as const) : []),
    ]);
    return {
      ...health,
      warnings: [...node, ...clocks, ...unread.map(gapWarning)],
      alarms: [...alarms],
    };
  });
}

function gapWarning({ coin, afterHeight: after, beforeHeight: before, reason }: ChainGapRow): string {
  const why = reason === 'lost' ? 'lost by the node' : 'skipped';
  return `gap in the chain: blocks ${after + 1} to ${before - 1} were ${why}, and money that came in there is not credited until they are reconciled. Should that take longer than an hour, point ${coin} at a node that has them, stop tilld and run tillctl rescan ${coin} --from ${Math.max(after, 0)}`;
}

function clockSkewWarnings(
  { coin, mode, state }: ChainHealth,
  tipAgeMs: number,
  network: Network | null,
): string[] {
  if (mode !== 'live') return [];
  const { aheadMs, silenceMs } = COIN_DEFINITIONS[coin].blocks;
  if (tipAgeMs < -aheadMs) {
    const ahead =
      tipAgeMs < -120_000 ? `${toMinutes(-tipAgeMs)} minutes` : `${Math.round(-tipAgeMs / 1000)} seconds`;
    return [`the newest block is ${ahead} ahead of this machine's clock: set the clock`];
  }
  // Private networks mine blocks at any time.
  if (network === 'regtest' || (state !== 'following' && state !== 'behind')) return [];
  if (tipAgeMs <= silenceMs) return [];
  return [
    `no new block for ${toMinutes(tipAgeMs)} minutes: the node is cut off from its network, or this machine's clock is ahead`,
  ];
}

function toMinutes(ms: number): number {
  return Math.round(ms / 60_000);
}
