import type { Catalogue } from '../catalogue.ts';

export const find: Catalogue = {
  'Ctrl K': 'Ctrl K',
  'Find anything': 'Buscar en todo',
  Next: 'Siguiente',
  'Nothing found': 'No se encontró nada',
  'One result': 'Un resultado',
  'Payments, customers, links, products, shops and pages, in all your shops.':
    'Pagos, clientes, enlaces, productos, tiendas y páginas, en todas sus tiendas.',
  Previous: 'Anterior',
  'Rows on a page': 'Filas por página',
  'Searched in {count} of your {all} shops. Open another one to begin with it.':
    'Se buscó en {count} de sus {all} tiendas. Abra otra para empezar por ella.',
  'Searching…': 'Buscando…',
  'Something could not be searched: there may be more.':
    'Algo no se pudo buscar: puede haber más resultados.',
  '{count} results': '{count} resultados',
  '{size} rows': '{size} filas',
};
