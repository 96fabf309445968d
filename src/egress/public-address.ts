import ipaddr from 'ipaddr.js';

type IPv6 = InstanceType<typeof ipaddr.IPv6>;

/** Addresses in global ranges that nevertheless reach a cloud's internal services (Azure's WireServer). */
const CLOUD_INTERNAL = new Set(['168.63.129.16']);

const GLOBAL_UNICAST_IPV6 = ipaddr.IPv6.parse('2000::');
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');

/**
 * Whether an IP address is global unicast, so that it cannot be this machine, its network or a cloud's
 * internal services. An address that embeds an IPv4 one (mapped, NAT64) is judged by it; 6to4 and
 * Teredo, which may embed any, are refused. Text that is not an IP address is not public.
 */
export function isPublicAddress(text: string): boolean {
  const plain = withoutDots(text);
  if (plain === null || !ipaddr.isValid(plain)) return false;
  const address = ipaddr.parse(plain);
  if (address instanceof ipaddr.IPv6) return isPublicIpv6(address);
  return address.range() === 'unicast' && !CLOUD_INTERNAL.has(address.toString());
}

function isPublicIpv6(address: IPv6): boolean {
  if (address.zoneId !== undefined && address.zoneId !== '') return false;
  if (address.isIPv4MappedAddress()) return isPublicAddress(address.toIPv4Address().toString());
  if (address.match(NAT64, 96)) return isPublicAddress(lastFourBytes(address));
  return address.match(GLOBAL_UNICAST_IPV6, 3) && address.range() === 'unicast';
}

function lastFourBytes(address: IPv6): string {
  return address.toByteArray().slice(-4).join('.');
}

/** ipaddr.js reads `::1.2.3.4` as a mapped address; the WHATWG parser does not and writes it in hex. */
function withoutDots(text: string): string | null {
  if (!text.includes(':') || !text.includes('.')) return text;
  return URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1) ?? null;
}
