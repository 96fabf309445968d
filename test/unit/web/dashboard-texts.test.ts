/** The catalogues of the dashboard, compared with what its pages say. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { de } from '../../../src/web/dashboard/i18n/de.ts';
import { es } from '../../../src/web/dashboard/i18n/es.ts';
import { fr } from '../../../src/web/dashboard/i18n/fr.ts';
import { pt } from '../../../src/web/dashboard/i18n/pt.ts';
import { readSource, readTexts } from './texts.ts';

const { said, faults } = readTexts();
const english = [...said.keys()];

const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe('the check for texts of the dashboard', () => {
  it('finds texts', () => {
    expect(english.length).toBeGreaterThan(400);
    expect(english).toEqual(expect.arrayContaining(['Sign in', 'Payments', '{count} payments match']));
  });

  it('requires every text in the catalogue, as a literal', () => {
    expect(faults).toEqual([]);
  });

  it.each([
    ['<p>Sign in</p>', 'words between tags'],
    ['<p>{isIn ? t("Out") : "Sign in"}</p>', 'words in a branch'],
    ['<Card title="Sign in" />', 'words in an attribute'],
    ['<Row name="Created" />', 'the name of a row'],
    ['<p>{t(text)}</p>', 'a text that is not a literal'],
    ['<p>{plural(n, "One", many)}</p>', 'a plural that is not a literal'],
  ])('reports %s as an error: %s', (source) => {
    expect(readSource('page.tsx', source).faultsHere).toHaveLength(1);
  });

  it.each([
    '<img src="/icon.svg" alt="" />',
    '<b className="font-bold big">{amount} ms</b>',
    '<a to="/Shops" />',
    '<input name="successUrl" />',
  ])('does not report %s', (source) => {
    expect(readSource('page.tsx', source).faultsHere).toEqual([]);
  });
});

describe.each(Object.entries({ de, es, fr, pt }))('the catalogue %s', (code, catalogue) => {
  it('has each text in one file only', async () => {
    const folder = join('src/web/dashboard/i18n', code);
    const files = readdirSync(folder).map(async (name) => import(resolve(folder, name)) as Promise<object>);
    const texts = (await Promise.all(files)).flatMap((file) => Object.values(file).flatMap(Object.keys));
    const twice = texts.filter((text, at) => texts.indexOf(text) !== at);
    expect([twice, texts.length]).toEqual([[], Object.keys(catalogue).length]);
  });

  it('has every text, and no unused text', () => {
    const missing = english.filter((text) => catalogue[text] === undefined);
    const unused = Object.keys(catalogue).filter((text) => !said.has(text));
    expect({ missing, unused }).toEqual({ missing: [], unused: [] });
  });

  it('keeps every placeholder, and the spaces at both ends', () => {
    for (const [text, translated] of Object.entries(catalogue)) {
      expect([text, placeholders(translated)]).toEqual([text, placeholders(text)]);
      expect([text, translated.trim()]).not.toEqual([text, '']);
    }
  });
});
