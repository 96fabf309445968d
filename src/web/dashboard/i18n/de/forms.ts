import type { Catalogue } from '../catalogue.ts';

/** What forms say of a wrong field, and notes of what was done. */
export const forms: Catalogue = {
  'Customer created': 'Kunde angelegt',
  'Customer saved': 'Kunde gespeichert',
  'Please enter a JSON object.': 'Bitte geben Sie ein JSON-Objekt ein.',
  'Payment link saved': 'Zahlungslink gespeichert',
  'In live mode new payments of this shop are paid with real money.':
    'Im Live-Betrieb werden neue Zahlungen dieses Shops mit echtem Geld bezahlt.',
  'Passkey added': 'Passkey hinzugefügt',
  'Passkey renamed': 'Passkey umbenannt',
  'Passkey removed': 'Passkey entfernt',
  'Payment cancelled': 'Zahlung abgebrochen',
  'Payment accepted': 'Zahlung angenommen',
  'Role changed': 'Rolle geändert',
  'Role changed. The webhook endpoints and keys that they made were deleted.':
    'Rolle geändert. Die Webhook-Endpunkte und Schlüssel, die diese Person angelegt hat, wurden gelöscht.',
  '{email} was removed': '{email} wurde entfernt',
  'Invitation withdrawn': 'Einladung zurückgezogen',
  'Product created': 'Produkt angelegt',
  'Product saved': 'Produkt gespeichert',
  'Price added': 'Preis hinzugefügt',
  'Price saved': 'Preis gespeichert',
  'Product deleted': 'Produkt gelöscht',
  'Price deleted': 'Preis gelöscht',
  'Delete price': 'Preis löschen',
  '{name} can no longer be paid for at {amount}. Payments made keep what they cost.':
    '{name} kann nicht mehr für {amount} bezahlt werden. Bestehende Zahlungen kosten, was sie kosteten.',
  'Refund link cancelled': 'Erstattungslink aufgehoben',
  'Refund link made': 'Erstattungslink erstellt',
  'The refund is on its way': 'Die Erstattung ist unterwegs',
  'Marked as refunded': 'Als erstattet markiert',
  'Key deleted': 'Schlüssel gelöscht',
  'Session ended': 'Sitzung beendet',
  'Endpoint saved': 'Endpunkt gespeichert',
  'Endpoint deleted': 'Endpunkt gelöscht',
  'Please fill this in.': 'Bitte füllen Sie dieses Feld aus.',
  'Please choose one.': 'Bitte wählen Sie etwas aus.',
  'Please enter an amount such as {example}.': 'Bitte geben Sie einen Betrag wie {example} ein.',
  'Please enter a number.': 'Bitte geben Sie eine Zahl ein.',
  'Please enter a whole number.': 'Bitte geben Sie eine ganze Zahl ein.',
  'Please enter an address that begins with https://.':
    'Bitte geben Sie eine Adresse ein, die mit https:// beginnt.',
  '{limit} at least.': 'Mindestens {limit}.',
  '{limit} at most.': 'Höchstens {limit}.',
  'Please use at least {count} characters.': 'Bitte verwenden Sie mindestens {count} Zeichen.',
  'This address is mistyped: please copy it once more.':
    'Diese Adresse enthält einen Tippfehler: Bitte kopieren Sie sie noch einmal.',
  'This is taken already.': 'Das ist schon vergeben.',
  'Please use at most {count} characters.': 'Bitte verwenden Sie höchstens {count} Zeichen.',
  'Please enter at most {count} of them.': 'Bitte geben Sie höchstens {count} davon ein.',
  'Please leave line breaks and invisible characters out.':
    'Bitte lassen Sie Zeilenumbrüche und unsichtbare Zeichen weg.',
  'This is no currency: please enter its three letters, such as EUR.':
    'Das ist keine Währung: Bitte geben Sie ihre drei Buchstaben ein, etwa EUR.',
  'Please use at most {count} digits after the point.':
    'Bitte verwenden Sie höchstens {count} Nachkommastellen.',
  'Please enter more than zero.': 'Bitte geben Sie mehr als null ein.',
  'This must not be below the least amount.': 'Das darf nicht unter dem Mindestbetrag liegen.',
  'Please enter a number from 0 to 5, with two digits after the point at most.':
    'Bitte geben Sie eine Zahl von 0 bis 5 mit höchstens zwei Nachkommastellen ein.',
  'Please enter the name of your site, such as shop.example.com.':
    'Bitte geben Sie den Namen Ihrer Website ein, etwa shop.example.com.',
  'Please enter sites such as https://shop.example, without a path.':
    'Bitte geben Sie Websites wie https://shop.example ohne Pfad ein.',
  'Please enter an e-mail address or a web address.':
    'Bitte geben Sie eine E-Mail-Adresse oder eine Webadresse ein.',
  'Please leave user name and password out of the address.':
    'Bitte lassen Sie Benutzername und Passwort in der Adresse weg.',
  'Please choose a time zone from the list, such as Europe/Berlin.':
    'Bitte wählen Sie eine Zeitzone aus der Liste, etwa Europe/Berlin.',
  'Please choose a day.': 'Bitte wählen Sie einen Tag.',
  'The last day must not be before the first one.': 'Der letzte Tag darf nicht vor dem ersten liegen.',
  'Please choose a time to come.': 'Bitte wählen Sie einen Zeitpunkt in der Zukunft.',
  'Please choose a colour.': 'Bitte wählen Sie eine Farbe.',
  'Please choose a PNG, JPEG or WebP image of at most 64 KiB.':
    'Bitte wählen Sie ein Bild in PNG, JPEG oder WebP mit höchstens 64 KiB.',
  'Possible here: {list}.': 'Hier möglich: {list}.',
  'This password is guessed first: please choose another.':
    'Dieses Passwort wird als Erstes erraten: Bitte wählen Sie ein anderes.',
  'This is no {name} address.': 'Das ist keine {name}-Adresse.',
  'Please enter an e-mail address such as name@example.com.':
    'Bitte geben Sie eine E-Mail-Adresse wie name@example.com ein.',
  Notes: 'Hinweise',
  'This page could not be shown': 'Diese Seite konnte nicht gezeigt werden',
  'Are you online? Loading it once more may help.':
    'Sind Sie online? Vielleicht hilft es, sie noch einmal zu laden.',
  'Load again': 'Neu laden',
  Dismiss: 'Ausblenden',
};
