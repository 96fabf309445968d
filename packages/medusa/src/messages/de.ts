import type { Messages } from './en';

export const de: Messages = {
  notes: {
    seen: 'Genug Geld ist zu sehen ({received}). Es ist noch nicht endgültig: noch nicht liefern.',
    paid: 'Bezahlt und endgültig: {received}.',
    over: 'Bezahlt, und mehr als verlangt: {received} kam, verlangt war {asked}. Der Überschuss lässt sich bei tilld zurückgeben.',
    short: 'Zu wenig kam: {received}, verlangt war {asked}. Die Bestellung wartet auf den Rest.',
    late: 'Geld kam nach Ablauf der Zeit: {received}, verlangt war {asked}. Entscheiden Sie bei tilld, ob Sie es annehmen.',
    lost: 'Die Zahlung endete ohne Geld.',
    gone: 'Das gesehene Geld ist wieder weg. Die Bestellung wartet auf anderes Geld.',
    reversed:
      'Das Geld dieser Bestellung ist weg, nachdem es endgültig war (jetzt da: {received}). Halten Sie die Lieferung an, falls sie noch nicht unterwegs ist.',
    refunded: 'Das Geld wurde zurückgegeben.',
    sandbox: 'Das war Spielgeld: nicht liefern.',
    not_placed:
      'Geld kam, aber die Bestellung konnte nicht angelegt werden: {reason}. Es wird erneut versucht.',
    paid_without_order:
      'Bezahlt ({received}), aber der Warenkorb ging ohne diese Zahlung weiter. Geben Sie das Geld bei tilld zurück.',
    paid_after_cancel:
      'Bezahlt ({received}), nachdem die Bestellung storniert war. Geben Sie das Geld bei tilld zurück.',
    amount_differs:
      'Die Zahlung verlangt {asked}, die Bestellung kostet mehr: Sie gilt nicht als bezahlt. Der Kunde kann den Warenkorb zurückändern; sonst geben Sie das Geld bei tilld zurück.',
    not_cancelled: 'Die Bestellung wurde nicht storniert: {reason}',
    paid_twice:
      'Auch für diese Zahlung kam Geld ({received}), obwohl Zahlung {other} das Geld der Bestellung hat. Geben Sie es bei tilld zurück.',
    adopted: 'Das Geld von Zahlung {other} ist weg: Die Bestellung ist jetzt durch diese Zahlung bezahlt.',
    returned_elsewhere: '{amount} {currency} dieser Bestellung wurden bei tilld zurückgegeben.',
    refund_open_less_fee:
      'Erstattung von {amount} {currency} abzüglich der Netzwerkgebühr: Geben Sie dem Kunden den Link. Gezahlt wird, sobald er ihn eingelöst hat.',
    refund_open:
      'Erstattung von {amount} {currency}: Geben Sie dem Kunden den Link. Gezahlt wird, sobald er ihn eingelöst hat.',
    refund_claimed:
      'Der Kunde hat die Erstattung von {amount} {currency} eingelöst. Geben Sie sie bei tilld frei.',
    refund_delayed:
      'Die Erstattung von {amount} {currency} kann zurzeit nicht gesendet werden und wird erneut versucht: {reason}. Fehlt der Wallet nur die Netzwerkgebühr, dann erstellen Sie einen neuen Link, der sie abzieht, und geben Sie ihn dem Kunden.',
    refund_approved: 'Die Erstattung von {amount} {currency} wird gesendet.',
    refund_paid: 'Die Erstattung von {amount} {currency} ist gezahlt.',
    refund_expired:
      'Niemand hat die Erstattung von {amount} {currency} rechtzeitig eingelöst: Es wurde nichts gezahlt. Erstellen Sie einen neuen Link.',
    refund_cancelled:
      'Der Link zur Erstattung von {amount} {currency} wurde zurückgezogen: Es wurde nichts gezahlt.',
    refund_nothing:
      'Für die Erstattung von {amount} {currency} gibt es nichts zurückzugeben: Das Geld ist weg.',
  },
  states: {
    waiting: 'wartet',
    seen: 'gesehen',
    paid: 'bezahlt',
    short: 'zu wenig',
    late: 'verspätet',
    lost: 'kein Geld',
    refunded: 'erstattet',
    superseded: 'durch eine andere Zahlung ersetzt',
  },
  page: {
    title: 'Zahlungen mit tilld',
    connect: 'Mit tilld verbinden',
    connectAgain: 'Neu verbinden',
    connected: 'Der Shop ist mit tilld verbunden. Sie können diese Seite schließen.',
    denied: 'Der Shop wurde nicht verbunden: Bei tilld wurde abgelehnt.',
    unknown:
      'Das ist keine Antwort auf eine Anfrage dieses Shops, oder die Anfrage ist zu alt. Beginnen Sie neu.',
    failed: 'Der Shop konnte nicht verbunden werden.',
    yes: 'geht',
    no: 'geht nicht',
    cannotSay: 'gerade nicht bekannt',
    daemon: 'Dienst',
    key: 'Schlüssel',
    webhook: 'Webhooks',
    node: 'Nodes',
    order: 'Bestellung',
    claimLink: 'Erstattungslink für den Kunden',
    renewLessFee: 'Neuer Link, Netzwerkgebühr abgezogen',
    none: 'Noch keine Zahlungen.',
  },
};
