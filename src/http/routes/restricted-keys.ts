import { z } from 'zod';
import type { Actor } from '../../domain/actor.ts';
import type { Clock } from '../../domain/ports.ts';
import { scopesFromText, SCOPES } from '../../domain/scopes.ts';
import { toCreator } from '../../store/creators.ts';
import { parseKeyLimits } from '../../store/sends/wallet-limits.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { RestrictedKeyRow } from '../../store/schema/merchants.ts';
import {
  type CreatedRestrictedKey,
  createRestrictedKey,
  deleteRestrictedKey,
} from '../../usecases/access/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { secret } from '../schemas/security-marks.ts';
import { timeQuery } from '../schemas/query.ts';
import { limitAmount } from '../schemas/amounts.ts';
import { currency } from '../schemas/codes.ts';
import { viewAmount } from '../../usecases/wallet/index.ts';
import { identifier, text } from '../schemas/text.ts';
import { createdBy, creatorsFor } from './scoped-views.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

export interface RestrictedKeyRoutesDeps {
  readonly db: Db;
  readonly clock: Clock;
}

const tags = ['Keys'];

/** Restricted keys: a subset of a secret key's permissions. */
export function restrictedKeyRoutes(deps: RestrictedKeyRoutesDeps): Route[] {
  return [createRoute(deps), deleteRoute(deps)];
}

const amount = z
  .object({ amount: z.string().meta({ example: '100' }), currency: z.string().meta({ example: 'EUR' }) })
  .nullable()
  .meta({ example: { amount: '100', currency: 'EUR' } });

const fields = {
  id: z.string().meta({ example: EXAMPLES.keyId }),
  name: z.string().meta({ example: 'WooCommerce' }),
  scopes: z.array(z.enum(SCOPES)).meta({ example: ['payments:write', 'webhooks:write'] }),
  prefix: z.string().meta({ example: 'rk_7Kq2D' }),
  lastFour: z.string().meta({ example: '9sXc' }),
  createdAt: timestamp(),
  lastUsedAt: timestamp().nullable(),
  expiresAt: timestamp().nullable().meta({ description: 'Time from which it is rejected; null: never' }),
  limits: z.object({ perSend: amount, perDay: amount }).nullable().meta({
    description: 'Limits of what it sends without an approval; null: those of the shop alone',
    example: null,
  }),
  createdBy,
};

/** A restricted key in a list. */
export const restrictedKey = z.object(fields).meta({ id: 'RestrictedKey' });

const EXAMPLE = {
  id: 'key_5sYp4VbNx7KqTz2D0RmLw9Hc',
  name: 'WooCommerce',
  scopes: ['payments:write' as const, 'webhooks:write' as const],
  prefix: 'rk_7Kq2D',
  lastFour: '9sXc',
  createdAt: '2026-01-31T12:00:00.000Z',
  lastUsedAt: null,
  expiresAt: null,
  limits: null,
  createdBy: { kind: 'user' as const, id: '3f6c1a2e-9b1d-4c57-8a40-6f2d7e5b9c10', name: 'ada@example.com' },
};

/** Only the owner may create and list keys. */
const ownerActor = (userId: string): Actor => ({ kind: 'user', id: userId, role: 'owner' });

async function createdAnswer(db: Db, { row, value }: CreatedRestrictedKey, userId: string) {
  const [key] = await restrictedKeysFor(db, userId, [row]);
  if (key === undefined) throw new Error('the new key was not stored');
  return { key: { ...key, value } };
}

function createRoute(deps: RestrictedKeyRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/keys/create',
    summary: 'Create a restricted key',
    description:
      'A key for one merchant that may do only what its scopes allow, wherever a secret key is accepted. `value` ' +
      'is shown only once. A `write` scope includes the `read` scope of the same kind. A shop needs no ' +
      '`wallet:send`: anyone with such a key can empty the wallet.',
    tags,
    auth: 'jwt',
    scope: 'never',
    body: z.object({
      merchantId: identifier().meta({ example: EXAMPLES.merchantId }),
      name: text().meta({ example: 'WooCommerce' }),
      scopes: z
        .array(z.enum(SCOPES))
        .min(1)
        .max(2 * SCOPES.length)
        .meta({ example: ['payments:write', 'webhooks:write'] }),
      expiresAt: timeQuery('until').nullable().optional(),
      limits: z
        .object({
          currency: currency().optional(),
          perSend: limitAmount().nullable().optional(),
          perDay: limitAmount().nullable().optional(),
        })
        .optional()
        .meta({
          description:
            "What it sends above needs an approval; those of the shop apply too. In the shop's currency by default",
          examples: [{ currency: 'EUR', perSend: '100' }],
        }),
    }),
    example: {
      body: {
        merchantId: '7b1d9e0c-52a4-4b7e-8f3a-2d5c9a6e1b40',
        name: EXAMPLE.name,
        scopes: EXAMPLE.scopes,
      },
      data: { key: { ...EXAMPLE, value: 'rk_7Kq2D0RmLw9Hc5sYp4VbNxTz8ZtQ1mWc6Rk3vXy9sXc' } },
    },
    data: z.object({
      key: z.object({
        ...fields,
        value: secret(z.string()).meta({ example: 'rk_7Kq2D0RmLw9Hc5sYp4VbNxTz8ZtQ1mWc6Rk3vXy9sXc' }),
      }),
    }),
    status: 201,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN', 'INVALID_STATE'],
    handler: async ({ auth, body, storeAnswer }) => {
      const { expiresAt = null, ...rest } = body;
      const input = { ...rest, expiresAt, userId: auth.userId };
      const made = await createRestrictedKey(deps, input, async (tx, key) =>
        storeAnswer(tx, await createdAnswer(tx, key, auth.userId)),
      );
      return createdAnswer(deps.db, made, auth.userId);
    },
  });
}

function deleteRoute(deps: RestrictedKeyRoutesDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/merchant/keys/delete',
    changesAccess: true,
    summary: 'Delete a restricted key',
    description:
      'The key is rejected from now on. The public and the secret key are replaced by regenerating.',
    tags,
    auth: 'jwt',
    scope: 'never',
    body: z.object({
      merchantId: identifier().meta({ example: EXAMPLES.merchantId }),
      keyId: identifier().meta({ example: EXAMPLES.keyId }),
    }),
    data: z.object({ deleted: z.boolean(), keyId: z.string().meta({ example: EXAMPLES.keyId }) }),
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN', 'KEY_NOT_FOUND'],
    handler: async ({ auth, body }) => {
      await deleteRestrictedKey(deps, { ...body, userId: auth.userId });
      return { deleted: true, keyId: body.keyId };
    },
  });
}

function viewKeyLimits({ limitsJson }: RestrictedKeyRow) {
  if (limitsJson === null) return null;
  const { perSend, perDay } = parseKeyLimits(limitsJson);
  return { perSend: viewAmount(perSend), perDay: viewAmount(perDay) };
}

/** Restricted keys in responses to their owner: never with their values. */
export async function restrictedKeysFor(db: Db, userId: string, rows: readonly RestrictedKeyRow[]) {
  const creatorView = await creatorsFor(db, ownerActor(userId), rows.map(toCreator));
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    scopes: scopesFromText(row.scopes),
    prefix: row.prefix,
    lastFour: row.lastFour,
    createdAt: isoTime(row.createdAt),
    lastUsedAt: row.lastUsedAt === null ? null : isoTime(row.lastUsedAt),
    expiresAt: row.expiresAt === null ? null : isoTime(row.expiresAt),
    limits: viewKeyLimits(row),
    createdBy: creatorView(toCreator(row)),
  }));
}
