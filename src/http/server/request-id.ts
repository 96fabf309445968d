import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';

export const REQUEST_ID_HEADER = 'X-Request-Id';
const SANE = /^[\w.:-]{1,128}$/;

/** An id for a request without one. */
export function newRequestId(): string {
  return randomUUID();
}

/** Sets the id of every request: the client's own if it is well-formed, else a new one. */
export function assignRequestId(req: Request, res: Response): void {
  const given = req.get(REQUEST_ID_HEADER);
  res.locals['requestId'] = given !== undefined && SANE.test(given) ? given : newRequestId();
}

export function readRequestId(res: Response): string {
  return String(res.locals['requestId'] ?? '');
}
