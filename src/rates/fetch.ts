import { request } from 'undici';
import { pause } from './pause.ts';

const MAX_BODY_BYTES = 2 * 1024 * 1024;
const ATTEMPTS = 2;
const RETRY_PAUSE_MS = 250;

/** A failure that an immediate retry would not fix. */
class FinalError extends Error {}

/**
 * Returns the body of a GET as text: one deadline for the whole request, one retry, a bounded body, no
 * redirects.
 * @throws with a short reason for the log.
 */
export async function fetchText(
  url: URL,
  options: { timeoutMs: number; signal: AbortSignal; headers?: Readonly<Record<string, string>> },
): Promise<string> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetchOnce(url, signal, options.headers);
    } catch (error) {
      if (attempt >= ATTEMPTS || signal.aborted || error instanceof FinalError) throw error;
    }
    await pause(RETRY_PAUSE_MS, signal);
  }
}

async function fetchOnce(
  url: URL,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { statusCode, body } = await request(url, {
    signal,
    headers: { ...headers, accept: 'application/json', 'user-agent': 'tilld' },
  });
  if (statusCode !== 200) {
    await body.dump({ limit: MAX_BODY_BYTES });
    const message = `HTTP status ${statusCode}`;
    throw statusCode >= 500 ? new Error(message) : new FinalError(message);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new FinalError('the response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
