import type { RefundMessages } from './en.ts';

export const refundPt: RefundMessages = {
  refundTitle: 'Reembolso de {amount} de {shop}',
  refundOf: 'Reembolso de',
  refundReason: 'Motivo indicado pela loja: {reason}',
  refundIntro: '{shop} devolve-lhe este dinheiro. Indique para onde deve ser enviado.',
  refundChoose: 'Receber em',
  refundAddress: 'O seu endereço',
  refundAddressHint:
    'Um endereço da sua própria carteira, para a moeda do reembolso. Copie-o: o que vai para um endereço errado perde-se.',
  refundContinue: 'Continuar',
  refundUntil: 'Pode pedir este reembolso até {date}.',
  refundApproval: 'A loja analisa o seu pedido antes de enviar o dinheiro.',
  refundFeeShop: 'A loja paga a taxa de rede.',
  refundFeeYours: 'A taxa de rede é descontada do reembolso.',
  refundCheckTitle: 'Está correto?',
  refundCheckText: 'Compare o endereço com o da sua carteira. O que for enviado não pode ser recuperado.',
  refundAmount: 'Reembolso',
  refundFee: 'Taxa de rede, cerca de',
  refundFeeUnknown: 'é descontada do reembolso; de momento não se sabe quanto é',
  refundArrives: 'Chega',
  refundArrivesAbout: 'Chega, cerca de',
  refundTo: 'Para o endereço',
  refundSendNow: 'Sim, enviar para lá',
  refundAsk: 'Sim, pedir à loja que o envie',
  refundChange: 'Alterar',
  refundClaimedTitle: 'Pedido feito: a loja está a analisá-lo',
  refundClaimedText:
    'Depois envia o dinheiro. Não precisa de fazer mais nada; esta página mostra o que acontece.',
  refundSendingTitle: 'O reembolso está a ser enviado',
  refundSendingText:
    'Pode demorar alguns minutos, ou mais se a rede estiver ocupada. Não precisa de fazer mais nada.',
  refundPaidTitle: 'O reembolso foi enviado',
  refundPaidText: 'A rede já o tem. A sua carteira ou plataforma mostra-o assim que for confirmado.',
  refundExpiredTitle: 'Este link de reembolso expirou',
  refundExpiredText: 'Era válido até {date}. Peça um novo à loja.',
  refundCancelledTitle: 'A loja retirou este reembolso',
  refundCancelledText: 'Nada é enviado por este link. Pergunte à loja se não o esperava.',
  refundGoneTitle: 'Este dinheiro foi devolvido de outra forma',
  refundGoneText: 'Não resta nada para este link. Pergunte à loja se não o recebeu.',
  refundWaitingTitle: 'À espera de confirmações',
  refundWaitingText:
    'A rede tem primeiro de confirmar o seu pagamento as vezes necessárias. Um reembolso já pedido é depois enviado automaticamente: nada se perde.',
  refundTaken: 'O seu pedido não foi aceite: este reembolso já não pode ser pedido.',
  refundReopened: 'O seu reembolso não pôde ser enviado. O dinheiro continua lá: peça-o de novo.',
  refundReopenedAmount:
    'O seu reembolso não pôde ser enviado: a rede não leva um valor tão pequeno, ou a taxa é maior. Escolha outra moeda, se houver, ou pergunte à loja.',
  refundReopenedAddress:
    'O seu reembolso não pôde ser enviado: a rede não leva dinheiro a esse endereço. Introduza outro.',
  refundAgain: 'Ver de novo',
  refundNotFoundTitle: 'Este reembolso não existe',
  refundNotFoundText: 'Verifique se o link está completo.',
  refundErrorText: 'Tente de novo dentro de momentos. O seu reembolso está seguro.',
  refundSandbox: 'Reembolso de teste: não é enviado dinheiro real.',
  mistakeEmpty: 'Introduza um endereço.',
  mistakeChoice: 'Escolha uma das moedas.',
  mistakeCoin:
    'Este é um endereço de {other}. O reembolso é pago em {coin}: introduza um endereço de {coin}.',
  mistakeTestNetwork: 'Este é um endereço de uma rede de testes. Introduza um da rede real de {coin}.',
  mistakeRealNetwork:
    'Este é um endereço da rede real de {coin}. Este reembolso de teste precisa de um de uma rede de testes.',
  mistakeChecksum:
    'Este endereço está mal escrito: a soma de verificação está errada. Copie-o de novo da sua carteira.',
  mistakeOwn: 'Este é um endereço da própria loja. Introduza um seu.',
  mistakeMweb:
    'Este é um endereço MWEB, ao qual não se pode pagar daqui. Introduza um endereço normal de Litecoin.',
  mistakeInvalid: 'Este não é um endereço de {coin}.',
  mistakeRefused: 'A rede não leva dinheiro a este endereço. Introduza outro.',
  mistakeTooSmall:
    'O valor é demasiado pequeno para ser enviado em {coin}: a rede não o leva, ou a taxa é maior. Escolha outra moeda ou pergunte à loja.',
  mistakeUnavailable: '{coin} não pode ser enviado de momento. Tente mais tarde.',
  mistakeTooOften: 'Demasiadas tentativas. Tente de novo dentro de um minuto.',
};
