import type { ChainId } from '../domain/coins.ts';
import { advanceSends } from '../usecases/wallet/advance-sends.ts';
import { bumpSends, type BumpSendsDeps } from '../usecases/wallet/bump-sends.ts';

export interface SendLoopOptions {
  /** Pause between two rounds of a chain. */
  readonly intervalMs: number;
  /** How often stuck sends are looked at. */
  readonly bumpIntervalMs: number;
}

export interface SendLoop {
  /** Ends the loop after the round under way. */
  stop(): Promise<void>;
}

/**
 * Carries the open sends of each chain on until a block has them: one independent loop per chain,
 * one round at a time. The first round picks up what an earlier process left.
 */
export function startSendLoop(
  deps: BumpSendsDeps,
  chains: readonly ChainId[],
  options: SendLoopOptions,
): SendLoop {
  const stopping = new AbortController();
  const loops = chains.map(async (chain) => follow(deps, chain, options, stopping.signal));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function follow(
  deps: BumpSendsDeps,
  chain: ChainId,
  options: SendLoopOptions,
  signal: AbortSignal,
): Promise<void> {
  let resume = true;
  let bumpAt = deps.clock.now();
  while (!signal.aborted) {
    try {
      await advanceSends(deps, chain, { resume });
      resume = false;
      if (deps.clock.now() >= bumpAt) {
        bumpAt = deps.clock.now() + options.bumpIntervalMs;
        await bumpSends(deps, chain);
      }
    } catch (error) {
      deps.logger.error({ err: error, ...chain }, 'a round over the sends failed, trying again');
    }
    await pause(options.intervalMs, signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
