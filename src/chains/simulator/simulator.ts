import type { ChainAdapter, ChainIndex } from '../../domain/chain.ts';
import type { Coin } from '../../domain/coins.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { SimulatorLedger, SimulatorStore } from '../../domain/simulator.ts';
import type { SimulatorControl } from '../../domain/simulator-control.ts';
import { Scheduler } from '../../scheduler/scheduler.ts';
import { createSimulatorAdapter } from './adapter.ts';
import { createSimulatorControl } from './create-control.ts';
import { mineBlock } from './node-rules.ts';

/** Deep enough for every finality rule of the sandbox: Solana's 32 is the longest by default. */
const DEFAULT_IDLE_DEPTH = 40;

export interface SimulatorOptions {
  readonly coin: Coin;
  readonly store: SimulatorStore;
  readonly index: ChainIndex;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly blockIntervalMs: number;
  /** Mining pauses once the newest transaction has this many confirmations; above every confirmation policy. */
  readonly idleDepth?: number;
}

/** The sandbox network of one coin. */
export interface Simulator {
  readonly adapter: ChainAdapter;
  readonly control: SimulatorControl;
  /** Mines a block if there is anything to confirm; called by the timer. */
  tick(): Promise<void>;
  /** Starts the block timer. */
  start(): void;
  /** Stops the timer and waits for a block being mined. */
  stop(): Promise<void>;
}

/**
 * Creates the sandbox network of one coin on a store. All of its state is in the store: two
 * simulators on the same store are the same network.
 */
export function createSimulator(options: SimulatorOptions): Simulator {
  const { coin, store, clock, logger } = options;
  const idleDepth = options.idleDepth ?? DEFAULT_IDLE_DEPTH;
  const tick = async () => {
    try {
      await store.transact(coin, async (ledger) => {
        if (await isIdle(ledger, idleDepth)) return;
        await mineBlock(ledger, coin, clock.now());
      });
    } catch (error) {
      logger.error({ err: error, coin }, 'mining a sandbox block failed; will retry');
    }
  };
  const blocks = new Scheduler(logger).every(`${coin} sandbox blocks`, options.blockIntervalMs, tick, {
    pausesFirst: true,
  });
  return {
    adapter: createSimulatorAdapter(options),
    control: createSimulatorControl(options),
    tick,
    start: () => blocks.start(),
    stop: async () => blocks.stop(),
  };
}

/** Whether nothing waits for blocks: an idle sandbox must not keep writing to disk. */
async function isIdle(ledger: SimulatorLedger, idleDepth: number): Promise<boolean> {
  if (await ledger.hasMempool()) return false;
  const [tip, last] = [await ledger.tip(), await ledger.lastMinedHeight()];
  return tip === null || last === null || tip.height - last + 1 >= idleDepth;
}
