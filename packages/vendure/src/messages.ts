import type { ShopState } from '@tilld/sdk';
import type { NoteLanguage } from './options';

/** Notes on an order, for the shopkeeper. `{amount}` and similar names are placeholders. */
type Message =
  | ShopState
  | 'over'
  | 'accepted'
  | 'short_of_total'
  | 'not_placed'
  | 'cancelled_order'
  | 'reversed'
  | 'sandbox'
  | 'cannot_cancel'
  | 'cannot_ask'
  | 'paid_twice'
  | 'cart_closed'
  | 'link'
  | 'link_less_fee'
  | 'returned_elsewhere'
  | 'claimed'
  | 'refund_delayed'
  | 'refund_paid'
  | 'refund_ended'
  | 'refund_failed';

const en: Record<Message, string> = {
  waiting: 'tilld: payment {payment} waits for the customer.',
  seen: 'tilld: payment {payment}: the money is under way ({coins}), not final yet. Do not ship yet.',
  paid: 'tilld: payment {payment} is paid and final: {coins}.',
  short: 'tilld: payment {payment}: too little came: {coins}. The customer was asked for the rest.',
  late: 'tilld: payment {payment}: money came after the time was up: {coins}. Decide in tilld whether to accept it or to give it back.',
  lost: 'tilld: payment {payment} ended without money ({status}).',
  superseded: 'tilld: another payment of this order got its money instead of payment {payment}.',
  refunded: 'tilld: payment {payment} was given back.',
  over: 'tilld: the customer paid too much for payment {payment}: {coins}. You can give the excess back in tilld.',
  accepted: 'tilld: what came for payment {payment} was accepted.',
  short_of_total:
    'tilld: payment {payment} covers {amount}, the order costs {total} by now. The rest is open.',
  not_placed: 'tilld: payment {payment} is paid, but the order could not be placed: {reason}',
  cancelled_order:
    'tilld: payment {payment} was paid ({coins}), but the order is cancelled: give the money back in tilld, or fulfil the order by hand.',
  reversed:
    'tilld: payment {payment}: the money is gone again ({status}), the network took it back. Do not ship, or call the customer.',
  sandbox: 'tilld: payment {payment} was paid with play money only. Nothing was earned.',
  cannot_cancel:
    'Money came for this order (tilld payment {payment}): it cannot be cancelled. Refund it instead.',
  cannot_ask: 'tilld could not be asked whether money came for this order: it cannot be cancelled now.',
  link: 'tilld: give the customer this link, by which he takes {amount} back: {url}',
  claimed: 'tilld: the customer claimed the refund of {amount}. Approve it in tilld if it waits for you.',
  refund_delayed:
    'tilld: the refund of {amount} cannot be sent at present, and is tried again: {reason}. If the wallet lacks the network fee, make the link again with the fee deducted (renewTilldRefund), and give the customer the new link.',
  refund_paid: 'tilld: the refund of {amount} is paid.',
  refund_ended: 'tilld: the refund link of {amount} is {status}: nothing was given back by it.',
  refund_failed: 'tilld: the refund of {amount} could not be opened: {reason}',
  paid_twice:
    'tilld: payment {payment} was paid as well ({coins}), though the order was paid by payment {other}. Give the money of payment {payment} back in tilld.',
  cart_closed: 'Money for this order is under way: it cannot be changed now.',
  link_less_fee: 'tilld: give the customer this link to take back {amount}, less the network fee: {url}',
  returned_elsewhere: 'tilld: {amount} of this order was given back in tilld.',
};

