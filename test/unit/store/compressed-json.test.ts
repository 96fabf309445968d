import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compressJson, decompressJson } from '../../../src/store/sqlite/compressed-json.ts';

const DICTIONARY = 'src/store/sqlite/json-dictionary.txt';
/** Stored rows can be read with exactly this dictionary only. */
const DICTIONARY_SHA256 = 'e787cadd08080abb7b0df86c6bcc18d36ee9b93760a48f7134be3d9f2c53f669';

const option = (address: string, uri: string): object => ({
  address,
  amount: '0.0124750',
  rate: '4000.12',
  rateSources: ['coinbase', 'kraken'],
  rateAt: '2027-03-04T05:06:07.089Z',
  uri,
  received: '0',
  confirmations: 0,
  requiredConfirmations: 2,
  finality: null,
});
const PAYMENT = {
  id: 'evt_0VcHeuAnK0Sg5J0L0e6u5lGH',
  type: 'payment.completed',
  timestamp: '2027-03-04T05:06:07.089Z',
  sandbox: false,
  sequence: 3,
  data: {
    payment: {
      id: 'pay_0VcHeuAmSyw80RtHtMSi8mCa',
      status: 'completed',
      exception: null,
      amount: '49.90',
      options: {
        BTC: option(
          'bc1qz08pqyek2sa7whurv6ja2mnef92rcnd7alzz55',
          'bitcoin:bc1qz08pqyek2sa7whurv6ja2mnef92rcnd7alzz55',
        ),
        ETH: option(
          '0xC964bB302659c5CCF66C8BC4787185B9711C5118',
          'ethereum:0xC964bB302659c5CCF66C8BC4787185B9711C5118',
        ),
      },
    },
  },
};

describe('compressJson', () => {
  it('preserves every JSON text byte for byte', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'grapheme' }), fc.array(fc.json()), (text, others) => {
        const all = [text, JSON.stringify({ data: others }), JSON.stringify({ ...PAYMENT, others })];
        for (const each of all) {
          const stored = compressJson(each);
          const read = decompressJson(stored);
          expect(Buffer.from(read ?? '').equals(Buffer.from(each))).toBe(true);
        }
      }),
    );
  });

  it('preserves bodies that exceed the compression window', () => {
    const text = JSON.stringify({ data: Array.from({ length: 3_000 }, (_, n) => `${n} ${n * n} "ü"`) });
    expect(Buffer.byteLength(text)).toBeGreaterThan(50_000);
    expect(decompressJson(compressJson(text))).toBe(text);
  });

  it('stores the body of a payment in less than a third of its bytes', () => {
    const text = JSON.stringify(PAYMENT);
    expect(compressJson(text).length).toBeLessThan(text.length / 3);
  });

  it('keeps the dictionary with which stored rows were compressed', () => {
    expect(createHash('sha256').update(readFileSync(DICTIONARY)).digest('hex')).toBe(DICTIONARY_SHA256);
    const stored = Buffer.from('WKTfbHDiQ2rWGGJp1WDzbC0AvukRTw==', 'base64');
    expect(decompressJson(stored)).toBe('{"id":"evt_1","type":"payment.created","sequence":1}');
  });
});

describe('decompressJson', () => {
  it('returns rows unchanged that were stored as plain text before compression', () => {
    const text = JSON.stringify({ ...PAYMENT, name: 'ü€𝄞' });
    expect(decompressJson(Buffer.from(text))).toBe(text);
  });

  it('returns null for damaged bytes, and never another text', () => {
    const text = JSON.stringify(PAYMENT);
    const stored = compressJson(text);
    let unreadable = 0;
    for (let bit = 0; bit < stored.length * 8; bit += 1) {
      const damaged = Buffer.from(stored);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      const read = decompressJson(damaged);
      if (read === null) unreadable += 1;
      else expect(read).toBe(text);
    }
    // A few bits fill the last byte before the checksum and mean nothing.
    expect(unreadable).toBeGreaterThan(stored.length * 8 - 8);
    for (let length = 0; length < stored.length; length += 1)
      expect(decompressJson(stored.subarray(0, length))).toBeNull();
  });
});
