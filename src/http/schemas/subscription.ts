import { z } from 'zod';
import { RECURRING_INTERVALS } from '../../domain/catalog.ts';
import { MODES } from '../../domain/coins.ts';
import {
  INVOICE_PROBLEMS,
  INVOICE_STATUSES,
  SUBSCRIPTION_ACTORS,
  SUBSCRIPTION_STATUSES,
} from '../../domain/subscription/types.ts';
import { freeObject, timestamp } from './answers.ts';
import { EXAMPLES } from './example-values.ts';
import { metadata } from './metadata.ts';
import { whenObject } from './payment-price.ts';
import { allowedCryptos, locale, payerFields, refinePayer, returnUrl } from './payment-terms.ts';
import { timeQuery } from './query.ts';
import { identifier } from './text.ts';

const MAX_QUANTITY = 1_000_000;
const MAX_TRIAL_DAYS = 730;

export const quantity = () => z.int().min(1).max(MAX_QUANTITY);

export const createSubscriptionBody = z
  .object({
    priceId: identifier().meta({ example: EXAMPLES.priceId }),
    ...payerFields(),
    quantity: quantity().default(1).meta({ example: 1 }),
    trialDays: z.int().min(0).max(MAX_TRIAL_DAYS).default(0).meta({
      description: 'Calendar days without a payment, before the first period',
      example: 14,
    }),
    startAt: timeQuery('from').optional().meta({
      description: 'Not in the past, and at most two years ahead',
      example: '2027-01-31T12:00:00Z',
    }),
    metadata: metadata()
      .optional()
      .meta({ example: { plan: 'team' } }),
    locale: locale().optional(),
    successUrl: returnUrl().optional().meta({ example: EXAMPLES.returnUrl }),
    returnUrl: returnUrl().optional().meta({ example: EXAMPLES.returnUrl }),
    allowedCryptos: allowedCryptos().optional(),
  })
  .superRefine(refinePayer, whenObject);

