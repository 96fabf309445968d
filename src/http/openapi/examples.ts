import { COIN_DEFINITIONS, COINS } from '../../domain/coins.ts';
import { resolveSchema, type JsonSchema, type OpenApiDocument } from './types.ts';

/** Stands where no example is known; a test finds it. */
export const NO_EXAMPLE = 'no example';

type Components = Pick<OpenApiDocument, 'components'>;

/**
 * A value that fits a schema, made of the examples of its fields: the one known for this field of
 * this thing, else the schema's own, else the one known for any field of that name. `trail` names
 * what the schema is part of, outermost first.
 */
export function exampleOf(document: Components, given: JsonSchema, trail: readonly string[]): unknown {
  const { schema, component } = resolveSchema(document, given);
  const inside = component === null ? trail : [...trail, component];
  const own =
    component === null ? [knownInside(trail), schema.examples?.[0], EXAMPLES[trail.at(-1) ?? '']] : [];
  const known = own.find((value) => value !== undefined && admits(schema, value));
  if (known !== undefined) return known;
  if (schema.const !== undefined) return schema.const;
  const [variant] = schema.anyOf ?? schema.oneOf ?? [];
  if (variant !== undefined) return exampleOf(document, variant, inside);
  if (schema.enum !== undefined) return schema.enum[0];
  return byType(document, schema, inside);
}

function byType(document: Components, schema: JsonSchema, trail: readonly string[]): unknown {
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  if (type === 'object') return objectExample(document, schema, trail);
  if (type === 'array') return [exampleOf(document, schema.items ?? {}, trail)];
  if (type === 'boolean') return schema.default ?? true;
  if (type === 'integer' || type === 'number') return schema.default ?? schema.minimum ?? 1;
  if (type === 'null') return null;
  return schema.default ?? FORMATS[schema.format ?? ''] ?? NO_EXAMPLE;
}

function objectExample(document: Components, schema: JsonSchema, trail: readonly string[]): object {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    exampleOf(document, field, [...trail, name]),
  ]);
  const { additionalProperties: each } = schema;
  if (typeof each !== 'object') return Object.fromEntries(fields);
  const names = schema.propertyNames?.enum ?? [];
  const shown = schema.required === undefined ? names.slice(0, 2) : names;
  const entries = shown.map((name) => [name, exampleOf(document, each, [...trail, String(name)])]);
  return Object.fromEntries([...fields, ...entries]);
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  uri: 'https://shop.example/thanks',
  email: 'alice@example.com',
  'idn-hostname': 'shop.example',
};

