import type { Catalogue } from './t.ts';

export const pt: Catalogue = {
  Language: 'Idioma',
};
