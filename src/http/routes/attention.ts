import { z } from 'zod';
import { ATTENTION_ACTIONS, ATTENTION_KINDS, ATTENTION_SEVERITIES } from '../../domain/attention.ts';
import { INVOICE_PROBLEMS } from '../../domain/subscription/types.ts';
import { APPROVAL_REASONS } from '../../domain/send/spending-limits.ts';
import { type AttentionDeps, dismissItem, listAttention } from '../../usecases/attention/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { pagination, timestamp } from '../schemas/answers.ts';
import { coin } from '../schemas/codes.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { modeQuery, pageQuery } from '../schemas/query.ts';
import { identifier, text } from '../schemas/text.ts';

const TAGS = ['Merchants'];
const NOTE_MAX = 500;

const item = z
  .object({
    id: z.string().meta({
      description:
        'Of its payment, refund link, send, subscription or endpoint, or the name of a fault; stable while the item is listed',
      example: EXAMPLES.paymentId,
    }),
    kind: z.enum(ATTENTION_KINDS).meta({ example: 'payment_over' }),
    severity: z.enum(ATTENTION_SEVERITIES).meta({ example: 'normal' }),
    since: timestamp().nullable().meta({ description: 'Null where the beginning is not known' }),
    subject: z
      .object({
        paymentId: z.string().nullable().meta({ example: EXAMPLES.paymentId }),
        order: z
          .string()
          .nullable()
          .meta({ description: 'Label of the order, else its id', example: 'order-1001' }),
        linkId: z.string().nullable().meta({ description: 'Of a refund link', example: null }),
        claimId: z
          .string()
          .nullable()
          .meta({ description: 'For `POST /payment/refund-link/approve`', example: null }),
        sendId: z.string().nullable().meta({ example: null }),
        endpointId: z.string().nullable().meta({ example: null }),
        subscriptionId: z.string().nullable().meta({ example: null }),
        coin: coin().nullable().meta({ example: null }),
        destination: z.string().nullable().meta({
          description: 'The address to which the payer claims the refund, or of the send',
          example: null,
        }),
      })
      .meta({ description: 'What it is about; null where it has none' }),
    amount: z.string().nullable().meta({
      description: 'The money it is about; null where there is none or its value is not known',
      example: '0.0002',
    }),
    currency: z.string().nullable().meta({ description: 'A fiat currency or a coin', example: 'BTC' }),
    price: z
      .string()
      .nullable()
      .meta({ description: 'Of the order, where the amount is in its currency', example: null }),
    approval: z
      .object({
        requestedBy: z.string().nullable().meta({
          description: 'Email address of the user, or name of the key; null where it is not known',
          example: 'Payouts',
        }),
        reasons: z.array(z.enum(APPROVAL_REASONS)).meta({ example: ['per_send'] }),
        expiresAt: timestamp(),
      })
      .nullable()
      .meta({
        description: 'Of a send above a limit (`send_approval`); null for everything else',
        example: null,
      }),
    problem: z.enum(INVOICE_PROBLEMS).nullable().meta({
      description: 'Why an invoice cannot be made (`invoice_problem`); null for everything else',
      example: null,
    }),
    title: z.string().meta({ description: 'In English', example: 'A payer paid too much' }),
    message: z.string().meta({ example: 'Refund the excess.' }),
    action: z
      .object({
        type: z.enum(ATTENTION_ACTIONS).meta({ example: 'refund_excess' }),
        url: z.string().meta({
          description:
            'The page for this action; for `request_payment` the payment page to send to the payer. `replace_payment`: the payment can no longer be paid, so a new one is needed',
          example: `https://pay.example/dashboard/shop/${EXAMPLES.merchantId}/payments/${EXAMPLES.paymentId}`,
        }),
      })
      .meta({ description: 'What settles it' }),
    mayDismiss: z.boolean().meta({ description: 'Whether the caller may dismiss it' }),
  })
  .meta({ id: 'AttentionItem' });

/** What waits for the people of a shop. */
export function attentionRoutes(deps: AttentionDeps): Route[] {
  return [listRoute(deps), dismissRoute(deps)];
}

function listRoute(deps: AttentionDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/attention',
    auth: 'merchant',
    scope: 'payments:read',
    summary: 'List what needs a decision',
    description:
      'Everything that waits for a person of the shop, in one list: urgent items first, then the newest. It is derived from ' +
      'the present state, so an item ends once it is settled. Sends need `wallet:read` as well, webhook endpoints ' +
      '`webhooks:read` and subscriptions `subscriptions:read`; faults of the server are shown to the signed-in owner, in live mode.',
    tags: TAGS,
    status: 200,
    errors: [],
    query: z.object({ ...pageQuery(), mode: modeQuery().meta({ example: 'sandbox' }) }),
    data: z.object({ items: z.array(item), pagination: pagination() }),
    handler: async ({ auth, query }) => {
      const { page, limit, mode } = query;
      const { merchant, scopes, actor } = auth;
      return listAttention(deps, { merchant, mode, scopes, actor }, { page, limit });
    },
  });
}

function dismissRoute(deps: AttentionDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/attention/dismiss',
    auth: 'merchant',
    scope: 'payments:write',
    summary: 'Dismiss what needs a decision',
    description:
      'Removes an item from the list, for everyone in the shop; the audit log records who did it and when. Its ' +
      'payment, send or endpoint stays as it is. The item returns when its state changes, and a fault of the ' +
      'server after a day. The caller must be allowed to settle it: money that was taken back needs ' +
      '`refunds:write` as well, a claim to approve `wallet:send`, a refund that cannot be sent `wallet:read`, a ' +
      'subscription `subscriptions:write`.',
    tags: TAGS,
    status: 200,
    errors: ['NOT_FOUND'],
    body: z.object({
      id: identifier().meta({ description: 'Of the item', example: EXAMPLES.paymentId }),
      mode: modeQuery().meta({ example: 'sandbox' }),
      note: text({ max: NOTE_MAX }).optional().meta({ description: 'Why', example: 'Settled by phone' }),
    }),
    data: z.object({ id: z.string().meta({ example: EXAMPLES.paymentId }), dismissedAt: timestamp() }),
    handler: async ({ auth, body, storeAnswer }) => {
      const { merchant, scopes, actor } = auth;
      const { id, note = null, mode } = body;
      return dismissItem(deps, { merchant, mode, scopes, actor }, { id, note }, storeAnswer);
    },
  });
}
