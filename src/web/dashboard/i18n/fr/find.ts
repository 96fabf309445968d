import type { Catalogue } from '../catalogue.ts';

export const find: Catalogue = {
  'Ctrl K': 'Ctrl K',
  'Find anything': 'Rechercher partout',
  Next: 'Suivant',
  'Nothing found': 'Aucun résultat',
  'One result': 'Un résultat',
  'Payments, customers, links, products, shops and pages, in all your shops.':
    'Paiements, clients, liens, produits, boutiques et pages, dans toutes vos boutiques.',
  Previous: 'Précédent',
  'Rows on a page': 'Lignes par page',
  'Searched in {count} of your {all} shops. Open another one to begin with it.':
    'Recherche effectuée dans {count} de vos {all} boutiques. Ouvrez-en une autre pour commencer par elle.',
  'Searching…': 'Recherche en cours…',
  'Something could not be searched: there may be more.':
    'Une partie n’a pas pu être consultée : il peut y avoir d’autres résultats.',
  '{count} results': '{count} résultats',
  '{size} rows': '{size} lignes',
};
