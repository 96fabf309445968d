import type { Catalogue } from './catalogue.ts';

export const es: Catalogue = {
  Language: 'Idioma',
};
