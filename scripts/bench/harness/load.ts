import { fileURLToPath } from 'node:url';
import { nextMessage, startNode, type Child } from './child.ts';
import type { Bench } from './question.ts';

/** A steady load on one server: every connection sends its next request when the last was answered. */
export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly durationMs: number;
  /** What to ask, in turn; `{{id}}` in path or body becomes another text each time. */
  readonly requests: readonly LoadRequest[];
  /** Ends earlier, once so many were sent. */
  readonly maxRequests?: number;
  /** At most so many requests per second in all; as many as are answered otherwise. */
  readonly ratePerSecond?: number;
  /** Where the system allows it, the loader gets a processor at once: those who ask have their own. */
  readonly isElsewhere?: boolean;
  /**
   * Goes on over a new connection where the server closed one, as it does with those that were silent for a minute by its
   * clock: a disk that takes two for a flush holds up both sides. For questions that do not ask how fast it answers.
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
  /** Answers other than 2xx; a measurement with any of them is worth nothing. */
  readonly failures: number;
  /** Connections that were closed and opened anew. */
  readonly closed: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Whether the loader got a processor before others, as it was told to. */
  readonly isPreferred: boolean;
}

/**
 * Puts a load on a server from a process of its own and tells how it was answered.
 * @throws when any answer was no success.
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

/** As putLoad, with the server's processor time per request. */
export async function measureLoad(
  bench: Bench,
  server: Child,
  load: Load,
): Promise<LoadResult & { readonly cpuUs: number }> {
  const before = server.usage().cpuMs;
  const result = await putLoad(bench, load);
  return { ...result, cpuUs: ((server.usage().cpuMs - before) * 1000) / result.requests };
}
