import type { Response } from 'express';
import type { Answer } from './envelope.ts';

/** Writes an answer; nothing of the API may be kept by caches. */
export function sendAnswer(res: Response, answer: Answer): void {
  if (res.headersSent) return;
  res.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
  res.locals['paymentId'] = paymentIdIn(answer.body);
  res.status(answer.status).json(answer.body);
}

/** The payment that an answer is about, for the log: one payment's life is found by its id. */
function paymentIdIn(body: Answer['body']): string | undefined {
  const { data } = body;
  const id: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'id') : undefined;
  return typeof id === 'string' && id.startsWith('pay_') ? id : undefined;
}
