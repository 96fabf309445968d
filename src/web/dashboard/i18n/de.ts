import type { Catalogue } from './t.ts';

export const de: Catalogue = {
  Language: 'Sprache',
};
