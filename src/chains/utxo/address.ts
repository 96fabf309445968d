import { createHash } from 'node:crypto';
import { bech32, bech32m, createBase58check } from '@scure/base';
import { OutScript } from '@scure/btc-signer';
import { NETWORKS, UTXO_COINS, type Network } from '../../domain/coins.ts';
import type { ScriptType, UtxoCoin, UtxoNetwork } from '../../domain/coins/definition.ts';

const BASE58 = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());
/**
 * Upper bound of an address length: BIP-173 allows 90 characters (MWEB addresses are longer and rejected
 * anyway).
 */
const MAX_LENGTH = 200;
const HASH_LENGTH = 20;
const LONG_PROGRAM_LENGTH = 32;

/** A parsed address: the script that pays it, or the reason why it is invalid. */
export type ParsedAddress = { readonly script: Buffer } | { readonly problem: string };

/** Reads an address of one coin and network (BIP-173, BIP-350, Base58Check). Pure. */
export function parseAddress(coin: UtxoCoin, network: Network, address: string): ParsedAddress {
  const label = networkName(coin, network);
  if (address.length === 0 || address.length > MAX_LENGTH) return { problem: `is not a ${label} address` };
  const params = coin.networks[network];
  if (isMweb(address)) {
    return { problem: 'is an MWEB address: payments go to transparent addresses only, ask for one of those' };
  }
  const own = parseFor(params, address);
  if (own !== null) return own;
  const elsewhere = describeNetwork(address);
  if (elsewhere === null)
    return { problem: `is not a ${label} address (mistyped, or its checksum is wrong)` };
  return { problem: `is a ${elsewhere} address, not a ${label} one` };
}

/**
 * The script that pays an address, as lower case hex: the watch key of this family.
 * @throws {TypeError} when the text is not an address of this coin and network.
 */
export function addressScript(coin: UtxoCoin, network: Network, address: string): Buffer {
  const parsed = parseAddress(coin, network, address);
  if ('problem' in parsed) throw new TypeError(`${JSON.stringify(address)} ${parsed.problem}`);
  return parsed.script;
}

/** The script of an address of our own, from its key hash. */
export function keyHashScript(
  type: ScriptType,
  hash: readonly number[] = Array(HASH_LENGTH).fill(0),
): Buffer {
  return Buffer.from(
    type === 'p2wpkh' ? [0, HASH_LENGTH, ...hash] : [0x76, 0xa9, HASH_LENGTH, ...hash, 0x88, 0xac],
  );
}

function networkName(coin: UtxoCoin, network: Network): string {
  return `${coin.name} ${network}`;
}

/** Null when the text is an address of another network or not an address. */
function parseFor(params: UtxoNetwork, address: string): ParsedAddress | null {
  const { hrp } = params;
  if (hrp !== null && address.toLowerCase().startsWith(`${hrp}1`)) return parseSegwit(hrp, address);
  return parseBase58(params, address);
}

function parseSegwit(hrp: string, address: string): ParsedAddress | null {
  const decoded = bech32.decodeUnsafe(address) ?? bech32m.decodeUnsafe(address);
  if (decoded === undefined || decoded.prefix !== hrp) {
    return { problem: 'is mistyped: its checksum is wrong' };
  }
  const isBech32 = bech32.decodeUnsafe(address) !== undefined;
  const [version, ...words] = decoded.words;
  const program = bech32.fromWordsUnsafe(words);
  if (version === undefined || !program) return { problem: 'is not a valid segwit address' };
  if (version > 1) return { problem: `has witness version ${version}, which nobody can spend safely yet` };
  if (isBech32 !== (version === 0)) {
    return { problem: 'has the wrong checksum kind for its witness version (BIP-350)' };
  }
  const isKnownLength =
    program.length === LONG_PROGRAM_LENGTH || (version === 0 && program.length === HASH_LENGTH);
  if (!isKnownLength) return { problem: `has a witness program of ${program.length} bytes` };
  const script = Buffer.from([version === 0 ? 0 : 0x51, program.length, ...program]);
  if (OutScript.decode(script).type === 'unknown')
    return { problem: 'has a taproot key that nobody can own' };
  return { script };
}

function parseBase58(params: UtxoNetwork, address: string): ParsedAddress | null {
  const payload = decodeBase58(address);
  if (payload === null || payload.length !== HASH_LENGTH + 1) return null;
  const [version = -1, ...hash] = payload;
  if (params.pubKeyHashVersions.includes(version)) {
    return { script: keyHashScript('p2pkh', hash) };
  }
  if (params.scriptHashVersions.includes(version)) {
    return { script: Buffer.from([0xa9, HASH_LENGTH, ...hash, 0x87]) };
  }
  return null;
}

function decodeBase58(address: string): Uint8Array | null {
  try {
    return BASE58.decode(address);
  } catch {
    return null;
  }
}

function isMweb(address: string): boolean {
  const lower = address.toLowerCase();
  return Object.values(UTXO_COINS).some((coin) =>
    NETWORKS.some((network) => {
      const { mwebHrp } = coin.networks[network];
      return mwebHrp !== null && lower.startsWith(`${mwebHrp}1`);
    }),
  );
}

/** Coin and network of an address, for the error message. */
function describeNetwork(address: string): string | null {
  for (const coin of Object.values(UTXO_COINS)) {
    for (const network of NETWORKS) {
      const parsed = parseFor(coin.networks[network], address);
      if (parsed !== null && 'script' in parsed) return networkName(coin, network);
    }
  }
  return null;
}
