import type { Request, RequestHandler } from 'express';
import { AppError, invalidField } from '../../domain/errors.ts';
import { failure } from './envelope.ts';
import { sendResponse } from './send-response.ts';

/**
 * The one spelling of a path: segments of unreserved characters (RFC 3986, 2.3) with single slashes between
 * them. No path of this server needs an encoded character, and another spelling must not evade a proxy's rule
 * for a path.
 */
const CANONICAL = /^(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+)$/;

/** Earlier versions left this address in the browser after a sign-in, and therefore in bookmarks. */
const MOVED = { from: '/dashboard/', to: '/dashboard' } as const;

/** Rejects requests that violate HTTP, and paths in another than the one served spelling. */
export const assertWellFormed: RequestHandler = (req, res, next) => {
  const fault = faultIn(req);
  const path = requestPath(req.originalUrl);
  if (fault !== null) sendResponse(res, failure(fault, { Connection: 'close' }));
  else if (CANONICAL.test(path)) next();
  else if (path === MOVED.from) res.redirect(302, MOVED.to);
  else sendResponse(res, failure(new AppError('NOT_FOUND', 'There is nothing at this address')));
};

function faultIn({ headers, httpVersion }: Request): AppError | null {
  // RFC 9112, 3.2. Node would reject it without the headers of other responses.
  if (headers.host === undefined && httpVersion === '1.1')
    return invalidField('host', 'must be given', 'required');
  const { expect = '100-continue' } = headers;
  return /^100-continue$/i.test(expect)
    ? null
    : invalidField('expect', 'can only be 100-continue', 'unsupported');
}

/** The path as it was sent, also of a target in absolute form. */
function requestPath(target: string): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 1);
  return path === '' ? '/' : path;
}
