import { ipKeyGenerator } from 'express-rate-limit';
import type { Request } from 'express';

/** One customer's share of the IPv6 space: whoever has one address has the whole /64. */
const IPV6_PREFIX = 64;

/** The client's address as far as it tells one client from another. */
export function clientKey(req: Request): string {
  const address = req.ip ?? req.socket.remoteAddress;
  if (address === undefined) return 'unknown';
  // A dual-stack socket shows IPv4 clients as ::ffff:1.2.3.4; they are not one /64.
  return ipKeyGenerator(address.replace(/^::ffff:(?=\d+\.)/i, ''), IPV6_PREFIX);
}
