import type { Response } from 'express';
import type { Answer } from './envelope.ts';
import { sendText } from './send-text.ts';

/** Writes a response; caches must not store API responses. */
export function sendResponse(res: Response, answer: Answer): void {
  if (res.headersSent) return;
  res.locals['paymentId'] = paymentIdIn(answer.body);
  res.status(answer.status);
  const headers = {
    'Cache-Control': 'no-store',
    ...answer.headers,
    'Content-Type': 'application/json; charset=utf-8',
  };
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  sendText(res, JSON.stringify(answer.body));
}

/** The payment of a response, for the log, so that a payment's history is found by its id. */
function paymentIdIn(body: Answer['body']): string | undefined {
  const { data } = body;
  const id: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'id') : undefined;
  return typeof id === 'string' && id.startsWith('pay_') ? id : undefined;
}
