import { ipKeyGenerator } from 'express-rate-limit';
import type { Request } from 'express';

/** One customer's share of the IPv6 space: whoever has one address has the whole /64. */
const IPV6_PREFIX = 64;

/** What one site or one provider's corner usually has. */
const IPV6_NETWORK_PREFIX = 48;

/** Longest text that is taken for an address, with a port; a proxy may pass on anything. */
const ADDRESS_MAX = 64;

/** The client's address, as a trusted proxy or the connection tells it. */
export function clientAddress(req: Request): string {
  const address = req.ip ?? req.socket.remoteAddress ?? 'unknown';
  return address.slice(0, ADDRESS_MAX);
}

/** The client's address as far as it tells one client from another. */
export function clientKey(req: Request): string {
  return keyOf(req, IPV6_PREFIX);
}

/** The part of the network a client is in, in which it may easily change its address: an IPv4 /24, an IPv6 /48. */
export function networkKey(req: Request): string {
  return keyOf(req, IPV6_NETWORK_PREFIX).replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
}

function keyOf(req: Request, ipv6Prefix: number): string {
  const address = clientAddress(req);
  if (address === 'unknown') return address;
  // Some proxies name the port as well, which is another one for each connection.
  const host = address.replace(/^\[(.+)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  // A dual-stack socket shows IPv4 clients as ::ffff:1.2.3.4; they are not one /64.
  return ipKeyGenerator(host.replace(/^::ffff:(?=\d+\.)/i, ''), ipv6Prefix);
}
