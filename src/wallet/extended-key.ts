import { createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { hash } from 'node:crypto';
import type { Network } from '../domain/coins.ts';
import type { UtxoCoin } from '../domain/coins/definition.ts';

/** Version bytes of BIP-32, which descriptors use for every coin. */
const BIP32_VERSIONS = {
  main: { private: 0x04_88_ad_e4, public: 0x04_88_b2_1e },
  test: { private: 0x04_35_83_94, public: 0x04_35_87_cf },
} as const;

/** The script that the prefix of an extended key stands for (SLIP-132). */
export type KeyScript = 'pkh' | 'sh(wpkh)' | 'wpkh';
type Meaning = KeyScript | 'multisig' | 'private';

interface Version {
  readonly prefix: string;
  readonly bytes: number;
  readonly kind: 'main' | 'test';
  readonly meaning: Meaning;
  /** Null: wallets use it for Bitcoin and for coins without a prefix of their own. */
  readonly coin: string | null;
}

const VERSIONS: readonly Version[] = [
  { prefix: 'xpub', bytes: 0x04_88_b2_1e, kind: 'main', meaning: 'pkh', coin: null },
  { prefix: 'ypub', bytes: 0x04_9d_7c_b2, kind: 'main', meaning: 'sh(wpkh)', coin: null },
  { prefix: 'zpub', bytes: 0x04_b2_47_46, kind: 'main', meaning: 'wpkh', coin: null },
  { prefix: 'Ypub', bytes: 0x02_95_b4_3f, kind: 'main', meaning: 'multisig', coin: null },
  { prefix: 'Zpub', bytes: 0x02_aa_7e_d3, kind: 'main', meaning: 'multisig', coin: null },
  { prefix: 'tpub', bytes: 0x04_35_87_cf, kind: 'test', meaning: 'pkh', coin: null },
  { prefix: 'upub', bytes: 0x04_4a_52_62, kind: 'test', meaning: 'sh(wpkh)', coin: null },
  { prefix: 'vpub', bytes: 0x04_5f_1c_f6, kind: 'test', meaning: 'wpkh', coin: null },
  { prefix: 'Upub', bytes: 0x02_42_89_ef, kind: 'test', meaning: 'multisig', coin: null },
  { prefix: 'Vpub', bytes: 0x02_57_54_83, kind: 'test', meaning: 'multisig', coin: null },
  { prefix: 'Ltub', bytes: 0x01_9d_a4_62, kind: 'main', meaning: 'pkh', coin: 'LTC' },
  { prefix: 'Mtub', bytes: 0x01_b2_6e_f6, kind: 'main', meaning: 'sh(wpkh)', coin: 'LTC' },
  { prefix: 'ttub', bytes: 0x04_36_f6_e1, kind: 'test', meaning: 'pkh', coin: 'LTC' },
  { prefix: 'xprv', bytes: 0x04_88_ad_e4, kind: 'main', meaning: 'private', coin: null },
  { prefix: 'yprv', bytes: 0x04_9d_78_78, kind: 'main', meaning: 'private', coin: null },
  { prefix: 'zprv', bytes: 0x04_b2_43_0c, kind: 'main', meaning: 'private', coin: null },
  { prefix: 'tprv', bytes: 0x04_35_83_94, kind: 'test', meaning: 'private', coin: null },
  { prefix: 'uprv', bytes: 0x04_4a_4e_28, kind: 'test', meaning: 'private', coin: null },
  { prefix: 'vprv', bytes: 0x04_5f_18_bc, kind: 'test', meaning: 'private', coin: null },
  { prefix: 'Ltpv', bytes: 0x01_9d_9c_fe, kind: 'main', meaning: 'private', coin: 'LTC' },
  { prefix: 'Mtpv', bytes: 0x01_b2_67_92, kind: 'main', meaning: 'private', coin: 'LTC' },
  { prefix: 'ttpv', bytes: 0x04_36_ef_7d, kind: 'test', meaning: 'private', coin: 'LTC' },
];

const BASE58 = createBase58check((bytes: Uint8Array) => hash('sha256', bytes, 'buffer'));
/** Version, depth, fingerprint, child number, chain code and key of BIP-32. */
const LENGTH = 78;
const VERSION_LENGTH = 4;

/** An extended public key. */
export interface ExtendedKey {
  readonly node: HDKey;
  /** With the version bytes of BIP-32. */
  readonly text: string;
  readonly script: KeyScript;
}

/** Reads an extended public key. The problem never repeats the text, which may be a private key. */
export function readExtendedKey(
  coin: Pick<UtxoCoin, 'code' | 'name'>,
  network: Network,
  text: string,
): ExtendedKey | { readonly problem: string } {
  const payload = decode(text);
  if (payload === null || payload.length !== LENGTH)
    return { problem: 'is mistyped: the checksum of an extended public key is wrong' };
  const bytes = Buffer.from(payload).readUInt32BE(0);
  const version = VERSIONS.find((known) => known.bytes === bytes);
  const kind = network === 'mainnet' ? 'main' : 'test';
  if (version === undefined) return { problem: 'is an extended key of an unknown kind' };
  const { meaning } = version;
  if (meaning === 'private')
    return { problem: 'contains a private key: it must never leave its wallet, so make a new wallet' };
  if (version.coin !== null && version.coin !== coin.code)
    return { problem: `contains a key of another coin (${version.prefix}), not of ${coin.name}` };
  if (version.kind !== kind)
    return {
      problem: `contains a key of another network (${version.prefix}), not of ${coin.name} ${network}`,
    };
  if (meaning === 'multisig')
    return { problem: 'is the key of one signer of a multisig wallet: enter the descriptor of that wallet' };
  const versions = BIP32_VERSIONS[kind];
  const standard = Buffer.from(payload);
  standard.writeUInt32BE(versions.public, 0);
  const encoded = BASE58.encode(standard);
  try {
    return { node: HDKey.fromExtendedKey(encoded, versions), text: encoded, script: meaning };
  } catch {
    return { problem: 'contains an extended key that is not a point of the curve' };
  }
}

/** Whether a text has the form of an extended key, public or private. */
export function looksLikeExtendedKey(text: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{100,120}$/.test(text);
}

function decode(text: string): Uint8Array | null {
  if (text.length < VERSION_LENGTH || text.length > 120) return null;
  try {
    return BASE58.decode(text);
  } catch {
    return null;
  }
}
