/** Rows reach the program as values: camel case, booleans, and amounts that know their digits. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FLAGS } from '../../../src/store/schema/flags.ts';

const SCHEMA = readFileSync('src/store/schema/schema.sql', 'utf8');
const COLUMNS = new Set(
  [...SCHEMA.matchAll(/^\s*"?([a-z]+(?:_[a-z0-9]+)+)"?\s+(?:TEXT|INTEGER|BLOB)\b/gim)].map(
    ([, name]) => name!,
  ),
);
const FLAG_FIELDS = new Set(Object.values(FLAGS).flatMap((columns) => Object.keys(columns)));
const READERS = globSync(['src/**/*.ts']).filter(
  (path) => !/^src\/(store|chains|rates|metrics|web)\//.test(path),
);

/** Fields as code reads or writes them: `row.name`, `{ name:`, `name:` at the start of a line. */
const FIELD = /(?:\.|[{,]\s*|^\s+)([a-z]+(?:_[a-z0-9]+)+)(?=\s*[:,}=.)\]]|$)/gm;

function violations(pattern: RegExp, isWrong: (name: string) => boolean): string[] {
  return READERS.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(pattern)]
      .filter(([, name]) => isWrong(name ?? ''))
      .map(([text]) => `${path}: ${text.trim()}`),
  );
}

describe('database rows outside src/store', () => {
  it('are checked against the columns and flags of the schema', () => {
    expect(COLUMNS.size).toBeGreaterThan(150);
    expect(FLAG_FIELDS.size).toBeGreaterThan(15);
  });

  it('have no fields in snake case', () => {
    expect(violations(FIELD, (name) => COLUMNS.has(name))).toEqual([]);
  });

  it('have no flags that the code compares with 0 or 1', () => {
    expect(violations(/\.(\w+) [!=]== [01]\b/g, (name) => FLAG_FIELDS.has(name))).toEqual([]);
  });

  it('have no fiat amounts without the number of decimals of their currency', () => {
    expect(violations(/currencyDigits\([^)]*\) \?\? (\d)/g, () => true)).toEqual([]);
  });
});
