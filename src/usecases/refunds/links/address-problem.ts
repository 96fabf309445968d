import { base58 } from '@scure/base';
import type { Chains } from '../../../domain/chains.ts';
import { NETWORKS, UTXO_COINS, type Coin, type Mode, type Network } from '../../../domain/coins.ts';

/** The problem of an address, for the person who typed it. */
export type AddressProblem =
  /** An address of another coin. */
  | { readonly kind: 'coin'; readonly of: Coin }
  /** The right coin on the wrong kind of network: a test network, or the real one. */
  | { readonly kind: 'network'; readonly isTest: boolean }
  /** Well-formed but mistyped. */
  | { readonly kind: 'checksum' }
  | { readonly kind: 'mweb' }
  | { readonly kind: 'invalid' };

/** The format of a text, regardless of its checksum. */
interface AddressFormat {
  readonly coin: Coin;
  /** Null where all networks of a coin share their addresses. */
  readonly network: Network | null;
}

const PAYLOAD_LENGTH = 25;
const SOLANA_LENGTH = 32;

/** Why a text is not an address of a coin in a mode; null when it is one, or that is unknown. */
export function describeAddressProblem(
  chains: Chains,
  { coin, mode, address }: { readonly coin: Coin; readonly mode: Mode; readonly address: string },
): AddressProblem | null {
  const adapter = chains.get(coin, mode);
  if (adapter === null || adapter.validateAddress(address) === null) return null;
  if (isMweb(address)) return { kind: 'mweb' };
  const network = mode === 'sandbox' ? 'testnet' : adapter.network;
  const formats = matchAddressFormats(address);
  const ofCoin = formats.filter((format) => format.coin === coin);
  if (ofCoin.some((format) => format.network === null || format.network === network))
    return { kind: 'checksum' };
  const [wrong] = ofCoin;
  if (wrong !== undefined) return { kind: 'network', isTest: wrong.network !== 'mainnet' };
  const [other] = formats;
  return other === undefined ? { kind: 'invalid' } : { kind: 'coin', of: other.coin };
}

function matchAddressFormats(text: string): AddressFormat[] {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return [{ coin: 'ETH', network: null }];
  const lower = text.toLowerCase();
  const bytes = base58Bytes(text);
  const utxo = Object.values(UTXO_COINS).flatMap((definition) =>
    NETWORKS.flatMap((network): AddressFormat[] => {
      const { hrp, pubKeyHashVersions, scriptHashVersions } = definition.networks[network];
      const isSegwit = hrp !== null && lower.startsWith(`${hrp}1`);
      const version = bytes?.length === PAYLOAD_LENGTH ? bytes[0] : undefined;
      const isBase58 =
        version !== undefined && [...pubKeyHashVersions, ...scriptHashVersions].includes(version);
      return isSegwit || isBase58 ? [{ coin: definition.code as Coin, network }] : [];
    }),
  );
  return bytes?.length === SOLANA_LENGTH ? [...utxo, { coin: 'SOL', network: null }] : utxo;
}

function base58Bytes(text: string): Uint8Array | null {
  if (!/^[1-9A-HJ-NP-Za-km-z]{25,44}$/.test(text)) return null;
  return base58.decode(text);
}

function isMweb(text: string): boolean {
  const lower = text.toLowerCase();
  return Object.values(UTXO_COINS).some((definition) =>
    NETWORKS.some((network) => {
      const { mwebHrp } = definition.networks[network];
      return mwebHrp !== null && lower.startsWith(`${mwebHrp}1`);
    }),
  );
}