const de: Record<Message, string> = {
  waiting: 'tilld: Zahlung {payment} wartet auf den Kunden.',
  seen: 'tilld: Zahlung {payment}: Das Geld ist unterwegs ({coins}), aber noch nicht endgültig. Noch nicht versenden.',
  paid: 'tilld: Zahlung {payment} ist endgültig bezahlt: {coins}.',
  short: 'tilld: Zahlung {payment}: Es kam zu wenig: {coins}. Der Kunde wurde um den Rest gebeten.',
  late: 'tilld: Zahlung {payment}: Das Geld kam nach Ablauf der Frist: {coins}. Entscheiden Sie in tilld, ob Sie es annehmen oder zurückgeben.',
  lost: 'tilld: Zahlung {payment} endete ohne Geld ({status}).',
  superseded: 'tilld: Statt Zahlung {payment} hat eine andere Zahlung dieser Bestellung das Geld erhalten.',
  refunded: 'tilld: Zahlung {payment} wurde zurückgegeben.',
  over: 'tilld: Der Kunde hat für Zahlung {payment} zu viel bezahlt: {coins}. Den Überschuss können Sie in tilld zurückgeben.',
  accepted: 'tilld: Was für Zahlung {payment} kam, wurde angenommen.',
  short_of_total:
    'tilld: Zahlung {payment} deckt {amount}, die Bestellung kostet inzwischen {total}. Der Rest ist offen.',
  not_placed:
    'tilld: Zahlung {payment} ist bezahlt, aber die Bestellung konnte nicht abgeschlossen werden: {reason}',
  cancelled_order:
    'tilld: Zahlung {payment} wurde bezahlt ({coins}), aber die Bestellung ist storniert: Geben Sie das Geld in tilld zurück oder führen Sie die Bestellung von Hand aus.',
  reversed:
    'tilld: Zahlung {payment}: Das Geld ist wieder weg ({status}), das Netz hat es zurückgenommen. Nicht versenden, oder den Kunden anrufen.',
  sandbox: 'tilld: Zahlung {payment} wurde nur mit Spielgeld bezahlt. Nichts wurde eingenommen.',
  cannot_cancel:
    'Für diese Bestellung kam Geld (tilld-Zahlung {payment}): Sie kann nicht storniert werden. Erstatten Sie stattdessen.',
  cannot_ask:
    'tilld konnte nicht gefragt werden, ob für diese Bestellung Geld kam: Sie kann jetzt nicht storniert werden.',
  link: 'tilld: Geben Sie dem Kunden diesen Link, mit dem er {amount} zurückbekommt: {url}',
  claimed:
    'tilld: Der Kunde hat die Erstattung von {amount} angefordert. Stimmen Sie ihr in tilld zu, falls sie darauf wartet.',
  refund_delayed:
    'tilld: Die Erstattung von {amount} kann zurzeit nicht gesendet werden und wird erneut versucht: {reason}. Fehlt der Wallet nur die Netzwerkgebühr, dann erstellen Sie den Link neu und ziehen die Gebühr ab (renewTilldRefund). Geben Sie dem Kunden den neuen Link.',
  refund_paid: 'tilld: Die Erstattung von {amount} ist bezahlt.',
  refund_ended:
    'tilld: Der Erstattungslink über {amount} ist {status}: Durch ihn wurde nichts zurückgegeben.',
  refund_failed: 'tilld: Die Erstattung von {amount} konnte nicht eröffnet werden: {reason}',
  paid_twice:
    'tilld: Auch Zahlung {payment} wurde bezahlt ({coins}), obwohl die Bestellung mit Zahlung {other} bezahlt ist. Geben Sie das Geld von Zahlung {payment} in tilld zurück.',
  cart_closed: 'Für diese Bestellung ist Geld unterwegs: Sie kann jetzt nicht geändert werden.',
  link_less_fee:
    'tilld: Geben Sie dem Kunden diesen Link, mit dem er {amount} abzüglich der Netzwerkgebühr zurückbekommt: {url}',
  returned_elsewhere: 'tilld: {amount} dieser Bestellung wurden in tilld zurückgegeben.',
};

