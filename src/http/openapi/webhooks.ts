import { EVENT_TYPES, type EventType } from '../../domain/events.ts';
import { VERIFICATION_METHODS } from '../../domain/domain-verification.ts';
import { EVENT_MEANINGS } from './event-meanings.ts';
import { buildExample } from './examples.ts';
import type { JsonSchema, OpenApiDocument, Operation, PathItem } from './types.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

/** The payment in the example of each of its events. */
const STATUS_AT: Readonly<Partial<Record<EventType, readonly [status: string, exception: string | null]>>> = {
  'payment.created': ['pending', null],
  'payment.updated': ['pending', null],
  'payment.confirming': ['confirming', null],
  'payment.underpaid': ['underpaid', 'underpaid'],
  'payment.completed': ['completed', null],
  'payment.overpaid': ['completed', 'overpaid'],
  'payment.late': ['expired', 'late'],
  'payment.expired': ['expired', null],
  'payment.cancelled': ['cancelled', null],
  'payment.superseded': ['cancelled', null],
  'payment.reversed': ['pending', null],
  'payment.failed': ['failed', null],
  'payment.refunded': ['refunded', null],
  'payment.partially_refunded': ['completed', null],
  'payment.refund_failed': ['completed', null],
};

/** The refund link, and its payment, in the example of each of its events. */
const REFUND_STATUS_AT: Readonly<Partial<Record<EventType, string>>> = {
  'refund.claimed': 'claimed',
  'refund.delayed': 'claimed',
  'refund.paid': 'paid',
  'refund.expired': 'expired',
  'refund.cancelled': 'cancelled',
};

const SUBSCRIPTION_STATUS_AT: Readonly<Partial<Record<EventType, string>>> = {
  'subscription.created': 'past_due',
  'subscription.invoiced': 'active',
  'subscription.renewed': 'active',
  'subscription.past_due': 'past_due',
  'subscription.paused': 'paused',
  'subscription.resumed': 'active',
  'subscription.cancelled': 'cancelled',
  'subscription.ended': 'ended',
  'subscription.trial_ending': 'trialing',
  'subscription.updated': 'active',
};
/** Events that are about one invoice. */
const OF_INVOICE: ReadonlySet<EventType> = new Set(['subscription.invoiced', 'subscription.renewed']);

const SEND_STATUS_AT: Readonly<Partial<Record<EventType, string>>> = {
  'send.pending_approval': 'pending_approval',
  'send.rejected': 'rejected',
  'send.expired': 'expired',
  'send.awaiting_signature': 'awaiting_signature',
  'send.broadcast': 'broadcast',
  'send.confirmed': 'confirmed',
  'send.failed': 'failed',
};

/** Bodies of one kind differ only in type and status, so one of each kind is shown in full. */
const EXEMPLARY: ReadonlySet<EventType> = new Set([
  'payment.completed',
  'refund.paid',
  'subscription.renewed',
  'subscription.past_due',
  'subscription.updated',
  'send.confirmed',
  'domain.verified',
  'webhook.test',
]);

const DELIVERY_ANSWERS: Operation['responses'] = {
  '2XX': {
    description:
      'Accepted. Any other status, or no response within 15 s, is retried: ten times in three days.',
  },
  '410': { description: 'The endpoint is gone: nothing more is sent to it' },
  '429': { description: 'Too many requests: Retry-After is honoured' },
  '503': { description: 'Temporarily unavailable: Retry-After is honoured' },
};

/** What the shop gets by a test. */
const TEST_MESSAGE = 'This is a test of your webhook URL. No money moved.';

type Unfinished = Pick<OpenApiDocument, 'components'>;

/**
 * The `webhooks` of the document: one entry per event type with its body. Events about things that no route
 * of this server returns (a server with few routes, as in tests) are omitted.
 */
export function webhookItems(document: Unfinished): Record<string, PathItem> {
  const shown = EVENT_TYPES.filter((type) => {
    const component = toComponent(type);
    return component === null || document.components.schemas[component] !== undefined;
  });
  return Object.fromEntries(shown.map((type) => [type, { post: delivery(document, type) }]));
}

/** The schema that an event's data refers to; null when it needs none. */
function toComponent(type: EventType): 'Payment' | 'RefundLink' | 'Send' | 'Subscription' | null {
  if (type in SUBSCRIPTION_STATUS_AT) return 'Subscription';
  if (type in REFUND_STATUS_AT) return 'RefundLink';
  if (type in STATUS_AT) return 'Payment';
  return type in SEND_STATUS_AT ? 'Send' : null;
}

