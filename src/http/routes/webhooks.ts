import { z } from 'zod';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import {
  type DeliveryAttempts,
  listWebhookLogs,
  redeliverWebhook,
  testWebhook,
} from '../../usecases/webhooks/index.ts';
import { DELIVERY_STATES } from '../../store/webhooks/webhook-logs.ts';
import { listDeliveriesRoute } from './webhook-deliveries.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { freeObject, pagination, timestamp } from '../schemas/answers.ts';
import { eventType } from '../schemas/event-type.ts';
import { eitherModeQuery, integerQuery, pageQuery, timeQuery } from '../schemas/query.ts';
import { identifier } from '../schemas/text.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

export interface WebhookRoutesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The delivery queue. */
  readonly attempts: DeliveryAttempts;
}

/** Webhook logs, and manual redelivery. */
export function webhookRoutes(deps: WebhookRoutesDeps): Route[] {
  return [listLogsRoute(deps), listDeliveriesRoute(deps), testRoute(deps), redeliverRoute(deps)];
}

const httpHeaders = z.record(z.string(), z.string());

const webhookLog = z
  .object({
    id: z.string().meta({ example: EXAMPLES.logId }),
    createdAt: timestamp(),
    paymentId: z
      .string()
      .nullable()
      .meta({ description: 'Null for events of no payment', example: EXAMPLES.paymentId }),
    eventId: z.string().meta({ example: EXAMPLES.eventId }),
    endpoint: z.string().meta({ example: EXAMPLES.webhookUrl }),
    state: z.enum(DELIVERY_STATES).meta({
      description: 'Of the delivery: pending while attempts remain, failed after the last one',
      example: 'delivered',
    }),
    nextAttemptAt: timestamp().nullable().meta({ description: 'Null unless it is pending', example: null }),
    status: z.int().meta({ description: 'HTTP status of the response; 0 without a response', example: 200 }),
    attempt: z.int().meta({ example: 1 }),
    durationMs: z.int().meta({ example: 84 }),
    error: z.string().nullable().meta({ example: null }),
    request: z.object({
      method: z.string().meta({ example: 'POST' }),
      headers: httpHeaders.meta({
        example: {
          'webhook-id': EXAMPLES.eventId,
          'webhook-timestamp': '1769860800',
          'webhook-signature': EXAMPLES.signature,
        },
      }),
      body: freeObject().meta({ example: { id: EXAMPLES.eventId, type: 'payment.completed' } }),
    }),
    response: z.object({
      status: z.int().meta({ example: 200 }),
      headers: httpHeaders.meta({ example: { 'content-type': 'text/plain' } }),
      body: z.string().meta({ example: 'ok' }),
    }),
  })
  .meta({ id: 'WebhookLog' });

function listLogsRoute(deps: WebhookRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/webhook-logs',
    summary: 'List webhook delivery attempts',
    description: 'Every attempt to deliver a webhook, newest first, with request and response.',
    tags: ['Webhooks'],
    status: 200,
    errors: [],
    auth: 'merchant',
    scope: 'webhooks:read',
    query: z.object({
      ...pageQuery(),
      mode: eitherModeQuery().meta({ example: 'sandbox' }),
      status: integerQuery({ min: 0, max: 999 }).optional().meta({ example: 200 }),
      state: z.enum(DELIVERY_STATES).optional().meta({ example: 'delivered' }),
      event: eventType.optional(),
      paymentId: identifier().optional().meta({ example: EXAMPLES.paymentId }),
      deliveryId: identifier().optional().meta({
        description: 'Attempts of one event at one endpoint: all its deliveries, including manual ones',
        example: EXAMPLES.deliveryId,
      }),
      startDate: timeQuery('from').optional(),
      endDate: timeQuery('until').optional(),
    }),
    data: z.object({ logs: z.array(webhookLog), pagination: pagination() }),
    handler: async ({ auth, query }) => {
      const { page, limit, mode, status, state, event, paymentId, deliveryId, startDate, endDate } = query;
      const { logs, total } = await listWebhookLogs(deps, {
        merchantId: auth.merchantId,
        page,
        limit,
        ...(mode === undefined ? {} : { mode }),
        ...(status === undefined ? {} : { status }),
        ...(state === undefined ? {} : { state }),
        ...(event === undefined ? {} : { event }),
        ...(paymentId === undefined ? {} : { paymentId }),
        ...(deliveryId === undefined ? {} : { deliveryId }),
        ...(startDate === undefined ? {} : { from: startDate }),
        ...(endDate === undefined ? {} : { to: endDate }),
      });
      return { logs, pagination: { page, limit, total } };
    },
  });
}

const attemptAnswer = {
  id: z.string().meta({ description: 'The log of this attempt', example: EXAMPLES.logId }),
  logId: z.string().meta({ description: 'The same as id', example: EXAMPLES.logId }),
  status: z.int().meta({ description: 'HTTP status of the response; 0 without a response', example: 200 }),
  error: z.string().nullable().meta({ example: null }),
};

function testRoute(deps: WebhookRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/webhook/test',
    summary: 'Send a test webhook',
    description:
      'Sends a webhook.test event to one endpoint, the webhookUrl of the merchant unless given, and answers how its ' +
      'first attempt went.',
    tags: ['Webhooks'],
    status: 200,
    errors: ['ENDPOINT_NOT_FOUND', 'INVALID_STATE'],
    auth: 'merchant',
    scope: 'webhooks:write',
    body: z.object({ endpointId: identifier().optional().meta({ example: EXAMPLES.endpointId }) }),
    data: z.object({ ...attemptAnswer, eventId: z.string().meta({ example: EXAMPLES.eventId }) }),
    handler: async ({ auth, body: { endpointId } }) => {
      const report = await testWebhook(deps, { merchantId: auth.merchantId, endpointId });
      return { ...report, id: report.logId };
    },
  });
}

function redeliverRoute(deps: WebhookRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/webhook/redeliver',
    summary: 'Send a webhook again',
    description:
      'Sends the event of a logged attempt once more, with the same body and webhook-id, and answers the new log.',
    tags: ['Webhooks'],
    status: 200,
    errors: ['LOG_NOT_FOUND', 'INVALID_STATE'],
    auth: 'merchant',
    scope: 'webhooks:write',
    body: z.object({ logId: identifier().meta({ example: EXAMPLES.logId }) }),
    data: z.object(attemptAnswer),
    handler: async ({ auth, body }) => {
      const report = await redeliverWebhook(deps, { merchantId: auth.merchantId, logId: body.logId });
      return { ...report, id: report.logId };
    },
  });
}
