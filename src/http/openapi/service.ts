import { COINS } from '../../domain/coins.ts';
import { CHAIN_ALARMS } from '../../domain/chain.ts';
import { scopeList } from './scopes.ts';
import type { JsonSchema, MediaType, Operation, PathItem } from './types.ts';

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

const READY_CHAINS = {
  BTC: {
    coin: 'BTC',
    mode: 'live',
    state: 'following',
    height: 925_000,
    lag: 0,
    lastError: null,
    errorKind: null,
    lastSeenAt: 1_795_255_200_000,
    nodeVersion: '/Satoshi:29.2.0/',
    nodeWarnings: null,
    unexplainedAccounts: null,
    unread: { count: 0, transactions: [] },
    warnings: [],
    alarms: [],
  },
};

const READY_BACKUP = { lastAt: '2026-11-23T03:30:07.000Z', ageSeconds: 30_600 };

const textOrNull = { type: ['string', 'null'] as ('string' | 'null')[] };
const numberOrNull = { type: ['integer', 'null'] as ('integer' | 'null')[] };

const chainHealth: JsonSchema = {
  type: 'object',
  properties: {
    coin: { type: 'string', enum: COINS },
    mode: { type: 'string', enum: ['live', 'sandbox'] },
    state: {
      type: 'string',
      enum: ['starting', 'following', 'catching_up', 'behind', 'wrong_chain', 'error'],
      description: 'Only `following` is ready',
    },
    height: { ...numberOrNull, description: 'Block (Solana: slot) read so far; null before first contact' },
    lag: { ...numberOrNull, description: 'Blocks the node has that are not read yet; null when unknown' },
    lastError: { ...textOrNull, description: 'Why the chain is not followed; null while it is' },
    errorKind: {
      ...textOrNull,
      description:
        'Kind of the failure, such as `unavailable`; null for none, and for one of the daemon itself',
    },
    lastSeenAt: {
      ...numberOrNull,
      description: 'Time up to which the chain was read completely, milliseconds since 1970',
    },
    nodeVersion: textOrNull,
    nodeWarnings: textOrNull,
    unexplainedAccounts: {
      ...numberOrNull,
      description:
        'Accounts whose balance their history does not explain yet; null where balances are not compared',
    },
    unread: {
      type: 'object',
      description: 'Transactions that could not be read and are retried; the money in them is not credited',
      properties: {
        count: { type: 'integer' },
        transactions: {
          type: 'array',
          description: 'The oldest, 20 at most; times in milliseconds since 1970',
          items: {
            type: 'object',
            properties: {
              txid: { type: 'string' },
              height: {
                ...numberOrNull,
                description: 'Height of its block (Solana: slot); null while it is unconfirmed',
              },
              account: {
                ...textOrNull,
                description: 'Address whose history lists it; null where blocks are read as a whole',
              },
              reason: { type: 'string' },
              attempts: { type: 'integer' },
              firstSeenAt: { type: 'integer' },
              retryAt: { type: 'integer' },
            },
            required: ['txid', 'height', 'account', 'reason', 'attempts', 'firstSeenAt', 'retryAt'],
          },
        },
      },
      required: ['count', 'transactions'],
    },
    warnings: {
      type: 'array',
      items: { type: 'string' },
      description: 'For people; they do not make it unready',
    },
    alarms: {
      type: 'array',
      items: { type: 'string', enum: [...CHAIN_ALARMS] },
      description: 'Signs of an inconsistency between node, chain and daemon; also `tilld_chain_alarm`',
    },
  },
  required: ['coin', 'mode', 'state', 'height', 'lag', 'lastError', 'warnings', 'alarms'],
};

