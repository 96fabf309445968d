import { describe, expect, it } from 'vitest';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { bip21Uri } from '../../../src/chains/utxo/payment-uri.ts';

const ADDRESS = '175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W';

describe('bip21Uri', () => {
  it('writes the URIs of the examples in BIP-21', () => {
    expect(bip21Uri(UTXO_COINS.BTC, { address: ADDRESS, amount: 2_030_000_000n, label: 'Luke-Jr' })).toBe(
      `bitcoin:${ADDRESS}?amount=20.3&label=Luke-Jr`,
    );
    expect(bip21Uri(UTXO_COINS.BTC, { address: ADDRESS, amount: 5_000_000_000n })).toBe(
      `bitcoin:${ADDRESS}?amount=50`,
    );
  });

  it('never writes an exponent, and escapes labels as in RFC 3986', () => {
    const uri = bip21Uri(UTXO_COINS.LTC, { address: ADDRESS, amount: 1n, label: 'Café & Søn?' });
    expect(uri).toBe(`litecoin:${ADDRESS}?amount=0.00000001&label=Caf%C3%A9%20%26%20S%C3%B8n%3F`);
    expect(new URL(uri).searchParams.get('label')).toBe('Café & Søn?');
  });
});
