import type { NoticeTexts } from './en.ts';

export const es: NoticeTexts = {
  subjects: {
    paid: '{shop}: {order} está pagado',
    underpaid: '{shop}: se pagó de menos por {order}',
    late: '{shop}: el dinero de {order} llegó tarde',
    refund_claimed: '{shop}: un reembolso de {order} espera su aprobación',
    reversed: '{shop}: el pago de {order} se revirtió',
    send_failed: '{shop}: un envío de {coin} ha fallado',
    refund_failed: '{shop}: un reembolso de {order} ha fallado',
    refund_delayed: '{shop}: un reembolso de {order} aún no se puede enviar',
    send_stuck: '{shop}: un envío de {coin} no se confirma',
    fee_limited: '{shop}: se alcanzó el límite de comisión de un envío de {coin}',
    webhook_gone: '{shop}: se desactivó un destino de webhooks',
    webhook_failing: '{shop}: los webhooks no llegan',
    node_down: '{coin} en {server}: el nodo no se puede usar',
    node_back: '{coin} en {server}: el nodo funciona de nuevo',
    transactions_unread: '{coin} en {server}: no se pudieron leer transacciones',
    transactions_read: '{coin} en {server}: todas las transacciones se leen de nuevo',
    rates_unsure: '{server}: muy pocas fuentes de precios',
    rates_back: '{server}: de nuevo hay suficientes fuentes de precios',
    backup_old: '{server}: la última copia de seguridad es demasiado antigua',
    backup_back: '{server}: vuelve a haber una copia de seguridad reciente',
    replica_behind: '{server}: la réplica va con retraso',
    replica_back: '{server}: la réplica está al día',
  },
  bodies: {
    paid: 'El pedido {order} ({price}) está pagado y confirmado.',
    underpaid:
      'El plazo para pagar el pedido {order} ({price}) ha terminado y llegó menos de lo pedido. Acéptelo o devuélvalo: no pasa nada hasta que usted decida.',
    late: 'El dinero del pedido {order} ({price}) llegó después de terminar el plazo de pago. Acéptelo o devuélvalo: no pasa nada hasta que usted decida.',
    refund_claimed:
      'Quien pagó el pedido {order} ha solicitado el reembolso y dado una dirección. Revísela y apruébela: antes no se envía nada.',
    reversed:
      'El dinero del pedido {order} ({price}), que constaba como pagado, ya no está en la cadena de bloques: se gastó en otra parte o se perdió en una reorganización. Si aún no ha entregado, espere.',
    send_failed:
      'Un envío de {coin} desde la billetera ya no puede confirmarse. El dinero sigue siendo suyo.',
    refund_failed:
      'Un reembolso del pedido {order} ({price}) ya no puede confirmarse. El pagador no ha recibido el dinero.',
    refund_delayed:
      'Un reembolso solicitado del pedido {order} ({price}) no se puede enviar por ahora: falta dinero en la billetera o la comisión de la red supera el límite. Se enviará en cuanto eso cambie. También puede cancelarlo.',
    send_stuck:
      'Un envío de {coin} desde la billetera lleva horas sin confirmarse. Quizá la comisión sea demasiado baja: puede aumentarla.',
    fee_limited:
      'Un envío de {coin} desde la billetera espera desde hace un día porque su comisión de red tendría que superar su límite. tilld aumentará la comisión en cuanto bajen las comisiones. Para pagar más ahora, aumente la comisión con un límite más alto.',
    webhook_gone:
      'El destino de webhooks en {host} respondió 410 Gone y ya no se le envía nada. Si no era lo previsto, guarde de nuevo su dirección.',
    webhook_failing:
      'Desde hace una hora ningún webhook ha llegado al destino en {host}. Es posible que su tienda no sepa de los pagos. Se sigue intentando durante tres días.',
    node_down:
      'Desde hace un tiempo tilld no puede seguir {coin}. Hasta que el nodo funcione de nuevo, los pagos en {coin} no se detectan y ninguno caduca.',
    node_back: 'tilld vuelve a seguir {coin}. Los pagos que llegaron mientras tanto se detectan ahora.',
    transactions_unread:
      'tilld no pudo leer algunas transacciones de {coin}. Si una de ellas paga un pedido, su dinero aún no está abonado; el de los demás pagos sí. tilld vuelve a intentarlo. La página de estado indica las transacciones y el motivo: instale una versión más reciente de tilld o use otro nodo.',
    transactions_read:
      'tilld ha leído las transacciones de {coin} que antes no podía leer. Los pagos que contienen ya están abonados.',
    rates_unsure:
      'Solo queda una fuente de precios, o su precio dio un salto. Una sola fuente solo puede mover un precio despacio, y tilld no crea pagos a un precio fuera de ese límite. La página de estado indica las monedas y las fuentes.',
    rates_back: 'Al menos dos fuentes de precios vuelven a coincidir.',
    backup_old:
      'La última copia de seguridad de este servidor es más antigua de lo permitido. La página de estado y el registro indican el motivo.',
    backup_back: 'La última copia de seguridad de este servidor vuelve a ser reciente.',
    replica_behind:
      'La réplica de este servidor lleva más retraso del permitido. Si esta máquina se pierde ahora, le faltarán los últimos pagos.',
    replica_back: 'La réplica de este servidor está al día.',
  },
  kinds: {
    paid: 'Cada pago completado',
    decision: 'Pagos que esperan una decisión',
    refund_claim: 'Reembolsos que esperan aprobación',
    reversed: 'Pagos revertidos',
    send: 'Envíos y reembolsos que fallan o se atascan',
    webhook: 'Webhooks que no llegan',
    node: 'Nodos',
    rates: 'Fuentes de precios',
    backup: 'Copias de seguridad',
    replica: 'Réplica',
  },
  test: 'Prueba',
  reminder: 'Recordatorio',
  why: 'Recibe este correo porque «{kind}» está activado para {shop} en {server}.',
  whyOperator: 'Recibe este correo como operador de este servidor.',
  whySummary: 'En una hora hubo más avisos de los que se envían uno a uno.',
  switchOff: 'Desactivar estos correos',
  allSettings: 'Todos los avisos',
  summarySubject: '{shop}: {count} avisos más',
  summaryBody: '{count} avisos más sobre {shop}:',
  offTitle: 'Desactivar correos',
  offQuestion: '¿No recibir más correos sobre «{kind}» de {shop}?',
  offButton: 'Desactivarlos',
  offDone: 'Estos correos están desactivados. Puede activarlos de nuevo en «Correos» de la tienda.',
  offInvalid: 'Este enlace no es válido. Desactive los correos en «Correos» de la tienda.',
};
