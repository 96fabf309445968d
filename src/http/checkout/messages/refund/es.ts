import type { RefundMessages } from './en.ts';

export const refundEs: RefundMessages = {
  refundTitle: 'Reembolso de {amount} de {shop}',
  refundOf: 'Reembolso de',
  refundReason: 'Motivo indicado por la tienda: {reason}',
  refundIntro: '{shop} te devuelve este dinero. Indica adónde enviarlo.',
  refundChoose: 'Recibirlo en',
  refundAddress: 'Tu dirección',
  refundAddressHint:
    'Una dirección de tu propio monedero, para la moneda del reembolso. Cópiala: lo enviado a una dirección equivocada se pierde.',
  refundContinue: 'Continuar',
  refundUntil: 'Puedes reclamar este reembolso hasta el {date}.',
  refundApproval: 'La tienda revisa tu solicitud antes de enviar el dinero.',
  refundFeeShop: 'La tienda paga la comisión de red.',
  refundFeeYours: 'La comisión de red se descuenta del reembolso.',
  refundCheckTitle: '¿Es correcto?',
  refundCheckText: 'Compara la dirección con la de tu monedero. Lo que se envía no se puede recuperar.',
  refundAmount: 'Reembolso',
  refundFee: 'Comisión de red, aprox.',
  refundFeeUnknown: 'se descuenta del reembolso; en este momento no se puede decir cuánto es',
  refundArrives: 'Llega',
  refundArrivesAbout: 'Llega, aprox.',
  refundTo: 'A la dirección',
  refundSendNow: 'Sí, enviarlo allí',
  refundAsk: 'Sí, pedir a la tienda que lo envíe',
  refundChange: 'Cambiar',
  refundClaimedTitle: 'Solicitado: la tienda lo revisa',
  refundClaimedText:
    'Después envía el dinero. No tienes que hacer nada más; esta página muestra lo que ocurre.',
  refundSendingTitle: 'El reembolso se está enviando',
  refundSendingText: 'Puede tardar unos minutos, o más si la red está ocupada. No tienes que hacer nada más.',
  refundPaidTitle: 'El reembolso se ha enviado',
  refundPaidText: 'La red lo tiene. Tu monedero o plataforma lo mostrará cuando esté confirmado.',
  refundExpiredTitle: 'Este enlace de reembolso ha caducado',
  refundExpiredText: 'Se podía reclamar hasta el {date}. Pide uno nuevo a la tienda.',
  refundCancelledTitle: 'La tienda ha retirado este reembolso',
  refundCancelledText: 'Con este enlace no se envía nada. Pregunta a la tienda si no lo esperabas.',
  refundGoneTitle: 'Este dinero se devolvió por otra vía',
  refundGoneText: 'No queda nada para este enlace. Pregunta a la tienda si no lo recibiste.',
  refundWaitingTitle: 'A la espera de confirmaciones',
  refundWaitingText:
    'La red tiene que confirmar antes tu pago las veces necesarias. El reembolso que hayas solicitado se enviará después sin que hagas nada: no se pierde nada.',
  refundTaken: 'Tu solicitud no se aceptó: este reembolso ya no se puede reclamar.',
  refundReopened: 'Tu reembolso no se pudo enviar. El dinero sigue ahí: solicítalo de nuevo.',
  refundReopenedAmount:
    'Tu reembolso no se pudo enviar: la red no transporta un importe tan pequeño o la comisión es mayor. Elige otra moneda si la hay o pregunta a la tienda.',
  refundReopenedAddress:
    'Tu reembolso no se pudo enviar: la red no envía dinero a esa dirección. Introduce otra.',
  refundAgain: 'Mirar otra vez',
  refundNotFoundTitle: 'No existe este reembolso',
  refundNotFoundText: 'Comprueba que el enlace esté completo.',
  refundErrorText: 'Inténtalo de nuevo en un momento. Tu reembolso está a salvo.',
  refundSandbox: 'Reembolso de prueba: no se envía dinero real.',
  mistakeEmpty: 'Introduce una dirección.',
  mistakeChoice: 'Elige una de las monedas.',
  mistakeCoin:
    'Es una dirección de {other}. El reembolso se paga en {coin}: introduce una dirección de {coin}.',
  mistakeTestNetwork: 'Es una dirección de una red de pruebas. Introduce una de la red real de {coin}.',
  mistakeRealNetwork:
    'Es una dirección de la red real de {coin}. Este reembolso de prueba necesita una de una red de pruebas.',
  mistakeChecksum:
    'La dirección está mal escrita: su suma de comprobación no es correcta. Cópiala otra vez de tu monedero.',
  mistakeOwn: 'Es una dirección de la propia tienda. Introduce una tuya.',
  mistakeMweb:
    'Es una dirección MWEB, a la que no se puede pagar desde aquí. Introduce una dirección normal de Litecoin.',
  mistakeInvalid: 'No es una dirección de {coin}.',
  mistakeRefused: 'La red no envía dinero a esta dirección. Introduce otra.',
  mistakeTooSmall:
    'El importe es demasiado pequeño para enviarlo en {coin}: la red no lo transporta o la comisión es mayor. Elige otra moneda o pregunta a la tienda.',
  mistakeUnavailable: 'En este momento no se puede enviar {coin}. Inténtalo más tarde.',
  mistakeTooOften: 'Demasiados intentos. Inténtalo de nuevo en un minuto.',
};
