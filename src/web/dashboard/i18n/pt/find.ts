import type { Catalogue } from '../catalogue.ts';

export const find: Catalogue = {
  'Ctrl K': 'Ctrl K',
  'Find anything': 'Pesquisar em tudo',
  Next: 'Seguinte',
  'Nothing found': 'Nada encontrado',
  'One result': 'Um resultado',
  'Payments, customers, links, products, shops and pages, in all your shops.':
    'Pagamentos, clientes, links, produtos, lojas e páginas, em todas as suas lojas.',
  Previous: 'Anterior',
  'Rows on a page': 'Linhas por página',
  'Searched in {count} of your {all} shops. Open another one to begin with it.':
    'Pesquisa feita em {count} das suas {all} lojas. Abra outra para começar por ela.',
  'Searching…': 'Pesquisando…',
  'Something could not be searched: there may be more.':
    'Não foi possível pesquisar em tudo: pode haver mais resultados.',
  '{count} results': '{count} resultados',
  '{size} rows': '{size} linhas',
};
