import { z } from 'zod';
import { PAYMENT_STATUSES } from '../../domain/payment/types.ts';
import { createPayment, type CreatePaymentDeps } from '../../usecases/payments/create-payment.ts';
import { cancelPayment, resolvePayment } from '../../usecases/payments/decide-payment.ts';
import { getPayment } from '../../usecases/payments/get-payment.ts';
import { listPayments } from '../../usecases/payments/list-payments.ts';
import { payerView } from '../../usecases/payments/present-payment.ts';
import type { CountOrder } from '../server/order-counter.ts';
import { requestDigest } from '../server/request-digest.ts';
import { defineRoute, Reply, type Route } from '../server/route.ts';
import { refineFiatAmount } from '../schemas/amounts.ts';
import { pagination } from '../schemas/answers.ts';
import { coin } from '../schemas/codes.ts';
import { metadata } from '../schemas/metadata.ts';
import { paymentPrice, priceChoiceOf, refinePriceForm, whenObject } from '../schemas/payment-price.ts';
import { payerPaymentSchema, paymentSchema } from '../schemas/payment.ts';
import { pageQuery, timeQuery } from '../schemas/query.ts';
import { httpUrl, identifier, text } from '../schemas/text.ts';

const tags = ['Payments'];

/** Creating, reading, cancelling and resolving payments. */
export function paymentRoutes(deps: CreatePaymentDeps, countOrder: CountOrder): Route[] {
  return [
    createRoute(deps, countOrder),
    getRoute(deps),
    listRoute(deps),
    cancelRoute(deps),
    resolveRoute(deps),
  ];
}

const createBody = z
  .object({
    ...paymentPrice(),
    customerId: identifier(),
    orderId: text(),
    metadata: metadata().optional(),
    webhookUrl: httpUrl().optional(),
    successUrl: httpUrl().optional(),
    returnUrl: httpUrl().optional(),
    allowedCryptos: z
      .array(coin())
      .min(1)
      .max(16)
      .transform((coins) => [...new Set(coins)])
      .optional(),
    customFields: metadata().optional(),
  })
  .superRefine(refinePriceForm, whenObject)
  .superRefine(refineFiatAmount);

function createRoute(deps: CreatePaymentDeps, countOrder: CountOrder): Route {
  return defineRoute({
    method: 'POST',
    path: '/payment/create',
    summary: 'Create a payment',
    description:
      'Locks the rate and gives out one fresh address per coin. The same order again answers 200 with the existing payment.',
    tags,
    auth: 'payer',
    scope: 'payments:write',
    status: 201,
    repeatAnswers: 'The same order again: the payment that exists',
    body: createBody,
    example: {
      body: {
        amount: '49.90',
        currency: 'USD',
        customerId: 'cus_5LrRyo2k8hQmXv4TzN0aWb7C',
        orderId: 'order-1001',
        metadata: { tableNumber: 7 },
        webhookUrl: 'https://shop.example/webhooks/tilld',
        successUrl: 'https://shop.example/thanks',
        returnUrl: 'https://shop.example/cart',
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
      const { payment, repeated } = await createPayment(deps, {
        merchant: auth.merchant,
        price: priceChoiceOf(body),
        customerId: body.customerId,
        orderId: body.orderId,
        metadata: body.metadata ?? null,
        customFields: body.customFields ?? null,
        webhookUrl: body.webhookUrl ?? null,
        successUrl: body.successUrl ?? null,
        returnUrl: body.returnUrl ?? null,
        allowedCryptos: body.allowedCryptos ?? [],
        requestHash: requestDigest(body),
      });
      if (!repeated) countOrder({ via: auth.via, mode: auth.merchant.sandbox === 1 ? 'sandbox' : 'live' });
      return new Reply(repeated ? 200 : 201, payerView(payment));
    },
  });
}

function getRoute(deps: CreatePaymentDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/payment/get',
    namedBy: 'paymentId',
    summary: 'Read a payment',
    description: 'In full with a secret key or a user token; with a public key only what the payer may see.',
    tags,
    auth: 'payer',
    scope: 'payments:read',
    status: 200,
    query: z.object({ paymentId: identifier() }),
    data: z.union([paymentSchema(), payerPaymentSchema()]),
    errors: ['PAYMENT_NOT_FOUND'],
    handler: async ({ auth, query }) => {
      const payment = await getPayment(deps, { merchantId: auth.merchantId, paymentId: query.paymentId });
      return auth.via === 'public' ? payerView(payment) : payment;
    },
  });
}

function listRoute(deps: CreatePaymentDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/payment/list',
    summary: 'List payments',
    description: 'Payments of the merchant in its current mode, newest first.',
    tags,
    auth: 'merchant',
    scope: 'payments:read',
    status: 200,
    query: z.object({
      ...pageQuery(),
      status: z.enum(PAYMENT_STATUSES).optional(),
      customerId: identifier().optional(),
      orderId: identifier().optional(),
      coin: coin().optional(),
      startDate: timeQuery('from').optional(),
      endDate: timeQuery('until').optional(),
      search: text()
        .optional()
        .meta({
          description:
            'Payment id, start of the order id, customer id, start of the customer’s e-mail address, transaction hash ' +
            '(also of a refund) or address. Taken literally: no wildcards. Finds at most 1,000 payments in each of these ways',
          examples: ['order-10'],
        }),
    }),
    data: z.object({ payments: z.array(paymentSchema()), pagination: pagination() }),
    errors: [],
    handler: async ({ auth, query }) => {
      const { page, limit, startDate, endDate, ...filter } = query;
      return listPayments(
        deps,
        { merchant: auth.merchant, ...filter, fromMs: startDate, toMs: endDate },
        { page, limit },
      );
    },
  });
}

function cancelRoute(deps: CreatePaymentDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/payment/cancel',
    namedBy: 'paymentId',
    summary: 'Cancel a payment nobody has paid',
    description: 'Money that arrives afterwards is treated as late.',
    tags,
    auth: 'merchant',
    scope: 'payments:write',
    status: 200,
    body: z.object({ paymentId: identifier() }),
    data: paymentSchema(),
    errors: ['PAYMENT_NOT_FOUND', 'INVALID_STATE'],
    handler: async ({ auth, body }) =>
      cancelPayment(deps, { merchantId: auth.merchantId, paymentId: body.paymentId }),
  });
}

function resolveRoute(deps: CreatePaymentDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/payment/resolve',
    namedBy: 'paymentId',
    summary: 'Decide on money the service alone would not take',
    description:
      '`accept` completes an underpaid or late payment with what arrived; `refunded` records that the money was given back.',
    tags,
    auth: 'merchant',
    scope: 'payments:write',
    status: 200,
    body: z.object({ paymentId: identifier(), action: z.enum(['accept', 'refunded']) }),
    data: paymentSchema(),
    errors: ['PAYMENT_NOT_FOUND', 'INVALID_STATE'],
    handler: async ({ auth, body }) =>
      resolvePayment(deps, { merchantId: auth.merchantId, paymentId: body.paymentId }, body.action),
  });
}
