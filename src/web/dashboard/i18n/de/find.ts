import type { Catalogue } from '../catalogue.ts';

export const find: Catalogue = {
  'Ctrl K': 'Strg K',
  'Find anything': 'Alles durchsuchen',
  Next: 'Weiter',
  'Nothing found': 'Nichts gefunden',
  'One result': 'Ein Treffer',
  'Payments, customers, links, products, shops and pages, in all your shops.':
    'Zahlungen, Kunden, Links, Produkte, Shops und Seiten, in allen Ihren Shops.',
  Previous: 'Zurück',
  'Rows on a page': 'Zeilen pro Seite',
  'Searched in {count} of your {all} shops. Open another one to begin with it.':
    'In {count} von Ihren {all} Shops gesucht. Öffnen Sie einen anderen, um dort zu beginnen.',
  'Searching…': 'Suche läuft …',
  'Something could not be searched: there may be more.':
    'Etwas konnte nicht durchsucht werden: Es kann mehr geben.',
  '{count} results': '{count} Treffer',
  '{size} rows': '{size} Zeilen',
};
