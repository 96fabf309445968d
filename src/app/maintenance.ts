import type { Config } from '../config/config.ts';
import { ChainError, type ChainAdapter, type ChainAlarm } from '../domain/chain.ts';
import type { ChainId } from '../domain/coins.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import type { Db } from '../store/sqlite/database.ts';
import type { OpenDatabase } from '../store/sqlite/open.ts';
import { lastReconciliation } from '../store/chain/reconciliations.ts';
import {
  reconcileSkippedBlocks,
  type ObserveDeps,
  reconcile,
  rereadBlocks,
} from '../usecases/chain-sync/index.ts';
import { applyRetention } from '../usecases/retention/index.ts';
import { readChains, type WatchedChain } from '../workers/chain-watcher/chain-warnings.ts';
import type { Watcher } from '../workers/chain-watcher/watcher.ts';

interface UpkeepDeps {
  readonly config: Config;
  readonly database: OpenDatabase;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly adapters: readonly ChainAdapter[];
  readonly watcher: Watcher;
  /** Dependencies to credit money from block gaps. */
  readonly observe: ObserveDeps;
}

/** Periodic maintenance of the daemon. */
export interface Maintenance {
  start(): void;
  stop(): Promise<void>;
  /** Every chain with its warnings. */
  chains(): Promise<WatchedChain[]>;
}

const TEN_MINUTES_MS = 600_000;
/** Not at the start, when there is enough to do, and not all at once. */
const RARE = { pausesFirst: true, jitter: 0.1 };
/** Pages released per run, 4 KiB each: a few milliseconds of work. */
const RECLAIMED_PAGES = 2_000;
const WARNINGS_EVERY_MS = 60_000;
const REREADS_EVERY_MS = 2_000;
/** How long the ledger may take to reach the node's block. */
const PATIENCE_MS = 60_000;

/** Prunes and shrinks the database, reconciles ledger and chain periodically, and logs warnings. */
export function createMaintenance(deps: UpkeepDeps): Maintenance {
  const { config, database, clock, logger, watcher } = deps;
  const { db } = database;
  const chains = async (): Promise<WatchedChain[]> =>
    readChains({ db, clock, network: config.network, watcher });
  const policy = { ...config.webhooks, auditDays: config.auditDays };
  const tidy = async (signal: AbortSignal): Promise<void> => {
    await applyRetention({ db, clock, logger }, policy, signal);
    database.reclaim(RECLAIMED_PAGES);
  };
  const reconciling = { ...deps, db, intervalMs: config.reconcileIntervalMs };
  const jobs = new Scheduler(logger)
    .every('chain-warnings', WARNINGS_EVERY_MS, warningTeller(chains, logger))
    .every('rereads', REREADS_EVERY_MS, (signal) =>
      eachChain(deps, (adapter) => rereadBlocks(deps.observe, adapter, signal)),
    )
    .every('retention', TEN_MINUTES_MS, tidy, RARE)
    .every(
      'gaps',
      TEN_MINUTES_MS,
      () => eachChain(deps, (adapter) => reconcileSkippedBlocks(deps.observe, adapter)),
      RARE,
    )
    .every('reconcile', TEN_MINUTES_MS, (signal) => reconcileDue(reconciling, signal), RARE);
  return { chains, start: () => jobs.start(), stop: async () => jobs.stop() };
}

/**
 * Reconciles each chain whose last reconciliation is too old, one at a time, because a scan loads a node.
 * Accounts that differed are queried again, which is cheap. A failing node does not delay other chains.
 */
export async function reconcileDue(
  deps: {
    readonly db: Db;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly intervalMs: number;
    readonly adapters: readonly Parameters<typeof reconcile>[1][];
  },
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, logger, intervalMs, adapters } = deps;
  for (const adapter of adapters) {
    if (signal.aborted) return;
    const last = await lastReconciliation(db, adapter);
    const isFresh = last !== undefined && Math.abs(clock.now() - last.at) < intervalMs;
    const isDisputed = last !== undefined && last.differences > 0 && adapter.funds?.model === 'accounts';
    if (isFresh && !isDisputed) continue;
    await reconcile({ db, clock, logger, patienceMs: PATIENCE_MS, signal }, adapter);
  }
}

/** Runs a job for each chain; a failing node does not delay other chains, and is retried at the next run. */
async function eachChain(
  { adapters, logger, observe }: UpkeepDeps,
  work: (adapter: ChainAdapter) => Promise<unknown>,
): Promise<void> {
  for (const adapter of adapters) {
    if ((observe.lookAheadLeft?.(adapter) ?? 0) > 0) continue;
    try {
      await work(adapter);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      const { coin, mode } = adapter;
      logger.warn(
        { coin, mode, error: error.message },
        'online rescan or reconciliation with the chain failed; will retry later',
      );
    }
  }
}

/** Logs a warning when it appears and when it ends. */
function warningTeller(chains: () => Promise<WatchedChain[]>, logger: Logger): () => Promise<void> {
  const logged = new Map<string, string>();
  const raised = new Map<string, readonly ChainAlarm[]>();
  return async () => {
    for (const { coin, mode, warnings, alarms } of await chains()) {
      tellAlarms(raised, logger, { coin, mode, alarms });
      const key = `${coin}/${mode}`;
      // Some contain an elapsed time.
      const sense = warnings.map((warning) => warning.replace(/\d+ (minutes|seconds)/, 'time')).join('; ');
      if (sense === (logged.get(key) ?? '')) continue;
      logged.set(key, sense);
      if (warnings.length > 0)
        logger.warn({ coin, mode, warnings }, 'new warnings about a chain or its node');
      else logger.info({ coin, mode }, 'warnings about a chain and its node have ended');
    }
  };
}

/** Logs each alarm when it appears and when it ends. */
function tellAlarms(
  raised: Map<string, readonly ChainAlarm[]>,
  logger: Logger,
  { coin, mode, alarms }: ChainId & { readonly alarms: readonly ChainAlarm[] },
): void {
  const key = `${coin}/${mode}`;
  const before = raised.get(key) ?? [];
  for (const alarm of alarms) {
    if (!before.includes(alarm))
      logger.error({ coin, mode, alarm }, 'alarm about a chain or its node raised');
  }
  for (const alarm of before) {
    if (!alarms.includes(alarm))
      logger.info({ coin, mode, alarm }, 'alarm about a chain or its node resolved');
  }
  raised.set(key, alarms);
}
