import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../src/domain/exact-json.ts';
import { measureCpuMs } from '../../_helpers/timing/cpu-time.ts';

describe('parseExact', () => {
  it.each([
    '{"id":12345678901234567890}',
    '{"id":-9223372036854775808,"ids":[9007199254740993,{"a":18446744073709551615}]}',
    '{"huge":1e999,"negative":-1.5E+400}',
    '[9007199254740993]',
  ])('preserves %s', (text) => {
    expect(JSON.stringify(parseExact(text))).toBe(text);
  });

  it.each(['{"id" :\n\t12345678901234567890}', '{"a":[1, 12345678901234567890]}'])(
    'preserves long numbers after whitespace in %j',
    (text) => {
      expect(JSON.stringify(parseExact(text))).toBe(text.replaceAll(/\s/g, ''));
    },
  );

  it('returns the same value as JSON.parse wherever JSON.parse is lossless', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify({ value });
        expect(JSON.stringify(parseExact(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 500 },
    );
    for (const value of [9007199254740991, -9007199254740991, 0.1234567890123456, 1e300, 12.5]) {
      expect(parseExact(`{"a":${value}}`)).toEqual({ a: value });
    }
  });

  it('leaves strings unchanged that only look like long numbers', () => {
    const value = { uri: 'ethereum:0x1@1?value=25000000000000000', time: ':1795336836000000000', n: 1 };
    expect(parseExact(JSON.stringify(value))).toEqual(value);
  });

  it.each(['', '{"a":12345678901234567890', '{"a":01234567890123456}'])('rejects %j', (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  });

  it('parses a hostile text in linear time', async () => {
    const cpuMs = await measureCpuMs(() => {
      for (const piece of [':', ': ', ':-', ':1.', ':1', ':1e', '[,']) {
        expect(() => parseExact(piece.repeat(100_000 / piece.length))).toThrow(SyntaxError);
      }
    });
    expect(cpuMs).toBeLessThan(2_000);
  });
});
