/** Addresses of other wallets against the published vectors of BIP-44, 49, 84, 86, 380 and SLIP-132. */
import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { descriptorChecksum } from '../../../src/wallet/descriptor-checksum.ts';
import { readReceiveBranch, receiveBranchReader } from '../../../src/wallet/receive-branch.ts';

const { BTC, LTC } = UTXO_COINS;
const WORDS = `${'abandon '.repeat(11)}about`;
const ZPUB =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';
const TAPROOT =
  'xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ';
const NESTED_TEST =
  'tpubDD7tXK8KeQ3YY83yWq755fHY2JW8Ha8Q765tknUM5rSvjPcGWfUppDFMpQ1ScziKfW3ZNtZvAD7M3u7bSs7HofjTD3KP3YxPK7X6hwV8Rk2';

const base58 = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());
const withVersion = (key: string, version: number): string => {
  const bytes = Buffer.from(base58.decode(key));
  bytes.writeUInt32BE(version, 0);
  return base58.encode(bytes);
};
const signed = (body: string): string => `${body}#${descriptorChecksum(body)}`;
const branch = (text: string, coin = BTC, network: 'mainnet' | 'testnet' | 'regtest' = 'mainnet') => {
  const read = readReceiveBranch(coin, network, text);
  if ('problem' in read) throw new Error(read.problem);
  return read;
};
const problem = (text: string, coin = BTC, network: 'mainnet' | 'testnet' | 'regtest' = 'mainnet') => {
  const read = readReceiveBranch(coin, network, text);
  return 'problem' in read ? read.problem : null;
};
const account = (path: string) => HDKey.fromMasterSeed(mnemonicToSeedSync(WORDS)).derive(path);

