import { locale } from '../i18n/language.ts';
import { t } from '../i18n/t.ts';

type Say = (found: readonly string[]) => string;

const fill = (): string => t('Please fill this in.');
const example = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(12.5);
const amount = (): string => t('Please enter an amount such as {example}.', { example });
const whole = (): string => t('Please enter a whole number.');
const webAddress = (): string => t('Please enter an address that begins with https://.');
const atLeast = (limit = ''): string => t('{limit} at least.', { limit });
const atMost = (limit = ''): string => t('{limit} at most.', { limit });
const charactersAtLeast = (count = ''): string => t('Please use at least {count} characters.', { count });
const mistyped = (): string => t('This address is mistyped: please copy it once more.');
const takenText = (): string => t('This is taken already.');

/** The API's messages about fields, and their wording for merchants. */
const KNOWN: readonly (readonly [said: RegExp, say: Say])[] = [
  [/^(is required(, or .+)?|must not be empty)$/, fill],
  [/^must have at least (\d+) characters$/, ([count]) => charactersAtLeast(count)],
  [
    /^must have at most (\d+) characters$/,
    ([count = '']) => t('Please use at most {count} characters.', { count }),
  ],
  [
    /^must have at most (\d+) entries$/,
    ([count = '']) => t('Please enter at most {count} of them.', { count }),
  ],
  [
    /^must not contain (line breaks or invisible|null) characters$/,
    () => t('Please leave line breaks and invisible characters out.'),
  ],
  [/ISO 4217/, () => t('This is not a currency. Enter its three letters, such as EUR.')],
  [/^must be a decimal (string|number)/, amount],
  [
    /^must have at most (\d+) (?:decimals|decimal places)/,
    ([count = '']) => t('Please use at most {count} digits after the point.', { count }),
  ],
  [/^must be greater than zero$/, () => t('Please enter more than zero.')],
  [/^must not be negative$/, () => t('Please enter more than zero.')],
  [/^must not be below min$/, () => t('This must not be below the minimum.')],
  [/^must be at least (\S+)$/, ([limit]) => atLeast(limit)],
  [/^must be at most (\S+)$/, ([limit]) => atMost(limit)],
  [/^must be a whole number$/, whole],
  [/^must be a (number|string)$/, () => t('Please check what you typed.')],
  [
    /^must be a percentage from 0 to 5/,
    () => t('Please enter a number from 0 to 5, with two digits after the point at most.'),
  ],
  [/^must be a host name/, () => t('Please enter the name of your site, such as shop.example.com.')],
  [/^must be an origin/, () => t('Please enter sites such as https://shop.example, without a path.')],
  [
    /^must be an e-mail address or an https URL$/,
    () => t('Please enter an e-mail address or a web address.'),
  ],
  [/^must be an e-mail address$/, () => email()],
  [/^must be (https$|an http or https URL$)/, webAddress],
  [
    /^must not carry a user name or password$/,
    () => t('Please leave user name and password out of the address.'),
  ],
  [/^must be an IANA time zone/, () => t('Please choose a time zone from the list, such as Europe/Berlin.')],
  [/^must be a day such as/, () => t('Please choose a day.')],
  [/^must be after from$/, () => t('The last day must not be before the first one.')],
  [/^must be in the future$/, () => t('Please choose a time to come.')],
  [/^must be an ISO 3166-1/, () => t('Enter the two letters of the country, such as DE.')],
  [/must not end in a digit$/, () => t('Use letters, digits or / . _ - and end with a letter or sign.')],
  [/^must be a colour/, () => t('Please choose a colour.')],
  [/^must be an image|^must be a PNG/, () => t('Please choose a PNG, JPEG or WebP image of at most 64 KiB.')],
  [/^must be one of (.+)$/, ([list = '']) => t('Possible here: {list}.', { list })],
  [/^(already exists|is already registered)$/, takenText],
  [/^is one of the most common passwords/, () => t('This password is too common. Choose another.')],
  [
    /^is not an? (\w+(?: testnet)?) address/,
    ([name = '']) => t('This is not a valid {name} address.', { name }),
  ],
  [/checksum/, mistyped],
];

const email = (): string => t('Please enter an e-mail address such as name@example.com.');

export interface FieldWords {
  readonly text: string;
  /** A message without a translation is shown in English, as the API returned it. */
  readonly isRaw: boolean;
}

/** The API's message about a field, in plain words of the chosen language if there are any. */
export function fieldWords(message: string): FieldWords {
  for (const [said, say] of KNOWN) {
    const found = said.exec(message);
    if (found !== null) return { text: say(found.slice(1)), isRaw: false };
  }
  return { text: message.charAt(0).toUpperCase() + message.slice(1), isRaw: true };
}

/** The form's own validation messages, because the browser's would be in the browser's language. */
export const OWN_WORDS = {
  fill,
  choose: (): string => t('Please choose one.'),
  charactersAtLeast,
  email,
  webAddress,
  amount,
  number: (): string => t('Please enter a number.'),
  whole,
  atLeast,
  atMost,
  check: (): string => t('Please check what you typed.'),
} as const;
