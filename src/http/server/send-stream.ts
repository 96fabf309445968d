import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { Response } from 'express';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports.ts';
import type { StreamReply, StreamType } from './stream-reply.ts';

/** A client that reads nothing for this long is disconnected, because it holds a connection and a chunk. */
const STALLED_MS = 60_000;

const CONTENT_TYPES: Readonly<Record<StreamType, string>> = {
  'application/json': 'application/json; charset=utf-8',
  'application/jsonl': 'application/jsonl; charset=utf-8',
  'text/csv': 'text/csv; charset=utf-8; header=present',
  'application/pdf': 'application/pdf',
};

/**
 * Writes a streamed response. Holds one chunk at a time and reads the next one only once the client has read
 * it; stops when the client has disconnected, and aborts when its credential has ended.
 * @throws an error of the first chunk: nothing was sent by then
 */
export async function sendStream(
  res: Response,
  { type, chunks, headers, mayGoOn }: StreamReply,
  { logger, stalledMs = STALLED_MS, ...fields }: SendStreamOptions,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  let chunk = await iterator.next();
  try {
    res.writeHead(200, { 'Cache-Control': 'no-store', ...headers, 'Content-Type': CONTENT_TYPES[type] });
    // HEAD gets the headers only.
    while (chunk.done !== true && res.req.method !== 'HEAD') {
      if (!res.write(chunk.value) && !res.destroyed) await drained(res, stalledMs);
      // Reading is synchronous, so it yields to other requests between two chunks.
      await setImmediate();
      if (res.destroyed) return;
      await mayGoOn();
      chunk = await iterator.next();
    }
    res.end();
  } catch (error) {
    if (res.destroyed) return;
    breakOff(res);
    if (error instanceof AppError)
      logger.info({ ...fields, code: error.code }, 'HTTP response interrupted before its end');
    else logger.error({ ...fields, err: error }, 'HTTP response interrupted before its end');
  } finally {
    await iterator.return?.();
  }
}

export interface SendStreamOptions {
  readonly logger: Logger;
  readonly requestId: string;
  readonly path: string;
  readonly stalledMs?: number;
}

/**
 * Waits until the client has read the written data, or has disconnected. @throws if it reads nothing for too
 * long
 */
async function drained(res: Response, stalledMs: number): Promise<void> {
  const settled = new AbortController();
  const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(stalledMs)]);
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
  } catch (cause) {
    throw new Error(`the client read nothing for ${stalledMs / 1000} s`, { cause });
  } finally {
    settled.abort();
  }
}

/** An HTTP/1.0 client takes a closed connection for the end of the response, but not a reset. */
function breakOff({ socket }: Response): void {
  if (socket === null || socket instanceof TLSSocket) socket?.destroy();
  else socket.resetAndDestroy();
}
