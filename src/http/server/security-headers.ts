import type { RequestHandler } from 'express';
import helmet from 'helmet';

const NOTHING = {
  defaultSrc: ["'none'"],
  frameAncestors: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
};

/** What keeps browsers from doing anything with an answer but reading it. */
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
  ];
}
