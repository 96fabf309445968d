import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/settings.ts';

const DOCS = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...DOCS];
const read = (page: string): string => readFileSync(page, 'utf8');

describe('docs/configuration.md', () => {
  const table = read('docs/configuration.md');
  /** Rows that name several variables may shorten all but the first: `TILLD_KEYRING_MEMORY`, `_ITERATIONS`. */
  const named = (variable: string): boolean =>
    table.includes(`\`${variable}\``) ||
    (table.includes('_LTC_`)') && table.includes(`\`${variable.replace('_LTC_', '_BTC_')}\``)) ||
    [...table.matchAll(/`(TILLD_[A-Z_]+)`((?:, `_[A-Z]+`)+)/g)].some(([, first = '', rest = '']) =>
      [...rest.matchAll(/`(_[A-Z]+)`/g)].some(([, end = '']) => first.replace(/_[A-Z]+$/, end) === variable),
    );

  it('names every variable that the daemon reads', () => {
    expect(
      Object.values(SETTINGS)
        .map(({ env }) => env)
        .filter((env) => !named(env)),
    ).toEqual([]);
  });
});

describe.each(PAGES)('%s', (page) => {
  it('names only variables that the daemon reads', () => {
    const known = new Set<string>([
      ...Object.values(SETTINGS).map(({ env }) => env),
      'TILLD_CONFIG',
      'TILLD_KEY',
    ]);
    const used = [...read(page).matchAll(/`?\b(TILLD_[A-Z_]*[A-Z])\b/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });

  it('has no broken links', () => {
    const folder = page.includes('/') ? page.slice(0, page.lastIndexOf('/') + 1) : '';
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => to);
    expect(links.filter((to) => !exists(`${folder}${to}`))).toEqual([]);
  });

  it('has no link to a heading that does not exist', () => {
    const folder = page.includes('/') ? page.slice(0, page.lastIndexOf('/') + 1) : '';
    const links = [...withoutCode(read(page)).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)].filter(
      ([, to = '']) => to === '' || to.endsWith('.md'),
    );
    const broken = links.filter(
      ([, to = '', anchor = '']) => !anchors(to === '' ? page : `${folder}${to}`).has(anchor),
    );
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

function withoutCode(text: string): string {
  return text.replaceAll(/^```[^]*?^```/gm, '');
}

/** Ids of the headings of a page, as forges make them. */
function anchors(page: string): Set<string> {
  const headings = [...withoutCode(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text);
  return new Set(
    headings.map((text) =>
      text
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function exists(path: string): boolean {
  try {
    return readFileSync(path).length > 0;
  } catch {
    return false;
  }
}
