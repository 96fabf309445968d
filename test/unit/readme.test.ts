import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/settings.ts';

describe('README', () => {
  const readme = readFileSync('README.md', 'utf8');
  /** Rows that name several variables may shorten all but the first: `TILLD_KEYRING_MEMORY`, `_ITERATIONS`. */
  const named = (variable: string): boolean =>
    readme.includes(`\`${variable}\``) ||
    (readme.includes('_LTC_`)') && readme.includes(`\`${variable.replace('_LTC_', '_BTC_')}\``)) ||
    [...readme.matchAll(/`(TILLD_[A-Z_]+)`((?:, `_[A-Z]+`)+)/g)].some(([, first = '', rest = '']) =>
      [...rest.matchAll(/`(_[A-Z]+)`/g)].some(([, end = '']) => first.replace(/_[A-Z]+$/, end) === variable),
    );

  it('names every variable that the daemon reads', () => {
    expect(
      Object.values(SETTINGS)
        .map(({ env }) => env)
        .filter((env) => !named(env)),
    ).toEqual([]);
  });

  it('names no variable that the daemon does not read', () => {
    const known = new Set<string>([...Object.values(SETTINGS).map(({ env }) => env), 'TILLD_CONFIG']);
    const used = [...readme.matchAll(/`?\b(TILLD_[A-Z_]*[A-Z])\b/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });
});
