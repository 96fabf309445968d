import { z } from 'zod';
import type { Db } from '../../store/sqlite/database.ts';
import { DELIVERY_STATES } from '../../store/webhooks/webhook-logs.ts';
import { listDeliveries } from '../../usecases/webhooks/index.ts';
import { OF_PAYMENTS } from '../server/named-merchant.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { pagination, timestamp } from '../schemas/answers.ts';
import { eventType } from '../schemas/event-type.ts';
import { eitherModeQuery, pageQuery, rangeIn, rangeQuery } from '../schemas/query.ts';
import { identifier } from '../schemas/text.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

/** Instead of an endpoint's id: the URLs of single payments. */

const webhookDelivery = z
  .object({
    id: z.string().meta({ example: EXAMPLES.deliveryId }),
    event: eventType,
    eventId: z.string().meta({ example: EXAMPLES.eventId }),
    paymentId: z
      .string()
      .nullable()
      .meta({ description: 'Null for events of no payment', example: EXAMPLES.paymentId }),
    sendId: z.string().nullable().meta({ description: 'Null for events of no send', example: null }),
    endpoint: z.string().meta({ description: 'The URL', example: EXAMPLES.webhookUrl }),
    endpointId: z
      .string()
      .nullable()
      .meta({ description: 'Null for the webhookUrl of a payment', example: EXAMPLES.endpointId }),
    state: z
      .enum(DELIVERY_STATES)
      .meta({ description: 'pending while attempts are ahead, failed once given up', example: 'delivered' }),
    attempts: z.int().meta({ description: 'Attempts at the current URL, including manual ones', example: 1 }),
    createdAt: timestamp(),
    nextAttemptAt: timestamp().nullable().meta({ description: 'Null unless it is pending', example: null }),
    last: z
      .object({
        logId: z.string().meta({ example: EXAMPLES.logId }),
        at: timestamp(),
        status: z
          .int()
          .meta({ description: 'HTTP status of the response; 0 without a response', example: 200 }),
        durationMs: z.int().meta({ example: 84 }),
        error: z.string().nullable().meta({ example: null }),
      })
      .nullable()
      .meta({ description: 'The last attempt; null before the first, and once its log is no longer kept' }),
  })
  .meta({ id: 'WebhookDelivery' });

/** The deliveries of events to endpoints. */
export function listDeliveriesRoute(deps: { readonly db: Db }): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/webhook/deliveries',
    summary: 'List webhook deliveries',
    description:
      'The delivery of each event to each endpoint, newest first, including those not attempted yet. A manual ' +
      'redelivery is listed as a new delivery. `GET /merchant/webhook-logs?deliveryId=` has the attempts.',
    tags: ['Webhooks'],
    status: 200,
    errors: [],
    auth: 'merchant',
    scope: 'webhooks:read',
    query: z.object({
      ...pageQuery(),
      mode: eitherModeQuery().meta({ example: 'sandbox' }),
      state: z.enum(DELIVERY_STATES).optional().meta({ example: 'delivered' }),
      event: eventType.optional(),
      endpointId: identifier()
        .optional()
        .meta({
          description: `As in \`GET /merchant/webhook/endpoint/list\`; \`${OF_PAYMENTS}\` for the URLs that payments name themselves`,
          example: EXAMPLES.endpointId,
        }),
      paymentId: identifier().optional().meta({ example: EXAMPLES.paymentId }),
      ...rangeQuery(),
    }),
    data: z.object({ deliveries: z.array(webhookDelivery), pagination: pagination() }),
    handler: async ({ auth, query }) => {
      const { page, limit, mode, state, event, endpointId, paymentId, startDate, endDate, timeZone } = query;
      const { fromMs: from, toMs: to } = rangeIn({ startDate, endDate, timeZone });
      const { deliveries, total } = await listDeliveries(deps, {
        merchantId: auth.merchantId,
        page,
        limit,
        mode,
        state,
        event,
        endpointId: endpointId === OF_PAYMENTS ? null : endpointId,
        paymentId,
        from,
        to,
      });
      return { deliveries, pagination: { page, limit, total } };
    },
  });
}