const es: Record<Message, string> = {
  waiting: 'tilld: el pago {payment} espera al cliente.',
  seen: 'tilld: pago {payment}: el dinero está en camino ({coins}), aún no es definitivo. No envíe todavía.',
  paid: 'tilld: el pago {payment} es definitivo: {coins}.',
  short: 'tilld: pago {payment}: llegó demasiado poco: {coins}. Se pidió el resto al cliente.',
  late: 'tilld: pago {payment}: el dinero llegó fuera de plazo: {coins}. Decida en tilld si lo acepta o lo devuelve.',
  lost: 'tilld: el pago {payment} terminó sin dinero ({status}).',
  superseded: 'tilld: otro pago de este pedido recibió el dinero en lugar del pago {payment}.',
  refunded: 'tilld: el pago {payment} fue devuelto.',
  over: 'tilld: el cliente pagó de más en el pago {payment}: {coins}. Puede devolver el exceso en tilld.',
  accepted: 'tilld: se aceptó lo que llegó para el pago {payment}.',
  short_of_total:
    'tilld: el pago {payment} cubre {amount}, el pedido cuesta ahora {total}. El resto está pendiente.',
  not_placed: 'tilld: el pago {payment} está pagado, pero el pedido no se pudo completar: {reason}',
  cancelled_order:
    'tilld: el pago {payment} se pagó ({coins}), pero el pedido está cancelado: devuelva el dinero en tilld o sirva el pedido a mano.',
  reversed:
    'tilld: pago {payment}: el dinero ya no está ({status}), la red lo retiró. No envíe, o llame al cliente.',
  sandbox: 'tilld: el pago {payment} se hizo solo con dinero de prueba. No se ingresó nada.',
  cannot_cancel:
    'Llegó dinero para este pedido (pago {payment} de tilld): no se puede cancelar. Reembólselo.',
  cannot_ask: 'No se pudo preguntar a tilld si llegó dinero para este pedido: ahora no se puede cancelar.',
  link: 'tilld: dé al cliente este enlace, con el que recupera {amount}: {url}',
  claimed: 'tilld: el cliente reclamó el reembolso de {amount}. Apruébelo en tilld si lo espera.',
  refund_delayed:
    'tilld: el reembolso de {amount} no se puede enviar por ahora y se volverá a intentar: {reason}. Si al monedero le falta la comisión de red, cree de nuevo el enlace descontándola (renewTilldRefund) y dé al cliente el enlace nuevo.',
  refund_paid: 'tilld: el reembolso de {amount} está pagado.',
  refund_ended: 'tilld: el enlace de reembolso de {amount} está {status}: no se devolvió nada con él.',
  refund_failed: 'tilld: no se pudo abrir el reembolso de {amount}: {reason}',
  paid_twice:
    'tilld: también se pagó el pago {payment} ({coins}), aunque el pedido está pagado con el pago {other}. Devuelva en tilld el dinero del pago {payment}.',
  cart_closed: 'Hay dinero en camino para este pedido: ahora no se puede cambiar.',
  link_less_fee:
    'tilld: dé al cliente este enlace, con el que recupera {amount} menos la comisión de red: {url}',
  returned_elsewhere: 'tilld: se devolvieron {amount} de este pedido en tilld.',
};

const fr: Record<Message, string> = {
  waiting: 'tilld : le paiement {payment} attend le client.',
  seen: "tilld : paiement {payment} : l'argent est en route ({coins}), pas encore définitif. N'expédiez pas encore.",
  paid: 'tilld : le paiement {payment} est définitif : {coins}.',
  short: 'tilld : paiement {payment} : trop peu est arrivé : {coins}. Le reste a été demandé au client.',
  late: "tilld : paiement {payment} : l'argent est arrivé hors délai : {coins}. Décidez dans tilld de l'accepter ou de le rendre.",
  lost: 'tilld : le paiement {payment} a pris fin sans argent ({status}).',
  superseded: 'tilld : un autre paiement de cette commande a reçu l’argent à la place du paiement {payment}.',
  refunded: 'tilld : le paiement {payment} a été rendu.',
  over: 'tilld : le client a trop payé pour le paiement {payment} : {coins}. Vous pouvez rendre le trop-perçu dans tilld.',
  accepted: 'tilld : ce qui est arrivé pour le paiement {payment} a été accepté.',
  short_of_total:
    'tilld : le paiement {payment} couvre {amount}, la commande coûte maintenant {total}. Le reste est dû.',
  not_placed: "tilld : le paiement {payment} est payé, mais la commande n'a pas pu être passée : {reason}",
  cancelled_order:
    "tilld : le paiement {payment} a été payé ({coins}), mais la commande est annulée : rendez l'argent dans tilld ou traitez la commande à la main.",
  reversed:
    "tilld : paiement {payment} : l'argent a disparu ({status}), le réseau l'a repris. N'expédiez pas, ou appelez le client.",
  sandbox: "tilld : le paiement {payment} n'a été fait qu'en argent fictif. Rien n'a été encaissé.",
  cannot_cancel:
    "De l'argent est arrivé pour cette commande (paiement tilld {payment}) : elle ne peut pas être annulée. Remboursez-la.",
  cannot_ask:
    "tilld n'a pas pu dire si de l'argent est arrivé pour cette commande : elle ne peut pas être annulée maintenant.",
  link: 'tilld : donnez au client ce lien, par lequel il récupère {amount} : {url}',
  claimed:
    "tilld : le client a réclamé le remboursement de {amount}. Approuvez-le dans tilld s'il attend votre accord.",
  refund_delayed:
    "tilld : le remboursement de {amount} ne peut pas être envoyé pour l’instant et sera réessayé : {reason}. S'il manque au portefeuille les frais de réseau, recréez le lien en les déduisant (renewTilldRefund) et donnez le nouveau lien au client.",
  refund_paid: 'tilld : le remboursement de {amount} est payé.',
  refund_ended: "tilld : le lien de remboursement de {amount} est {status} : rien n'a été rendu par lui.",
  refund_failed: "tilld : le remboursement de {amount} n'a pas pu être ouvert : {reason}",
  paid_twice:
    "tilld : le paiement {payment} a aussi été payé ({coins}), alors que la commande est payée par le paiement {other}. Rendez dans tilld l'argent du paiement {payment}.",
  cart_closed: "De l'argent est en route pour cette commande : elle ne peut pas être modifiée maintenant.",
  link_less_fee:
    'tilld : donnez au client ce lien, par lequel il récupère {amount} moins les frais de réseau : {url}',
  returned_elsewhere: 'tilld : {amount} de cette commande ont été rendus dans tilld.',
};

