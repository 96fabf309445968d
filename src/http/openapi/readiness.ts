import { COINS } from '../../domain/coins.ts';
import { CHAIN_ALARMS } from '../../domain/chain.ts';
import type { JsonSchema } from './types.ts';

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

/** The body of /readyz. */
export const READINESS: JsonSchema = {
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

export function readinessExample() {
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
