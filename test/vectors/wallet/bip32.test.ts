import { HDKey } from '@scure/bip32';
import { expect, test } from 'vitest';
import { childPublicKey, publicBranch } from '../../../src/wallet/child-key.ts';

/** Test vectors 1 to 4 of https://github.com/bitcoin/bips/blob/master/bip-0032.mediawiki. */
const SEED_1 = '000102030405060708090a0b0c0d0e0f';
const SEED_2 =
  'fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542';
const SEED_3 =
  '4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be';
const SEED_4 = '3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b678';

const VECTORS: readonly (readonly [seed: string, path: string, xpub: string])[] = [
  [SEED_1, 'm', 'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8'],
  [SEED_1, "m/0'", 'xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw'],
  [SEED_1, "m/0'/1", 'xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ'],
  [SEED_1, "m/0'/1/2'", 'xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqFJPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5'],
  [SEED_1, "m/0'/1/2'/2", 'xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV'],
  [SEED_1, "m/0'/1/2'/2/1000000000", 'xpub6H1LXWLaKsWFhvm6RVpEL9P4KfRZSW7abD2ttkWP3SSQvnyA8FSVqNTEcYFgJS2UaFcxupHiYkro49S8yGasTvXEYBVPamhGW6cFJodrTHy'],
  [SEED_2, 'm', 'xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB'],
  [SEED_2, 'm/0', 'xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH'],
  [SEED_2, "m/0/2147483647'/1", 'xpub6DF8uhdarytz3FWdA8TvFSvvAh8dP3283MY7p2V4SeE2wyWmG5mg5EwVvmdMVCQcoNJxGoWaU9DCWh89LojfZ537wTfunKau47EL2dhHKon'],
  [SEED_2, "m/0/2147483647'/1/2147483646'/2", 'xpub6FnCn6nSzZAw5Tw7cgR9bi15UV96gLZhjDstkXXxvCLsUXBGXPdSnLFbdpq8p9HmGsApME5hQTZ3emM2rnY5agb9rXpVGyy3bdW6EEgAtqt'],
  [SEED_3, 'm', 'xpub661MyMwAqRbcEZVB4dScxMAdx6d4nFc9nvyvH3v4gJL378CSRZiYmhRoP7mBy6gSPSCYk6SzXPTf3ND1cZAceL7SfJ1Z3GC8vBgp2epUt13'],
  [SEED_3, "m/0'", 'xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CRDs6HbuccFQN9Ku14VQrADWgqbhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7gwQN3ih19Zm4Y'],
  [SEED_4, 'm', 'xpub661MyMwAqRbcGczjuMoRm6dXaLDEhW1u34gKenbeYqAix21mdUKJyuyu5F1rzYGVxyL6tmgBUAEPrEz92mBXjByMRiJdba9wpnN37RLLAXa'],
];

const node = (seed: string, path: string) => HDKey.fromMasterSeed(Buffer.from(seed, 'hex')).derive(path);

test.each(VECTORS)('the BIP-32 test vector with seed %s at %s has the published extended key', (seed, path, xpub) => {
  expect(node(seed, path).publicExtendedKey).toBe(xpub);
});

const PLAIN_CHILDREN = VECTORS.filter(([, path]) => /\/\d+$/.test(path));

test.each(PLAIN_CHILDREN)('publicBranch and childPublicKey match the BIP-32 vector with seed %s at %s', (seed, path, xpub) => {
  const cut = path.lastIndexOf('/');
  const branch = publicBranch(node(seed, path.slice(0, cut)));
  const published = HDKey.fromExtendedKey(xpub).publicKey;
  expect(Buffer.from(childPublicKey(branch, Number(path.slice(cut + 1)), true))).toEqual(Buffer.from(published ?? []));
});

test('the BIP-32 test vectors include public derivation', () => expect(PLAIN_CHILDREN.length).toBe(6));
