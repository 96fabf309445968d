/** The languages in which the plugin writes to shopkeepers. */
export type NoteLanguage = 'en' | 'de' | 'es' | 'fr' | 'pt';

export interface TilldPluginOptions {
  /** Where tilld is, such as `https://pay.shop.example`. */
  readonly tilldUrl: string;
  /** Where tilld and the owner's browser reach this Vendure server, such as `https://api.shop.example`. */
  readonly serverUrl: string;
  /**
   * Where tilld and this server reach one another inside a private network, such as that of Docker Compose, when the
   * addresses above are for browsers only.
   */
  readonly internal?: { readonly tilldUrl?: string; readonly serverUrl?: string };
  /** 32 bytes in base64, from the environment: seals the key and the webhook secret in the database. */
  readonly encryptionKey: string;
  /** Places the order (`PaymentAuthorized`) when money that covers it was seen; otherwise once it is final. */
  readonly placeOrderWhenSeen?: boolean;
  /** How long a customer has to pay, 5 to 10,080 minutes; 60 by default. */
  readonly lifetimeMinutes?: number;
  /** Of the notes beside an order; English by default. */
  readonly language?: NoteLanguage;
  /** Also play money pays an order: for trying things out only. */
  readonly allowSandbox?: boolean;
}

/** Where the plugin finds its options in Vendure's container. */
export const TILLD_OPTIONS = Symbol('TILLD_OPTIONS');

/**
 * @throws {TypeError} for an address or an encryption key that cannot be right: better now than at the first order
 */
export function checkOptions(options: TilldPluginOptions): void {
  const { tilldUrl, serverUrl, internal = {} } = options;
  const addresses = { tilldUrl, serverUrl, ...prefixed('internal.', internal) };
  for (const [name, address] of Object.entries(addresses)) {
    if (!/^https?:\/\/[^/?#]/.test(address)) throw new TypeError(`tilld: ${name} must be an http address`);
  }
  if (Buffer.from(options.encryptionKey ?? '', 'base64').length !== 32) {
    throw new TypeError(
      'tilld: encryptionKey must be 32 bytes in base64, such as `openssl rand -base64 32` makes',
    );
  }
}

function prefixed(prefix: string, fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [prefix + name, value]));
}
