import type { Request } from 'express';

/**
 * Whether another site made the browser send a request, by the browser's own headers. Other programs send
 * neither header. @param baseUrl the public address, or its origin
 */
export function isCrossSiteRequest(req: Request, baseUrl: string): boolean {
  const site = req.get('Sec-Fetch-Site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return req.get('Origin') !== undefined && !isOwnOrigin(req, baseUrl);
}

/** Browsers send no Sec-Fetch-Site over plain http, but always the origin of a write. */
export function isOwnOrigin(req: Request, baseUrl: string): boolean {
  const origin = req.get('Origin');
  if (origin === undefined || !URL.canParse(origin)) return false;
  return origin === new URL(baseUrl).origin || new URL(origin).host === req.get('Host');
}
