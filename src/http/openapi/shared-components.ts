import { scopeList } from './scopes.ts';

/** Response headers, defined once. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Identifies this request in the log; a valid one sent by the client is kept',
    required: true,
    schema: { type: 'string' },
    example: '6f9d3c1e-6f0b-4c58-9a52-7a0f3f6a9b11',
  },
  'Idempotent-Replayed': {
    description: 'Present in the response to a repeated Idempotency-Key: the request was not executed again',
    schema: { type: 'string', enum: ['true'] },
  },
  'X-Tilld-Ignored-Fields': {
    description:
      'In the sandbox only: fields of the body that this operation does not have, percent-encoded and separated by ' +
      'commas. At most ten; `+3` at the end counts the others',
    schema: { type: 'string' },
    example: 'orderID, customer.emial',
  },
  'Retry-After': {
    description: 'Seconds until the next attempt may succeed',
    schema: { type: 'integer', minimum: 0 },
    example: 42,
  },
} as const;

export const SECURITY_SCHEMES = {
  userToken: bearer('JWT', 'User token from /auth/register or /auth/login, valid for 24 hours'),
  secretKey: bearer('sk_…', 'The secret key of a merchant. Never use it client-side'),
  restrictedKey: bearer(
    'rk_…',
    'A key of a merchant that may do only what its scopes say; one that lacks the scope of an operation is answered ' +
      '403 FORBIDDEN. `x-scope` of each operation lists the scopes it needs, all of them; without it no restricted ' +
      `key may call it. A \`write\` scope includes the \`read\` scope of the same kind.\n\n${scopeList()}`,
  ),
  publicKey: bearer('pk_…', 'The public key of a merchant, safe for client-side code'),
};

function bearer(bearerFormat: string, description: string) {
  return { type: 'http' as const, scheme: 'bearer', bearerFormat, description };
}

/** The description of each tag, in the order of the documentation. */
export const TAGS: Readonly<Record<string, string>> = {
  Payments: 'Ask a customer for money and follow it until it is final.',
  Counters: 'Devices that charge customers in a shop, each with a token that may do nothing else.',
  'Payment links': 'Pages on which any customer can pay a shop, and the keypad of its counter.',
  Subscriptions: 'Recurring prices: an invoice for each period, paid like any other payment.',
  Rates: 'Current prices of the coins.',
  Sandbox: 'Play the payer: simulated coins on a simulated network, found the way real money is.',
  Webhooks: 'Signed notifications: deliveries, responses, and redelivery.',
  Wallet: 'The balance of a merchant, and sending coins.',
  Authentication: 'Users: registration, sign-in and account security.',
  Merchants: 'Shops: each with its domain, its keys, its wallet and its settings.',
  Keys: 'API keys and the webhook signing secret.',
  Connect: 'A shop gets its own restricted key: the owner agrees on a page, the shop exchanges a code.',
  Customers: 'The people who pay. Customers belong to the account; all its merchants share them.',
  Catalog: 'Products and their prices, for payments that name these instead of an amount.',
  Service: 'For the operator of the daemon: health, readiness, metrics and this document.',
};
