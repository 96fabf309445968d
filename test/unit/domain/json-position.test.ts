import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSyntaxError } from '../../../src/domain/json-position.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const INSERTED = Array.from('{}[],:"\\-0.eEtn \n\u0001\u007fx');

/** JSON with some characters removed, inserted or repeated. */
const damaged = fc
  .tuple(
    fc.json(),
    fc.array(fc.tuple(fc.nat(200), fc.nat(2), fc.constantFrom(...INSERTED)), {
      maxLength: 3,
    }),
  )
  .map(([text, edits]) =>
    edits.reduce((before, [place, removed, added]) => {
      const at = Math.min(place, before.length);
      return before.slice(0, at) + added + before.slice(at + removed);
    }, text),
  );

describe('findSyntaxError in JSON', () => {
  it.each([
    ['{"a": 1,}', 1, 9],
    ['{\n  "amount": "10"\n  "currency": "USD"\n}', 3, 3],
    ['{\r\n"a": 1\r\n,,}', 3, 2],
    ["{'a': 1}", 1, 2],
    ['{"a": tru}', 1, 7],
    ['{"a": 01}', 1, 8],
    ['{"a": "x\ny"}', 1, 9],
    ['{"a": "\\x"}', 1, 8],
    ['{"a"', 1, 5],
    ['{"a": "x', 1, 9],
    ['[1, 2', 1, 6],
    ['[1}', 1, 3],
    ['{}\n{}', 2, 1],
    ['<html>', 1, 1],
    ['', 1, 1],
  ])('finds the error of %j in line %i, column %i', (text, line, column) => {
    expect(findSyntaxError(text)).toEqual({ line, column });
  });

  it('finds an error exactly where JSON.parse fails', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        expect(findSyntaxError(text) === null, text).toBe(isJson(text));
      }),
      { numRuns: 3000 },
    );
  });

  it('reports no error before the position that JSON.parse reports', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        const found = findSyntaxError(text);
        const reported = positionIn(text);
        if (found === null || reported === null) return;
        // The scanner points to the start of a scalar, and JSON.parse into it.
        const lines = text.slice(0, reported).split(/\r\n|\r|\n/);
        expect(found.line, text).toBe(lines.length);
        expect(found.column, text).toBeLessThanOrEqual((lines.at(-1) ?? '').length + 1);
      }),
      { numRuns: 3000 },
    );
  });

  it('reads 100 kB of nested or unterminated text without a stack overflow', () => {
    expect(findSyntaxError('['.repeat(100_000))).toEqual({ line: 1, column: 100_001 });
    expect(findSyntaxError(`"${'\\n'.repeat(50_000)}`)).toEqual({ line: 1, column: 100_002 });
    expect(findSyntaxError(`"${'x'.repeat(100_000)}`)).toEqual({ line: 1, column: 100_002 });
  });
});

/** The offset in the message of `JSON.parse`; null where it states none. */
function positionIn(text: string): number | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const position = /position (\d+)/.exec(String(error))?.[1];
    return position === undefined ? null : Number(position);
  }
}
