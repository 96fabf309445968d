import { z } from 'zod';
import { REFUND_LINK_STATUSES, REFUND_PRESETS, REFUND_RATES } from '../../domain/payment/refund-link.ts';
import {
  approveLink,
  cancelLink,
  type CreateLinkDeps,
  createRefundLink,
  type DecideLinkDeps,
  listLinks,
  type ListLinksDeps,
  type VisibleUrls,
} from '../../usecases/refunds/index.ts';
import { defineRoute, type AuthOf, type Route } from '../server/route.ts';
import { fiatAmount, refineFiatAmount } from '../schemas/amounts.ts';
import { pagination } from '../schemas/answers.ts';
import { coin, currency } from '../schemas/codes.ts';
import { secret } from '../schemas/security-marks.ts';
import { booleanQuery, modeQuery, pageQuery } from '../schemas/query.ts';
import { refundLinkSchema } from '../schemas/refund-link.ts';
import { identifier, text } from '../schemas/text.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

type RefundLinkDeps = CreateLinkDeps & DecideLinkDeps & ListLinksDeps;

const TAGS = ['Payments'];
const MAX_DAYS = 365;
const DEFAULT_DAYS = 30;

const createBody = z
  .object({
    paymentId: identifier().meta({ example: EXAMPLES.paymentId }),
    amount: fiatAmount().optional().meta({ description: 'In `currency`, the one of the payment' }),
    currency: currency().optional(),
    preset: z.enum(REFUND_PRESETS).optional().meta({
      description: 'Instead of an amount: the whole remainder, or the excess over the price',
    }),
    coin: coin().optional().meta({
      description:
        'Lets the payer choose only this coin; required with a preset when money was received in several coins',
    }),
    rate: z.enum(REFUND_RATES).default('received').meta({
      description:
        'The rate at receipt, or the rate at the time of the claim (then at most the whole remainder)',
    }),
    expiresInDays: z.int().min(1).max(MAX_DAYS).default(DEFAULT_DAYS),
    approval: z.boolean().default(false).meta({
      description:
        'Send a claim only after your approval; always required for a restricted key without `wallet:send`',
    }),
    deductFee: z.boolean().default(false).meta({
      description: 'Deduct the network fee from the refund; otherwise you pay it in addition',
    }),
    reason: text().optional().meta({ description: 'Shown to the payer', example: 'Out of stock' }),
  })
  .superRefine((body, context) => {
    refineFiatAmount(body, context);
    const missing = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message, params: { code: 'required' } });
    if (body.amount === undefined && body.preset === undefined) missing('amount', 'or preset is required');
    if (body.amount !== undefined && body.currency === undefined)
      missing('currency', 'is required with amount');
    if (body.preset === undefined || (body.amount === undefined && body.currency === undefined)) return;
    const message = 'cannot be given together with an amount';
    context.addIssue({ code: 'custom', path: ['preset'], message, params: { code: 'invalid_value' } });
  });

/** Refunds by a link that the payer claims. */
export function refundLinkRoutes(deps: RefundLinkDeps): Route[] {
  return [createRoute(deps), cancelRoute(deps), approveRoute(deps), listRoute(deps)];
}

function createRoute(deps: RefundLinkDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/payment/refund-link',
    movesMoney: true,
    auth: 'merchant',
    scope: 'refunds:write',
    summary: 'Refund by a link',
    description:
      'Creates a link for the payer, who chooses one of the coins they paid in and enters an address. Open links ' +
      'reserve nothing; the claim (one per link) reserves its money and is sent at once, or after your approval. ' +
      'At most the received amount less earlier refunds. A send that fails for good reopens the link ' +
      '(`payment.refund_failed`), with `approval` unless it was rejected at once. Anyone with the link can claim ' +
      'the money: give it to the payer only.',
    tags: TAGS,
    status: 201,
    errors: ['PAYMENT_NOT_FOUND', 'INVALID_STATE', 'RATE_UNAVAILABLE'],
    body: createBody,
    data: refundLinkSchema(),
    example: {
      body: {
        paymentId: 'pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE',
        amount: '25.00',
        currency: 'USD',
        reason: 'Out of stock',
      },
      otherBodies: {
        'The whole remainder': { paymentId: 'pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE', preset: 'all' },
      },
    },
    handler: async ({ auth, body, storeAnswer }) => {
      const { amount, currency: code, preset, paymentId, reason, ...terms } = body;
      const request =
        amount !== undefined && code !== undefined
          ? ({ kind: 'amount', amount, currency: code } as const)
          : ({ kind: preset ?? 'all' } as const);
      const { merchantId } = auth;
      // Everyone who has a link could claim it, so a key without `wallet:send` could send by its own link.
      const approval = terms.approval || !auth.maySend;
      const creator = auth.actor;
      const link = { ...terms, approval, creator, merchantId, paymentId, request, reason: reason ?? null };
      return createRefundLink(deps, link, storeAnswer);
    },
  });
}

