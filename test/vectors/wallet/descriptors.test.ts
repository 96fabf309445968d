import { beforeAll, describe, expect, it } from 'vitest';
import { accountDescriptors } from '../../../src/wallet/descriptors.ts';
import { descriptorChecksum } from '../../../src/wallet/descriptor-checksum.ts';
import { Keyring } from '../../../src/wallet/keyring.ts';

describe('descriptorChecksum', () => {
  /** The valid expression of BIP-380's test vectors, and the same with a changed character. */
  it('computes the checksum of the BIP-380 test vector', () => {
    expect(descriptorChecksum('raw(deadbeef)')).toBe('89f8spxm');
    expect(descriptorChecksum('raw(dedbeef)')).not.toBe('89f8spxm');
  });

  it('refuses characters that descriptors do not have', () => {
    expect(() => descriptorChecksum('raw(Ü)')).toThrow(RangeError);
  });
});

describe('accountDescriptors of the seed words "abandon … about"', () => {
  let keyring: Keyring;
  beforeAll(async () => {
    keyring = await Keyring.fromEntropy(Buffer.alloc(16));
  });

  const describeAccount = (withPrivateKeys: boolean) =>
    accountDescriptors({ keyring, coin: 'BTC', network: 'mainnet', account: 0, withPrivateKeys });

  /** BIP-84 publishes this account as zpub and zprv; descriptors carry the same key as xpub and xprv. */
  it('contain the published account key of BIP-84, the key origin and the branch', () => {
    const origin = "[73c5da0a/84h/0h/0h]";
    const xpub =
      'xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V';
    const { receive, change } = describeAccount(false);
    expect(receive.split('#')[0]).toBe(`wpkh(${origin}${xpub}/0/*)`);
    expect(change.split('#')[0]).toBe(`wpkh(${origin}${xpub}/1/*)`);
  });

  it('contain a private key only when asked for', () => {
    expect(describeAccount(false).receive).not.toContain('prv');
    expect(describeAccount(true).receive).toContain('xprv');
  });
});
