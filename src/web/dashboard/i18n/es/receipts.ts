import type { Catalogue } from '../catalogue.ts';

export const receipts: Catalogue = {
  Receipt: 'Recibo',
  'Open the receipt': 'Abrir el recibo',
  'Mail the receipt': 'Enviar el recibo por correo',
  'On its way to {to}.': 'En camino a {to}.',
  'Mailed to {to}.': 'Enviado a {to}.',
  'Once, to {to}.': 'Una vez, a {to}.',
  'It could not be delivered to {to}.': 'No se pudo entregar a {to}.',
  'Not mailed to {to}: in the sandbox only people of the shop are mailed, 20 receipts an hour at most.':
    'No se envió a {to}: en el entorno de pruebas solo se escribe a personas de la tienda, como mucho 20 recibos por hora.',
  'Mailed a receipt': 'Envió un recibo por correo',
  'Changed the language': 'Cambió el idioma',
  'Language of your mails, from all shops': 'Idioma de sus correos, de todas las tiendas',
};
