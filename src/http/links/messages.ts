import { speak, type Language } from '../checkout/language.ts';

const en = {
  title: '{name}, {shop}',
  amount: 'Amount in {currency}',
  choose: 'Or choose',
  between: 'From {min} to {max}',
  from: 'At least {min}',
  upTo: 'At most {max}',
  email: 'E-mail address',
  name: 'Name',
  note: 'Note',
  optional: '(optional)',
  goOn: 'Continue to payment',
  charge: 'Charge',
  erase: 'Erase one digit',
  clear: 'Clear',
  keypad: 'Keypad',
  required: 'Please fill this in.',
  invalidAmount: 'Please enter an amount such as {example}.',
  invalidEmail: 'Please enter an e-mail address.',
  invalid: 'This cannot be used: please write it another way.',
  tooLow: 'The least amount is {min}.',
  tooSmall: 'This is too little to be paid in any of the coins.',
  tooHigh: 'This is too much.',
  tooLong: 'This is too long.',
  closedTitle: 'This link is closed',
  closedText: '{shop} takes no payments here any more. Please ask the shop.',
};
type LinkMessages = Readonly<Record<keyof typeof en, string>>;

const de: LinkMessages = {
  title: '{name}, {shop}',
  amount: 'Betrag in {currency}',
  choose: 'Oder auswählen',
  between: 'Von {min} bis {max}',
  from: 'Mindestens {min}',
  upTo: 'Höchstens {max}',
  email: 'E-Mail-Adresse',
  name: 'Name',
  note: 'Notiz',
  optional: '(freiwillig)',
  goOn: 'Weiter zur Zahlung',
  charge: 'Kassieren',
  erase: 'Eine Ziffer löschen',
  clear: 'Alles löschen',
  keypad: 'Tastenfeld',
  required: 'Bitte ausfüllen.',
  invalidAmount: 'Bitte einen Betrag wie {example} eingeben.',
  invalidEmail: 'Bitte eine E-Mail-Adresse eingeben.',
  invalid: 'Das geht so nicht: bitte anders schreiben.',
  tooLow: 'Der kleinste Betrag ist {min}.',
  tooSmall: 'Das ist für alle Coins zu wenig.',
  tooHigh: 'Das ist zu viel.',
  tooLong: 'Das ist zu lang.',
  closedTitle: 'Dieser Link ist geschlossen',
  closedText: '{shop} nimmt hier keine Zahlungen mehr an. Bitte im Shop nachfragen.',
};

const es: LinkMessages = {
  title: '{name}, {shop}',
  amount: 'Importe en {currency}',
  choose: 'O elija',
  between: 'De {min} a {max}',
  from: 'Como mínimo {min}',
  upTo: 'Como máximo {max}',
  email: 'Correo electrónico',
  name: 'Nombre',
  note: 'Nota',
  optional: '(opcional)',
  goOn: 'Continuar al pago',
  charge: 'Cobrar',
  erase: 'Borrar una cifra',
  clear: 'Borrar todo',
  keypad: 'Teclado',
  required: 'Rellene este campo.',
  invalidAmount: 'Introduzca un importe como {example}.',
  invalidEmail: 'Introduzca una dirección de correo.',
  invalid: 'Así no se puede usar: escríbalo de otra manera.',
  tooLow: 'El importe mínimo es {min}.',
  tooSmall: 'Es demasiado poco para pagarlo con cualquiera de las monedas.',
  tooHigh: 'Es demasiado.',
  tooLong: 'Es demasiado largo.',
  closedTitle: 'Este enlace está cerrado',
  closedText: '{shop} ya no acepta pagos aquí. Pregunte a la tienda.',
};

const fr: LinkMessages = {
  title: '{name}, {shop}',
  amount: 'Montant en {currency}',
  choose: 'Ou choisissez',
  between: 'De {min} à {max}',
  from: 'Au moins {min}',
  upTo: 'Au plus {max}',
  email: 'Adresse e-mail',
  name: 'Nom',
  note: 'Note',
  optional: '(facultatif)',
  goOn: 'Continuer vers le paiement',
  charge: 'Encaisser',
  erase: 'Effacer un chiffre',
  clear: 'Tout effacer',
  keypad: 'Pavé numérique',
  required: 'Veuillez remplir ce champ.',
  invalidAmount: 'Veuillez saisir un montant comme {example}.',
  invalidEmail: 'Veuillez saisir une adresse e-mail.',
  invalid: 'Cela ne convient pas : écrivez-le autrement.',
  tooLow: 'Le montant minimal est {min}.',
  tooSmall: 'C’est trop peu pour être payé dans l’une des monnaies.',
  tooHigh: 'C’est trop.',
  tooLong: 'C’est trop long.',
  closedTitle: 'Ce lien est fermé',
  closedText: '{shop} n’accepte plus de paiements ici. Adressez-vous à la boutique.',
};

const pt: LinkMessages = {
  title: '{name}, {shop}',
  amount: 'Valor em {currency}',
  choose: 'Ou escolha',
  between: 'De {min} a {max}',
  from: 'No mínimo {min}',
  upTo: 'No máximo {max}',
  email: 'E-mail',
  name: 'Nome',
  note: 'Nota',
  optional: '(opcional)',
  goOn: 'Continuar para o pagamento',
  charge: 'Cobrar',
  erase: 'Apagar um algarismo',
  clear: 'Apagar tudo',
  keypad: 'Teclado',
  required: 'Preencha este campo.',
  invalidAmount: 'Indique um valor como {example}.',
  invalidEmail: 'Indique um endereço de e-mail.',
  invalid: 'Assim não pode ser usado: escreva de outra forma.',
  tooLow: 'O valor mínimo é {min}.',
  tooSmall: 'É pouco demais para ser pago em qualquer das moedas.',
  tooHigh: 'É demais.',
  tooLong: 'É longo demais.',
  closedTitle: 'Este link está fechado',
  closedText: '{shop} já não aceita pagamentos aqui. Pergunte à loja.',
};

const TEXTS: Readonly<Record<Language, LinkMessages>> = { en, de, es, fr, pt };

export type SayLink = (key: keyof LinkMessages, values?: Readonly<Record<string, string>>) => string;

/** The texts of the links' pages in one language, and those of the checkout that they share. */
export function speakLink(language: Language): {
  readonly say: SayLink;
  readonly common: ReturnType<typeof speak>;
} {
  return {
    say: (key, values = {}) =>
      TEXTS[language][key].replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole),
    common: speak(language),
  };
}
