import { Counter, Histogram, type Registry } from 'prom-client';
import { ChainError } from '../domain/chain.ts';
import type { ChainId } from '../domain/coins.ts';

/** What is measured where nodes are asked. Labels are coins, modes and our own names of calls: few. */
export interface NodeMetrics {
  time<T>(labels: ChainId & { readonly call: string }, work: () => Promise<T>): Promise<T>;
  detected(chain: ChainId, delayMs: number): void;
  oddVersions(chain: ChainId, count: number): void;
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
    help: 'Calls to nodes that failed: unavailable, wrong_chain, pruned, bad_answer, unknown_version or internal',
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
        errors.inc({ coin, mode, kind: error instanceof ChainError ? error.kind : 'internal' });
        throw error;
      } finally {
        duration.observe({ coin, mode, call }, (performance.now() - startedAt) / 1000);
      }
    },
    detected: ({ coin, mode }, delayMs) => detection.observe({ coin, mode }, delayMs / 1000),
    oddVersions: ({ coin, mode }, count) => oddVersions.inc({ coin, mode }, count),
  };
}
