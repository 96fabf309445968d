import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Idempotent-Replayed',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
];
const NOTHING = {
  defaultSrc: ["'none'"],
  frameAncestors: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
};

/** What keeps browsers from doing anything with an answer but reading it, and lets any page read it. */
export function securityHeaders(): RequestHandler[] {
  return [
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: NOTHING },
      strictTransportSecurity: false,
    }),
    (req, res, next) => {
      // A browser that came by TLS is to come by TLS for a year; over plain http it must not be told (RFC 6797, 7.2).
      if (req.secure) res.setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
      next();
    },
    // A public API by bearer token: any page may call it with a key it was given. Without Allow-Credentials, and without
    // the header that goes with the cookie, no other origin can act in the dashboard's session or read what it gets.
    cors({
      origin: '*',
      methods: ['GET', 'POST', 'PATCH', 'DELETE'],
      allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: 86_400,
    }),
  ];
}
