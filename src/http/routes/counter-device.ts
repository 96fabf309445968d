import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import { minorUnitDigits } from '../../domain/currencies.ts';
import { ITEMS_MAX, PAYMENT_STATES, paymentState, QUANTITY_MAX } from '../../domain/counter.ts';
import type { CreatePaymentDeps, PaymentView } from '../../usecases/payments/index.ts';
import {
  chargeCustomer,
  connectDevice,
  readCounterDay,
  readCounterPayment,
} from '../../usecases/counters/index.ts';
import { qrPath } from '../checkout/qr.ts';
import { fiatAmount } from '../schemas/amounts.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { secret } from '../schemas/security-marks.ts';
import { identifier, text } from '../schemas/text.ts';
import type { CountOrder } from '../server/order-counter.ts';
import { defineRoute, type Route } from '../server/route.ts';

const common = { tags: ['Counters'], scope: 'never', counterOnly: true } as const;

/** What the page of a counter calls: with a code once, then with the token of its device. */
export function counterDeviceRoutes(deps: CreatePaymentDeps, countOrder: CountOrder): Route[] {
  return [connectRoute(deps), chargeRoute(deps, countOrder), paymentRoute(deps), dayRoute(deps)];
}

const listed = {
  id: z.string(),
  orderId: z.string(),
  state: z.enum(PAYMENT_STATES),
  amount: z.string(),
  tip: z.string().nullable(),
  currency: z.string(),
  createdAt: timestamp(),
};

const qr = z.object({ size: z.int(), path: z.string() });

const counterPayment = z.object({
  ...listed,
  /** The received money at the rates of the payment; null while one is not known. */
  received: z.string().nullable(),
  expiresAt: timestamp(),
  /** The payer's page, for payers who choose the coin on their own phone. */
  page: z.object({ url: z.string(), qr }),
  coins: z.array(z.object({ coin: z.enum(COINS), amount: z.string(), uri: z.string(), qr })),
});

/** A payment as its counter shows it, with a code for each coin. */
function toCounterPayment(payment: PaymentView): z.input<typeof counterPayment> {
  const { id, orderId, amount, tip, currency, createdAt, expiresAt, checkoutUrl, options } = payment;
  return {
    id,
    orderId,
    state: paymentState(payment),
    amount,
    tip,
    currency,
    createdAt,
    expiresAt,
    received: payment.receivedFiat,
    page: { url: checkoutUrl, qr: qrPath(checkoutUrl) },
    coins: COINS.flatMap((coin) => {
      const option = options[coin];
      if (option === undefined || option.uri === null) return [];
      return [{ coin, amount: option.amount, uri: option.uri, qr: qrPath(option.uri) }];
    }),
  };
}

function connectRoute(deps: CreatePaymentDeps): Route {
  return defineRoute({
    ...common,
    method: 'POST',
    path: '/counter/connect',
    summary: 'Connect a device',
    description: 'Consumes the code and returns the token of the device, once.',
    auth: 'none',
    status: 201,
    body: z.object({ code: text({ max: 40 }) }),
    data: z.object({ token: secret(z.string()) }),
    errors: ['INVALID_CODE'],
    handler: async ({ body: { code }, storeAnswer }) => ({
      token: await connectDevice(deps, code, async (tx, token) => storeAnswer(tx, { token })),
    }),
  });
}

const chargeBody = z.object({
  amount: fiatAmount().optional(),
  items: z
    .array(z.object({ priceId: identifier(), quantity: z.int().min(1).max(QUANTITY_MAX) }))
    .max(ITEMS_MAX)
    .default([]),
  tip: fiatAmount().optional(),
});

function chargeRoute(deps: CreatePaymentDeps, countOrder: CountOrder): Route {
  return defineRoute({
    ...common,
    method: 'POST',
    path: '/merchant/counter/charge',
    summary: 'Charge a customer',
    description: 'Creates a payment of a typed amount, of favourites, or of both, and a tip.',
    auth: 'counter',
    status: 201,
    body: chargeBody,
    data: counterPayment,
    errors: ['PRICE_NOT_FOUND', 'RATE_UNAVAILABLE', 'COIN_UNAVAILABLE', 'RATE_LIMITED'],
    handler: async ({ auth: { merchant, counterId }, body: { amount = null, items, tip = null } }) => {
      const payment = await chargeCustomer(deps, { merchant, counterId, amount, items, tip });
      countOrder({ via: 'counter', mode: merchant.sandbox ? 'sandbox' : 'live' });
      return toCounterPayment(payment);
    },
  });
}

function paymentRoute(deps: CreatePaymentDeps): Route {
  return defineRoute({
    ...common,
    method: 'GET',
    path: '/merchant/counter/payment',
    summary: 'Read a payment of the counter',
    description: 'Only payments that this counter charged.',
    auth: 'counter',
    status: 200,
    query: z.object({ payment: identifier() }),
    data: counterPayment,
    errors: ['PAYMENT_NOT_FOUND', 'RATE_LIMITED'],
    handler: async ({ auth: { counterId }, query: { payment: paymentId } }) =>
      toCounterPayment(await readCounterPayment(deps, { counterId, paymentId })),
  });
}

function dayRoute(deps: CreatePaymentDeps): Route {
  return defineRoute({
    ...common,
    method: 'GET',
    path: '/merchant/counter/day',
    summary: 'Read the day of a counter',
    description:
      'Its settings, what it charged on the current day of the shop, and the total of completed payments.',
    auth: 'counter',
    status: 200,
    data: z.object({
      shop: z.object({ name: z.string(), sandbox: z.boolean(), timeZone: z.string() }),
      counter: z.object({
        name: z.string(),
        currency: z.string(),
        fractionDigits: z.int(),
        tips: z.array(z.int()),
        favourites: z.array(z.object({ priceId: z.string(), name: z.string(), amount: z.string() })),
      }),
      day: z.string(),
      total: z.object({ count: z.int(), amount: z.string(), tips: z.string() }),
      payments: z.array(z.object(listed)),
    }),
    errors: ['COUNTER_NOT_FOUND', 'RATE_LIMITED'],
    handler: async ({ auth: { merchant, counterId } }) => {
      const { counter, favourites, day, timeZone, total, payments } = await readCounterDay(deps, {
        merchant,
        counterId,
      });
      return {
        shop: { name: merchant.name, sandbox: merchant.sandbox, timeZone },
        counter: {
          name: counter.name,
          currency: counter.currency,
          fractionDigits: minorUnitDigits(counter.currency),
          tips: JSON.parse(counter.tipsJson) as number[],
          favourites,
        },
        day,
        total,
        payments: payments.map(({ status, exception, createdAt, ...payment }) => ({
          ...payment,
          state: paymentState({ status, exception }),
          createdAt: isoTime(createdAt),
        })),
      };
    },
  });
}
