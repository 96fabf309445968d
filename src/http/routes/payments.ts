import { z } from 'zod';
import {
  cancelPayment,
  createPayment,
  type CreatePaymentDeps,
  getPayment,
  payerView,
  resolvePayment,
  updatePayment,
} from '../../usecases/payments/index.ts';
import type { CountOrder } from '../server/order-counter.ts';
import { requestDigest } from '../server/request-digest.ts';
import { defineRoute, Reply, type Route } from '../server/route.ts';
import { fiatAmount, refineFiatAmount } from '../schemas/amounts.ts';
import {
  allowedCryptos,
  confirmations,
  description,
  lifetimeMinutes,
  lines,
  locale,
  orderLabel,
  payerFields,
  readPayer,
  refinePayer,
  removableReturnUrl,
  returnUrl,
} from '../schemas/payment-terms.ts';
import { currency } from '../schemas/codes.ts';
import { directs, settles } from '../schemas/security-marks.ts';
import { metadata } from '../schemas/metadata.ts';
import { paymentPrice, readPriceChoice, refinePriceForm, whenObject } from '../schemas/payment-price.ts';
import { payerPaymentSchema, paymentSchema } from '../schemas/payment.ts';
import { httpUrl, identifier, orderId } from '../schemas/text.ts';
import { listRoute } from './payment-list.ts';
import { shownTo } from './scoped-views.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const tags = ['Payments'];

/** Creating, reading, cancelling and resolving payments. */
export function paymentRoutes(deps: CreatePaymentDeps, countOrder: CountOrder): Route[] {
  return [
    createRoute(deps, countOrder),
    updateRoute(deps),
    getRoute(deps),
    listRoute(deps),
    cancelRoute(deps),
    resolveRoute(deps),
  ];
}

const createBody = z
  .object({
    ...paymentPrice(),
    ...payerFields(),
    orderId: orderId().meta({ example: 'order-1001' }),
    orderLabel: orderLabel().optional(),
    metadata: metadata()
      .optional()
      .meta({ example: { tableNumber: 7 } }),
    webhookUrl: directs(httpUrl()).optional().meta({ example: EXAMPLES.webhookUrl }),
    successUrl: returnUrl().optional().meta({ example: EXAMPLES.returnUrl }),
    returnUrl: returnUrl().optional().meta({ example: EXAMPLES.returnUrl }),
    allowedCryptos: allowedCryptos()
      .optional()
      .meta({ example: ['BTC', 'LTC'] }),
    customFields: metadata()
      .optional()
      .meta({ example: { note: 'Gift wrapping' } }),
    lifetimeMinutes: lifetimeMinutes().optional(),
    confirmations: confirmations().optional(),
    locale: locale().optional(),
    description: description().optional(),
    lines: lines().optional(),
  })
  .superRefine(refinePriceForm, whenObject)
  .superRefine(refinePayer, whenObject)
  .superRefine(refineFiatAmount);

function createRoute(deps: CreatePaymentDeps, countOrder: CountOrder): Route {
  return defineRoute({
    method: 'POST',
    path: '/payment/create',
    summary: 'Create a payment',
    description:
      'Locks the rate and reserves one new address per coin. Repeating the same order returns 200 with the ' +
      'existing payment.',
    tags,
    auth: 'payer',
    scope: 'payments:write',
    status: 201,
    repeatAnswers: 'The same order again: the existing payment',
    body: createBody,
    example: {
      body: {
        amount: '49.90',
        currency: 'USD',
        customer: { email: 'ada@example.com' },
        orderId: 'order-1001',
        metadata: { tableNumber: 7 },
        webhookUrl: 'https://shop.example/webhooks/tilld',
        successUrl: 'https://shop.example/orders/{orderId}',
        returnUrl: 'https://shop.example/orders/{orderId}',
        allowedCryptos: ['BTC', 'LTC'],
        customFields: { note: 'Gift wrapping' },
      },
      otherBodies: {
        'By product and price': {
          productId: 'prod_1Hn6Vd0sKq3ZtY8uPbE4xM2j',
          priceId: 'price_9sXcW2fLk7RmQ0vTzA5nBh3D',
          customerId: 'cus_5LrRyo2k8hQmXv4TzN0aWb7C',
          orderId: 'order-1002',
        },
        'With a customer that exists, and what is paid for': {
          amount: '19.90',
          currency: 'EUR',
          customerId: 'cus_5LrRyo2k8hQmXv4TzN0aWb7C',
          orderId: 'order-1003',
          lifetimeMinutes: 30,
          locale: 'de',
          lines: [{ name: 'Earl Grey, 100 g', quantity: 2, amount: '15.80' }],
        },
      },
    },
    data: payerPaymentSchema(),
    errors: [
      'CUSTOMER_NOT_FOUND',
      'PRODUCT_NOT_FOUND',
      'PRICE_NOT_FOUND',
      'DUPLICATE_ENTRY',
      'RATE_UNAVAILABLE',
      'COIN_UNAVAILABLE',
    ],
    handler: async ({ auth, body }) => {
      const { merchant, via } = auth;
      const input = {
        ...toOrder(body),
        merchant,
        actor: auth.actor,
        isPublic: via === 'public',
        requestHash: requestDigest(body),
      };
      const { payment, repeated } = await createPayment(deps, input);
      if (!repeated) countOrder({ via, mode: merchant.sandbox ? 'sandbox' : 'live' });
      return new Reply(repeated ? 200 : 201, payerView(payment));
    },
  });
}

