import type { Catalogue } from '../catalogue.ts';

/** What forms say of a wrong field, and notes of what was done. */
export const forms: Catalogue = {
  'Customer created': 'Cliente criado',
  'Customer saved': 'Cliente salvo',
  'Please enter a JSON object.': 'Informe um objeto JSON.',
  'Payment link saved': 'Link de pagamento salvo',
  'In live mode new payments of this shop are paid with real money.':
    'No modo real, os novos pagamentos desta loja são feitos com dinheiro real.',
  'Passkey added': 'Chave de acesso adicionada',
  'Passkey renamed': 'Chave de acesso renomeada',
  'Passkey removed': 'Chave de acesso removida',
  'Payment cancelled': 'Pagamento cancelado',
  'Payment accepted': 'Pagamento aceito',
  'Role changed': 'Função alterada',
  'Role changed. The webhook endpoints and keys that they made were deleted.':
    'Função alterada. Os endpoints de webhook e as chaves que criou foram eliminados.',
  '{email} was removed': '{email} foi removido',
  'Invitation withdrawn': 'Convite retirado',
  'Product created': 'Produto criado',
  'Product saved': 'Produto salvo',
  'Price added': 'Preço adicionado',
  'Price saved': 'Preço salvo',
  'Product deleted': 'Produto excluído',
  'Price deleted': 'Preço excluído',
  'Delete price': 'Excluir o preço',
  '{name} can no longer be paid for at {amount}. Payments made keep what they cost.':
    '{name} não poderá mais ser pago por {amount}. Os pagamentos feitos mantêm o preço.',
  'Refund link cancelled': 'Link de reembolso cancelado',
  'Refund link made': 'Link de reembolso criado',
  'The refund is on its way': 'O reembolso está a caminho',
  'Marked as refunded': 'Marcado como reembolsado',
  'Key deleted': 'Chave excluída',
  'Session ended': 'Sessão encerrada',
  'Endpoint saved': 'Endpoint salvo',
  'Endpoint deleted': 'Endpoint excluído',
  'Please fill this in.': 'Preencha este campo.',
  'Please choose one.': 'Escolha uma opção.',
  'Please enter an amount such as {example}.': 'Informe um valor como {example}.',
  'Please enter a number.': 'Informe um número.',
  'Please enter a whole number.': 'Informe um número inteiro.',
  'Please enter an address that begins with https://.': 'Informe um endereço que comece com https://.',
  '{limit} at least.': 'No mínimo {limit}.',
  '{limit} at most.': 'No máximo {limit}.',
  'Please use at least {count} characters.': 'Use pelo menos {count} caracteres.',
  'This address is mistyped: please copy it once more.':
    'Este endereço tem um erro de digitação: copie-o novamente.',
  'This is taken already.': 'Já está em uso.',
  'Please use at most {count} characters.': 'Use no máximo {count} caracteres.',
  'Please enter at most {count} of them.': 'Informe no máximo {count}.',
  'Please leave line breaks and invisible characters out.':
    'Retire quebras de linha e caracteres invisíveis.',
  'This is no currency: please enter its three letters, such as EUR.':
    'Isso não é uma moeda: informe as três letras dela, como EUR.',
  'Please use at most {count} digits after the point.': 'Use no máximo {count} casas decimais.',
  'Please enter more than zero.': 'Informe um valor maior que zero.',
  'This must not be below the least amount.': 'Não pode ser menor que o valor mínimo.',
  'Please enter a number from 0 to 5, with two digits after the point at most.':
    'Informe um número de 0 a 5, com no máximo duas casas decimais.',
  'Please enter the name of your site, such as shop.example.com.':
    'Informe o nome do seu site, como shop.example.com.',
  'Please enter sites such as https://shop.example, without a path.':
    'Informe sites como https://shop.example, sem caminho.',
  'Please enter an e-mail address or a web address.': 'Informe um endereço de e-mail ou um endereço da web.',
  'Please leave user name and password out of the address.': 'Retire o usuário e a senha do endereço.',
  'Please choose a time zone from the list, such as Europe/Berlin.':
    'Escolha um fuso horário da lista, como Europe/Lisbon.',
  'Please choose a day.': 'Escolha um dia.',
  'The last day must not be before the first one.': 'O último dia não pode ser anterior ao primeiro.',
  'Please choose a time to come.': 'Escolha um momento no futuro.',
  'Please choose a colour.': 'Escolha uma cor.',
  'Please choose a PNG, JPEG or WebP image of at most 64 KiB.':
    'Escolha uma imagem PNG, JPEG ou WebP de no máximo 64 KiB.',
  'Possible here: {list}.': 'Valores possíveis: {list}.',
  'This password is guessed first: please choose another.':
    'Essa senha é das primeiras a serem adivinhadas: escolha outra.',
  'This is no {name} address.': 'Isso não é um endereço de {name}.',
  'Please enter an e-mail address such as name@example.com.':
    'Informe um endereço de e-mail como nome@example.com.',
  Notes: 'Avisos',
  'This page could not be shown': 'Não foi possível mostrar esta página',
  'Are you online? Loading it once more may help.': 'Você está online? Carregá-la de novo pode ajudar.',
  'Load again': 'Carregar de novo',
  Dismiss: 'Dispensar',
};