const subscription = z
  .object({
    id: z.string().meta({ example: EXAMPLES.subscriptionId }),
    status: z.enum(SUBSCRIPTION_STATUSES).meta({
      description:
        '`trialing` before its first period; `past_due` once a period has begun unpaid; `cancelled` until the paid ' +
        'period ends',
      example: 'active',
    }),
    mode: z.enum(MODES),
    customerId: z.string().meta({ example: EXAMPLES.customerId }),
    productId: z.string().meta({ example: EXAMPLES.productId }),
    priceId: z.string().meta({ example: EXAMPLES.priceId }),
    quantity: z.int().meta({ example: 1 }),
    interval: z.enum(RECURRING_INTERVALS).meta({ example: 'monthly' }),
    amount: z.string().meta({
      description: 'What a period costs: its price times the quantity',
      example: '9.90',
    }),
    currentPeriodStart: timestamp(),
    currentPeriodEnd: timestamp().meta({ example: '2026-02-28T12:00:00.000Z' }),
    activeUntil: timestamp()
      .nullable()
      .meta({
        description:
          'End of the customer’s access: the end of the last paid period, plus the grace period while it is past due. ' +
          'Null: not yet. Grant access while this is in the future',
        example: '2026-02-28T12:00:00.000Z',
      }),
    nextInvoiceAt: timestamp().nullable().meta({
      description: 'When the next invoice is created, once the open one is paid; null if none follows',
      example: '2026-02-21T12:00:00.000Z',
    }),
    openPaymentId: z
      .string()
      .nullable()
      .meta({ description: 'The payment of the oldest open invoice', example: null }),
    cancelAtPeriodEnd: z.boolean(),
    cancelledBy: z.enum(SUBSCRIPTION_ACTORS).nullable().meta({
      description:
        'Who cancelled it: only what the payer cancelled can be undone on the payer’s page. Null: not cancelled, or not known',
      example: null,
    }),
    credit: z.string().meta({ description: 'Used up by the next invoice', example: '0' }),
    currency: z.string().meta({ example: 'EUR' }),
    metadata: freeObject()
      .optional()
      .meta({ description: 'Not in events', example: { plan: 'team' } }),
    invoiceProblem: z
      .object({ reason: z.enum(INVOICE_PROBLEMS).meta({ example: 'rate_unavailable' }), since: timestamp() })
      .nullable()
      .optional()
      .meta({
        description: 'Why the invoice that is due cannot be made; it is retried every minute. Not in events',
        example: null,
      }),
    portalUrl: z.string().nullable().optional().meta({
      description:
        'The payer’s page: everyone who has the address can use it. Null without the scope `subscriptions:write`. Not in events',
      example: 'https://pay.example/s/4fJ2kQ8sVwXyZ0aB3cD5eF',
    }),
    email: z.string().nullable().optional().meta({
      description:
        'Where its mails go, as the payer chose on the page; null: to the customer. Absent without the scope `customers:read`, and in events',
      example: null,
    }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: 'Subscription' });

const subscriptionInvoice = z
  .object({
    n: z.int().meta({ description: 'Number of its period, from 0', example: 0 }),
    orderId: z.string().meta({ example: `${EXAMPLES.subscriptionId}/0` }),
    periodStart: timestamp(),
    periodEnd: timestamp().meta({ example: '2026-02-28T12:00:00.000Z' }),
    amount: z.string().meta({ description: 'The price, with a debt of earlier periods', example: '9.90' }),
    creditApplied: z.string().meta({ example: '0' }),
    due: z
      .string()
      .meta({ description: 'What the customer pays: amount less creditApplied', example: '9.90' }),
    credited: z.string().meta({ description: 'What its money has added to the credit', example: '0' }),
    prorated: z.string().meta({
      description:
        'Proration: what changes of price or quantity have added to the credit; negative: what the next invoice asks for',
      example: '-2.50',
    }),
    currency: z.string().meta({ example: 'EUR' }),
    status: z.enum(INVOICE_STATUSES).meta({
      description: '`void`: closed without payment, or fully refunded',
      example: 'paid',
    }),
    paymentId: z.string().nullable().meta({
      description: 'The newest payment of the order; null where credit covers it',
      example: EXAMPLES.paymentId,
    }),
    createdAt: timestamp(),
    paidAt: timestamp().nullable(),
  })
  .meta({ id: 'SubscriptionInvoice' });

const currency = () => z.string().meta({ example: 'EUR' });
const amount = (description: string) => z.string().meta({ description, example: '99.00' });
const count = (description: string) => z.int().meta({ description, example: 10 });

const subscriptionSummary = z
  .object({
    mode: z.enum(MODES),
    timeZone: z.string().meta({ description: 'Of the shop; else UTC', example: 'Europe/Berlin' }),
    monthlyRecurringRevenue: z
      .array(
        z.object({
          currency: currency(),
          amount: amount('Prices of a month of 365/12 days, rounded down'),
          subscriptions: count(
            'Subscriptions that were paid at least once and go on: `active` or `past_due`',
          ),
        }),
      )
      .meta({ description: 'Without those that end with their period; credit is not subtracted' }),
    upcoming: z
      .array(
        z.object({
          currency: currency(),
          amount: amount('Prices, before credit'),
          invoices: count('Invoices'),
        }),
      )
      .meta({ description: 'Invoices of the next 30 days, if each one before is paid in time' }),
    months: z
      .array(
        z.object({
          month: z.string().meta({ example: '2026-01' }),
          activeAtStart: count(
            'Subscriptions that were paid at least once and entitled when the month began',
          ),
          lost: count('How many of them are not entitled any more at its end'),
          revenue: z.array(
            z.object({
              currency: currency(),
              invoices: count('Paid invoices, by the time of payment'),
              amount: amount('What customers paid for them'),
              creditApplied: amount('What credit paid'),
            }),
          ),
        }),
      )
      .meta({ description: 'Oldest first; the last one is the current month' }),
  })
  .meta({ id: 'SubscriptionSummary' });

export function subscriptionSummarySchema() {
  return subscriptionSummary;
}

export function subscriptionSchema() {
  return subscription;
}

export function subscriptionInvoiceSchema() {
  return subscriptionInvoice;
}
