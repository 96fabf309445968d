import { z } from 'zod';
import type { Actor } from '../../domain/actor.ts';
import { EVENT_TYPES } from '../../domain/events.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { endpointHealth, type StoredEndpoint } from '../../store/webhooks/webhook-endpoints.ts';
import { rotateWebhookSecret } from '../../usecases/shops/index.ts';
import {
  createEndpoint,
  editEndpoint,
  type EndpointView,
  findOwnEndpoint,
  listEndpoints,
  type MadeEndpoint,
  removeEndpoint,
  rotateEndpointSecret,
  viewEndpoint,
  type WebhookEndpointDeps,
} from '../../usecases/webhooks/index.ts';
import type { StoreResult } from '../../usecases/idempotent-result.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { timestamp } from '../schemas/answers.ts';
import { eventType } from '../schemas/event-type.ts';
import { directs, secret } from '../schemas/security-marks.ts';
import { httpUrl, identifier } from '../schemas/text.ts';
import { createdBy, creatorsFor } from './scoped-views.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const tags = ['Webhooks'];

/** Endpoints that receive the events of a merchant, in addition to its webhookUrl. */
export function webhookEndpointRoutes(deps: WebhookEndpointDeps): Route[] {
  return [
    createRoute(deps),
    editRoute(deps),
    deleteRoute(deps),
    listRoute(deps),
    secretRoute(deps),
    rotateRoute(deps),
  ];
}

const endpointFields = {
  id: z.string().meta({ example: EXAMPLES.endpointId }),
  url: z.string().meta({ example: EXAMPLES.otherWebhookUrl }),
  default: z.boolean().meta({ description: 'Whether it is the webhookUrl of the merchant', example: false }),
  events: z
    .array(eventType)
    .nullable()
    .meta({
      description: 'The event types it receives; null for all',
      example: ['payment.completed', 'payment.reversed'],
    }),
  active: z.boolean(),
  createdBy,
  health: z.object({
    lastSuccessAt: timestamp().nullable(),
    lastFailureAt: timestamp().nullable(),
    failuresInARow: z.int().meta({ description: 'Failed attempts since the last success', example: 0 }),
    lastError: z
      .string()
      .nullable()
      .meta({ description: 'Of the last attempt; null when it succeeded', example: null }),
    gone: z
      .boolean()
      .meta({ description: 'It answered 410: deliveries stop until it is edited', example: false }),
  }),
  createdAt: timestamp(),
  updatedAt: timestamp(),
};
const endpoint = z.object(endpointFields).meta({ id: 'WebhookEndpoint' });
const events = () =>
  z
    .array(eventType)
    .min(1)
    .max(EVENT_TYPES.length)
    .nullable()
    .meta({ description: 'The event types it receives; null for all' });

async function createdAnswer(db: Db, reader: Actor, { endpoint: made, secret: signing }: MadeEndpoint) {
  return { ...(await endpointFor(db, reader, viewEndpoint(made, undefined))), secret: signing };
}

/** Endpoints as their reader may see them. */
async function endpointsFor(db: Db, reader: Actor, views: readonly EndpointView[]) {
  const creators = views.map(({ creator }) => creator);
  const creatorView = await creatorsFor(db, reader, creators);
  return views.map(({ creator, ...view }) => ({ ...view, createdBy: creatorView(creator) }));
}

async function endpointFor(db: Db, reader: Actor, view: EndpointView) {
  const [shown] = await endpointsFor(db, reader, [view]);
  if (shown === undefined) throw new Error(`endpoint ${view.id} is not shown`);
  return shown;
}

function createRoute(deps: WebhookEndpointDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/webhook/endpoint/create',
    summary: 'Add a webhook endpoint',
    description:
      'Every event of a chosen type is delivered to it as well, signed with a secret of its own. Endpoints do not wait ' +
      'for one another. A merchant has 16 at most.',
    tags,
    status: 201,
    errors: ['INVALID_STATE'],
    auth: 'merchant',
    scope: 'webhooks:write',
    body: z.object({
      url: directs(httpUrl()).meta({ example: EXAMPLES.otherWebhookUrl }),
      events: events()
        .default(null)
        .meta({ example: ['payment.completed', 'payment.reversed'] }),
      active: z.boolean().default(true),
    }),
    data: z.object({
      ...endpointFields,
      secret: secret(z.string().meta({ description: 'Signs its deliveries' })).meta({
        example: EXAMPLES.webhookSecret,
      }),
    }),
    handler: async ({ auth, body, storeAnswer }) => {
      const input = { merchantId: auth.merchantId, creator: auth.actor, ...body };
      const made = await createEndpoint(deps, input, async (tx, stored) =>
        storeAnswer(tx, await createdAnswer(tx, auth.actor, stored)),
      );
      return createdAnswer(deps.db, auth.actor, made);
    },
  });
}

