import type { Catalogue } from '../catalogue.ts';

export const receipts: Catalogue = {
  Receipt: 'Beleg',
  'Open the receipt': 'Beleg öffnen',
  'Mail the receipt': 'Beleg per E-Mail senden',
  'On its way to {to}.': 'Unterwegs an {to}.',
  'Mailed to {to}.': 'Gesendet an {to}.',
  'Once, to {to}.': 'Einmal, an {to}.',
  'It could not be delivered to {to}.': 'Er konnte nicht an {to} zugestellt werden.',
  'Not mailed to {to}: in the sandbox only people of the shop are mailed, 20 receipts an hour at most.':
    'Nicht an {to} gesendet: In der Sandbox bekommen nur Personen des Shops E-Mails, höchstens 20 Belege in der Stunde.',
  'Mailed a receipt': 'Beleg per E-Mail gesendet',
  'Changed the language': 'Sprache geändert',
  'Language of your mails, from all shops': 'Sprache Ihrer E-Mails, von allen Shops',
};
