/** Accounts of other wallets against the published vectors of BIP-67, 84, 380 and 389, and their refusals. */
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { describe, expect, it } from 'vitest';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { createWallet } from '../../../src/wallet/derivation.ts';
import { descriptorChecksum } from '../../../src/wallet/descriptor-checksum.ts';
import { Keyring } from '../../../src/wallet/keyring.ts';
import { readWatchAccount } from '../../../src/wallet/watch-account.ts';

const { BTC, LTC } = UTXO_COINS;
const WORDS = `${'abandon '.repeat(11)}about`;
const ZPUB =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';
const account = (path: string, words = WORDS) => HDKey.fromMasterSeed(mnemonicToSeedSync(words)).derive(path);
const xpub = account("m/84'/0'/0'").publicExtendedKey;
const signed = (body: string): string => `${body}#${descriptorChecksum(body)}`;

function read(text: string, path?: string, coin = BTC) {
  const keys = readWatchAccount(coin, 'mainnet', text, path);
  if ('problem' in keys) throw new Error(keys.problem);
  return keys;
}
function problem(text: string, path?: string): string | null {
  const keys = readWatchAccount(BTC, 'mainnet', text, path);
  return 'problem' in keys ? keys.problem : null;
}

describe('readWatchAccount', () => {
  it('derives the receiving and change addresses of BIP-84 from a zpub', () => {
    const keys = read(ZPUB);
    expect(keys.address(0, 0)).toBe('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
    expect(keys.address(0, 1)).toBe('bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g');
    expect(keys.address(1, 0)).toBe('bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el');
  });

  it('reads one account from a key with a path, a descriptor of branch 0 and one of both branches', () => {
    const origin = '[73c5da0a/84h/0h/0h]';
    for (const keys of [
      read(ZPUB, '0/*'),
      read(ZPUB, 'm/0/*'),
      read(ZPUB, '<0;1>/*'),
      read(signed(`wpkh(${xpub}/0/*)`)),
      read(signed(`wpkh(${origin}${xpub}/<0;1>/*)`)),
      read(signed(`wpkh([73C5DA0A/84'/0'/0']${xpub}/0/*)`)),
    ]) {
      expect(keys.address(0, 0)).toBe('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
      expect(keys.address(1, 0)).toBe('bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el');
    }
    expect(read(signed(`wpkh([73C5DA0A/84'/0'/0']${xpub}/0/*)`)).descriptor).toBe(
      signed(`wpkh(${origin}${xpub}/<0;1>/*)`),
    );
  });

  it('reads its own descriptor again as the same account', () => {
    const others = ['m/48h/0h/0h/2h', 'm/48h/0h/1h/2h', 'm/48h/0h/2h/2h'].map(
      (path) => account(path.replaceAll('h', "'")).publicExtendedKey,
    );
    const keys = others.map((key) => `${key}/0/*`).join(',');
    for (const body of [
      `pkh(${xpub}/0/*)`,
      `sh(wpkh(${xpub}/0/*))`,
      `tr(${xpub}/0/*)`,
      `wsh(sortedmulti(2,${keys}))`,
      `sh(wsh(sortedmulti(2,${keys})))`,
      `wsh(multi(2,${keys}))`,
    ]) {
      const first = read(signed(body));
      const again = read(first.descriptor);
      expect(again.descriptor).toBe(first.descriptor);
      for (const branch of [0, 1] as const)
        expect(again.address(branch, 3)).toBe(first.address(branch, 3));
      expect(first.address(0, 0)).not.toBe(first.address(1, 0));
    }
  });

  it('derives the same address from keys of a sortedmulti in any order', () => {
    const keys = ["m/48'/0'/0'", "m/48'/0'/1'"].map((path) => `${account(path).publicExtendedKey}/0/*`);
    const [a, b] = [keys.join(','), keys.toReversed().join(',')].map((list) =>
      read(signed(`wsh(sortedmulti(2,${list}))`)),
    );
    expect(a?.descriptor).toBe(b?.descriptor);
    expect(a?.address(1, 9)).toBe(b?.address(1, 9));
  });

  it('refuses private keys in every form and never repeats them', () => {
    const xprv = account("m/84'/0'/0'").privateExtendedKey;
    const wif = 'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn';
    for (const text of [
      xprv,
      wif,
      signed(`wpkh(${xprv}/0/*)`),
      signed(`wpkh([73c5da0a/84h]${xprv}/0/*)`),
      signed(`wpkh(${wif})`),
      signed(`wsh(sortedmulti(1,${xpub}/0/*,${xprv}/0/*))`),
      `wpkh(${wif})`,
    ]) {
      expect(problem(text)).toMatch(/^contains a private key/);
    }
  });

  it('refuses other networks and coins, wrong checksums, and accounts without a branch for change', () => {
    const test = HDKey.fromMasterSeed(mnemonicToSeedSync(WORDS), { private: 0x04_35_83_94, public: 0x04_35_87_cf });
    expect(problem(test.derive("m/84'/1'/0'").publicExtendedKey)).toMatch(/another network/);
    expect(problem(signed(`wpkh(${xpub}/0/*)`).replace('#', '#q'))).toMatch(/checksum is wrong/);
    expect(problem(`wpkh(${xpub}/0/*)`)).toMatch(/lacks its checksum/);
    for (const body of [
      `wpkh(${xpub}/*)`,
      `wpkh(${xpub}/1/*)`,
      `wpkh(${xpub}/<0;1;2>/*)`,
      `wpkh(${xpub}/<3;3>/*)`,
      `wsh(sortedmulti(1,${xpub}/0/*,${account("m/84'/0'/1'").publicExtendedKey}/7/*))`,
    ])
      expect(problem(signed(body))).toMatch(/must end in/);
    for (const path of ['*', '1/*', "0'/*", '0', '../0/*', '2147483648/0/*']) expect(problem(ZPUB, path)).not.toBeNull();
    expect('problem' in readWatchAccount(LTC, 'mainnet', ZPUB)).toBe(false);
  });
});

describe('createWallet with the path of a watched account', () => {
  it('derives its addresses and has no key to sign with', async () => {
    const keyring = await Keyring.fromEntropy(Buffer.alloc(32, 1));
    const wallet = createWallet({ keyring, liveNetwork: 'mainnet' });
    const { descriptor } = read(ZPUB);
    const path = { coin: 'BTC', mode: 'live', account: 2 ** 31 + 1, branch: 0, index: 0 } as const;
    expect(wallet.address({ ...path, descriptor })).toBe('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
    expect(() => wallet.privateKey({ ...path, descriptor })).toThrow(RangeError);
    expect(() => wallet.privateKey(path)).toThrow(RangeError);
  });
});
