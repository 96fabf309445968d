import type { Catalogue } from '../catalogue.ts';

export const receipts: Catalogue = {
  Receipt: 'Reçu',
  'Open the receipt': 'Ouvrir le reçu',
  'Mail the receipt': 'Envoyer le reçu par e-mail',
  'On its way to {to}.': 'En route vers {to}.',
  'Mailed to {to}.': 'Envoyé à {to}.',
  'Once, to {to}.': 'Une seule fois, à {to}.',
  'It could not be delivered to {to}.': 'Il n’a pas pu être remis à {to}.',
  'Not mailed to {to}: in the sandbox only people of the shop are mailed, 20 receipts an hour at most.':
    'Non envoyé à {to} : dans le bac à sable, seules les personnes de la boutique reçoivent des e-mails, 20 reçus par heure au plus.',
  'Mailed a receipt': 'A envoyé un reçu par e-mail',
  'Changed the language': 'A changé la langue',
  'Language of your mails, from all shops': 'Langue de vos e-mails, de toutes les boutiques',
};
