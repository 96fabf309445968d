/** Links of the documents to each other lead to a file, and to a heading in it. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const DOCUMENTS = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'config/*.md']);

/** A document without its blocks of code. */
const prose = (source: string): string => source.replace(/^\s*```[\s\S]*?^\s*```$/gm, '');

/** Anchors of the headings, as GitHub forms them. */
function anchors(source: string): Set<string> {
  const headings = [...prose(source).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

interface Link {
  readonly document: string;
  readonly target: string;
}

function readLinks(document: string, source = readFileSync(document, 'utf8')): Link[] {
  const targets = [...prose(source).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  return targets
    .filter((target) => !/^(https?|mailto):/.test(target))
    .map((target) => ({ document, target }));
}

function isBroken({ document, target }: Link): boolean {
  const [path = '', anchor] = target.split('#');
  // The readme of the archives stands at their top.
  const folder = document === 'config/archive-readme.md' ? '.' : dirname(document);
  const file = path === '' ? document : normalize(`${folder}/${path}`);
  if (!existsSync(file)) return true;
  return anchor !== undefined && file.endsWith('.md') && !anchors(readFileSync(file, 'utf8')).has(anchor);
}

describe('links of documents', () => {
  const links = DOCUMENTS.flatMap((document) => readLinks(document));

  it('are read by this check, which finds a missing file and a missing heading', () => {
    expect(links.length).toBeGreaterThan(100);
    const [file, heading, good] = readLinks(
      'docs/a.md',
      '[a](b.md) [c](payments.md#nowhere) [d](payments.md)',
    );
    expect([file, heading, good].map((link) => isBroken(link!))).toEqual([true, true, false]);
  });

  it('lead to files and headings that exist', () => {
    expect(links.filter(isBroken)).toEqual([]);
  });
});
