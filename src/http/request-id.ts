import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';

const HEADER = 'X-Request-Id';
const SANE = /^[\w.:-]{1,128}$/;

/** Gives every request an id: the client's own when it is a plain one, else a new one. */
export const assignRequestId: RequestHandler = (req, res, next) => {
  const given = req.get(HEADER);
  res.setHeader(HEADER, given !== undefined && SANE.test(given) ? given : randomUUID());
  next();
};

export function requestIdOf(res: Response): string {
  return String(res.getHeader(HEADER) ?? '');
}
