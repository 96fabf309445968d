import type { RefundMessages } from './en.ts';

export const refundDe: RefundMessages = {
  refundTitle: 'Rückzahlung von {amount} durch {shop}',
  refundOf: 'Rückzahlung von',
  refundReason: 'Grund laut Shop: {reason}',
  refundIntro: '{shop} gibt Ihnen dieses Geld zurück. Sagen Sie, wohin es gesendet werden soll.',
  refundChoose: 'Empfangen in',
  refundAddress: 'Ihre Adresse',
  refundAddressHint:
    'Eine Adresse Ihrer eigenen Wallet für die Währung der Rückzahlung. Kopieren Sie sie: Was an eine falsche Adresse geht, ist verloren.',
  refundContinue: 'Weiter',
  refundUntil: 'Sie können diese Rückzahlung bis {date} anfordern.',
  refundApproval: 'Der Shop prüft Ihre Anforderung, bevor er das Geld sendet.',
  refundFeeShop: 'Der Shop zahlt die Netzwerkgebühr.',
  refundFeeYours: 'Die Netzwerkgebühr wird von der Rückzahlung abgezogen.',
  refundCheckTitle: 'Stimmt das so?',
  refundCheckText:
    'Vergleichen Sie die Adresse mit der in Ihrer Wallet. Was gesendet wurde, lässt sich nicht zurückholen.',
  refundAmount: 'Rückzahlung',
  refundFee: 'Netzwerkgebühr, etwa',
  refundFeeUnknown: 'wird von der Rückzahlung abgezogen; wie hoch sie ist, lässt sich gerade nicht sagen',
  refundArrives: 'Kommt an',
  refundArrivesAbout: 'Kommt an, etwa',
  refundTo: 'An die Adresse',
  refundSendNow: 'Ja, dorthin senden',
  refundAsk: 'Ja, den Shop darum bitten',
  refundChange: 'Ändern',
  refundClaimedTitle: 'Angefordert: der Shop prüft es',
  refundClaimedText: 'Dann sendet er das Geld. Sie müssen nichts mehr tun; diese Seite zeigt, was geschieht.',
  refundSendingTitle: 'Die Rückzahlung wird gesendet',
  refundSendingText:
    'Das kann einige Minuten dauern, bei vollem Netzwerk länger. Sie müssen nichts mehr tun.',
  refundPaidTitle: 'Die Rückzahlung ist gesendet',
  refundPaidText: 'Das Netzwerk hat sie. Ihre Wallet oder Börse zeigt sie, sobald sie bestätigt ist.',
  refundExpiredTitle: 'Dieser Rückzahlungslink ist abgelaufen',
  refundExpiredText: 'Er galt bis {date}. Bitte fragen Sie den Shop nach einem neuen.',
  refundCancelledTitle: 'Der Shop hat diese Rückzahlung zurückgezogen',
  refundCancelledText:
    'Über diesen Link wird nichts gesendet. Fragen Sie bitte den Shop, wenn Sie das nicht erwartet haben.',
  refundGoneTitle: 'Dieses Geld wurde auf anderem Weg zurückgegeben',
  refundGoneText:
    'Für diesen Link ist nichts mehr übrig. Fragen Sie bitte den Shop, wenn Sie es nicht bekommen haben.',
  refundWaitingTitle: 'Wartet auf Bestätigungen',
  refundWaitingText:
    'Das Netzwerk muss Ihre Zahlung erst oft genug bestätigen. Eine angeforderte Rückzahlung wird danach von selbst gesendet: Es geht nichts verloren.',
  refundTaken:
    'Ihre Anforderung wurde nicht angenommen: Diese Rückzahlung kann nicht mehr angefordert werden.',
  refundReopened:
    'Ihre Rückzahlung konnte nicht gesendet werden. Das Geld ist noch da: Bitte fordern Sie es noch einmal an.',
  refundReopenedAmount:
    'Ihre Rückzahlung konnte nicht gesendet werden: Das Netzwerk überträgt keinen so kleinen Betrag, oder die Gebühr ist höher. Wählen Sie eine andere Währung, wenn es eine gibt, oder fragen Sie den Shop.',
  refundReopenedAddress:
    'Ihre Rückzahlung konnte nicht gesendet werden: Das Netzwerk überträgt kein Geld an diese Adresse. Geben Sie eine andere ein.',
  refundAgain: 'Noch einmal nachsehen',
  refundNotFoundTitle: 'Diese Rückzahlung gibt es nicht',
  refundNotFoundText: 'Bitte prüfen Sie, ob der Link vollständig ist.',
  refundErrorText: 'Bitte versuchen Sie es gleich noch einmal. Ihre Rückzahlung ist sicher.',
  refundSandbox: 'Test-Rückzahlung: Es wird kein echtes Geld gesendet.',
  mistakeEmpty: 'Bitte geben Sie eine Adresse ein.',
  mistakeChoice: 'Bitte wählen Sie eine der Währungen.',
  mistakeCoin:
    'Das ist eine {other}-Adresse. Die Rückzahlung erfolgt in {coin}: Geben Sie eine {coin}-Adresse ein.',
  mistakeTestNetwork:
    'Das ist eine Adresse eines Testnetzwerks. Geben Sie eine des echten {coin}-Netzwerks ein.',
  mistakeRealNetwork:
    'Das ist eine Adresse des echten {coin}-Netzwerks. Diese Test-Rückzahlung braucht eine eines Testnetzwerks.',
  mistakeChecksum:
    'Diese Adresse ist vertippt: Ihre Prüfsumme ist falsch. Kopieren Sie sie noch einmal aus Ihrer Wallet.',
  mistakeOwn: 'Das ist eine Adresse des Shops selbst. Geben Sie eine eigene ein.',
  mistakeMweb:
    'Das ist eine MWEB-Adresse, an die von hier nicht gezahlt werden kann. Geben Sie eine gewöhnliche Litecoin-Adresse ein.',
  mistakeInvalid: 'Das ist keine {coin}-Adresse.',
  mistakeRefused: 'Das Netzwerk überträgt kein Geld an diese Adresse. Geben Sie eine andere ein.',
  mistakeTooSmall:
    'Der Betrag ist zu klein, um in {coin} gesendet zu werden: Das Netzwerk überträgt ihn nicht, oder die Gebühr ist höher. Wählen Sie eine andere Währung oder fragen Sie den Shop.',
  mistakeUnavailable:
    '{coin} kann im Moment nicht gesendet werden. Bitte versuchen Sie es später noch einmal.',
  mistakeTooOften: 'Das war zu oft. Bitte versuchen Sie es in einer Minute noch einmal.',
};
