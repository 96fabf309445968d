/** Documents name files, folders and identifiers of the sources; each of them exists. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const inRepository = (path: string) => !path.includes('node_modules');
const files = globSync(
  ['src/**/*', 'packages/**/*', 'test/**/*', 'scripts/**/*', 'locales/**/*', 'docker/**/*', 'config/**/*'],
  { exclude: (path) => !inRepository(path) },
).map((path) => path.replace(/\.tsx?$/, ''));
const paths = new Set(files);
const names = new Set(files.map((path) => path.slice(path.lastIndexOf('/') + 1)));
/** Folders below which a document may begin a path. */
const ROOTS = ['', 'src/', 'src/usecases/', 'src/chains/', 'src/store/'];
/** First parts of paths of the sources; the rest are addresses, branches, media types and so on. */
const FIRST = new Set(
  ['src/', 'src/usecases/', 'src/chains/', 'src/store/'].flatMap((root) =>
    files.filter((path) => path.startsWith(root)).map((path) => path.slice(root.length).split('/')[0]!),
  ),
);
const TOP = new Set(['src', 'packages', 'test', 'scripts', 'locales', 'docker', 'config']);

interface Mention {
  readonly document: string;
  readonly text: string;
}

/** Sources of the nodes, which documents name too, are in C++. */
const FOREIGN = /\.cpp$/;

/** Texts in backticks, outside blocks of code. */
function readMentions(document: string, source = readFileSync(document, 'utf8')): Mention[] {
  const prose = source.replace(/^\s*```[\s\S]*?^\s*```$/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text]) => ({ document, text: text! }));
}

const isPath = ({ text }: Mention): boolean => {
  const [first = '', second] = text.split('/');
  return (
    /^[\w@.-]+(\/[\w.-]+)+$/.test(text) &&
    second !== undefined &&
    !FOREIGN.test(text) &&
    (TOP.has(first) || FIRST.has(first))
  );
};

const isMissing = ({ text }: Mention): boolean =>
  !ROOTS.some((root) => paths.has((root + text).replace(/\.tsx?$/, '')));

describe('documents', () => {
  const documents = globSync(['docs/**/*.md', 'README.md', 'STYLE_GUIDE.md']);
  const mentions = documents.flatMap((path) => readMentions(path));
  const architecture = mentions.filter(({ document }) =>
    ['docs/ARCHITECTURE.md', 'docs/glossary.md'].includes(document),
  );

  it('are read from the repository by this check', () => {
    expect(mentions.filter(isPath).length).toBeGreaterThan(100);
    const [wrong] = readMentions('example.md', 'The file `src/domain/nowhere.ts` says so.');
    expect([isPath(wrong!), isMissing(wrong!)]).toEqual([true, true]);
  });

  it('name only files and folders that exist', () => {
    expect(mentions.filter((mention) => isPath(mention) && isMissing(mention))).toEqual([]);
  });

  it('name only files that exist where the architecture and the glossary name them by the last part alone', () => {
    const kebab = architecture.filter(({ text }) => /^[a-z]+(-[a-z]+)+$/.test(text));
    expect(kebab.length).toBeGreaterThan(20);
    expect(kebab.filter(({ text }) => !names.has(text))).toEqual([]);
  });

  it('name only identifiers that the sources have, in the architecture and the glossary', () => {
    const sources = globSync(['src/**/*.{ts,tsx,sql}']).map((path) => readFileSync(path, 'utf8'));
    const words = new Set(sources.flatMap((source) => source.match(/\w+/g) ?? []));
    const identifiers = architecture.filter(({ text }) =>
      /^[a-z]+([A-Z][a-z]+)+$|^[a-z]+(_[a-z]+)+$/.test(text),
    );
    expect(identifiers.length).toBeGreaterThan(5);
    expect(identifiers.filter(({ text }) => !words.has(text))).toEqual([]);
  });
});
