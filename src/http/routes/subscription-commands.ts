import { z } from 'zod';
import {
  changeSubscriptionStatus,
  createSubscription,
  creditSubscription,
  editSubscription,
  rotatePortalToken,
  type SubscriptionDeps,
} from '../../usecases/subscriptions/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { fiatAmount } from '../schemas/amounts.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { metadata } from '../schemas/metadata.ts';
import { readPayer } from '../schemas/payment-terms.ts';
import { settles } from '../schemas/security-marks.ts';
import { createSubscriptionBody, quantity, subscriptionSchema } from '../schemas/subscription.ts';
import { email, identifier, text } from '../schemas/text.ts';
import { presentRow, storeAndPresent, subscriptionId } from './subscription-views.ts';

const tags = ['Subscriptions'];

/** Start, edit, pause, resume, cancel and credit a subscription, and rotate the link of its page. */
export function subscriptionCommandRoutes(deps: SubscriptionDeps): Route[] {
  return [
    createRoute(deps),
    editRoute(deps),
    pauseRoute(deps),
    resumeRoute(deps),
    cancelRoute(deps),
    creditRoute(deps),
    rotateRoute(deps),
  ];
}

function createRoute(deps: SubscriptionDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/subscription/create',
    summary: 'Start a subscription',
    description:
      'To a price of a recurring product. Its periods are counted in the time zone of the shop from `startAt`, or ' +
      'from now, or from the end of the trial. Each period has one invoice, an ordinary payment with the orderId ' +
      '`SUBSCRIPTION/N`; the first one is created at once if it is due within the shop’s `invoiceLeadDays`, and is ' +
      '`openPaymentId`.',
    tags,
    auth: 'merchant',
    scope: 'subscriptions:write',
    status: 201,
    body: createSubscriptionBody,
    example: {
      body: { priceId: EXAMPLES.priceId, customerId: EXAMPLES.customerId },
      otherBodies: {
        'A trial for a new customer': {
          priceId: EXAMPLES.priceId,
          customer: { email: EXAMPLES.email },
          trialDays: 14,
        },
      },
    },
    data: subscriptionSchema(),
    errors: [
      'CUSTOMER_NOT_FOUND',
      'PRICE_NOT_FOUND',
      'PRODUCT_NOT_FOUND',
      'RATE_UNAVAILABLE',
      'COIN_UNAVAILABLE',
    ],
    handler: async ({ auth, body, storeAnswer }) => {
      const { merchant, actor } = auth;
      const input = {
        merchant,
        actor,
        payer: readPayer(body),
        priceId: body.priceId,
        quantity: body.quantity,
        trialDays: body.trialDays,
        startAt: body.startAt ?? null,
        metadata: body.metadata ?? null,
        locale: body.locale ?? null,
        successUrl: body.successUrl ?? null,
        returnUrl: body.returnUrl ?? null,
        allowedCryptos: body.allowedCryptos ?? [],
      };
      return storeAndPresent(deps, { auth, storeAnswer }, async (store) =>
        createSubscription(deps, input, store),
      );
    },
  });
}

function editRoute(deps: SubscriptionDeps): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/merchant/subscription/edit',
    summary: 'Edit a subscription',
    description:
      'Another price or quantity takes effect at once. The rest of paid periods is prorated by seconds: less becomes ' +
      'credit; more is charged by the next invoice, and voids future periods that credit paid. An open invoice for ' +
      'which no money was seen is quoted again. Another interval begins with the next period. ' +
      '`cancelAtPeriodEnd` false undoes a cancellation at the end of the period.',
    tags,
    auth: 'merchant',
    scope: 'subscriptions:write',
    status: 200,
    body: z.object({
      subscriptionId: subscriptionId(),
      priceId: settles(identifier()).optional().meta({ example: EXAMPLES.priceId }),
      quantity: settles(quantity()).optional().meta({ example: 2 }),
      metadata: metadata()
        .optional()
        .meta({ example: { plan: 'team' } }),
      cancelAtPeriodEnd: z.boolean().optional(),
      email: email()
        .nullable()
        .optional()
        .meta({ description: 'Where its mails go; null: to the customer', example: EXAMPLES.email }),
    }),
    example: { body: { subscriptionId: EXAMPLES.subscriptionId, quantity: 2 } },
    data: subscriptionSchema(),
    errors: [
      'SUBSCRIPTION_NOT_FOUND',
      'PRICE_NOT_FOUND',
      'PRODUCT_NOT_FOUND',
      'INVALID_STATE',
      'RATE_UNAVAILABLE',
      'COIN_UNAVAILABLE',
    ],
    handler: async ({ auth, body }) =>
      presentRow(deps, deps.db, auth, await editSubscription(deps, { ...body, merchant: auth.merchant })),
  });
}

type StatusChange = Parameters<typeof changeSubscriptionStatus>[2];