/** Whether a value is of the schema's type: names mean different things in different places. */
function admits(schema: JsonSchema, value: unknown): boolean {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants.some((variant) => admits(variant, value));
  if (schema.const !== undefined) return value === schema.const;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  return schema.type === undefined || [schema.type].flat().includes(typeOf(value));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

/** The nearest thing around a field decides what its name means: `Customer.id` is not `Price.id`. */
function knownInside(trail: readonly string[]): unknown {
  const name = trail.at(-1);
  if (name === undefined) return undefined;
  for (const around of trail.slice(0, -1).toReversed()) {
    const found = EXAMPLES[`${around.toLowerCase()}.${name}`];
    if (found !== undefined) return found;
  }
  return undefined;
}

const IDS = {
  user: '0f4c2a52-1f6e-4c0e-9d2b-6a3f0b8f9c11',
  merchant: '7b1d9e0c-52a4-4b7e-8f3a-2d5c9a6e1b40',
  customer: 'cus_5LrRyo2k8hQmXv4TzN0aWb7C',
  product: 'prod_1Hn6Vd0sKq3ZtY8uPbE4xM2j',
  price: 'price_9sXcW2fLk7RmQ0vTzA5nBh3D',
  payment: 'pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE',
  paymentLink: 'plink_3Vq8ZtQ1mWc5Rk0vXyLh7NbA',
  send: 'snd_2KfHw9TzLq4Xn7VbR0mCy5Pd',
  link: 'rfl_7NbA2sE9cW5Rm0QpTj4UgDf8',
  log: 'whl_6QmWz1RkXv8TnL3bHc0sYp5A',
  event: 'evt_4VbNx7KqTz2RmLw9Hc5sYp0D',
  endpoint: 'whe_Tz2RmLw9Hc5sYp0D4VbNx7Kq',
} as const;

const TXID = '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b';
const ADDRESS = COIN_DEFINITIONS.BTC.example.address;

/** Balances and addresses by coin. */
function coinExamples(): Record<string, string> {
  return Object.fromEntries(
    COINS.flatMap((coin) => {
      const { address, balance } = COIN_DEFINITIONS[coin].example;
      return [
        [coin, balance],
        [`wallets.${coin}`, address],
        [`addresses.${coin}`, address],
      ];
    }),
  );
}
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

/**
 * Examples by field name, or by `thing.field` with the thing in lower case: a component, an
 * enclosing field, or the resource in the path.
 */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  merchantId: IDS.merchant,
  customerId: IDS.customer,
  productId: IDS.product,
  priceId: IDS.price,
  paymentId: IDS.payment,
  paymentLinkId: IDS.paymentLink,
  sendId: IDS.send,
  linkId: IDS.link,
  logId: IDS.log,
  endpointId: IDS.endpoint,
  eventId: IDS.event,
  orderId: 'order-1001',
  'user.id': IDS.user,
  'merchant.id': IDS.merchant,
  'customer.id': IDS.customer,
  'product.id': IDS.product,
  'price.id': IDS.price,
  'payment.id': IDS.payment,
  'payerpayment.id': IDS.payment,
  'paymentlink.id': IDS.paymentLink,
  'paymentlink.kind': 'link',
  'paymentlink.url': 'https://pay.shop.example/l/7x2k9mqw4pt0c',
  'paymentlink.name': 'Two pounds of beans',
  'paymentlink.description': 'Roasted on Mondays',
  'paymentlink.priceId': null,
  'paymentlink.amount': '24.00',
  'paymentlink.openAmount': null,
  'paymentlink.fields': [{ name: 'email', required: true }],
  'send.id': IDS.send,
  'refundlink.id': IDS.link,
  'wallettransaction.id': IDS.send,
  'webhooklog.id': IDS.log,
  'webhook.id': IDS.log,
  'event.id': IDS.event,
  keyId: 'key_5sYp4VbNx7KqTz2D0RmLw9Hc',
  'restrictedkey.id': 'key_5sYp4VbNx7KqTz2D0RmLw9Hc',
  'restrictedkey.name': 'WooCommerce',
  'restrictedkey.prefix': 'rk_7Kq2D',
  'restrictedkey.lastFour': '9sXc',
  scopes: ['payments:write', 'webhooks:write'],
  'endpoint.id': IDS.endpoint,
  'webhookendpoint.id': IDS.endpoint,
  'endpoint.events': ['payment.completed', 'payment.reversed'],
  'webhookendpoint.events': ['payment.completed', 'payment.reversed'],
  'endpoint.url': 'https://books.example/webhooks/tilld',
  'webhookendpoint.url': 'https://books.example/webhooks/tilld',
  'endpoint.default': false,
  'webhookendpoint.default': false,
  failuresInARow: 0,
  gone: false,
  'apikey.id': 'key_0RmLw9Hc5sYp4VbNx7KqTz2D',

  email: 'alice@example.com',
  password: 'correct horse battery staple',
  code: '492039',
  recoveryCodes: ['k7qf-2mzx-9ptw', 'h3vd-8rjc-5nys'],
  'setup.secret': 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  'setup.uri': 'otpauth://totp/tilld:alice@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=tilld',
  'verify-email.token': 'Zk3vXyLh7NbA2sE9cW5Rm0QpTj4UgDf8',
  'reset-password.token': 'Zk3vXyLh7NbA2sE9cW5Rm0QpTj4UgDf8',
  currentPassword: 'correct horse battery staple',
  newPassword: 'another horse battery staple',
  token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwZjRjMmE1MiJ9.c2lnbmF0dXJl',
  'verification.token': 'tv_Hc5sYp4VbNx7KqTz2D0RmLw9',
  name: 'Coffee beans',
  'merchant.name': 'Alice’s Coffee',
  'domain.name': 'shop.example',
  description: 'One kilogram, freshly roasted',
  'merchant.description': 'Coffee, roasted this week',
  domain: 'shop.example',
  verification: 'tv_Hc5sYp4VbNx7KqTz2D0RmLw9',
  instructions:
    'Publish a TXT record at _tilld-challenge.shop.example with the value token=tv_Hc5sYp4VbNx7KqTz2D0RmLw9',
  'forgot-password.message': 'If an account has this address, a link to set a new password is on its way',
  'reset-password.message': 'The password was changed: sign in with the new one',
  message: 'Sandbox mode enabled: new payments take simulated coins',
  public: 'pk_4fJ8sKq3ZtY0uPbE7xM2jHn6Vd1sXcW9fLk5RmQvTzA',
  secret: 'sk_9sXcW2fLk7RmQ0vTzA5nBh3D8ZtQ1mWc6Rk4vXyLhNb',
  'webhook.secret': 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0kJ2uQ3m9cE=',
  key: 'pk_4fJ8sKq3ZtY0uPbE7xM2jHn6Vd1sXcW9fLk5RmQvTzA',
  prefix: 'pk_4fJ8',
  lastFour: 'vTzA',
  tolerancePercent: '0.5',
  paymentLifetimeMinutes: 60,
  gracePeriodSeconds: 3600,
  metadata: { tableNumber: 7 },
  customFields: { note: 'Gift wrapping' },
  embedOrigins: ['https://shop.example'],
  recurring: true,
  search: 'alice',

  webhookUrl: 'https://shop.example/webhooks/tilld',
  successUrl: 'https://shop.example/thanks',
  returnUrl: 'https://shop.example/cart',
  checkoutUrl: `https://pay.shop.example/checkout/${IDS.payment}`,
  endpoint: 'https://shop.example/webhooks/tilld',

  amount: '49.90',
  currency: 'USD',
  exception: null,
  coin: 'BTC',
  allowedCryptos: ['BTC', 'LTC'],
  rate: '100000',
  rateSources: ['kraken', 'coinbase', 'bitstamp'],
  sources: ['kraken', 'coinbase', 'bitstamp'],
  address: ADDRESS,
  destination: ADDRESS,
  uri: `bitcoin:${ADDRESS}?amount=0.000499`,
  received: '0',
  txid: TXID,
  txHash: TXID,
  index: 0,
  blockHeight: 925_000,
  confirmations: 2,
  requiredConfirmations: 2,
  sandbox: true,
  late: false,
  type: 'payment.completed',
  'timeline.type': 'payment.created',
  'options.amount': '0.000499',
  'btc.amount': '0.000499',
  'ltc.rate': '100',
  'eth.rate': '4000',
  'eth.amount': '0.012475',
  'eth.address': '0x52908400098527886E0F7030069857D2E4169EE7',
  'eth.uri': 'ethereum:0x52908400098527886E0F7030069857D2E4169EE7@11155111?value=12475000000000000',
  'transactions.amount': '0.000499',
  'transactions.status': 'confirmed',
  'wallettransaction.amount': '0.000499',
  'wallettransaction.status': 'confirmed',
  'refund.amount': '0.00025',
  preset: 'all',
  reason: 'Out of stock',
  'refundlink.url': 'https://pay.shop.example/r/Zk3vXyLh7NbA2sE9cW5Rm0QpTj4UgDf8aBc',
  'refundlink.status': 'open',
  'refundlink.amount': '25.00',
  'refundlink.rate': 'received',
  'refundlink.coinAmounts': { BTC: '0.00025' },
  'refundlink.coin': null,
  'refundlink.destination': null,
  'refundlink.sendId': null,
  'refundlink.txHash': null,
  'refundlink.problem': null,
  'refundlink.claimedAt': null,
  'refundlink.approvedAt': null,
  'refundlink.paidAt': null,
  'send.amount': '0.01',
  'send.status': 'broadcast',
  'send.confirmations': 0,
  note: 'Payout of January',
  maxFee: '0.00001',
  'send.cancelling': false,
  'estimate-fee.amount': '0.01',
  'simulate.amount': '0.000499',
  'payment.expiresAt': '2026-01-31T13:00:00.000Z',
  'payerpayment.expiresAt': '2026-01-31T13:00:00.000Z',
  'register.expiresAt': '2026-02-01T12:00:00.000Z',
  'login.expiresAt': '2026-02-01T12:00:00.000Z',
  'change-password.expiresAt': '2026-02-01T12:00:00.000Z',
  fee: '0.00000282',
  total: '0.01000282',
  error: null,
  idempotencyKey: 'payout-2026-01-31',
  ...coinExamples(),

  page: 1,
  limit: 10,
  'pagination.total': 1,
  attempt: 1,
  attempts: 1,
  durationMs: 84,
  sequence: 3,
  seq: 4711,
  'events.after': 0,
  'events.wait': 1,
  nextAfter: 4711,
  truncated: false,
  status: 'completed',
  'webhooklog.status': 200,
  'webhook-logs.status': 200,
  'webhook-logs.state': 'delivered',
  'webhook-logs.event': 'webhook.test',
  'webhooklog.state': 'delivered',
  'webhook.status': 200,
  'response.status': 200,
  'event.status': 'delivered',
  nextAttemptAt: null,
  lastError: null,
  'request.method': 'POST',
  'request.headers': {
    'webhook-id': IDS.event,
    'webhook-timestamp': '1769860800',
    'webhook-signature': SIGNATURE,
  },
  'response.headers': { 'content-type': 'text/plain' },
  'request.body': { id: IDS.event, type: 'payment.completed' },
  'response.body': 'ok',
  'event.data': { payment: { id: IDS.payment, status: 'completed' } },
  'webhook-id': IDS.event,
  'webhook-timestamp': '1769860800',
  'webhook-signature': SIGNATURE,
};
