/** What the shop sets in `plugins` of medusa-config. */
export interface TilldOptions {
  /** Where the daemon is, such as `https://pay.shop.example`. */
  readonly tilldUrl: string;
  /** Where tilld and the owner's browser reach this Medusa server, such as `https://api.shop.example`. */
  readonly backendUrl: string;
  /** The name of the key, as the owner reads it. */
  readonly shopName: string;
  /** How long a payment waits for money; that of the shop at tilld unless given. */
  readonly lifetimeMinutes?: number;
  /** `seen` (default) places the order with the first sight of enough money, `paid` only once it is final. */
  readonly placeOrders: 'seen' | 'paid';
  /** Simulated money also pays orders. For trials only, because every visitor of tilld's page can make it. */
  readonly allowSandbox: boolean;
  /**
   * The storefront's order confirmation, such as `https://shop.example/order/{orderId}/confirmed`, unless the session says.
   * `{cartId}`, `{paymentId}` and `{status}` are filled in, too.
   */
  readonly successUrl: string;
  /** The storefront's cart or checkout, unless the session says. */
  readonly returnUrl: string;
  /** Takes the network fee of refunds from their amount; the shop pays it on top otherwise. */
  readonly deductRefundFee: boolean;
  /** What secrets are sealed with in the database; the cookie secret of Medusa unless given. */
  readonly encryptionSecret?: string;
}

/** @throws {Error} that names what is wrong */
export function readOptions(given: Record<string, unknown> | undefined): TilldOptions {
  const options = given ?? {};
  const placeOrders = options['placeOrders'] ?? 'seen';
  if (placeOrders !== 'seen' && placeOrders !== 'paid') {
    throw new Error("@tilld/medusa-payment: placeOrders is 'seen' or 'paid'");
  }
  const lifetimeMinutes = options['lifetimeMinutes'];
  if (lifetimeMinutes !== undefined && !Number.isInteger(lifetimeMinutes)) {
    throw new Error('@tilld/medusa-payment: lifetimeMinutes is a whole number');
  }
  return {
    tilldUrl: address(options, 'tilldUrl'),
    backendUrl: address(options, 'backendUrl'),
    shopName: text(options, 'shopName') ?? 'Medusa',
    placeOrders,
    allowSandbox: flag(options, 'allowSandbox'),
    successUrl: address(options, 'successUrl'),
    returnUrl: address(options, 'returnUrl'),
    deductRefundFee: flag(options, 'deductRefundFee'),
    ...optional('lifetimeMinutes', lifetimeMinutes as number | undefined),
    ...optional('encryptionSecret', text(options, 'encryptionSecret')),
  };
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}

function flag(options: Record<string, unknown>, name: string): boolean {
  const value = options[name] ?? false;
  if (typeof value !== 'boolean') throw new Error(`@tilld/medusa-payment: ${name} is true or false`);
  return value;
}

function text(options: Record<string, unknown>, name: string): string | undefined {
  const value = options[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new Error(`@tilld/medusa-payment: ${name} is a text`);
  return value;
}

function address(options: Record<string, unknown>, name: string): string {
  const value = text(options, name);
  if (value === undefined || !/^https?:\/\/[^/?#]+/.test(value)) {
    throw new Error(`@tilld/medusa-payment: ${name} is missing or no http(s) address`);
  }
  return value.replace(/\/+$/, '');
}
