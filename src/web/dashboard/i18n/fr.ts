import type { Catalogue } from './t.ts';

export const fr: Catalogue = {
  Language: 'Langue',
};
