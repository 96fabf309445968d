import type { Catalogue } from './t.ts';

export const es: Catalogue = {
  Language: 'Idioma',
};
