import { expect, it } from 'vitest';
import { csv } from '../../../src/http/server/csv.ts';

interface Row {
  readonly text: string | null;
  readonly amount: string | null;
}

async function fileOf(...pages: readonly (readonly Row[])[]): Promise<string> {
  async function* paged() {
    yield* pages;
  }
  let file = '';
  for await (const part of csv<Row>([{ name: 'text' }, { name: 'amount', isNumber: true }], paged()))
    file += part;
  return file;
}

const row = (text: string | null, amount: string | null = '1'): Row => ({ text, amount });

it('csv writes a byte order mark, a header and a line for each row, whatever the page size', async () => {
  const whole = '\uFEFFtext,amount\r\na,1\r\nb,2\r\nc,3\r\n';
  expect(await fileOf([row('a'), row('b', '2')], [], [row('c', '3')])).toBe(whole);
  expect(await fileOf([row('a')], [row('b', '2')], [row('c', '3')])).toBe(whole);
  expect(await fileOf()).toBe('\uFEFFtext,amount\r\n');
  expect(await fileOf([])).toBe('\uFEFFtext,amount\r\n');
});

it('csv leaves missing values empty', async () => {
  expect(await fileOf([row(null, null)])).toContain('\r\n,\r\n');
});

it.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['a;b', '"a;b"'],
  [' padded ', '" padded "'],
  ['Zürich', 'Zürich'],
])('csv quotes %j', async (text, cell) => {
  expect(await fileOf([row(text)])).toBe(`\uFEFFtext,amount\r\n${cell},1\r\n`);
});

it.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '  =1',
  '＝1',
  '=HYPERLINK("http://evil.example","x")',
])('csv escapes %j, which a spreadsheet would run as a formula', async (text) => {
  const file = await fileOf([row(text)]);
  const cell = file.slice('\uFEFFtext,amount\r\n'.length, -',1\r\n'.length);
  expect(cell).toMatch(/^"?'/);
  expect(cell.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')).toBe(`'${text}`);
});

it('csv writes numbers as numbers', async () => {
  expect(await fileOf([row('a', '-0.5')])).toContain('a,-0.5\r\n');
});
