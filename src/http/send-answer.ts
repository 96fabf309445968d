import type { Response } from 'express';
import type { Answer } from './envelope.ts';
import { GUARD_HEADERS, hasPassedGuards, isOverTls, TRANSPORT_SECURITY } from './guards.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';

/** Writes an answer, its headers in one go; nothing of the API may be kept by caches. */
export function sendAnswer(res: Response, answer: Answer): void {
  if (res.headersSent) return;
  res.locals['paymentId'] = paymentIdIn(answer.body);
  const text = JSON.stringify(answer.body);
  const requestId = requestIdOf(res);
  const { headers } = answer;
  const withGuards = !hasPassedGuards(res);
  const all = apiHeaders({ headers, requestId, text, withGuards });
  if (withGuards && isOverTls(res.req)) all.push(...TRANSPORT_SECURITY);
  res.writeHead(answer.status, all).end(text);
}

/** The headers of an answer with this text as its body: names and values in turn. */
export function apiHeaders(answer: {
  readonly headers: Answer['headers'];
  readonly requestId: string;
  readonly text: string;
  readonly withGuards: boolean;
}): string[] {
  const headers = [REQUEST_ID_HEADER, answer.requestId];
  if (answer.withGuards) headers.push(...GUARD_HEADERS);
  headers.push('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(answer.headers)) headers.push(name, value);
  headers.push('Content-Type', 'application/json; charset=utf-8');
  headers.push('Content-Length', String(Buffer.byteLength(answer.text)));
  return headers;
}

/** The payment that an answer is about, for the log: one payment's life is found by its id. */
function paymentIdIn(body: Answer['body']): string | undefined {
  const { data } = body;
  const id: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'id') : undefined;
  return typeof id === 'string' && id.startsWith('pay_') ? id : undefined;
}
