/** The languages in which the plugin writes to shopkeepers. */
export type NoteLanguage = 'en' | 'de' | 'es' | 'fr' | 'pt';

export interface TilldPluginOptions {
  /** Where tilld is, such as `https://pay.shop.example`. */
  readonly tilldUrl: string;
  /** Where tilld and the owner's browser reach this Vendure server, such as `https://api.shop.example`. */
  readonly serverUrl: string;
  /**
   * The storefront's order confirmation, such as `https://shop.example/thanks/{orderId}`. `{orderId}` is the order's
   * code, `{paymentId}` and `{status}` are those of its payment.
   */
  readonly successUrl: string;
  /** The storefront's cart or checkout, with the same placeholders. */
  readonly returnUrl: string;
  /** Further origins that `createTilldPayment` may name addresses of, such as `https://de.shop.example`. */
  readonly storefrontOrigins?: readonly string[];
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
  /** Takes the network fee of refunds from their amount; the shop pays it on top otherwise. */
  readonly deductRefundFee?: boolean;
  /** Also play money pays an order: for trying things out only. */
  readonly allowSandbox?: boolean;
}

/** Whether the storefront may lead its customers there: an address of a stranger would make the shop lead to it. */
export function isOfStorefront(options: TilldPluginOptions, url: string): boolean {
  const origins = [options.successUrl, options.returnUrl].map(originOf);
  const origin = originOf(url);
  return origin !== null && [...origins, ...(options.storefrontOrigins ?? [])].includes(origin);
}

function originOf(url: string): string | null {
  try {
    const { origin, protocol } = new URL(url);
    return /^https?:$/.test(protocol) ? origin : null;
  } catch {
    return null;
  }
}

/** Where the plugin finds its options in Vendure's container. */
export const TILLD_OPTIONS = Symbol('TILLD_OPTIONS');

/**
 * @throws {TypeError} for an address or an encryption key that cannot be right: better now than at the first order
 */
export function checkOptions(options: TilldPluginOptions): void {
  const { tilldUrl, serverUrl, successUrl, returnUrl, internal = {} } = options;
  const addresses = { tilldUrl, serverUrl, successUrl, returnUrl, ...prefixed('internal.', internal) };
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
