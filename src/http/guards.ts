import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import helmet from 'helmet';

const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Idempotent-Replayed',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
];

/** A browser that came by TLS is to come by TLS for a year; over plain http it must not be told (RFC 6797, 7.2). */
export const TRANSPORT_SECURITY = [
  'Strict-Transport-Security',
  'max-age=31536000; includeSubDomains',
] as const;

/** Whether a request came by TLS: to the daemon itself, or to a proxy that is trusted to tell so. */
export function isOverTls(req: Partial<Pick<Request, 'app' | 'secure'>>): boolean {
  return req.app !== undefined && req.secure === true;
}

/** What keeps browsers from doing anything with an answer but reading it, and lets any page read it. */
export function guards(): RequestHandler[] {
  const nothing = {
    defaultSrc: ["'none'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
  };
  return [
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: nothing },
      strictTransportSecurity: false,
    }),
    (req, res, next) => {
      // The pretended request of headersOf has no application behind it: what depends on the request is added later.
      if (isOverTls(req)) res.setHeader(...TRANSPORT_SECURITY);
      next();
    },
    // A public API by bearer token: no cookies, so any page may call it with a key it was given.
    cors({
      origin: '*',
      methods: ['GET', 'POST', 'PATCH', 'DELETE'],
      allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: 86_400,
    }),
  ];
}

/** Keeps the names of headers as they were spelled. */
class Recorder extends ServerResponse {
  readonly names = new Set<string>();

  override setHeader(name: string, value: string | number | readonly string[]): this {
    this.names.add(name);
    return super.setHeader(name, value);
  }
}

/** A header that the guards set on every answer, by which one sees that a response has passed them. */
const SURE_SIGN = 'X-Content-Type-Options';

/**
 * The headers that the guards set on the answer to anything but an OPTIONS request, names and values in
 * turn: the same ones each time, so that answers of the API take them from here.
 */
export const GUARD_HEADERS: readonly string[] = headersOf(guards());

/** Whether a response has gone through the guards and carries their headers already. */
export function hasPassedGuards(res: ServerResponse): boolean {
  return res.hasHeader(SURE_SIGN);
}

function headersOf(handlers: readonly RequestHandler[]): string[] {
  const req = new IncomingMessage(new Socket());
  req.method = 'GET';
  const res = new Recorder(req);
  let passed = 0;
  for (const handler of handlers) void handler(req as never, res as never, () => (passed += 1));
  if (passed !== handlers.length || !hasPassedGuards(res)) throw new Error('the guards held a request back');
  return [...res.names].flatMap((name) => [name, String(res.getHeader(name))]);
}
