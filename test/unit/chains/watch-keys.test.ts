/** One destination in its several spellings: the key by which lists of allowed addresses compare it. */
import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { accountKey } from '../../../src/chains/ethereum/address.ts';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { addressScript } from '../../../src/chains/utxo/address.ts';

const base58check = createBase58check((data: Uint8Array) => createHash('sha256').update(data).digest());
const HASH = new Uint8Array(20).fill(7);
const p2sh = (prefix: number): string => base58check.encode(Uint8Array.from([prefix, ...HASH]));

describe('the watch key of a destination address', () => {
  it('is the same for both prefixes of a Litecoin script address, and differs from that of Bitcoin', () => {
    const [old, current] = [p2sh(5), p2sh(50)];
    expect([old[0], current[0]]).toEqual(['3', 'M']);
    expect(addressScript(UTXO_COINS.LTC, 'mainnet', old)).toEqual(
      addressScript(UTXO_COINS.LTC, 'mainnet', current),
    );
    expect(() => addressScript(UTXO_COINS.BTC, 'mainnet', current)).toThrow(TypeError);
  });

  it('is the same for a segwit address in upper case, and never accepts mixed case', () => {
    const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
    const script = addressScript(UTXO_COINS.BTC, 'mainnet', address);
    expect(addressScript(UTXO_COINS.BTC, 'mainnet', address.toUpperCase())).toEqual(script);
    expect(() => addressScript(UTXO_COINS.BTC, 'mainnet', address.replace('q', 'Q'))).toThrow(TypeError);
  });

  it('is the same for an Ethereum address with and without its checksum', () => {
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    expect(accountKey(address.toLowerCase())).toBe(accountKey(address));
  });
});