function cancelRoute(deps: RefundLinkDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/payment/refund-link/cancel',
    auth: 'merchant',
    scope: 'refunds:write',
    recorded: true,
    summary: 'Cancel a refund link',
    description: 'Also a claimed link, as long as its send is not signed; its money becomes available again.',
    tags: TAGS,
    status: 200,
    errors: ['LINK_NOT_FOUND', 'INVALID_STATE'],
    body: z.object({ linkId: identifier().meta({ example: EXAMPLES.refundLinkId }) }),
    data: refundLinkSchema(),
    handler: async ({ auth, body }) => cancelLink(deps, { merchantId: auth.merchantId, linkId: body.linkId }),
  });
}

function approveRoute(deps: RefundLinkDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/payment/refund-link/approve',
    auth: 'merchant',
    scope: ['refunds:write', 'wallet:send'],
    summary: 'Approve a claimed refund',
    description:
      'Sends the money to the claimed address. Only links with `approval` need it. `claimId` identifies the claim ' +
      'that you reviewed: a reopened link may have another claim by now, which is rejected with 409.',
    tags: TAGS,
    status: 200,
    errors: ['LINK_NOT_FOUND', 'INVALID_STATE'],
    body: z.object({
      linkId: identifier().meta({ example: EXAMPLES.refundLinkId }),
      claimId: identifier().meta({
        description: 'The `claimId` of the claim that you agree to',
        example: EXAMPLES.claimId,
      }),
    }),
    data: refundLinkSchema(),
    handler: async ({ auth, body }) =>
      approveLink(deps, { ...body, approver: auth.actor, merchantId: auth.merchantId }),
  });
}

function listRoute(deps: RefundLinkDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/payment/refund-links',
    auth: 'merchant',
    scope: 'payments:read',
    summary: 'List refund links',
    description:
      'Of one payment, or of all payments of the merchant in one mode, newest first. A session of the dashboard ' +
      'that has not stepped up does not see the URL of a link whose claim is sent without an approval.',
    tags: TAGS,
    status: 200,
    errors: ['PAYMENT_NOT_FOUND'],
    query: z.object({
      ...pageQuery(),
      mode: modeQuery().meta({ example: 'sandbox' }),
      paymentId: identifier().optional().meta({ example: EXAMPLES.paymentId }),
      status: z.enum(REFUND_LINK_STATUSES).optional(),
      urls: secret(booleanQuery())
        .optional()
        .meta({ description: 'Requires the step-up of a dashboard session that shows it these URLs' }),
    }),
    data: z.object({ refundLinks: z.array(refundLinkSchema()), pagination: pagination() }),
    handler: async ({ auth, query }) => {
      const { page, limit, urls: _asked, ...filter } = query;
      const urls = shownTo(auth);
      const found = await listLinks(deps, { ...filter, merchant: auth.merchant, urls }, { page, limit });
      return { refundLinks: found.links, pagination: found.pagination };
    },
  });
}

/**
 * Everyone who has a link could claim it, so a manager, who may not send, sees only those whose claims wait
 * for the owner, and so does a session without step-up.
 */
function shownTo({ via, isProven, maySend, mayRefund }: AuthOf['merchant']): VisibleUrls {
  if (via === 'restricted' || !mayRefund) return 'none';
  return maySend && isProven ? 'all' : 'waiting';
}
