import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Of a module whose types are those of a browser. */
const { parseRecipients } = (await import(resolve('src/web/dashboard/pages/money/parse-recipients.ts'))) as {
  parseRecipients: (text: string) => { destination: string; amount: string }[];
};

const ONE = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
const TWO = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
const both = [
  { destination: ONE, amount: '0.015' },
  { destination: TWO, amount: '2' },
];

describe('parseRecipients', () => {
  it.each([
    ['CSV with a header', `address,amount\n${ONE},0.015\n${TWO},2\n`],
    ['CSV with further columns and quotes', `Ann,"${ONE}","0.015",May\r\nBob,"${TWO}","2",May`],
    ['cells of a spreadsheet', `${ONE}\t0.015\n${TWO}\t2`],
    ['semicolons', `${ONE};0.015\n${TWO};2`],
    ['spaces', `${ONE} 0.015\n${TWO}  2`],
  ])('reads %s', (_format, text) => {
    expect(parseRecipients(text)).toEqual(both);
  });

  it('finds nothing in a single address, in prose, or where the amount is missing', () => {
    for (const text of [ONE, 'Please pay me soon', `${ONE},\n${TWO},soon`, ''])
      expect(parseRecipients(text)).toEqual([]);
  });
});
