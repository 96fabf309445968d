import type { NoticeTexts } from './en.ts';

export const de: NoticeTexts = {
  subjects: {
    paid: '{shop}: {order} ist bezahlt',
    underpaid: '{shop}: für {order} wurde zu wenig gezahlt',
    late: '{shop}: Geld für {order} kam zu spät',
    refund_claimed: '{shop}: eine Rückzahlung zu {order} wartet auf Ihre Freigabe',
    reversed: '{shop}: die Zahlung zu {order} wurde zurückgenommen',
    send_failed: '{shop}: eine Überweisung in {coin} ist gescheitert',
    refund_failed: '{shop}: eine Rückzahlung zu {order} ist gescheitert',
    refund_delayed: '{shop}: eine Rückzahlung zu {order} kann noch nicht gesendet werden',
    send_stuck: '{shop}: eine Überweisung in {coin} wird nicht bestätigt',
    fee_limited: '{shop}: die Gebührengrenze einer Überweisung in {coin} ist erreicht',
    webhook_gone: '{shop}: ein Webhook-Endpunkt wurde abgeschaltet',
    webhook_failing: '{shop}: Webhooks kommen nicht an',
    node_down: '{coin} auf {server}: der Node ist nicht nutzbar',
    node_back: '{coin} auf {server}: der Node arbeitet wieder',
    transactions_unread: '{coin} auf {server}: Transaktionen nicht lesbar',
    transactions_read: '{coin} auf {server}: alle Transaktionen sind wieder lesbar',
    rates_unsure: '{server}: zu wenige Preisquellen',
    rates_back: '{server}: wieder genügend Preisquellen',
    backup_old: '{server}: die neueste Sicherung ist zu alt',
    backup_back: '{server}: es gibt wieder eine aktuelle Sicherung',
    replica_behind: '{server}: die Replik hinkt hinterher',
    replica_back: '{server}: die Replik ist wieder aktuell',
  },
  bodies: {
    paid: 'Die Bestellung {order} ({price}) ist bezahlt und bestätigt.',
    underpaid:
      'Die Zahlungsfrist der Bestellung {order} ({price}) ist abgelaufen, und es kam weniger an als verlangt. Nehmen Sie den Betrag an oder zahlen Sie ihn zurück: Bis zu Ihrer Entscheidung geschieht nichts.',
    late: 'Geld für die Bestellung {order} ({price}) kam nach Ablauf der Zahlungsfrist. Nehmen Sie es an oder zahlen Sie es zurück: Bis zu Ihrer Entscheidung geschieht nichts.',
    refund_claimed:
      'Der Zahler der Bestellung {order} hat die Rückzahlung angefordert und eine Adresse angegeben. Prüfen Sie sie und geben Sie sie frei: Vorher wird nichts gesendet.',
    reversed:
      'Das Geld für die Bestellung {order} ({price}), die als bezahlt gemeldet war, steht nicht mehr in der Blockchain: Es wurde anderweitig ausgegeben oder ging bei einer Reorganisation verloren. Falls Sie noch nicht geliefert haben, warten Sie.',
    send_failed:
      'Eine Überweisung in {coin} aus der Wallet kann nicht mehr bestätigt werden. Das Geld gehört weiter Ihnen.',
    refund_failed:
      'Eine Rückzahlung zur Bestellung {order} ({price}) kann nicht mehr bestätigt werden. Der Zahler hat das Geld nicht bekommen.',
    refund_delayed:
      'Eine angeforderte Rückzahlung zur Bestellung {order} ({price}) kann zurzeit nicht gesendet werden: In der Wallet fehlt Geld, oder die Netzwerkgebühr liegt über der Grenze. Sie wird gesendet, sobald sich das ändert. Sie können sie auch stornieren.',
    send_stuck:
      'Eine Überweisung in {coin} aus der Wallet wartet seit Stunden auf ihre Bestätigung. Vielleicht ist die Gebühr zu niedrig: Sie können sie erhöhen.',
    fee_limited:
      'Eine Überweisung in {coin} aus der Wallet wartet seit einem Tag, weil ihre Netzwerkgebühr über ihre Grenze steigen müsste. tilld erhöht die Gebühr, sobald die Gebühren fallen. Wenn Sie jetzt mehr bezahlen wollen, erhöhen Sie die Gebühr mit einer höheren Grenze.',
    webhook_gone:
      'Der Webhook-Endpunkt bei {host} hat mit 410 Gone geantwortet; dorthin wird nichts mehr gesendet. War das nicht beabsichtigt, speichern Sie seine Adresse noch einmal.',
    webhook_failing:
      'Seit einer Stunde hat kein Webhook den Endpunkt bei {host} erreicht. Ihr Shop weiß womöglich nichts von Zahlungen. Die Zustellung wird drei Tage lang weiter versucht.',
    node_down:
      'tilld kann {coin} seit einiger Zeit nicht verfolgen. Bis der Node wieder arbeitet, werden Zahlungen in {coin} nicht erkannt, und keine davon läuft ab.',
    node_back: 'tilld verfolgt {coin} wieder. Inzwischen eingegangene Zahlungen werden jetzt erkannt.',
    transactions_unread:
      'tilld konnte einzelne Transaktionen von {coin} nicht lesen. Wenn eine davon eine Bestellung bezahlt, ist das Geld noch nicht gutgeschrieben; alle anderen Zahlungen sind es. tilld versucht es weiter. Die Statusseite nennt die Transaktionen und den Grund: Installieren Sie eine neuere Version von tilld oder verwenden Sie einen anderen Node.',
    transactions_read:
      'tilld hat die Transaktionen von {coin} gelesen, die vorher nicht lesbar waren. Zahlungen darin sind jetzt gutgeschrieben.',
    rates_unsure:
      'Nur noch eine Preisquelle ist übrig, oder ihr Preis ist gesprungen. Eine einzelne Quelle darf einen Preis nur langsam bewegen; darüber hinaus legt tilld keine Zahlung an. Die Statusseite nennt die Coins und die Quellen.',
    rates_back: 'Mindestens zwei Preisquellen stimmen wieder überein.',
    backup_old:
      'Die neueste Sicherung dieses Servers ist älter als erlaubt. Den Grund nennen die Statusseite und das Protokoll.',
    backup_back: 'Die neueste Sicherung dieses Servers ist wieder aktuell.',
    replica_behind:
      'Die Replik dieses Servers hinkt weiter hinterher als erlaubt. Geht diese Maschine jetzt verloren, fehlen dort die neuesten Zahlungen.',
    replica_back: 'Die Replik dieses Servers ist wieder aktuell.',
  },
  kinds: {
    paid: 'Jede bezahlte Zahlung',
    decision: 'Zahlungen, die auf eine Entscheidung warten',
    refund_claim: 'Rückzahlungen, die auf Freigabe warten',
    reversed: 'Zurückgenommene Zahlungen',
    send: 'Überweisungen und Rückzahlungen, die scheitern oder hängen',
    webhook: 'Webhooks, die nicht ankommen',
    node: 'Nodes',
    rates: 'Preisquellen',
    backup: 'Sicherungen',
    replica: 'Replik',
  },
  test: 'Test',
  reminder: 'Erinnerung',
  why: 'Sie erhalten diese Mail, weil „{kind}“ für {shop} auf {server} eingeschaltet ist.',
  whyOperator: 'Sie erhalten diese Mail als Betreiber dieses Servers.',
  whySummary: 'In einer Stunde gab es mehr Mitteilungen, als einzeln gesendet werden.',
  switchOff: 'Solche Mails abschalten',
  allSettings: 'Alle Mitteilungen',
  summarySubject: '{shop}: {count} weitere Mitteilungen',
  summaryBody: '{count} weitere Mitteilungen zu {shop}:',
  offTitle: 'Mails abschalten',
  offQuestion: 'Keine Mails mehr zu „{kind}“ von {shop}?',
  offButton: 'Abschalten',
  offDone: 'Diese Mails sind abgeschaltet. Unter „E-Mails“ im Shop können Sie sie wieder einschalten.',
  offInvalid: 'Dieser Link gilt nicht. Schalten Sie Mails unter „E-Mails“ im Shop ab.',
};
