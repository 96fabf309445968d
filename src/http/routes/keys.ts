import { z } from 'zod';
import type { SecretBox } from '../../domain/keys.ts';
import type { Clock } from '../../domain/ports.ts';
import { listValidKeys } from '../../store/merchants/api-keys.ts';
import { listRestrictedKeys } from '../../store/merchants/restricted-keys.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { ApiKeyRow } from '../../store/schema/merchants.ts';
import { confirmKeys } from '../../usecases/accounts/index.ts';
import { findOwnMerchant } from '../../usecases/access/index.ts';
import { type RegeneratedKeys, regenerateKeys, rotateWebhookSecret } from '../../usecases/shops/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { secret } from '../schemas/security-marks.ts';
import { identifier } from '../schemas/text.ts';
import { restrictedKey, restrictedKeysFor } from './restricted-keys.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

export interface KeyRoutesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
}

const GRACE_MAX_S = 604_800;
const tags = ['Keys'];

/** API keys and the webhook signing secret. */
export function keyRoutes(deps: KeyRoutesDeps): Route[] {
  return [regenerateRoute(deps), confirmRoute(deps), listRoute(deps), secretRoute(deps), rotateRoute(deps)];
}

const regeneratedAnswer = ({ gracePeriodEndsAt: endsAt, ...keys }: RegeneratedKeys) => ({
  auth: keys,
  gracePeriodEndsAt: endsAt === null ? null : isoTime(endsAt),
});

function regenerateRoute(deps: KeyRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/keys/regenerate',
    summary: 'Regenerate the API keys',
    description:
      'Returns a new public and secret key. The old ones keep working for the grace period; without one every ' +
      'older key ends at once.',
    tags,
    auth: 'jwt',
    scope: 'never',
    body: z.object({
      merchantId: identifier().meta({ example: EXAMPLES.merchantId }),
      gracePeriodSeconds: z.int().min(0).max(GRACE_MAX_S).default(0).meta({ example: 3600 }),
    }),
    data: z.object({
      auth: z.object({
        public: z.string().meta({ example: EXAMPLES.publicKey }),
        secret: secret(z.string()).meta({ example: EXAMPLES.secretKey }),
      }),
      gracePeriodEndsAt: timestamp().nullable(),
    }),
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN'],
    handler: async ({ auth, body, storeAnswer }) => {
      const input = { userId: auth.userId, ...body };
      return regeneratedAnswer(
        await regenerateKeys(deps, input, (tx, made) => storeAnswer(tx, regeneratedAnswer(made))),
      );
    },
  });
}

function confirmRoute(deps: KeyRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/keys/confirm',
    changesAccess: true,
    summary: 'Confirm keys and members after a restore',
    description:
      'A restore that does not know which of them were revoked suspends secret keys, keys with `wallet:send` and ' +
      'members. Delete those that must stay revoked, then confirm the rest.',
    tags,
    auth: 'jwt',
    scope: 'never',
    body: z.object({ merchantId: identifier().meta({ example: EXAMPLES.merchantId }) }),
    data: z.object({ keysSuspended: z.literal(false) }),
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN'],
    handler: async ({ auth, body }) => {
      await confirmKeys(deps, { userId: auth.userId, merchantId: body.merchantId });
      return { keysSuspended: false as const };
    },
  });
}

const apiKey = z
  .object({
    id: z.string().meta({ example: 'key_0RmLw9Hc5sYp4VbNx7KqTz2D' }),
    kind: z.enum(['public', 'secret']),
    key: z
      .string()
      .nullable()
      .meta({ description: 'Null for a secret key, which is shown once only', example: EXAMPLES.publicKey }),
    prefix: z.string().meta({ example: 'pk_4fJ8' }),
    lastFour: z.string().meta({ example: 'vTzA' }),
    createdAt: timestamp(),
    expiresAt: timestamp().nullable().meta({ description: 'End of its grace period, once replaced' }),
    lastUsedAt: timestamp().nullable(),
  })
  .meta({ id: 'ApiKey' });

function listRoute(deps: KeyRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/keys',
    summary: 'List the API keys',
    description:
      'The public and secret keys that work now, and the restricted keys, expired ones too, newest first. Of a secret ' +
      'or restricted key only its start and last four characters are known.',
    tags,
    auth: 'jwt',
    scope: 'never',
    query: z.object({ merchantId: identifier().meta({ example: EXAMPLES.merchantId }) }),
    data: z.object({
      keys: z.array(apiKey),
      restricted: z.array(restrictedKey).meta({ description: 'Restricted keys until they are deleted' }),
    }),
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN'],
    handler: async ({ auth, query }) => {
      const merchant = await findOwnMerchant(deps.db, auth.userId, query.merchantId);
      const rows = await listValidKeys(deps.db, merchant.id, deps.clock.now());
      const restricted = await listRestrictedKeys(deps.db, merchant.id);
      return { keys: rows.map(toKey), restricted: await restrictedKeysFor(deps.db, auth.userId, restricted) };
    },
  });
}

function toKey(row: ApiKeyRow) {
  return {
    id: row.id,
    kind: row.kind,
    key: row.publicValue,
    prefix: row.prefix,
    lastFour: row.lastFour,
    createdAt: isoTime(row.createdAt),
    expiresAt: row.expiresAt === null ? null : isoTime(row.expiresAt),
    lastUsedAt: row.lastUsedAt === null ? null : isoTime(row.lastUsedAt),
  };
}

function secretRoute(deps: KeyRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/webhook/secret',
    summary: 'The webhook signing secret',
    description: 'The secret that signs the deliveries (Standard Webhooks).',
    tags,
    auth: 'merchant',
    scope: 'webhooks:write',
    data: z.object({ secret: secret(z.string()).meta({ example: EXAMPLES.webhookSecret }) }),
    status: 200,
    errors: [],
    handler: async ({ auth }) => ({ secret: deps.secretBox.open(auth.merchant.webhookSecretSealed) }),
  });
}

function rotateRoute(deps: KeyRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/webhook/rotate-secret',
    summary: 'Rotate the webhook signing secret',
    description:
      'Returns the new secret. For 24 hours deliveries carry two signatures, by the old and the new secret.',
    tags,
    auth: 'merchant',
    scope: 'webhooks:write',
    data: z.object({ secret: secret(z.string()).meta({ example: EXAMPLES.webhookSecret }) }),
    status: 200,
    errors: [],
    handler: async ({ auth, storeAnswer }) => ({
      secret: await rotateWebhookSecret(deps, auth.merchantId, (tx, made) =>
        storeAnswer(tx, { secret: made }),
      ),
    }),
  });
}