/** A body in the terms of the use case. */
function toOrder(body: z.output<typeof createBody>) {
  return {
    linkId: null,
    counterId: null,
    tip: null,
    price: readPriceChoice(body),
    payer: readPayer(body),
    orderId: body.orderId,
    orderLabel: body.orderLabel ?? null,
    metadata: body.metadata ?? null,
    customFields: body.customFields ?? null,
    webhookUrl: body.webhookUrl ?? null,
    successUrl: body.successUrl ?? null,
    returnUrl: body.returnUrl ?? null,
    locale: body.locale ?? null,
    description: body.description ?? null,
    lines: body.lines ?? [],
    lifetimeMinutes: body.lifetimeMinutes ?? null,
    confirmations: body.confirmations ?? {},
    allowedCryptos: body.allowedCryptos ?? [],
  };
}

const updateBody = z
  .object({
    paymentId: identifier().meta({ example: EXAMPLES.paymentId }),
    amount: settles(fiatAmount()).optional(),
    currency: settles(currency())
      .optional()
      .meta({ description: 'A different currency requires the amount as well' }),
    lines: lines().optional(),
    description: description({ min: 0 }).optional(),
    orderLabel: orderLabel({ min: 0 }).optional(),
    metadata: metadata()
      .optional()
      .meta({ example: { tableNumber: 7 } }),
    successUrl: removableReturnUrl().optional().meta({ example: EXAMPLES.returnUrl }),
    returnUrl: removableReturnUrl().optional().meta({ example: EXAMPLES.returnUrl }),
    lifetimeMinutes: lifetimeMinutes().optional(),
  })
  .superRefine(refineFiatAmount);

function updateRoute(deps: CreatePaymentDeps): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/payment/update',
    summary: 'Change an unpaid payment',
    description:
      'For a cart that changed: the same addresses, a new quote and a new deadline. Rejected once any money was ' +
      'detected. Omitted fields are unchanged; an empty text removes a description, order label or URL.',
    tags,
    auth: 'merchant',
    scope: 'payments:write',
    status: 200,
    body: updateBody,
    data: paymentSchema(),
    errors: ['PAYMENT_NOT_FOUND', 'INVALID_STATE', 'RATE_UNAVAILABLE'],
    handler: async ({ auth, body: { description: text, orderLabel: label, ...body } }) =>
      shownTo(
        auth,
        await updatePayment(deps, {
          merchant: auth.merchant,
          actor: auth.actor,
          ...body,
          description: text === '' ? null : text,
          orderLabel: label === '' ? null : label,
        }),
      ),
  });
}

function getRoute(deps: CreatePaymentDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/payment/get',
    summary: 'Read a payment',
    description:
      'In full with a secret key or a user token; with a public key only the fields that the payer may see.',
    tags,
    auth: 'payer',
    scope: 'payments:read',
    status: 200,
    query: z.object({ paymentId: identifier().meta({ example: EXAMPLES.paymentId }) }),
    data: z.union([paymentSchema(), payerPaymentSchema()]),
    errors: ['PAYMENT_NOT_FOUND'],
    handler: async ({ auth, query }) => {
      const payment = await getPayment(deps, { merchantId: auth.merchantId, paymentId: query.paymentId });
      return auth.via === 'public' ? payerView(payment) : shownTo(auth, payment);
    },
  });
}

function cancelRoute(deps: CreatePaymentDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/payment/cancel',
    summary: 'Cancel an unpaid payment',
    description: 'Money that arrives afterwards is treated as late.',
    tags,
    auth: 'merchant',
    scope: 'payments:write',
    status: 200,
    body: z.object({ paymentId: identifier().meta({ example: EXAMPLES.paymentId }) }),
    data: paymentSchema(),
    errors: ['PAYMENT_NOT_FOUND', 'INVALID_STATE'],
    handler: async ({ auth, body }) =>
      shownTo(auth, await cancelPayment(deps, { merchantId: auth.merchantId, paymentId: body.paymentId })),
  });
}

function resolveRoute(deps: CreatePaymentDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/payment/resolve',
    summary: 'Resolve a payment',
    description:
      '`accept` completes an underpaid or late payment with the received amount, and is rejected with ' +
      'INVALID_STATE while a claim of its money waits to be sent; `refunded` records that the money was refunded ' +
      'elsewhere.',
    tags,
    auth: 'merchant',
    scope: 'payments:write',
    notFor: ['clerk'],
    status: 200,
    body: z.object({
      paymentId: identifier().meta({ example: EXAMPLES.paymentId }),
      action: settles(z.enum(['accept', 'refunded'])),
    }),
    data: paymentSchema(),
    errors: ['PAYMENT_NOT_FOUND', 'INVALID_STATE'],
    handler: async ({ auth, body }) => {
      const at = { merchantId: auth.merchantId, paymentId: body.paymentId };
      return shownTo(auth, await resolvePayment(deps, at, body.action));
    },
  });
}