const pt: Record<Message, string> = {
  waiting: 'tilld: o pagamento {payment} aguarda o cliente.',
  seen: 'tilld: pagamento {payment}: o dinheiro está a caminho ({coins}), ainda não é definitivo. Não envie ainda.',
  paid: 'tilld: o pagamento {payment} é definitivo: {coins}.',
  short: 'tilld: pagamento {payment}: chegou pouco: {coins}. O resto foi pedido ao cliente.',
  late: 'tilld: pagamento {payment}: o dinheiro chegou fora do prazo: {coins}. Decida no tilld se o aceita ou devolve.',
  lost: 'tilld: o pagamento {payment} terminou sem dinheiro ({status}).',
  superseded: 'tilld: outro pagamento deste pedido recebeu o dinheiro em vez do pagamento {payment}.',
  refunded: 'tilld: o pagamento {payment} foi devolvido.',
  over: 'tilld: o cliente pagou a mais no pagamento {payment}: {coins}. Pode devolver o excesso no tilld.',
  accepted: 'tilld: o que chegou para o pagamento {payment} foi aceite.',
  short_of_total:
    'tilld: o pagamento {payment} cobre {amount}, a encomenda custa agora {total}. O resto está em aberto.',
  not_placed: 'tilld: o pagamento {payment} está pago, mas a encomenda não pôde ser concluída: {reason}',
  cancelled_order:
    'tilld: o pagamento {payment} foi pago ({coins}), mas a encomenda está cancelada: devolva o dinheiro no tilld ou trate da encomenda à mão.',
  reversed:
    'tilld: pagamento {payment}: o dinheiro desapareceu ({status}), a rede retirou-o. Não envie, ou ligue ao cliente.',
  sandbox: 'tilld: o pagamento {payment} foi feito só com dinheiro de teste. Nada foi recebido.',
  cannot_cancel:
    'Chegou dinheiro para esta encomenda (pagamento {payment} do tilld): não pode ser cancelada. Reembolse-a.',
  cannot_ask:
    'Não foi possível perguntar ao tilld se chegou dinheiro para esta encomenda: agora não pode ser cancelada.',
  link: 'tilld: dê ao cliente esta ligação, com a qual recupera {amount}: {url}',
  claimed: 'tilld: o cliente pediu o reembolso de {amount}. Aprove-o no tilld se estiver à espera.',
  refund_delayed:
    'tilld: o reembolso de {amount} não pode ser enviado de momento e será tentado de novo: {reason}. Se faltar à carteira a taxa de rede, crie de novo a ligação descontando a taxa (renewTilldRefund) e dê a nova ligação ao cliente.',
  refund_paid: 'tilld: o reembolso de {amount} está pago.',
  refund_ended: 'tilld: a ligação de reembolso de {amount} está {status}: nada foi devolvido por ela.',
  refund_failed: 'tilld: o reembolso de {amount} não pôde ser aberto: {reason}',
  paid_twice:
    'tilld: o pagamento {payment} também foi pago ({coins}), embora a encomenda esteja paga pelo pagamento {other}. Devolva no tilld o dinheiro do pagamento {payment}.',
  cart_closed: 'Há dinheiro a caminho para esta encomenda: não pode ser alterada agora.',
  link_less_fee:
    'tilld: dê ao cliente esta ligação, com a qual recupera {amount} menos a taxa de rede: {url}',
  returned_elsewhere: 'tilld: {amount} desta encomenda foram devolvidos no tilld.',
};

export const MESSAGES: Readonly<Record<NoteLanguage, Readonly<Record<Message, string>>>> = {
  en,
  de,
  es,
  fr,
  pt,
};

/** A message in the shopkeeper's language. */
export function say(
  language: NoteLanguage | undefined,
  message: Message,
  facts: Readonly<Record<string, string>> = {},
): string {
  return MESSAGES[language ?? 'en'][message].replace(
    /\{(\w+)\}/g,
    (whole, name: string) => facts[name] ?? whole,
  );
}
