import type { RequestHandler } from 'express';
import helmet from 'helmet';

const NOTHING = {
  defaultSrc: ["'none'"],
  frameAncestors: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
};

/** Headers that keep browsers from using a response for anything but reading it. */
export function securityHeaders(): RequestHandler[] {
  return [
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: NOTHING },
      strictTransportSecurity: false,
    }),
    (req, res, next) => {
      // HSTS: a browser that connected by TLS must use TLS for a year; the header must not be sent over plain
      // http (RFC 6797, 7.2).
      if (req.secure) res.setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
      next();
    },
  ];
}
