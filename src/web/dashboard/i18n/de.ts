import type { Catalogue } from './catalogue.ts';

export const de: Catalogue = {
  Language: 'Sprache',
};
