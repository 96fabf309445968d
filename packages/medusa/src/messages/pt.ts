import type { Messages } from './en';

export const pt: Messages = {
  notes: {
    seen: 'Foi visto dinheiro suficiente ({received}). Ainda não é definitivo: não entregue.',
    paid: 'Pago e definitivo: {received}.',
    over: 'Pago, e mais do que o pedido: chegaram {received}, pedidos {asked}. O excesso pode ser devolvido no tilld.',
    short: 'Chegou pouco: {received}, pedidos {asked}. A encomenda espera o resto.',
    late: 'Chegou dinheiro fora do prazo: {received}, pedidos {asked}. Decida no tilld se o aceita.',
    lost: 'O pagamento terminou sem dinheiro.',
    gone: 'O dinheiro que foi visto desapareceu. A encomenda espera outro dinheiro.',
    reversed:
      'O dinheiro desta encomenda desapareceu depois de ser definitivo (agora há: {received}). Suspenda a entrega se ainda não saiu.',
    refunded: 'O dinheiro foi devolvido.',
    sandbox: 'Era dinheiro simulado: não entregue.',
    not_placed: 'Chegou dinheiro, mas a encomenda não pôde ser criada: {reason}. Será tentado de novo.',
    paid_without_order:
      'Pago ({received}), mas o carrinho seguiu sem este pagamento. Devolva o dinheiro no tilld.',
    paid_after_cancel: 'Pago ({received}) depois de a encomenda ser cancelada. Devolva o dinheiro no tilld.',
    amount_differs:
      'O pagamento pede {asked} e a encomenda custa mais: não é dada como paga. O cliente pode repor o carrinho; caso contrário, devolva o dinheiro no tilld.',
    not_cancelled: 'A encomenda não foi cancelada: {reason}',
    paid_twice:
      'Também chegou dinheiro para este pagamento ({received}), embora o pagamento {other} tenha o dinheiro da encomenda. Devolva-o no tilld.',
    adopted: 'O dinheiro do pagamento {other} desapareceu: a encomenda está agora paga por este pagamento.',
    returned_elsewhere: '{amount} {currency} desta encomenda foram devolvidos no tilld.',
    refund_open_less_fee:
      'Reembolso de {amount} {currency} menos a taxa de rede: dê a ligação ao cliente. É pago assim que ele a usar.',
    refund_open: 'Reembolso de {amount} {currency}: dê a ligação ao cliente. É pago quando ele o reclamar.',
    refund_claimed: 'O cliente reclamou o reembolso de {amount} {currency}. Aprove-o no tilld.',
    refund_delayed:
      'O reembolso de {amount} {currency} não pode ser enviado de momento e será tentado de novo: {reason}. Se faltar à carteira a taxa de rede, crie uma nova ligação que a desconte e dê-a ao cliente.',
    refund_approved: 'O reembolso de {amount} {currency} está a ser enviado.',
    refund_paid: 'O reembolso de {amount} {currency} está pago.',
    refund_expired:
      'Ninguém reclamou a tempo o reembolso de {amount} {currency}: nada foi pago. Crie uma nova ligação.',
    refund_cancelled: 'A ligação do reembolso de {amount} {currency} foi anulada: nada foi pago.',
    refund_nothing: 'Nada a devolver no reembolso de {amount} {currency}: o dinheiro desapareceu.',
  },
  states: {
    waiting: 'à espera',
    seen: 'visto',
    paid: 'pago',
    short: 'insuficiente',
    late: 'atrasado',
    lost: 'sem dinheiro',
    refunded: 'reembolsado',
    superseded: 'substituído por outro pagamento',
  },
  page: {
    title: 'Pagamentos por tilld',
    connect: 'Ligar ao tilld',
    connectAgain: 'Ligar de novo',
    connected: 'A loja está ligada ao tilld. Pode fechar esta página.',
    denied: 'A loja não foi ligada: foi recusado no tilld.',
    unknown: 'Isto não responde a um pedido desta loja, ou o pedido é demasiado antigo. Comece de novo.',
    failed: 'Não foi possível ligar a loja.',
    yes: 'funciona',
    no: 'não funciona',
    cannotSay: 'não se sabe agora',
    daemon: 'Serviço',
    key: 'Chave',
    webhook: 'Webhooks',
    node: 'Nós',
    order: 'Encomenda',
    claimLink: 'Ligação de reembolso para o cliente',
    renewLessFee: 'Nova ligação, taxa de rede descontada',
    none: 'Ainda não há pagamentos.',
  },
};