const readiness: JsonSchema = {
  type: 'object',
  properties: {
    ready: { type: 'boolean' },
    database: { type: 'string', description: '`ok`, or what is wrong with it' },
    chains: {
      type: 'object',
      description: 'Each chain by its coin, those of the sandbox as `BTC-sandbox` and so on',
      additionalProperties: chainHealth,
    },
    warnings: {
      type: 'array',
      items: { type: 'string' },
      description: 'What concerns no chain: price sources that are dead, an older database. For people',
    },
    backup: {
      type: 'object',
      description: 'The newest backup, scheduled or by hand',
      properties: {
        lastAt: { ...textOrNull, description: 'When it was made; null when none ever was' },
        ageSeconds: numberOrNull,
      },
    },
    replica: {
      type: ['object', 'null'],
      description: 'The replica for a second machine; null without one',
      properties: {
        epoch: { type: 'integer', description: 'Counts up with each takeover by another machine' },
        lagSeconds: { ...numberOrNull, description: 'Age of its newest data; null before it was seen' },
        lastError: { ...textOrNull, description: 'Why it could not be read; null when it could' },
      },
    },
    update: {
      type: ['object', 'null'],
      description: 'A newer release that the update feed names; null without one, or without a feed',
      properties: {
        version: { type: 'string' },
        publishedAt: { type: 'string', format: 'date-time' },
        notesUrl: { type: 'string' },
        security: { type: 'boolean', description: 'Whether it fixes a weakness' },
      },
    },
  },
  required: ['ready'],
  description: 'With an address of the operator (`TILLD_ADMIN_LISTEN`), the public one answers `ready` only',
};

/** The endpoints outside of the API. */
export const SERVICE_PATHS: Readonly<Record<string, PathItem>> = {
  '/healthz': service('Is the process up', 'Answers as long as the process serves requests.', {
    '200': [
      'Up',
      'application/json',
      success(
        {
          type: 'object',
          properties: {
            status: { const: 'ok' },
            version: { type: 'string', description: 'Version of the daemon' },
          },
          required: ['status', 'version'],
        },
        { status: 'ok', version: '0.1.0' },
      ),
    ],
  }),
  '/readyz': service(
    'Can it do its work',
    'Ready when the database works and every configured chain is followed to its tip. Where the operator has an address ' +
      'of their own (`TILLD_ADMIN_LISTEN`), the details are there, and here is `ready` only.',
    {
      '200': ['Ready', 'application/json', success(readiness, READY_EXAMPLE())],
      '503': [
        '`NODE_UNAVAILABLE`: not ready. This error has `data` as well: it shows which part is not ready.',
        'application/json',
        {
          schema: {
            type: 'object',
            properties: {
              success: { type: 'boolean', const: false },
              error: { $ref: '#/components/schemas/Error' },
              data: readiness,
            },
            required: ['success', 'error', 'data'],
          },
          example: {
            success: false,
            error: { status: 503, code: 'NODE_UNAVAILABLE', message: 'Not ready' },
            data: { ...READY_EXAMPLE(), ready: false },
          },
        },
      ],
    },
  ),
  '/metrics': service(
    'Metrics',
    'In the text format of Prometheus. On the address of the operator, where there is one (`TILLD_ADMIN_LISTEN`).',
    {
      '200': [
        'Metrics',
        'text/plain',
        {
          schema: { type: 'string' },
          example: '# HELP tilld_http_request_duration_seconds Time to answer HTTP requests\n',
        },
      ],
    },
  ),
  '/openapi.json': service('This document', 'The whole API as OpenAPI 3.1.', {
    '200': ['OpenAPI 3.1', 'application/json', { schema: { type: 'object' }, example: { openapi: '3.1.0' } }],
  }),
  '/docs': service(
    'Reference to read',
    'This document for people, as one page that also works without scripts.',
    {
      '200': ['Page', 'text/html', { schema: { type: 'string' }, example: '<!doctype html>' }],
    },
  ),
};

function READY_EXAMPLE() {
  return {
    ready: true,
    database: 'ok',
    chains: READY_CHAINS,
    warnings: [],
    backup: READY_BACKUP,
    replica: null,
    update: null,
  };
}

function success(data: JsonSchema, example: unknown): MediaType {
  return {
    schema: {
      type: 'object',
      properties: { success: { type: 'boolean', const: true }, error: { type: 'null' }, data },
      required: ['success', 'error', 'data'],
    },
    example: { success: true, error: null, data: example },
  };
}

function service(
  summary: string,
  description: string,
  answers: Readonly<Record<string, readonly [description: string, type: string, content: MediaType]>>,
): PathItem {
  const responses = Object.entries(answers).map(([status, [text, type, content]]) => [
    status,
    {
      description: text,
      headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
      content: { [type]: content },
    },
  ]);
  const operation: Operation = {
    operationId: `service${summary.replace(/\b\w/g, (letter) => letter.toUpperCase()).replaceAll(' ', '')}`,
    summary,
    description,
    tags: ['Service'],
    security: [],
    responses: Object.fromEntries(responses),
  };
  return { get: operation };
}
