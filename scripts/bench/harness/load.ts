import { fileURLToPath } from 'node:url';
import { nextMessage, startNode, type Child } from './child.ts';
import type { Bench } from './question.ts';

/** A steady load on one server: every connection sends its next request after the previous response. */
export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly durationMs: number;
  /** The requests, in turn; `{{id}}` in path or body is replaced by a unique text. */
  readonly requests: readonly LoadRequest[];
  /** Ends early after this number of requests. */
  readonly maxRequests?: number;
  /** Maximum requests per second in total; by default as fast as the responses arrive. */
  readonly ratePerSecond?: number;
  /** If the system permits it, the load generator has CPU priority, because real clients have their own CPUs. */
  readonly isElsewhere?: boolean;
  /**
   * Reconnects if the server closed a connection, as it does after an idle minute by its clock: a disk that takes two
   * minutes for a flush stalls both sides. For benchmarks that do not measure response times.
   */
  readonly opensAnew?: boolean;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadResult {
  readonly requests: number;
  /** Responses other than 2xx; a measurement with any of them is invalid. */
  readonly failures: number;
  /** Connections that were closed and opened again. */
  readonly closed: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Whether the load generator had CPU priority, as requested. */
  readonly isPreferred: boolean;
}

/**
 * Puts load on a server from another process and returns the measurements.
 * @throws if any response was not 2xx
 */
export async function putLoad(bench: Bench, load: Load): Promise<LoadResult> {
  const script = fileURLToPath(new URL('load-child.ts', import.meta.url));
  const child = startNode(bench, [script, JSON.stringify(load)], {});
  const result = (await nextMessage(child)) as LoadResult & { readonly firstFailure: string | null };
  await child.stop();
  if (result.failures > 0)
    throw new Error(`${result.failures} requests failed, first: ${result.firstFailure}`);
  return result;
}

/** Like putLoad, with the server's CPU time per request. */
export async function measureLoad(
  bench: Bench,
  server: Child,
  load: Load,
): Promise<LoadResult & { readonly cpuUs: number }> {
  const before = server.usage().cpuMs;
  const result = await putLoad(bench, load);
  return { ...result, cpuUs: ((server.usage().cpuMs - before) * 1000) / result.requests };
}
