import { ipKeyGenerator } from 'express-rate-limit';
import type { Request } from 'express';

/** Prefix length of one customer in IPv6: a client with one address has the whole /64. */
const IPV6_PREFIX = 64;

/** Usual prefix length of one site, or of one provider's region. */
const IPV6_NETWORK_PREFIX = 48;

/** Maximum length of an address with a port; a proxy may pass on any text. */
const ADDRESS_MAX = 64;

/** The client's address, from a trusted proxy or the connection. */
export function clientAddress(req: Request): string {
  const address = req.ip ?? req.socket.remoteAddress ?? 'unknown';
  return address.slice(0, ADDRESS_MAX);
}

/** The part of the client's address that identifies one client. */
export function clientKey(req: Request): string {
  return toClientKey(req, IPV6_PREFIX);
}

/** The network within which a client can easily change its address: an IPv4 /24, an IPv6 /48. */
export function networkKey(req: Request): string {
  return toClientKey(req, IPV6_NETWORK_PREFIX).replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
}

function toClientKey(req: Request, ipv6Prefix: number): string {
  const address = clientAddress(req);
  if (address === 'unknown') return address;
  // Some proxies append the port, which differs for each connection.
  const host = address.replace(/^\[(.+)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  // A dual-stack socket shows IPv4 clients as ::ffff:1.2.3.4; they are not one /64.
  return ipKeyGenerator(host.replace(/^::ffff:(?=\d+\.)/i, ''), ipv6Prefix);
}