function delivery(document: Unfinished, type: EventType): Operation {
  const schema = bodySchema(type);
  return {
    operationId: `on${type.split('.').map(capital).join('')}`,
    summary: type,
    description: EVENT_MEANINGS[type],
    tags: ['Webhooks'],
    security: [],
    parameters: [
      header(
        'webhook-id',
        'Id of the event: the same for every attempt, so that you can drop repeats',
        EXAMPLES.eventId,
      ),
      header('webhook-timestamp', 'Seconds since 1970 of this attempt', '1769860800'),
      header(
        'webhook-signature',
        '`v1,` and base64 HMAC-SHA256 of `id.timestamp.body`; two of them while the secret rotates',
        EXAMPLES.signature,
      ),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema,
          ...(EXEMPLARY.has(type) ? { example: bodyExample(document, schema, type) } : {}),
        },
      },
    },
    responses: DELIVERY_ANSWERS,
  };
}

function header(name: string, description: string, example: string) {
  return { in: 'header' as const, name, description, required: true, schema: { type: 'string' }, example };
}

function bodySchema(type: EventType): JsonSchema {
  return {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'The same as the webhook-id header', example: EXAMPLES.eventId },
      type: { type: 'string', const: type },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened' },
      sandbox: { type: 'boolean', description: 'Whether the coins are simulated' },
      sequence: {
        type: 'integer',
        description: 'Counts the events of one payment or subscription from 1; 0 for other events',
        example: 3,
      },
      data: dataSchema(type),
      truncated: {
        type: 'boolean',
        const: true,
        description: 'Present when parts of the payment were left out to keep the body under 20 kB',
      },
    },
    required: ['id', 'type', 'timestamp', 'sandbox', 'sequence', 'data'],
  };
}

function dataSchema(type: EventType): JsonSchema {
  if (type in STATUS_AT) return wrapping({ payment: { $ref: '#/components/schemas/Payment' } });
  if (type in REFUND_STATUS_AT) {
    return wrapping({
      payment: { $ref: '#/components/schemas/Payment' },
      refundLink: { $ref: '#/components/schemas/RefundLink' },
    });
  }
  if (type in SUBSCRIPTION_STATUS_AT) return subscriptionData(type);
  if (type in SEND_STATUS_AT) return wrapping({ send: { $ref: '#/components/schemas/Send' } });
  if (type === 'webhook.test') return wrapping({ message: { type: 'string', example: TEST_MESSAGE } });
  return DOMAIN_DATA;
}

function subscriptionData(type: EventType): JsonSchema {
  const subscription = { $ref: '#/components/schemas/Subscription' };
  const invoice = { $ref: '#/components/schemas/SubscriptionInvoice' };
  if (OF_INVOICE.has(type)) return wrapping({ subscription, invoice });
  if (type !== 'subscription.updated') return wrapping({ subscription });
  const note = {
    type: 'string',
    description: 'Of a credit or its correction',
    example: 'A week without service',
  };
  return { ...wrapping({ subscription, invoice, note }), required: ['subscription'] };
}

const DOMAIN_DATA: JsonSchema = {
  type: 'object',
  properties: {
    domain: {
      type: 'object',
      properties: {
        name: { type: 'string', example: 'shop.example' },
        isVerified: { type: 'boolean' },
        method: { type: 'string', enum: VERIFICATION_METHODS },
        verifiedAt: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
        lastError: {
          anyOf: [{ type: 'string' }, { type: 'null' }],
          description: 'Why the last check failed; null if it succeeded',
          example: null,
        },
      },
      required: ['name', 'isVerified', 'method', 'verifiedAt', 'lastError'],
    },
    merchant: {
      type: 'object',
      properties: {
        id: { type: 'string', example: EXAMPLES.merchantId },
        name: { type: 'string', example: EXAMPLES.shopName },
      },
      required: ['id', 'name'],
    },
  },
  required: ['domain', 'merchant'],
};

function wrapping(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function bodyExample(document: Unfinished, schema: JsonSchema, type: EventType): unknown {
  const body = { ...(buildExample(document, schema) as Record<string, unknown>), type };
  const { truncated: _, ...rest } = { truncated: true, ...body };
  return { ...rest, data: dataExample(document, type) };
}

function dataExample(document: Unfinished, type: EventType): unknown {
  const schema = dataSchema(type);
  const data = buildExample(document, schema) as Record<string, object>;
  const [status, exception] = STATUS_AT[type] ?? [];
  if (status !== undefined) return { payment: { ...data['payment'], status, exception } };
  const link = REFUND_STATUS_AT[type];
  if (link !== undefined) {
    const payment = {
      ...data['payment'],
      status: link === 'paid' ? 'refunded' : 'completed',
      exception: null,
    };
    return { payment, refundLink: { ...data['refundLink'], status: link, url: null } };
  }
  const subscription = SUBSCRIPTION_STATUS_AT[type];
  if (subscription !== undefined) {
    const { metadata: _, ...shown } = data['subscription'] as { readonly metadata?: unknown };
    return { ...data, subscription: { ...shown, status: subscription } };
  }
  const send = SEND_STATUS_AT[type];
  if (send !== undefined) return { send: { ...data['send'], status: send } };
  return data;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