function editRoute(deps: WebhookEndpointDeps): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/merchant/webhook/endpoint/edit',
    summary: 'Edit a webhook endpoint',
    description:
      'Omitted fields are unchanged. Pending deliveries go to a new URL; `active: false` fails them, as the logs ' +
      'show. The user or key that changes the URL becomes the creator. Any edit re-enables an endpoint that ' +
      'answered 410. The webhookUrl of the merchant is edited by /merchant/edit.',
    tags,
    status: 200,
    errors: ['ENDPOINT_NOT_FOUND', 'INVALID_STATE'],
    auth: 'merchant',
    scope: 'webhooks:write',
    body: z.object({
      endpointId: identifier().meta({ example: EXAMPLES.endpointId }),
      url: directs(httpUrl()).optional().meta({ example: EXAMPLES.otherWebhookUrl }),
      events: directs(events())
        .optional()
        .meta({ example: ['payment.completed', 'payment.reversed'] }),
      active: directs(z.boolean()).optional(),
    }),
    data: endpoint,
    handler: async ({ auth, body }) => {
      const edited = await editEndpoint(deps, { merchantId: auth.merchantId, editor: auth.actor, ...body });
      return endpointFor(deps.db, auth.actor, await toView(deps, edited));
    },
  });
}

async function toView(deps: WebhookEndpointDeps, row: StoredEndpoint): Promise<EndpointView> {
  return viewEndpoint(row, (await endpointHealth(deps.db, [row.id])).get(row.id));
}

function deleteRoute(deps: WebhookEndpointDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/merchant/webhook/endpoint/delete',
    changesAccess: true,
    summary: 'Delete a webhook endpoint',
    description: 'Its pending deliveries fail, as the logs show.',
    tags,
    status: 200,
    errors: ['ENDPOINT_NOT_FOUND', 'INVALID_STATE'],
    auth: 'merchant',
    scope: 'webhooks:write',
    body: z.object({ endpointId: identifier().meta({ example: EXAMPLES.endpointId }) }),
    data: z.object({ deleted: z.boolean(), endpointId: z.string().meta({ example: EXAMPLES.endpointId }) }),
    handler: async ({ auth, body: { endpointId } }) => {
      await removeEndpoint(deps, { merchantId: auth.merchantId, endpointId });
      return { deleted: true, endpointId };
    },
  });
}

function listRoute(deps: WebhookEndpointDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/webhook/endpoint/list',
    summary: 'List the webhook endpoints',
    description:
      'The webhookUrl of the merchant first, if it has one (`default`; its id is the merchant’s), then the others, ' +
      'oldest first, each with the health of its deliveries.',
    tags,
    status: 200,
    errors: [],
    auth: 'merchant',
    scope: 'webhooks:read',
    data: z.object({ endpoints: z.array(endpoint) }),
    handler: async ({ auth }) => ({
      endpoints: await endpointsFor(deps.db, auth.actor, await listEndpoints(deps, auth.merchant)),
    }),
  });
}

const secretAnswer = z.object({ secret: secret(z.string()).meta({ example: EXAMPLES.webhookSecret }) });

function secretRoute(deps: WebhookEndpointDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/webhook/endpoint/secret',
    summary: 'The signing secret of a webhook endpoint',
    description: 'The secret that deliveries to this endpoint are signed with (Standard Webhooks).',
    tags,
    status: 200,
    errors: ['ENDPOINT_NOT_FOUND'],
    auth: 'merchant',
    scope: 'webhooks:write',
    query: z.object({ endpointId: identifier().meta({ example: EXAMPLES.endpointId }) }),
    data: secretAnswer,
    handler: async ({ auth, query: { endpointId } }) => {
      const { merchant, merchantId } = auth;
      const sealed =
        endpointId === merchantId
          ? merchant.webhookSecretSealed
          : (await findOwnEndpoint(deps.db, { merchantId, endpointId })).secretSealed;
      return { secret: deps.secretBox.open(sealed) };
    },
  });
}

function rotateRoute(deps: WebhookEndpointDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/webhook/endpoint/rotate-secret',
    summary: 'Rotate the signing secret of a webhook endpoint',
    description:
      'Returns the new secret. For 24 hours deliveries carry two signatures, by the old and the new secret.',
    tags,
    status: 200,
    errors: ['ENDPOINT_NOT_FOUND'],
    auth: 'merchant',
    scope: 'webhooks:write',
    body: z.object({ endpointId: identifier().meta({ example: EXAMPLES.endpointId }) }),
    data: secretAnswer,
    handler: async ({ auth: { merchantId }, body: { endpointId }, storeAnswer }) => {
      const storeResult: StoreResult<string> = (tx, made) => storeAnswer(tx, { secret: made });
      return {
        secret:
          endpointId === merchantId
            ? await rotateWebhookSecret(deps, merchantId, storeResult)
            : await rotateEndpointSecret(deps, { merchantId, endpointId }, storeResult),
      };
    },
  });
}