describe('readReceiveBranch of an extended public key', () => {
  it('derives the native segwit addresses of BIP-84 from a zpub', () => {
    const read = branch(ZPUB);
    expect(read.address(0)).toBe('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
    expect(read.address(1)).toBe('bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g');
  });

  it('derives the nested segwit addresses of BIP-49 from a upub, and from its descriptor', () => {
    const upub = withVersion(NESTED_TEST, 0x04_4a_52_62);
    expect(upub).toMatch(/^upub/);
    const first = '2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2';
    expect(branch(upub, BTC, 'testnet').address(0)).toBe(first);
    expect(branch(signed(`sh(wpkh(${NESTED_TEST}/0/*))`), BTC, 'testnet').address(0)).toBe(first);
  });

  it('derives the key hash addresses of BIP-44 from an xpub', () => {
    expect(branch(account("m/44'/0'/0'").publicExtendedKey).address(0)).toBe(
      '1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA',
    );
  });

  it('reads the SLIP-132 prefixes of Litecoin for Litecoin only', () => {
    const key = account("m/44'/2'/0'").publicExtendedKey;
    const ltub = withVersion(key, 0x01_9d_a4_62);
    const mtub = withVersion(key, 0x01_b2_6e_f6);
    expect([ltub.slice(0, 4), mtub.slice(0, 4)]).toEqual(['Ltub', 'Mtub']);
    expect(branch(ltub, LTC).address(0)).toBe('LUWPbpM43E2p7ZSh8cyTBEkvpHmr3cB8Ez');
    expect(branch(mtub, LTC).address(0)).toMatch(/^M/);
    expect(branch(withVersion(key, 0x04_b2_47_46), LTC).address(0)).toMatch(/^ltc1q/);
    expect(problem(ltub)).toContain('another coin (Ltub)');
  });

  it('rejects keys of another network, of one multisig signer, with a typo, and private keys', () => {
    expect(problem(NESTED_TEST)).toContain('another network (tpub)');
    expect(problem(ZPUB, BTC, 'regtest')).toContain('another network (zpub)');
    expect(problem(withVersion(ZPUB, 0x02_aa_7e_d3))).toContain('descriptor of that wallet');
    expect(problem(`${ZPUB.slice(0, -1)}t`)).toContain('mistyped');
    expect(problem(withVersion(ZPUB, 0x01_02_03_04))).toContain('unknown kind');
    const secret = account("m/84'/0'/0'").privateExtendedKey;
    for (const text of [secret, signed(`wpkh(${secret}/0/*)`), withVersion(secret, 0x04_b2_43_0c)]) {
      expect(problem(text)).toContain('private key');
      expect(problem(text)).not.toContain(secret.slice(4, 30));
    }
  });
});

describe('readReceiveBranch of a descriptor', () => {
  it('derives the taproot addresses of BIP-86', () => {
    const read = branch(signed(`tr([73c5da0a/86'/0'/0']${TAPROOT}/0/*)`));
    expect(read.address(0)).toBe('bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr');
    expect(read.address(1)).toBe('bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh');
  });

  it('gives descriptors of the same addresses the same identifier, whatever their origin, prefix, branches and order of keys', () => {
    const xpub = withVersion(ZPUB, 0x04_88_b2_1e);
    const forms = [
      ZPUB,
      signed(`wpkh(${xpub}/0/*)`),
      signed(`wpkh([73c5da0a/84h/0h/0h]${xpub}/0/*)`),
      signed(`wpkh([73c5da0a/84'/0'/0']${xpub}/<0;1>/*)`),
    ];
    expect(new Set(forms.map((form) => branch(form).descriptor))).toEqual(
      new Set([signed(`wpkh(${xpub}/0/*)`)]),
    );
    const [a, b] = [`${xpub}/0/*`, `${TAPROOT}/0/*`];
    const multi = (one: string, other: string, kind = 'sortedmulti') =>
      branch(signed(`wsh(${kind}(2,${one},${other}))`));
    expect(multi(a, b).descriptor).toBe(multi(b, a).descriptor);
    expect(multi(a, b).address(7)).toBe(multi(b, a).address(7));
    expect(multi(a, b, 'multi').descriptor).not.toBe(multi(b, a, 'multi').descriptor);
    expect(multi(a, b).address(0)).toMatch(/^bc1q.{58}$/);
  });

  it('rejects a descriptor with a missing or wrong checksum, or of an unsupported form', () => {
    const body = `wpkh(${withVersion(ZPUB, 0x04_88_b2_1e)}/0/*)`;
    expect(problem(body)).toContain('lacks its checksum');
    expect(problem(`${body}#qqqqqqqq`)).toContain('checksum is wrong');
    expect(problem(`${signed(body)}#`)).toContain('lacks its checksum');
    const key = withVersion(ZPUB, 0x04_88_b2_1e);
    for (const other of [
      `wpkh(${key}/0/*')`,
      `wpkh(${key}/0'/*)`,
      `wpkh(${key}/0)`,
      `wpkh(${key}/<0;1>/<0;1>/*)`,
      `wpkh(${key}/2147483648/*)`,
      `wpkh(02${'11'.repeat(32)})`,
      `addr(bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu)`,
      `combo(${key}/0/*)`,
      `tr(${key}/0/*,pk(${key}/1/*))`,
      `wsh(sortedmulti(3,${key}/0/*,${TAPROOT}/0/*))`,
      `wsh(sortedmulti(1,${key}/0/*,${key}/0/*))`,
    ])
      expect(problem(signed(other)), other).not.toBeNull();
  });

  it('rejects segwit for a coin without segwit', () => {
    const networks = { ...BTC.networks, mainnet: { ...BTC.networks.mainnet, hrp: null } };
    const legacy = { ...BTC, name: 'Legacycoin', scriptType: 'p2pkh' as const, networks };
    const key = withVersion(ZPUB, 0x04_88_b2_1e);
    for (const text of [ZPUB, signed(`tr(${key}/0/*)`), signed(`wpkh(${key}/0/*)`)])
      expect(problem(text, legacy)).toContain('Legacycoin does not have');
    expect(branch(signed(`pkh(${key}/0/*)`), legacy).address(0)).toMatch(/^1/);
  });

  it('detects every change of a single character, and throws no unexpected error', () => {
    const text = signed(`wpkh([73c5da0a/84h/0h/0h]${withVersion(ZPUB, 0x04_88_b2_1e)}/<0;1>/*)`);
    const property = fc.property(
      fc.nat({ max: text.length - 1 }),
      fc.constantFrom(...Array.from('0123456789abcxyzXYZ#(){}<>*/;')),
      (at, character) => {
        if (text[at] === character) return;
        expect(problem(`${text.slice(0, at)}${character}${text.slice(at + 1)}`)).not.toBeNull();
      },
    );
    fc.assert(property, { numRuns: 500 });
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (any) => {
        expect(problem(any)).not.toBeNull();
      }),
    );
  });
});

describe('receiveBranchReader', () => {
  it('reads keys of the network that the mode uses, and none for coins without extended keys', () => {
    const read = receiveBranchReader('mainnet');
    expect(read({ coin: 'BTC', mode: 'live' }, ZPUB)).toHaveProperty('descriptor');
    expect(read({ coin: 'BTC', mode: 'sandbox' }, ZPUB)).toHaveProperty('problem');
    expect(read({ coin: 'ETH', mode: 'live' }, ZPUB)).toEqual({ problem: 'is of no use for ETH: enter an address' });
  });
});
