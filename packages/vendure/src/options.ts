/** The languages in which the plugin writes to shopkeepers. */
export type NoteLanguage = 'en' | 'de' | 'es' | 'fr' | 'pt';

export interface TilldPluginOptions {
  /** The URL of tilld, such as `https://pay.shop.example`. */
  readonly tilldUrl: string;
  /** The URL at which tilld and the owner's browser reach this Vendure server, such as `https://api.shop.example`. */
  readonly serverUrl: string;
  /**
   * The storefront's order confirmation, such as `https://shop.example/thanks/{orderId}`. `{orderId}` is the order's
   * code, `{paymentId}` and `{status}` are those of its payment.
   */
  readonly successUrl: string;
  /** The storefront's cart or checkout, with the same placeholders. */
  readonly returnUrl: string;
  /** Further origins of the URLs that `createTilldPayment` accepts, such as `https://de.shop.example`. */
  readonly storefrontOrigins?: readonly string[];
  /**
   * Addresses at which tilld and this server reach each other in a private network such as that of Docker Compose, if
   * the addresses above are for browsers only.
   */
  readonly internal?: { readonly tilldUrl?: string; readonly serverUrl?: string };
  /** 32 bytes in base64, from the environment: encrypts the API key and the webhook secret in the database. */
  readonly encryptionKey: string;
  /** Places the order (`PaymentAuthorized`) when enough money was seen; by default only once it is final. */
  readonly placeOrderWhenSeen?: boolean;
  /** Lifetime of a payment, 5 to 10,080 minutes; 60 by default. */
  readonly lifetimeMinutes?: number;
  /** Language of the notes on an order; English by default. */
  readonly language?: NoteLanguage;
  /** Deducts the network fee of refunds from their amount; by default the shop pays it in addition. */
  readonly deductRefundFee?: boolean;
  /** Simulated money also pays orders: for tests only. */
  readonly allowSandbox?: boolean;
}

/** Whether the storefront may redirect customers to it: otherwise the shop could be used as an open redirect. */
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

/** Injection token of the plugin's options. */
export const TILLD_OPTIONS = Symbol('TILLD_OPTIONS');

/**
 * @throws {TypeError} for an invalid address or encryption key, so that the start fails instead of the first order
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
