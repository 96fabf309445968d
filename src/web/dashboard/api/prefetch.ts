import { BASE_PATH } from '../../base-path.ts';
import { PAGE_HEADERS } from '../../page-headers.ts';

/** Later than this, an answer may be out of date. */
const FRESH_MS = 15_000;
const LIMIT_MS = 60_000;

interface Sent {
  readonly answer: Promise<Response>;
  readonly atMs: number;
}

const sent = new Map<string, Sent>();

/** Sends a request that the page will need, while its scripts are still loading. */
export function prefetch(path: string): void {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const answer = fetch(BASE_PATH + path, { headers: PAGE_HEADERS, signal });
  // The request that takes the answer handles the error.
  answer.catch(() => undefined);
  sent.set(location.origin + BASE_PATH + path, { answer, atMs: performance.now() });
}

/** The answer to an early request of an address, once. */
export function takePrefetched(url: string): Promise<Response> | undefined {
  const early = sent.get(url);
  sent.delete(url);
  return early !== undefined && performance.now() - early.atMs < FRESH_MS ? early.answer : undefined;
}

/** Drops all early answers: once a session ends, begins or changes something, they are not its answers. */
export function clearPrefetched(): void {
  sent.clear();
}
