import type { Catalogue } from '../catalogue.ts';

export const receipts: Catalogue = {
  Receipt: 'Recibo',
  'Open the receipt': 'Abrir o recibo',
  'Mail the receipt': 'Enviar o recibo por e-mail',
  'On its way to {to}.': 'A caminho de {to}.',
  'Mailed to {to}.': 'Enviado para {to}.',
  'Once, to {to}.': 'Uma vez, para {to}.',
  'It could not be delivered to {to}.': 'Não foi possível entregá-lo em {to}.',
  'Not mailed to {to}: in the sandbox only people of the shop are mailed, 20 receipts an hour at most.':
    'Não enviado para {to}: no ambiente de testes só as pessoas da loja recebem e-mails, no máximo 20 recibos por hora.',
  'Mailed a receipt': 'Enviou um recibo por e-mail',
  'Changed the language': 'Mudou o idioma',
  'Language of your mails, from all shops': 'Idioma dos seus e-mails, de todas as lojas',
};
