import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { ChainError } from '../domain/chain.ts';
import type { ChainId } from '../domain/coins.ts';

/**
 * Metrics of node calls. Labels are coins, modes and tilld's own names of calls, so their number is bounded.
 */
export interface NodeMetrics {
  time<T>(labels: ChainId & { readonly call: string }, work: () => Promise<T>): Promise<T>;
  detected(chain: ChainId, delayMs: number): void;
  oddVersions(chain: ChainId, count: number): void;
  /** One HTTP request to a node ended. */
  readonly answered: (chain: ChainId, outcome: string) => void;
  /** A chain was reorganised: the number of blocks that left it. */
  reorganised(chain: ChainId, depth: number): void;
  /** A poll of accounts begins. */
  readonly accountsPolled: (chain: ChainId, size: PollSize) => void;
  /** Accounts of the last poll; null before the first, and if none are polled. */
  accountsWatched(chain: ChainId): number | null;
}

/** Accounts that a poll covers, and awaited ones that are left to the next polls. */
interface PollSize {
  readonly awaited: number;
  readonly finished: number;
  readonly left: number;
}

export function createNodeMetrics(registry: Registry): NodeMetrics {
  const duration = new Histogram({
    name: 'tilld_rpc_duration_seconds',
    help: 'Time a node takes for a call of the chain adapter',
    labelNames: ['coin', 'mode', 'call'] as const,
    buckets: [0.002, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  });
  const errors = new Counter({
    name: 'tilld_rpc_errors_total',
    help: 'Calls to nodes that failed: unavailable, wrong_chain, pruned, bad_answer, unknown_version, internal or rate_limited',
    labelNames: ['coin', 'mode', 'kind'] as const,
    registers: [registry],
  });
  const detection = new Histogram({
    name: 'tilld_detection_delay_seconds',
    help: 'From the first sight of a payment by the node, or the time of its block, to our sight of it',
    labelNames: ['coin', 'mode'] as const,
    buckets: [1, 2, 5, 10, 30, 60, 300],
    registers: [registry],
  });
  const oddVersions = new Counter({
    name: 'tilld_odd_versions_total',
    help: 'Transactions in blocks with a version number without a meaning yet, read like any other',
    labelNames: ['coin', 'mode'] as const,
    registers: [registry],
  });
  return {
    time: async ({ coin, mode, call }, work) => {
      const startedAt = performance.now();
      try {
        return await work();
      } catch (error) {
        errors.inc({ coin, mode, kind: errorKind(error) });
        throw error;
      } finally {
        duration.observe({ coin, mode, call }, (performance.now() - startedAt) / 1000);
      }
    },
    detected: ({ coin, mode }, delayMs) => detection.observe({ coin, mode }, delayMs / 1000),
    oddVersions: ({ coin, mode }, count) => oddVersions.inc({ coin, mode }, count),
    ...watchMetrics(registry),
  };
}

function errorKind(error: unknown): string {
  if (!(error instanceof ChainError)) return 'internal';
  return error.isRateLimited ? 'rate_limited' : error.kind;
}

function watchMetrics(
  registry: Registry,
): Pick<NodeMetrics, 'answered' | 'reorganised' | 'accountsPolled' | 'accountsWatched'> {
  const requests = new Counter({
    name: 'tilld_rpc_requests_total',
    help: 'HTTP requests to nodes: answered, limited (429) or failed',
    labelNames: ['coin', 'mode', 'outcome'] as const,
    registers: [registry],
  });
  const reorgs = new Histogram({
    name: 'tilld_reorg_depth_blocks',
    help: 'Reorganisations, by how many recorded blocks left the chain',
    labelNames: ['coin', 'mode'] as const,
    buckets: [1, 2, 3, 6, 12, 100],
    registers: [registry],
  });
  const accounts = new Gauge({
    name: 'tilld_watched_accounts',
    help: 'Accounts in the last look at a chain: awaited, finished, and awaited ones left to the next looks',
    labelNames: ['coin', 'mode', 'kind'] as const,
    registers: [registry],
  });
  const last = new Map<string, number>();
  return {
    answered: ({ coin, mode }, outcome) => requests.inc({ coin, mode, outcome }),
    reorganised: ({ coin, mode }, depth) => reorgs.observe({ coin, mode }, depth),
    accountsPolled: ({ coin, mode }, size) => {
      for (const kind of ['awaited', 'finished', 'left'] as const)
        accounts.set({ coin, mode, kind }, size[kind]);
      last.set(`${coin}/${mode}`, size.awaited + size.finished);
    },
    accountsWatched: ({ coin, mode }) => last.get(`${coin}/${mode}`) ?? null,
  };
}
