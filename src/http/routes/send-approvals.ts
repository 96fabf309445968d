import { z } from 'zod';
import type { ErrorCode } from '../../domain/errors.ts';
import { APPROVAL_KINDS } from '../../domain/send/approval.ts';
import {
  type ApprovalDeps,
  approveSend,
  listSendApprovals,
  rejectSend,
} from '../../usecases/approvals/index.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { booleanQuery } from '../schemas/query.ts';
import { sendSchema } from '../schemas/send.ts';
import { identifier } from '../schemas/text.ts';
import { defineRoute, type Route } from '../server/route.ts';

const TAGS = ['Wallet'];
const ERRORS: readonly ErrorCode[] = ['MERCHANT_NOT_FOUND', 'SEND_NOT_FOUND', 'FORBIDDEN', 'INVALID_STATE'];

const decisionBody = z.object({
  merchantId: identifier().meta({ example: EXAMPLES.merchantId }),
  sendId: identifier().meta({ example: EXAMPLES.sendId }),
});
const EXAMPLE = { merchantId: EXAMPLES.merchantId, sendId: 'snd_2KfHw9TzLq4Xn7VbR0mCy5Pd' };

const approval = z
  .object({
    send: sendSchema(),
    kind: z.enum(APPROVAL_KINDS).meta({ description: 'claim: of a payer, by a refund link' }),
    requestedBy: z.string().nullable().meta({
      description:
        'Email address of the user, or name of the key, that ordered it; of a claim, that created its link',
      example: EXAMPLES.email,
    }),
    decidedBy: z.string().nullable().meta({ example: null }),
    paymentId: z.string().nullable().meta({ example: null }),
    linkId: z.string().nullable().meta({ example: null }),
    canApprove: z.boolean().meta({ description: 'Whether you may approve it; keys never do' }),
  })
  .meta({ id: 'SendApproval' });

/** Decisions on sends above a limit. Only people decide; a session of the dashboard proves itself again. */
export function sendApprovalRoutes(deps: ApprovalDeps): Route[] {
  return [listRoute(deps), approveRoute(deps), rejectRoute(deps)];
}

function listRoute(deps: ApprovalDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/wallet/send/approvals',
    auth: 'merchant',
    scope: 'wallet:read',
    summary: 'List sends that need an approval',
    description:
      'The sends, refunds and claims above a limit that wait, newest first; with `all` the decided ones too.',
    tags: TAGS,
    status: 200,
    errors: [],
    query: z.object({ all: booleanQuery().optional().meta({ example: false }) }),
    data: z.object({ approvals: z.array(approval) }),
    handler: async ({ auth: { merchant, actor }, query }) => ({
      approvals: await listSendApprovals(deps, { merchant, actor, isPending: query.all !== true }),
    }),
  });
}

function approveRoute(deps: ApprovalDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/wallet/send/approve',
    auth: 'jwt',
    scope: 'never',
    changesAccess: true,
    summary: 'Approve a send',
    description:
      'For one of the `approvers` of the shop who did not order it; where there is none, for the owner. In the dashboard ' +
      'alone, with a code of the authenticator app or a passkey. It is sent as ordered and counts on this day. If it cannot be sent now, it waits on.',
    tags: TAGS,
    status: 200,
    errors: [
      ...ERRORS,
      'INSUFFICIENT_BALANCE',
      'COIN_UNAVAILABLE',
      'NODE_UNAVAILABLE',
      'FEE_ABOVE_LIMIT',
      'WALLET_FROZEN',
      'SEND_REJECTED',
      'LINK_NOT_FOUND',
      'PAYMENT_NOT_FOUND',
      'RATE_UNAVAILABLE',
    ],
    idempotency: 'forever',
    body: decisionBody,
    example: { body: EXAMPLE },
    data: sendSchema(),
    handler: async ({ auth: { userId, sessionId }, body }) =>
      approveSend(deps, { ...body, userId, sessionId }),
  });
}

function rejectRoute(deps: ApprovalDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/wallet/send/reject',
    auth: 'jwt',
    scope: 'never',
    changesAccess: true,
    summary: 'Reject a send',
    description: 'For the owner and each approver. Nothing is sent; the refund link of a claim is cancelled.',
    tags: TAGS,
    status: 200,
    errors: ERRORS,
    body: decisionBody,
    example: { body: EXAMPLE },
    data: sendSchema(),
    handler: async ({ auth: { userId, sessionId }, body, storeAnswer }) =>
      rejectSend(deps, { ...body, userId, sessionId }, storeAnswer),
  });
}
