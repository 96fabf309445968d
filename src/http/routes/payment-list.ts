import { z } from 'zod';
import { PAYMENT_EXCEPTIONS, PAYMENT_STATUSES } from '../../domain/payment/types.ts';
import { PAYMENT_SORTS } from '../../store/payments/payment-list.ts';
import { type CreatePaymentDeps, listPayments } from '../../usecases/payments/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { pagination } from '../schemas/answers.ts';
import { coin } from '../schemas/codes.ts';
import { paymentSchema } from '../schemas/payment.ts';
import { modeQuery, pageQuery, rangeIn, rangeQuery, timeQuery } from '../schemas/query.ts';
import { identifier, orderId, text } from '../schemas/text.ts';
import { shownTo } from './scoped-views.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const listQuery = z.object({
  ...pageQuery(),
  mode: modeQuery().meta({ example: 'sandbox' }),
  status: z.enum(PAYMENT_STATUSES).optional().meta({ example: 'completed' }),
  exception: z
    .enum(PAYMENT_EXCEPTIONS)
    .optional()
    .meta({ description: 'Payments that may need your decision', example: 'late' }),
  customerId: identifier().optional().meta({ example: EXAMPLES.customerId }),
  orderId: orderId().optional().meta({ example: 'order-1001' }),
  coin: coin().optional(),
  ...rangeQuery(),
  updatedAfter: timeQuery('from').optional().meta({ description: 'Changed after this time (exclusive)' }),
  search: text()
    .optional()
    .meta({
      description:
        'Any part of the order id or of the customer’s e-mail address, in any letter case; the payment id or ' +
        'customer id; six or more characters from the start of an address or transaction hash (also of a refund); or ' +
        'an amount, of the price or of the coins received: 12 also finds 12.50, and 12.5 finds 12.50. No wildcards',
      examples: ['order-10'],
    }),
  sort: z
    .enum(PAYMENT_SORTS)
    .optional()
    .meta({
      description:
        'Ascending, or descending with a leading `-`; by default `-createdAt`, with `updatedAfter` `updatedAt`. ' +
        'Order ids and statuses sort by code point, ties by `createdAt`',
      examples: ['orderId'],
    }),
});

/** Listing, filtering and searching payments. */
export function listRoute(deps: CreatePaymentDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/payment/list',
    summary: 'List payments',
    description:
      'Payments of the merchant in one mode, newest first; with `updatedAfter` in the order of their last change, oldest first; or as `sort` says.',
    tags: ['Payments'],
    auth: 'merchant',
    scope: 'payments:read',
    status: 200,
    query: listQuery,
    data: z.object({ payments: z.array(paymentSchema()), pagination: pagination() }),
    errors: [],
    handler: async ({ auth, query }) => {
      const { page, limit, startDate, endDate, timeZone, updatedAfter, sort, ...filter } = query;
      const { payments, pagination: counted } = await listPayments(
        deps,
        {
          merchant: auth.merchant,
          ...filter,
          ...rangeIn({ startDate, endDate, timeZone }),
          updatedAfterMs: updatedAfter,
        },
        { page, limit, sort },
      );
      return { payments: payments.map((payment) => shownTo(auth, payment)), pagination: counted };
    },
  });
}
