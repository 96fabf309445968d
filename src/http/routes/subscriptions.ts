import { z } from 'zod';
import { SUBSCRIPTION_STATUSES } from '../../domain/subscription/types.ts';
import { listInvoices } from '../../store/subscriptions/invoices.ts';
import { listSubscriptions } from '../../store/subscriptions/subscriptions.ts';
import { merchantMode } from '../../usecases/access/index.ts';
import { presentInvoice } from '../../usecases/invoices/index.ts';
import {
  findOwnSubscription,
  type SubscriptionDeps,
  summarizeSubscriptions,
} from '../../usecases/subscriptions/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { pagination } from '../schemas/answers.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { integerQuery, modeQuery, pageQuery } from '../schemas/query.ts';
import {
  subscriptionInvoiceSchema,
  subscriptionSchema,
  subscriptionSummarySchema,
} from '../schemas/subscription.ts';
import { identifier } from '../schemas/text.ts';
import { subscriptionCommandRoutes } from './subscription-commands.ts';
import { presentRow, subscriptionId } from './subscription-views.ts';

const tags = ['Subscriptions'];
const MAX_MONTHS = 36;

/** Subscriptions to recurring prices, and their invoices. */
export function subscriptionRoutes(deps: SubscriptionDeps): Route[] {
  return [
    ...subscriptionCommandRoutes(deps),
    getRoute(deps),
    listRoute(deps),
    invoicesRoute(deps),
    summaryRoute(deps),
  ];
}

function getRoute(deps: SubscriptionDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/subscription/get',
    summary: 'Get a subscription',
    description: 'Its state now. Grant access while `activeUntil` is in the future.',
    tags,
    auth: 'merchant',
    scope: 'subscriptions:read',
    status: 200,
    query: z.object({ subscriptionId: subscriptionId() }),
    data: subscriptionSchema(),
    errors: ['SUBSCRIPTION_NOT_FOUND'],
    handler: async ({ auth, query }) => {
      const row = await findOwnSubscription(deps.db, auth.merchantId, query.subscriptionId);
      return presentRow(deps, deps.db, auth, row);
    },
  });
}

function listRoute(deps: SubscriptionDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/subscription/list',
    summary: 'List subscriptions',
    description: 'Subscriptions of the merchant in one mode, newest first.',
    tags,
    auth: 'merchant',
    scope: 'subscriptions:read',
    status: 200,
    query: z.object({
      status: z.enum(SUBSCRIPTION_STATUSES).optional(),
      customerId: identifier().optional().meta({ example: EXAMPLES.customerId }),
      productId: identifier().optional().meta({ example: EXAMPLES.productId }),
      mode: modeQuery().meta({ example: 'sandbox' }),
      ...pageQuery(),
    }),
    data: z.object({ subscriptions: z.array(subscriptionSchema()), pagination: pagination() }),
    errors: [],
    handler: async ({ auth, query }) => {
      const { page, limit, mode = merchantMode(auth.merchant), ...filter } = query;
      const at = { limit, offset: (page - 1) * limit };
      const { rows, total } = await listSubscriptions(
        deps.db,
        { ...filter, merchantId: auth.merchantId, mode },
        at,
      );
      const subscriptions = [];
      for (const row of rows) subscriptions.push(await presentRow(deps, deps.db, auth, row));
      return { subscriptions, pagination: { page, limit, total } };
    },
  });
}

function invoicesRoute(deps: SubscriptionDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/subscription/invoices',
    summary: 'List invoices',
    description: 'The invoices of a subscription, newest first.',
    tags,
    auth: 'merchant',
    scope: 'subscriptions:read',
    status: 200,
    query: z.object({ subscriptionId: subscriptionId(), ...pageQuery() }),
    data: z.object({ invoices: z.array(subscriptionInvoiceSchema()), pagination: pagination() }),
    errors: ['SUBSCRIPTION_NOT_FOUND'],
    handler: async ({ auth: { merchantId }, query }) => {
      const { page, limit } = query;
      const { id } = await findOwnSubscription(deps.db, merchantId, query.subscriptionId);
      const { rows, total } = await listInvoices(deps.db, id, { limit, offset: (page - 1) * limit });
      return { invoices: rows.map(presentInvoice), pagination: { page, limit, total } };
    },
  });
}

function summaryRoute(deps: SubscriptionDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/subscription/summary',
    summary: 'Get figures of subscriptions',
    description:
      'Revenue and churn by month in the time zone of the shop, the recurring revenue of a month, and the invoices of ' +
      'the next 30 days. Currencies are never added up.',
    tags,
    auth: 'merchant',
    scope: 'subscriptions:read',
    status: 200,
    query: z.object({
      months: integerQuery({ min: 1, max: MAX_MONTHS })
        .default(12)
        .meta({ description: 'Up to the current one', example: 12 }),
      mode: modeQuery().meta({ example: 'sandbox' }),
    }),
    data: subscriptionSummarySchema(),
    errors: [],
    handler: async ({ auth: { merchant }, query: { months, mode = merchantMode(merchant) } }) =>
      summarizeSubscriptions(deps, { merchant, mode, months }),
  });
}
