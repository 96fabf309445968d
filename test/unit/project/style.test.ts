/** What a program can check of STYLE_GUIDE.md. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const sources = globSync(['src/**/*.ts', 'src/**/*.tsx', 'packages/sdk/src/**/*.ts']).filter(
  (path) => !path.startsWith('src/store/schema/pre-release/'),
);
const documents = globSync(['docs/**/*.md', 'packages/*/README.md', '*.md']).filter(
  (path) => !path.endsWith('CHANGELOG.md'),
);
const EXPORT = /^export (?:async )?(function|const|class|interface|type|let) (\w+)/gm;
/** Participles and metaphors that the code once had as names. */
const UNCLEAR =
  /^(told|asked|found|held|kept|own|given|shown|taken|desk|lane|sieve|stand|standing|wish|trouble)$/i;

const exported = sources.flatMap((path) =>
  [...readFileSync(path, 'utf8').matchAll(EXPORT)].map(([, kind, name]) => ({ path, kind, name: name! })),
);

describe('exported names', () => {
  it('are found by the check', () => expect(exported.length).toBeGreaterThan(3_000));

  it('use no xOf for functions', () => {
    const unclear = exported.filter(({ kind, name }) => kind === 'function' && /[a-z]Of$/.test(name));
    expect(unclear).toEqual([]);
  });

  it('are not bare participles or metaphors', () => {
    expect(exported.filter(({ name }) => UNCLEAR.test(name))).toEqual([]);
  });
});

/** Lines of prose; tables, code and lines that an address makes long are left out. */
function* proseOf(path: string): Generator<{ path: string; line: number; text: string }> {
  let isCode = false;
  for (const [at, text] of readFileSync(path, 'utf8').split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(text)) isCode = !isCode;
    else if (!isCode && !/^\s*[|<]/.test(text)) yield { path, line: at + 1, text };
  }
}

/** An address may make a line longer. */
const isLong = ({ text }: { text: string }) => text.length > 120 && !/\S{60,}/.test(text);

describe('documents', () => {
  const prose = documents.flatMap((path) => [...proseOf(path)]);

  it('are found by the check', () => expect(prose.length).toBeGreaterThan(1_000));

  it('have lines of at most 120 characters', () => {
    expect(prose.filter(isLong)).toEqual([]);
  });

  it('contain no "whoever" and no "anew"', () => {
    expect(
      prose.filter(({ text, path }) => path !== 'STYLE_GUIDE.md' && /\b(whoever|anew)\b/i.test(text)),
    ).toEqual([]);
  });
});
