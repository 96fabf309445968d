import type { Response } from 'express';
import type { Answer } from './envelope.ts';

/** Writes a response; caches must not store API responses. */
export function sendResponse(res: Response, answer: Answer): void {
  if (res.headersSent) return;
  res.locals['paymentId'] = paymentIdIn(answer.body);
  const text = JSON.stringify(answer.body);
  res.writeHead(answer.status, {
    'Cache-Control': 'no-store',
    ...answer.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  res.end(text);
}

/** The payment of a response, for the log, so that a payment's history is found by its id. */
function paymentIdIn(body: Answer['body']): string | undefined {
  const { data } = body;
  const id: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'id') : undefined;
  return typeof id === 'string' && id.startsWith('pay_') ? id : undefined;
}
