import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAtoms, parseExactJson } from '../../../../src/chains/utxo/rpc/exact-json.ts';
import { formatUnits } from '../../../../src/domain/money.ts';

describe('parseExactJson and parseAtoms', () => {
  it('convert decimal amounts to atoms without loss', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 18n), 10n ** 18n), (atoms) => {
        const parsed = parseExactJson(`{"value":${formatUnits(atoms, 8)}}`) as { value: string | number };
        expect(parseAtoms(parsed.value)).toBe(atoms);
      }),
    );
  });

  it.each([
    ['1e-8', 1n],
    ['1.5E-7', 15n],
    ['0.10', 10_000_000n],
    ['1.230000000', 123_000_000n],
    ['2e2', 20_000_000_000n],
    ['-0.00000001', -1n],
  ])('parse %s as %s atoms', (text, atoms) => {
    expect(parseAtoms((parseExactJson(`[${text}, 0.5]`) as [string | number])[0])).toBe(atoms);
    expect(parseAtoms((parseExactJson(`[${text}]`) as [string | number])[0])).toBe(atoms);
  });

  it.each(['0.000000001', '1e-9', 'Infinity', '', '1e999', '0x10', '1.'])(
    'reject %s as an amount',
    (text) => {
      expect(parseAtoms(text)).toBeNull();
    },
  );

  it('return integers as numbers', () => {
    expect(parseExactJson('{"height":12,"fee":0.5}')).toEqual({ height: 12, fee: '0.5' });
  });
});
