import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { CURRENCIES, currencyDigits } from '../../../src/domain/currencies.ts';

const SDK_TABLE = resolve('packages/sdk/src/currency-table.ts');
const PHP_CLIENT = resolve('packages/php/src/Tilld.php');
const CODES_IN_A_LINE = 24;

/** The daemon's table: digits with their codes, in lines of a length that can be read. */
function codeLines(): [digits: number, lines: string[]][] {
  const byDigits = Map.groupBy(CURRENCIES, (code) => currencyDigits(code) ?? Number.NaN);
  return [...byDigits]
    .toSorted(([a], [b]) => a - b)
    .map(([digits, codes]) => {
      const count = Math.ceil(codes.length / CODES_IN_A_LINE);
      const lines = Array.from({ length: count }, (_, line) =>
        codes.slice(line * CODES_IN_A_LINE, (line + 1) * CODES_IN_A_LINE).join(' '),
      );
      return [digits, lines.map((line, at) => `'${line}${at < count - 1 ? ' ' : ''}'`)];
    });
}

it('the currency table of the SDK equals that of the daemon', async () => {
  const rows = codeLines().map(([digits, lines]) =>
    lines.length === 1 ? `  ${digits}: ${lines[0]},` : `  ${digits}:\n    ${lines.join(' +\n    ')},`,
  );
  const file = [
    "// Written by `npm run currency-tables` from the daemon's own table, which a test compares it with.",
    '',
    '/** Currencies that a payment can be priced in, by the decimals of their minor unit (ISO 4217). */',
    'export const CODES_BY_DIGITS: Readonly<Record<number, string>> = {',
    ...rows,
    '};',
    '',
  ];
  await expect(file.join('\n')).toMatchFileSnapshot(SDK_TABLE);
});

it('the currency table of the PHP client equals that of the daemon', async () => {
  const rows = codeLines().map(
    ([digits, lines]) => `        ${digits} => ${lines.join('\n            . ')},\n`,
  );
  const table = /(?<=\n {8}\/\/ Begin of the table[^\n]*\n).*(?= {8}\/\/ End of the table\.\n)/s;
  const client = readFileSync(PHP_CLIENT, 'utf8');
  expect(client).toMatch(table);
  await expect(client.replace(table, rows.join(''))).toMatchFileSnapshot(PHP_CLIENT);
});
