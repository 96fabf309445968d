/** Address vectors of BIP-173 and BIP-350 (those whose programs wallets pay), and known legacy addresses. */
import { describe, expect, it } from 'vitest';
import { addressScript, parseAddress } from '../../../src/chains/utxo/address.ts';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import type { Network } from '../../../src/domain/coins.ts';

const VALID: readonly (readonly ['BTC' | 'LTC', Network, string, string])[] = [
  [
    'BTC',
    'mainnet',
    'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
    '0014751e76e8199196d454941c45d1b3a323f1433bd6',
  ],
  [
    'BTC',
    'testnet',
    'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
    '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
  ],
  [
    'BTC',
    'testnet',
    'tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy',
    '0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
  ],
  [
    'BTC',
    'testnet',
    'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c',
    '5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
  ],
  [
    'BTC',
    'mainnet',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  ],
  ['BTC', 'mainnet', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', '76a91477bff20c60e522dfaa3350c39b030a5d004e839a88ac'],
  ['BTC', 'mainnet', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'a914b472a266d0bd89c13706a4132ccfb16f7c3b9fcb87'],
  ['BTC', 'testnet', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', '76a914243f1394f44554f4ce3fd68649c19adc483ce92488ac'],
  ['BTC', 'regtest', '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc', 'a9144e9f39ca4688ff102128ea4ccda34105324305b087'],
  ['LTC', 'mainnet', 'ltc1qg42tkwuuxefutzxezdkdel39gfstuap288mfea', '00144554bb3b9c3653c588d9136cdcfe254260be742a'],
  // Pay-to-script-hash in the form of its own that Litecoin introduced, and in the older shared one.
  ['LTC', 'mainnet', 'MQMcJhpWHYVeQArcZR3sBgyPZxxRtnH441', 'a914b48297bff5dadecc5f36145cec6a5f20d57c8f9b87'],
  ['LTC', 'mainnet', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'a914b472a266d0bd89c13706a4132ccfb16f7c3b9fcb87'],
];

const INVALID: readonly (readonly ['BTC' | 'LTC', Network, string, RegExp])[] = [
  // BIP-173 and BIP-350: checksum, case, programme length, version and checksum kind.
  ['BTC', 'mainnet', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T5', /checksum/],
  ['BTC', 'mainnet', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4', /checksum/],
  ['BTC', 'mainnet', 'bc1rw5uspcuh', /not a Bitcoin mainnet|witness|checksum/],
  ['BTC', 'mainnet', 'bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90', /./],
  ['BTC', 'mainnet', 'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P', /witness program of 16 bytes/],
  ['BTC', 'mainnet', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd', /checksum kind/],
  ['BTC', 'mainnet', 'BC1SW50QGDZ25J', /witness version/],
  ['BTC', 'mainnet', 'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', /witness version/],
  ['BTC', 'mainnet', 'bc1gmk9yu', /./],
  ['BTC', 'mainnet', 'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4', /checksum/],
  // Other coins and networks, named.
  ['BTC', 'mainnet', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', /is a Bitcoin testnet address/],
  ['BTC', 'regtest', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', /is a Bitcoin mainnet address/],
  ['BTC', 'mainnet', 'ltc1qg42tkwuuxefutzxezdkdel39gfstuap288mfea', /is a Litecoin mainnet address/],
  ['BTC', 'mainnet', 'MQMcJhpWHYVeQArcZR3sBgyPZxxRtnH441', /is a Litecoin mainnet address/],
  ['LTC', 'mainnet', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', /is a Bitcoin mainnet address/],
  [
    'LTC',
    'mainnet',
    'ltcmweb1qqv0klk6p30swkrhvrz6xqc0ydqzk4xd4dgcsdntt70ctzkjff5d95qk9mvv9agzfhjmksj6ajumvr5tyz9kdgpuyeqh5wngnse08m9g2dgmyxqsz',
    /MWEB/,
  ],
  ['LTC', 'regtest', 'TMWEB1QQQ', /MWEB/],
  ['BTC', 'mainnet', '', /not a Bitcoin mainnet address/],
  ['BTC', 'mainnet', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', /mistyped/],
  ['BTC', 'mainnet', ' 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', /mistyped/],
  ['BTC', 'mainnet', 'b'.repeat(10_000), /not a Bitcoin mainnet address/],
];

describe('addressScript', () => {
  it.each(VALID)('converts the %s %s address %s to its output script', (code, network, address, script) => {
    expect(addressScript(UTXO_COINS[code], network, address).toString('hex')).toBe(script);
  });

  it.each(INVALID)('rejects, for %s %s, %s', (code, network, address, why) => {
    const parsed = parseAddress(UTXO_COINS[code], network, address);
    expect('problem' in parsed && parsed.problem).toMatch(why);
    expect(() => addressScript(UTXO_COINS[code], network, address)).toThrow(TypeError);
  });

  it('rejects a taproot key that is not a point of the curve, because such outputs are unspendable', () => {
    // x = 5 has no point on secp256k1; the address itself is well-formed bech32m.
    const parsed = parseAddress(
      UTXO_COINS.BTC,
      'mainnet',
      'bc1pqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqzs2jkusy',
    );
    expect('problem' in parsed && parsed.problem).toMatch(/nobody can own/);
  });
});
