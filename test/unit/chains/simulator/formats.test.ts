import { hex } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { COIN_FORMATS } from '../../../../src/chains/simulator/formats.ts';
import { paymentUri } from '../../../../src/chains/simulator/payment-uri.ts';

const PUBLIC_KEY = hex.decode('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');

describe('address validation in sandbox mode', () => {
  it.each([
    // BIP-173 and BIP-350, testnet.
    ['BTC', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
    ['BTC', 'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7'],
    ['BTC', 'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c'],
    ['BTC', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
    ['BTC', '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc'],
    // EIP-55.
    ['ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['ETH', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'],
    ['ETH', '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359'],
    ['SOL', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
  ] as const)('accepts, for %s, the address %s', (coin, address) => {
    expect(COIN_FORMATS[coin].validateAddress(address)).toBeNull();
  });

  it.each([
    ['BTC', 'tb1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7k7grplx'],
    ['BTC', 'tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47'],
    ['LTC', 'tmweb1qq'],
    ['ETH', '0xFB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'],
    ['SOL', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1vv'],
    ['SOL', ''],
  ] as const)('rejects, for %s, the address %s', (coin, address) => {
    expect(COIN_FORMATS[coin].validateAddress(address)).toEqual(expect.any(String));
  });

  it('accepts the addresses that belong to the keys in the published vectors', () => {
    expect(COIN_FORMATS.BTC.addressOf(PUBLIC_KEY)).toBe('tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx');
    expect(COIN_FORMATS.ETH.addressOf(PUBLIC_KEY)).toBe('0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf');
  });
});

describe('payment URIs in sandbox mode', () => {
  it('follow the URI standard of each coin', () => {
    const address = 'ADDRESS';
    expect(paymentUri('BTC', { address, amount: 150_000n })).toBe('bitcoin:ADDRESS?amount=0.0015');
    expect(paymentUri('LTC', { address, amount: 10n ** 8n, label: 'Tea & cake' })).toBe(
      'litecoin:ADDRESS?amount=1&label=Tea%20%26%20cake',
    );
    expect(paymentUri('ETH', { address, amount: 10n ** 18n })).toBe(
      'ethereum:ADDRESS@11155111?value=1000000000000000000',
    );
    expect(paymentUri('SOL', { address, amount: 1n })).toBe('solana:ADDRESS?amount=0.000000001');
  });
});
