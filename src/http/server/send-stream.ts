import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { Response } from 'express';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports.ts';
import type { StreamReply, StreamType } from './stream-reply.ts';

/** A client that takes nothing for this long is given up: it holds a connection and a chunk. */
const STALLED_MS = 60_000;

const CONTENT_TYPES: Readonly<Record<StreamType, string>> = {
  'application/json': 'application/json; charset=utf-8',
  'text/csv': 'text/csv; charset=utf-8; header=present',
};

/**
 * Writes a streamed answer. Holds one chunk at a time and reads the next one only once the client has taken it; stops
 * reading when the client is gone, and breaks off when its credential has ended.
 * @throws what reading the first chunk throws: nothing was sent by then
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
    // HEAD is told the headers only.
    while (chunk.done !== true && res.req.method !== 'HEAD') {
      if (!res.write(chunk.value) && !res.destroyed) await taken(res, stalledMs);
      // Reading is synchronous: other requests get their turn between two chunks.
      await setImmediate();
      if (res.destroyed) return;
      await mayGoOn();
      chunk = await iterator.next();
    }
    res.end();
  } catch (error) {
    if (res.destroyed) return;
    breakOff(res);
    if (error instanceof AppError) logger.info({ ...fields, code: error.code }, 'response interrupted');
    else logger.error({ ...fields, err: error }, 'response interrupted');
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

/** Until the client has taken what was written, or is gone. @throws when it takes nothing for too long */
async function taken(res: Response, stalledMs: number): Promise<void> {
  const settled = new AbortController();
  const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(stalledMs)]);
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
  } catch (cause) {
    throw new Error(`the client took nothing for ${stalledMs / 1000} s`, { cause });
  } finally {
    settled.abort();
  }
}

/** An HTTP/1.0 client takes the plain end of a connection for the end of the answer, but not a reset. */
function breakOff({ socket }: Response): void {
  if (socket === null || socket instanceof TLSSocket) socket?.destroy();
  else socket.resetAndDestroy();
}
