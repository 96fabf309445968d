import { brotliCompress, constants, gzip, type BrotliOptions, type ZlibOptions } from 'node:zlib';
import type { Response } from 'express';
import { chooseEncoding, type Encoding } from './content-encoding.ts';

/** Below this, compression saves less than a packet. */
const COMPRESSED_FROM_BYTES = 1_024;
/** For bodies that are compressed for one request: a millisecond for 100 kB, and 256 kB of memory. */
const GZIP: ZlibOptions = { level: 6 };
const BROTLI: BrotliOptions = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_LGWIN]: 18,
  },
};

/**
 * Allows the response to be compressed; without it, none is. The length of a compressed body shows whether a guess in
 * it repeats a secret in it (BREACH). So this is not called for responses with a mark `secret`, for the routes of the
 * dashboard's session (which set its cookie), and for pages whose address contains a token (`/r/`, `/notices/off`).
 * Responses to a POST repeat what was sent: they are never compressed. What remains is only read by its owner's own
 * scripts (a session requires a header that other sites cannot send), or by everyone who has the link.
 */
export function allowCompression(res: Response): void {
  res.locals['mayCompress'] = true;
}

/** The content coding of a response of a known size, and `Vary` if it depends on the request. */
export function negotiateEncoding(res: Response, bytes: number): Encoding | null {
  const { method, headers } = res.req;
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || res.locals['mayCompress'] !== true || bytes < COMPRESSED_FROM_BYTES) return null;
  if (res.hasHeader('Set-Cookie')) return null;
  res.vary('Accept-Encoding');
  return chooseEncoding(headers['accept-encoding']);
}

/** Ends a response, whose status and headers are set, with a text; compresses it if that is allowed and accepted. */
export function sendText(res: Response, text: string): void {
  const body = Buffer.from(text);
  const encoding = negotiateEncoding(res, body.length);
  if (encoding === null) return sendBytes(res, body);
  const done = (error: Error | null, packed: Buffer): void => {
    if (error !== null) return sendBytes(res, body);
    res.setHeader('Content-Encoding', encoding);
    sendBytes(res, packed);
  };
  // In a thread of zlib, so that other requests are served meanwhile.
  if (encoding === 'br') brotliCompress(body, BROTLI, done);
  else gzip(body, GZIP, done);
}

/** A HEAD gets the length of the body that a GET would get. */
export function sendBytes(res: Response, body: Buffer): void {
  if (res.destroyed || res.headersSent) return;
  res.setHeader('Content-Length', body.length);
  res.end(body);
}
