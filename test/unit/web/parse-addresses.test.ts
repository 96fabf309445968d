import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coldAddresses } from '../../_helpers/listed-addresses.ts';

interface Parsed {
  readonly addresses: string[];
  readonly lines: number[];
  readonly invalid: number[];
  readonly duplicate: number[];
}

/** Of a module whose types are those of a browser. */
const { parseAddresses } = (await import(resolve('src/web/dashboard/pages/money/parse-addresses.ts'))) as {
  parseAddresses: (coin: 'ETH' | 'SOL', text: string) => Parsed;
};

describe.each(['ETH', 'SOL'] as const)('parseAddresses of %s', (coin) => {
  const [one = '', two = '', three = ''] = coldAddresses(coin, 'csv', 3);

  it.each([
    ['lines', `${one}\n${two}\r\n${three}`],
    ['a header and labels', `Address,Label\n${one},first\n${two},"a, b"\n${three},\n`],
    ['quotes, semicolons and empty lines', `\uFEFF"${one}";x\n\n  "${two}";y\n${three}`],
    ['cells of a spreadsheet', `wallet address\tn\n${one}\t1\n${two}\t2\n${three}\t3`],
  ])('reads %s', (_format, text) => {
    const { addresses, invalid, duplicate } = parseAddresses(coin, text);
    expect([addresses, invalid, duplicate]).toEqual([[one, two, three], [], []]);
  });

  it('names the lines without an address and those with one listed before', () => {
    const again = coin === 'ETH' ? one.toLowerCase() : one;
    const parsed = parseAddresses(coin, `address\n${one}\nnonsense 7\n\n${again}\n${two}\n${two}x`);
    expect(parsed).toEqual({ addresses: [one, two], lines: [2, 6], invalid: [3, 7], duplicate: [5] });
  });

  it('does not accept a second line as a header', () => {
    expect(parseAddresses(coin, `address\nlabel\n${one}`).invalid).toEqual([2]);
  });
});
