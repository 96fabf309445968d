import type { NoticeTexts } from './en.ts';

export const pt: NoticeTexts = {
  subjects: {
    paid: '{shop}: {order} foi pago',
    underpaid: '{shop}: foi pago a menos por {order}',
    late: '{shop}: o dinheiro de {order} chegou tarde',
    refund_claimed: '{shop}: um reembolso de {order} aguarda a sua aprovação',
    reversed: '{shop}: o pagamento de {order} foi revertido',
    send_failed: '{shop}: um envio de {coin} falhou',
    refund_failed: '{shop}: um reembolso de {order} falhou',
    refund_delayed: '{shop}: um reembolso de {order} ainda não pode ser enviado',
    send_stuck: '{shop}: um envio de {coin} não é confirmado',
    fee_limited: '{shop}: o limite de taxa de um envio de {coin} foi atingido',
    webhook_gone: '{shop}: um destino de webhooks foi desativado',
    webhook_failing: '{shop}: os webhooks não chegam',
    node_down: '{coin} em {server}: o nó não pode ser usado',
    node_back: '{coin} em {server}: o nó voltou a funcionar',
    transactions_unread: '{coin} em {server}: transações ilegíveis',
    transactions_read: '{coin} em {server}: todas as transações são lidas de novo',
    rates_unsure: '{server}: poucas fontes de preços',
    rates_back: '{server}: fontes de preços suficientes de novo',
    backup_old: '{server}: a última cópia de segurança é demasiado antiga',
    backup_back: '{server}: há de novo uma cópia de segurança recente',
    replica_behind: '{server}: a réplica está atrasada',
    replica_back: '{server}: a réplica está em dia',
  },
  bodies: {
    paid: 'A encomenda {order} ({price}) está paga e confirmada.',
    underpaid:
      'O prazo para pagar a encomenda {order} ({price}) terminou e chegou menos do que o pedido. Aceite o valor ou devolva-o: nada acontece até decidir.',
    late: 'O dinheiro da encomenda {order} ({price}) chegou depois de terminado o prazo de pagamento. Aceite-o ou devolva-o: nada acontece até decidir.',
    refund_claimed:
      'Quem pagou a encomenda {order} pediu o reembolso e indicou um endereço. Verifique-o e aprove-o: antes disso nada é enviado.',
    reversed:
      'O dinheiro da encomenda {order} ({price}), dada como paga, já não está na blockchain: foi gasto noutro lado ou perdeu-se numa reorganização. Se ainda não entregou, espere.',
    send_failed: 'Um envio de {coin} da carteira já não pode ser confirmado. O dinheiro continua a ser seu.',
    refund_failed:
      'Um reembolso da encomenda {order} ({price}) já não pode ser confirmado. O pagador não recebeu o dinheiro.',
    refund_delayed:
      'Um reembolso pedido da encomenda {order} ({price}) não pode ser enviado de momento: falta dinheiro na carteira ou a taxa da rede está acima do limite. Será enviado assim que isso mudar. Também o pode cancelar.',
    send_stuck:
      'Um envio de {coin} da carteira espera há horas pela confirmação. Talvez a taxa seja demasiado baixa: pode aumentá-la.',
    fee_limited:
      'Um envio de {coin} da carteira espera há um dia porque a sua taxa de rede teria de ultrapassar o limite. A tilld aumenta a taxa assim que as taxas descerem. Para pagar mais agora, aumente a taxa com um limite mais alto.',
    webhook_gone:
      'O destino de webhooks em {host} respondeu 410 Gone e nada mais lhe é enviado. Se não era essa a intenção, guarde de novo o endereço.',
    webhook_failing:
      'Há uma hora que nenhum webhook chega ao destino em {host}. A sua loja pode não saber de pagamentos. As tentativas continuam durante três dias.',
    node_down:
      'Há algum tempo que o tilld não consegue acompanhar {coin}. Até o nó voltar a funcionar, os pagamentos em {coin} não são detetados e nenhum expira.',
    node_back: 'O tilld acompanha de novo {coin}. Os pagamentos que entretanto chegaram são agora detetados.',
    transactions_unread:
      'O tilld não conseguiu ler algumas transações de {coin}. Se uma delas paga um pedido, o dinheiro ainda não foi creditado; o dos outros pagamentos foi. O tilld tenta de novo. A página de estado indica as transações e o motivo: instale uma versão mais recente do tilld ou use outro nó.',
    transactions_read:
      'O tilld leu as transações de {coin} que antes não conseguia ler. Os pagamentos nelas já foram creditados.',
    rates_unsure:
      'Resta apenas uma fonte de preços, ou o preço dela deu um salto. Uma única fonte só pode mover um preço devagar, e o tilld não cria pagamentos a um preço fora desse limite. A página de estado indica as moedas e as fontes.',
    rates_back: 'Pelo menos duas fontes de preços voltaram a concordar.',
    backup_old:
      'A última cópia de segurança deste servidor é mais antiga do que o permitido. A página de estado e o registo indicam o motivo.',
    backup_back: 'A última cópia de segurança deste servidor é de novo recente.',
    replica_behind:
      'A réplica deste servidor está mais atrasada do que o permitido. Se esta máquina se perder agora, faltam-lhe os últimos pagamentos.',
    replica_back: 'A réplica deste servidor está em dia.',
  },
  kinds: {
    paid: 'Cada pagamento concluído',
    decision: 'Pagamentos que aguardam uma decisão',
    refund_claim: 'Reembolsos que aguardam aprovação',
    reversed: 'Pagamentos revertidos',
    send: 'Envios e reembolsos que falham ou ficam parados',
    webhook: 'Webhooks que não chegam',
    node: 'Nós',
    rates: 'Fontes de preços',
    backup: 'Cópias de segurança',
    replica: 'Réplica',
  },
  test: 'Teste',
  reminder: 'Lembrete',
  why: 'Recebe este e-mail porque «{kind}» está ativado para {shop} em {server}.',
  whyOperator: 'Recebe este e-mail como operador deste servidor.',
  whySummary: 'Numa hora houve mais avisos do que os que são enviados um a um.',
  switchOff: 'Desativar estes e-mails',
  allSettings: 'Todos os avisos',
  summarySubject: '{shop}: mais {count} avisos',
  summaryBody: 'Mais {count} avisos sobre {shop}:',
  offTitle: 'Desativar e-mails',
  offQuestion: 'Não receber mais e-mails sobre «{kind}» de {shop}?',
  offButton: 'Desativá-los',
  offDone: 'Estes e-mails estão desativados. Pode voltar a ativá-los em «E-mails» da loja.',
  offInvalid: 'Este link não é válido. Desative os e-mails em «E-mails» da loja.',
};