const targetBody = z.object({ subscriptionId: subscriptionId() });
const cancelBody = targetBody.extend({ atPeriodEnd: z.boolean().default(false).meta({ example: true }) });

function pauseRoute(deps: SubscriptionDeps): Route {
  return statusRoute(deps, {
    path: '/merchant/subscription/pause',
    summary: 'Pause a subscription',
    description:
      'Closes its open invoices. The remaining paid time continues when the subscription is resumed. Only while it ' +
      'is `active` or `past_due`.',
    body: targetBody,
    toChange: () => ({ type: 'pause', by: 'merchant' }),
  });
}

function resumeRoute(deps: SubscriptionDeps): Route {
  return statusRoute(deps, {
    path: '/merchant/subscription/resume',
    summary: 'Resume a subscription',
    description:
      'The next period begins after the paid time remaining at the pause, or now if there is none. Periods during ' +
      'the pause are not invoiced.',
    body: targetBody,
    toChange: () => ({ type: 'resume', by: 'merchant' }),
  });
}

function cancelRoute(deps: SubscriptionDeps): Route {
  return statusRoute(deps, {
    path: '/merchant/subscription/cancel',
    summary: 'Cancel a subscription',
    description:
      'Immediately: closes open invoices; access ends with the paid period. With `atPeriodEnd` nothing changes ' +
      'until then, it can still be paid in advance, and edit can undo the cancellation. Nothing is refunded.',
    body: cancelBody,
    toChange: ({ atPeriodEnd }) => ({ type: 'cancel', by: 'merchant', atPeriodEnd }),
  });
}

/** A route that changes the status of a subscription. */
function statusRoute<Body extends typeof targetBody>(
  deps: SubscriptionDeps,
  {
    toChange,
    ...route
  }: {
    readonly path: string;
    readonly summary: string;
    readonly description: string;
    readonly body: Body;
    readonly toChange: (body: z.output<Body>) => StatusChange;
  },
): Route {
  return defineRoute({
    method: 'POST',
    ...route,
    tags,
    auth: 'merchant',
    scope: 'subscriptions:write',
    status: 200,
    data: subscriptionSchema(),
    errors: ['SUBSCRIPTION_NOT_FOUND', 'INVALID_STATE'],
    handler: async ({ auth, body, storeAnswer }) => {
      const at = { merchantId: auth.merchantId, subscriptionId: body.subscriptionId };
      return storeAndPresent(deps, { auth, storeAnswer }, async (store) =>
        changeSubscriptionStatus(deps, at, toChange(body), store),
      );
    },
  });
}

function creditRoute(deps: SubscriptionDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/subscription/credit',
    summary: 'Give credit',
    description:
      'Applies to the next invoice, or to the open one if no money was received for it. With `reason` it is a ' +
      'correction that reduces the credit.',
    tags,
    auth: 'merchant',
    scope: 'subscriptions:write',
    status: 200,
    body: z
      .object({
        subscriptionId: subscriptionId(),
        amount: settles(fiatAmount()),
        note: text()
          .optional()
          .meta({ description: 'Included in the event', example: 'A week without service' }),
        reason: text()
          .optional()
          .meta({ description: 'Makes it a correction; included in the event', example: 'Given twice' }),
      })
      .refine(({ note, reason }) => note === undefined || reason === undefined, {
        error: 'must not be given together with note',
        path: ['reason'],
      }),
    example: {
      body: { subscriptionId: EXAMPLES.subscriptionId, amount: '5', note: 'A week without service' },
    },
    data: subscriptionSchema(),
    errors: ['SUBSCRIPTION_NOT_FOUND', 'INVALID_STATE', 'RATE_UNAVAILABLE'],
    handler: async ({ auth, body, storeAnswer }) => {
      const { reason, note, ...given } = body;
      const input = {
        ...given,
        merchantId: auth.merchantId,
        note: reason ?? note ?? null,
        isCorrection: reason !== undefined,
      };
      return storeAndPresent(deps, { auth, storeAnswer }, async (store) =>
        creditSubscription(deps, input, store),
      );
    },
  });
}

function rotateRoute(deps: SubscriptionDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/subscription/portal/rotate',
    summary: 'Rotate the portal link',
    description:
      'Gives the payer’s page of the subscription another address, `portalUrl`. Earlier addresses return 404, also ' +
      'in mails that were sent. Mails go to the customer again, because who had a leaked address could change `email`.',
    tags,
    auth: 'merchant',
    scope: 'subscriptions:write',
    status: 200,
    body: targetBody,
    data: subscriptionSchema(),
    errors: ['SUBSCRIPTION_NOT_FOUND'],
    handler: async ({ auth, body, storeAnswer }) => {
      const at = { merchantId: auth.merchantId, subscriptionId: body.subscriptionId };
      return storeAndPresent(deps, { auth, storeAnswer }, async (store) =>
        rotatePortalToken(deps, at, store),
      );
    },
  });
}
