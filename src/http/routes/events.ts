import { z } from 'zod';
import type { Db } from '../../store/sqlite/database.ts';
import {
  type EventView,
  type LongPollWaiters,
  longPollEvents,
  listEvents,
} from '../../usecases/webhooks/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { freeObject, pagination, timestamp } from '../schemas/answers.ts';
import { eventType } from '../schemas/event-type.ts';
import { eitherModeQuery, integerQuery, pageQuery } from '../schemas/query.ts';
import { identifier } from '../schemas/text.ts';
import { seesWebhookAddresses, type Reader } from './scoped-views.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

export interface EventRoutesDeps {
  readonly db: Db;
  readonly waiters: LongPollWaiters;
}

const SEQ_MAX = 999_999_999_999_999;
const WAIT_MAX_S = 30;

const eventView = z
  .object({
    id: z
      .string()
      .meta({ description: 'Also the webhook-id header of its deliveries', example: EXAMPLES.eventId }),
    seq: z.int().meta({ description: 'Ascends in the order of commits; may have gaps', example: 4711 }),
    type: eventType,
    createdAt: timestamp(),
    sandbox: z.boolean(),
    paymentId: z.string().nullable().meta({ example: EXAMPLES.paymentId }),
    subscriptionId: z.string().nullable().meta({ example: null }),
    sequence: z.int().meta({
      description: 'Counts the events of one payment or subscription; 0 for other events',
      example: 3,
    }),
    data: freeObject().meta({ example: { payment: { id: EXAMPLES.paymentId, status: 'completed' } } }),
    truncated: z.boolean().meta({
      description: 'Whether parts of data were removed because of size or age: GET /payment/get returns them',
      example: false,
    }),
    deliveries: z.array(
      z.object({
        endpoint: z
          .string()
          .optional()
          .meta({ description: 'Absent without the scope `webhooks:read`', example: EXAMPLES.webhookUrl }),
        status: z.enum(['pending', 'delivered', 'failed']).meta({ example: 'delivered' }),
        attempts: z.int().meta({ example: 1 }),
        nextAttemptAt: timestamp().nullable().meta({ example: null }),
      }),
    ),
  })
  .meta({ id: 'Event' });

const query = z
  .object({
    ...pageQuery(),
    mode: eitherModeQuery().meta({ example: 'sandbox' }),
    after: integerQuery({ min: 0, max: SEQ_MAX })
      .optional()
      .meta({ description: 'Only events after this seq, oldest first; 0 is the start' }),
    wait: integerQuery({ min: 0, max: WAIT_MAX_S })
      .optional()
      .meta({ description: 'With after: seconds to wait for an event when there is none yet', example: 1 }),
    type: eventType.optional(),
    paymentId: identifier().optional().meta({ example: EXAMPLES.paymentId }),
    subscriptionId: identifier().optional().meta({ example: EXAMPLES.subscriptionId }),
  })
  .superRefine(({ after, wait, page }, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message, params: { code: 'invalid' } });
    if (after === undefined && wait !== undefined) refuse('wait', 'requires after');
    if (after !== undefined && page !== 1) refuse('page', 'cannot be combined with after: use nextAfter');
  });

/** The events of a merchant: in pages from the newest, or from a cursor on. */
export function eventRoutes(deps: EventRoutesDeps): Route[] {
  return [listEventsRoute(deps)];
}

function listEventsRoute(deps: EventRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/events',
    waits: true,
    summary: 'List or follow events',
    description:
      'All events of the merchant, whether or not sent by webhook: newest first in pages, or with `after` oldest ' +
      'first from there. Pass `nextAfter` as `after` of the next request; with `wait` the response is sent as soon ' +
      'as there is an event. Events are never removed; old ones lose only `data` (`truncated`).',
    tags: ['Webhooks'],
    status: 200,
    errors: ['RATE_LIMITED'],
    auth: 'merchant',
    scope: 'events:read',
    query,
    data: z.object({
      events: z.array(eventView),
      pagination: pagination().optional().meta({ description: 'Absent with after' }),
      nextAfter: z.int().optional().meta({
        description: 'With after: the last seq read; pass it as `after` of the next request',
        example: 4711,
      }),
    }),
    handler: async ({ auth, query, clientGone }) => {
      const { page, limit, mode, after, wait = 0, type, paymentId, subscriptionId } = query;
      const filter = {
        merchantId: auth.merchantId,
        limit,
        ...(mode === undefined ? {} : { mode }),
        ...(type === undefined ? {} : { type }),
        ...(paymentId === undefined ? {} : { paymentId }),
        ...(subscriptionId === undefined ? {} : { subscriptionId }),
      };
      const shown = (events: readonly EventView[]) => events.map((event) => eventFor(auth, event));
      if (after !== undefined) {
        const followed = await longPollEvents(deps, { ...filter, after, waitMs: wait * 1_000, clientGone });
        return { ...followed, events: shown(followed.events) };
      }
      const { events, total } = await listEvents(deps, { ...filter, page });
      return { events: shown(events), pagination: { page, limit, total } };
    },
  });
}

/** An event without the addresses of webhooks, for a reader who may not see them. */
function eventFor(reader: Reader, event: EventView) {
  if (seesWebhookAddresses(reader)) return event;
  return {
    ...event,
    data: Object.fromEntries(
      Object.entries(event.data).map(([name, value]) => [name, withoutAddress(value)]),
    ),
    deliveries: event.deliveries.map(({ status, attempts, nextAttemptAt }) => ({
      status,
      attempts,
      nextAttemptAt,
    })),
  };
}

/** What an event is about, such as its payment. */
function withoutAddress(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'webhookUrl')) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'webhookUrl'));
}
