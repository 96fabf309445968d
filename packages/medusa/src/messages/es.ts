import type { Messages } from './en';

export const es: Messages = {
  notes: {
    seen: 'Se ha visto dinero suficiente ({received}). Aún no es definitivo: no entregue todavía.',
    paid: 'Pagado y definitivo: {received}.',
    over: 'Pagado, y más de lo pedido: llegaron {received}, se pedían {asked}. El exceso se puede devolver en tilld.',
    short: 'Llegó demasiado poco: {received}, se pedían {asked}. El pedido espera el resto.',
    late: 'Llegó dinero fuera de plazo: {received}, se pedían {asked}. Decida en tilld si lo acepta.',
    lost: 'El pago terminó sin dinero.',
    gone: 'El dinero que se vio ha desaparecido. El pedido espera otro dinero.',
    reversed:
      'El dinero de este pedido ha desaparecido después de ser definitivo (ahora hay: {received}). Detenga la entrega si aún no ha salido.',
    refunded: 'El dinero se devolvió.',
    sandbox: 'Era dinero simulado: no entregue.',
    not_placed: 'Llegó dinero, pero no se pudo crear el pedido: {reason}. Se intentará de nuevo.',
    paid_without_order:
      'Pagado ({received}), pero el carrito siguió sin este pago. Devuelva el dinero en tilld.',
    paid_after_cancel: 'Pagado ({received}) después de cancelar el pedido. Devuelva el dinero en tilld.',
    amount_differs:
      'El pago pide {asked} y el pedido cuesta más: no se da por pagado. El cliente puede volver a cambiar el carrito; si no, devuelva el dinero en tilld.',
    not_cancelled: 'El pedido no se canceló: {reason}',
    paid_twice:
      'También llegó dinero para este pago ({received}), aunque el pago {other} tiene el dinero del pedido. Devuélvalo en tilld.',
    adopted: 'El dinero del pago {other} ya no está: ahora el pedido está pagado con este pago.',
    returned_elsewhere: 'Se devolvieron {amount} {currency} de este pedido en tilld.',
    refund_open_less_fee:
      'Reembolso de {amount} {currency} menos la comisión de red: dé el enlace al cliente. Se paga en cuanto lo reclame.',
    refund_open: 'Reembolso de {amount} {currency}: dé el enlace al cliente. Se paga cuando lo reclame.',
    refund_claimed: 'El cliente reclamó el reembolso de {amount} {currency}. Apruébelo en tilld.',
    refund_delayed:
      'El reembolso de {amount} {currency} no se puede enviar por ahora y se volverá a intentar: {reason}. Si al monedero le falta la comisión de red, cree un enlace nuevo que la descuente y déselo al cliente.',
    refund_approved: 'El reembolso de {amount} {currency} se está enviando.',
    refund_paid: 'El reembolso de {amount} {currency} está pagado.',
    refund_expired:
      'Nadie reclamó a tiempo el reembolso de {amount} {currency}: no se pagó nada. Cree un enlace nuevo.',
    refund_cancelled: 'El enlace del reembolso de {amount} {currency} se anuló: no se pagó nada.',
    refund_nothing:
      'No hay nada que devolver para el reembolso de {amount} {currency}: su dinero ha desaparecido.',
  },
  states: {
    waiting: 'en espera',
    seen: 'visto',
    paid: 'pagado',
    short: 'insuficiente',
    late: 'tardío',
    lost: 'sin dinero',
    refunded: 'reembolsado',
    superseded: 'reemplazado por otro pago',
  },
  page: {
    title: 'Pagos con tilld',
    connect: 'Conectar con tilld',
    connectAgain: 'Conectar de nuevo',
    connected: 'La tienda está conectada con tilld. Puede cerrar esta página.',
    denied: 'La tienda no se conectó: se rechazó en tilld.',
    unknown: 'Esto no responde a una solicitud de esta tienda, o es demasiado antigua. Empiece de nuevo.',
    failed: 'No se pudo conectar la tienda.',
    yes: 'funciona',
    no: 'no funciona',
    cannotSay: 'no se puede saber ahora',
    daemon: 'Servicio',
    key: 'Clave',
    webhook: 'Webhooks',
    node: 'Nodos',
    order: 'Pedido',
    claimLink: 'Enlace de reembolso para el cliente',
    renewLessFee: 'Enlace nuevo, con la comisión descontada',
    none: 'Aún no hay pagos.',
  },
};
