import { z } from 'zod';
import { emailKey } from '../../domain/email.ts';
import { parseExact } from '../../domain/exact-json.ts';
import { listCustomers } from '../../store/catalog/customers.ts';
import { chooseReadDb } from '../../store/choose-read-db.ts';
import type { CustomerRow } from '../../store/schema/catalog.ts';
import {
  createCustomer,
  editCustomer,
  eraseCustomer,
  type EraseCustomerDeps,
  getCustomer,
} from '../../usecases/customers/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { freeObject, isoTime, pagination, timestamp } from '../schemas/answers.ts';
import { metadata } from '../schemas/metadata.ts';
import { identifiersQuery, pageQuery } from '../schemas/query.ts';
import { email, identifier, text } from '../schemas/text.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

export type CustomerRoutesDeps = EraseCustomerDeps;

const customer = z
  .object({
    id: z.string().meta({ example: EXAMPLES.customerId }),
    email: z.string().meta({ example: EXAMPLES.email }),
    metadata: freeObject().meta({ example: { tableNumber: 7 } }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: 'Customer' });
const tags = ['Customers'];

/** Customers. They belong to the user's account and are shared by all its merchants. */
export function customerRoutes(deps: CustomerRoutesDeps): Route[] {
  return [createRoute(deps), editRoute(deps), eraseRoute(deps), getRoute(deps), listRoute(deps)];
}

function createRoute(deps: CustomerRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/customer/create',
    summary: 'Create a customer',
    description: 'Email addresses are unique per account, ignoring case.',
    tags,
    auth: 'account',
    scope: 'customers:write',
    body: z.object({
      email: email(),
      metadata: metadata()
        .optional()
        .meta({ example: { tableNumber: 7 } }),
    }),
    data: customer,
    status: 201,
    errors: ['DUPLICATE_ENTRY'],
    handler: async ({ auth, body, storeAnswer }) => {
      const input = { userId: auth.userId, email: body.email, metadata: body.metadata ?? {} };
      return toCustomer(await createCustomer(deps, input, (tx, made) => storeAnswer(tx, toCustomer(made))));
    },
  });
}

function editRoute(deps: CustomerRoutesDeps): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/merchant/customer/edit',
    summary: 'Edit a customer',
    description: 'Omitted fields are unchanged; metadata is replaced as a whole.',
    tags,
    auth: 'account',
    scope: 'customers:write',
    body: z.object({
      customerId: identifier().meta({ example: EXAMPLES.customerId }),
      email: email().optional(),
      metadata: metadata()
        .optional()
        .meta({ example: { tableNumber: 7 } }),
    }),
    data: customer,
    status: 200,
    errors: ['CUSTOMER_NOT_FOUND', 'DUPLICATE_ENTRY', 'INVALID_STATE'],
    handler: async ({ auth, body }) => toCustomer(await editCustomer(deps, { userId: auth.userId, ...body })),
  });
}

function eraseRoute(deps: CustomerRoutesDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/merchant/customer/erase',
    summary: 'Erase the personal data of a customer',
    description:
      'Deletes email, name and metadata, with their copies in payments, events, webhook logs and queued emails. ' +
      'Payments and the books are kept, under the `customerId`; its email becomes `CUSTOMER_ID@erased.invalid`. ' +
      'Order ids and webhook URLs are kept. Idempotent. A later payment with the same email address creates a new ' +
      'customer.',
    tags,
    auth: 'account',
    scope: 'customers:write',
    recorded: true,
    body: z.object({ customerId: identifier().meta({ example: EXAMPLES.customerId }) }),
    data: z.object({
      erased: z.literal(true),
      customerId: z.string().meta({ example: EXAMPLES.customerId }),
    }),
    status: 200,
    errors: ['CUSTOMER_NOT_FOUND'],
    handler: async ({ auth, body: { customerId } }) => {
      await eraseCustomer(deps, { userId: auth.userId, customerId });
      return { erased: true as const, customerId };
    },
  });
}

const getQuery = z
  .object({
    customerId: identifier().optional().meta({ example: EXAMPLES.customerId }),
    email: email().optional(),
  })
  .superRefine(({ customerId, email: address }, context) => {
    if (customerId !== undefined || address !== undefined) return;
    context.addIssue({ code: 'custom', path: ['customerId'], message: 'is required, or email' });
  });

function getRoute(deps: CustomerRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/customer/get',
    summary: 'Read a customer',
    description: 'By `customerId`, by `email` (ignoring case), or by both, which must match.',
    tags,
    auth: 'account',
    scope: 'customers:read',
    query: getQuery,
    data: customer,
    status: 200,
    errors: ['CUSTOMER_NOT_FOUND'],
    handler: async ({ auth, query }) =>
      toCustomer(await getCustomer(deps, { userId: auth.userId, ...query })),
  });
}

function listRoute(deps: CustomerRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/customer/list',
    summary: 'List customers',
    description: 'Newest first. `search` matches any part of the email address, literally.',
    tags,
    auth: 'account',
    scope: 'customers:read',
    query: z.object({
      ...pageQuery(),
      search: text({ min: 0 }).optional().meta({ example: 'alice' }),
      customerIds: identifiersQuery().optional().meta({
        description: 'Only these, up to 100, separated by commas. Unknown ids are ignored',
      }),
    }),
    data: z.object({ customers: z.array(customer), pagination: pagination() }),
    status: 200,
    errors: [],
    handler: async ({ auth, query }) => {
      const { page, limit, search = '', customerIds } = query;
      const filter = { userId: auth.userId, search: emailKey(search), ids: customerIds, page, limit };
      const { rows, total } = await listCustomers(chooseReadDb(deps.db, filter), filter);
      return { customers: rows.map(toCustomer), pagination: { page, limit, total } };
    },
  });
}

function toCustomer(row: CustomerRow) {
  return {
    id: row.id,
    email: row.email,
    metadata: parseExact(row.metadataJson) as Record<string, unknown>,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}
