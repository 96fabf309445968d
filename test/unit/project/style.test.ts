/** What a program can check of STYLE_GUIDE.md. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTitles, type TestTitle } from './titles.ts';

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
  it('are read from the sources by this check', () => expect(exported.length).toBeGreaterThan(3_000));

  it('are not bare participles or metaphors', () => {
    expect(exported.filter(({ name }) => UNCLEAR.test(name))).toEqual([]);
  });
});

/** A declared function, exported or not, or an arrow function with a name. */
const FUNCTION =
  /\bfunction (\w+)|\bconst (\w+)(?:: [^=]+)? = (?:async )?(?:<[^>]*>)?\([^()]*\)(?:: [^=]+)? =>/g;

describe('names of functions', () => {
  const names = sources.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(FUNCTION)].map(([, declared, arrow]) => ({
      path,
      name: declared ?? arrow!,
    })),
  );

  it('are read from the sources by this check, unexported ones included', () => {
    expect(names.length).toBeGreaterThan(5_000);
    const source = `function partsOf() {} const sizeOf = async (path: string): Promise<number> => 0;`;
    expect([...source.matchAll(FUNCTION)].map(([, declared, arrow]) => declared ?? arrow)).toEqual([
      'partsOf',
      'sizeOf',
    ]);
  });

  it('are verbs, and not xOf', () => {
    expect(names.filter(({ name }) => /[a-z]Of$/.test(name))).toEqual([]);
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

  it('are read from the repository by this check', () => expect(prose.length).toBeGreaterThan(1_000));

  it('have lines of at most 120 characters', () => {
    expect(prose.filter(isLong)).toEqual([]);
  });

  it('contain none of the words that the style guide excludes', () => {
    expect(
      prose.filter(
        ({ text, path }) =>
          path !== 'STYLE_GUIDE.md' &&
          /\b(whoever|anew|beside|all the same|by itself|your word|of before|is told|looks again)\b/i.test(
            text,
          ),
      ),
    ).toEqual([]);
  });
});

/** Words that texts for callers, operators and shopkeepers exclude: descriptions, usage texts, logs, pages. */
const EXCLUDED_PHRASES =
  /\b(whoever|anew|beside|all the same|by itself|by themselves|your word|(?<!const \w+ )of before|what is left|(is|are|was|were|be) told|looks again)\b/i;
const COMMENT_LINE = /^\s*(\/\/|\/?\*)/;

describe('texts', () => {
  const code = sources.filter((path) => !/schema\/migrations\/|sdk\/src\/openapi\.ts$/.test(path));
  const texts = globSync(['locales/*/en.json', 'locales/dashboard/de.json']);
  const lines = [...code, ...texts].flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .map((text, at) => ({ path, line: at + 1, text }))
      .filter(({ text }) => !COMMENT_LINE.test(text)),
  );

  it('are read from the sources and locales by this check', () =>
    expect(lines.length).toBeGreaterThan(50_000));

  it('contain none of the phrases that the style guide excludes', () => {
    expect(lines.filter(({ text }) => EXCLUDED_PHRASES.test(text))).toEqual([]);
  });
});

/** Words that the guide excludes, because a reader has to guess who acts, or what is meant. */
const EXCLUDED_WORDS =
  /\b(told|tells|whoever|anew|nobody|somebody|anybody|by itself|takes? no|beside|held|is asked|looks (again|at)|gives back|taken back|given back)\b/i;
/** A title without a subject: its first word is one of these, and no `describe` names the unit. */
const PREDICATE =
  /^(is|are|has|have|does|do|can|cannot|may|never|accepts|answers|applies|books|charges|checks|completes|contains|continues|counts|creates|credits|deletes|derives|emits|ends|expires|fails|finds|gets|gives|ignores|keeps|leaves|lets|limits|lists|logs|makes|maps|names|parses|pays|prefers|reads|records|refunds|refuses|rejects|removes|reports|requires|restores|returns|reverses|revokes|runs|says|sends|sets|shows|signs|starts|stays|stops|stores|survives|takes|treats|uses|verifies|waits|warns)\b/;

const lacksSubject = ({ text, units, isUnit, isShared }: TestTitle): boolean =>
  !isUnit && !isShared && units.length === 0 && PREDICATE.test(text);

describe('titles of tests', () => {
  const paths = globSync('test/**/*.test.ts', { exclude: (path) => path.includes('node_modules') });
  const titles = paths.flatMap((path) => readTitles(path));

  it('are read from the test files by this check', () => expect(titles.length).toBeGreaterThan(3_000));

  it('contain none of the words that the style guide excludes', () => {
    expect(titles.filter(({ text }) => EXCLUDED_WORDS.test(text))).toEqual([]);
  });

  it('have a subject', () => {
    expect(titles.filter(lacksSubject)).toEqual([]);
  });

  it('are unique within a file', () => {
    const seen = new Set<string>();
    const repeated = titles.filter(({ path, units, text, isUnit }) => {
      const whole = [path, ...units, text].join(' > ');
      const isRepeated = !isUnit && seen.has(whole);
      seen.add(whole);
      return isRepeated;
    });
    expect(repeated).toEqual([]);
  });

  it('are rejected by the check in bad examples', () => {
    const source = `it('is told by mail', run); describe('createPayment', () => it('refuses dust', run));`;
    const [bad, unit, good] = readTitles('example.test.ts', source);
    expect([bad, unit, good].map((title) => EXCLUDED_WORDS.test(title!.text))).toEqual([true, false, false]);
    expect([bad, unit, good].map((title) => lacksSubject(title!))).toEqual([true, false, false]);
    expect(good!.units).toEqual(['createPayment']);
  });
});

/** Files whose comments follow the guide. */
const commented = globSync([
  'src/**/*.{ts,tsx}',
  'scripts/**/*.ts',
  'packages/*/src/**/*.ts',
  'test/**/*.{ts,tsx}',
  '*.config.ts',
]).filter((path) => !/\/pre-release\/|sdk\/src\/openapi\.ts$|\/node_modules\//.test(path));
const COMMENT = /^\s*(\/\/|\/?\*)/;
/** Subjects without an antecedent, and words with a plainer standard term. */
const VAGUE =
  /\b(whoever|whatever it|nobody|somebody|anybody|everybody|anew|beside|by itself|be it|of which)\b/i;

describe('comments', () => {
  const lines = commented.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .map((text, at) => ({ path, line: at + 1, text }))
      .filter(({ text }) => COMMENT.test(text)),
  );

  it('are read from the sources by this check', () => expect(lines.length).toBeGreaterThan(12_000));

  it('name who acts and use the plain term', () => {
    expect(lines.filter(({ text }) => VAGUE.test(text))).toEqual([]);
  });
});
