import { formatUnits } from '../../domain/money.ts';
import type { UtxoCoin } from '../../domain/coins/definition.ts';

/** A BIP-21 payment URI. The amount is in whole coins, in plain decimals. Pure. */
export function bip21Uri(
  coin: UtxoCoin,
  request: { address: string; amount: bigint; label?: string },
): string {
  const query = [`amount=${formatUnits(request.amount, coin.decimals)}`];
  // RFC 3986 escapes, as BIP-21 requires: no plus signs for spaces.
  if (request.label !== undefined && request.label !== '')
    query.push(`label=${encodeURIComponent(request.label)}`);
  return `${coin.uriScheme}:${request.address}?${query.join('&')}`;
}
