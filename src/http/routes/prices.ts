import { z } from 'zod';
import type { PriceRow } from '../../store/schema/catalog.ts';
import {
  type CatalogDeps,
  createPrice,
  deletePrice,
  editPrice,
  listPrices,
} from '../../usecases/catalog/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { fiatAmount, refineFiatAmount } from '../schemas/amounts.ts';
import { isoTime, pagination, timestamp } from '../schemas/answers.ts';
import { currency } from '../schemas/codes.ts';
import { settles } from '../schemas/security-marks.ts';
import { booleanQuery, pageQuery } from '../schemas/query.ts';
import { identifier } from '../schemas/text.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const tags = ['Catalog'];

/** The prices of an account's products. */
export function priceRoutes(deps: CatalogDeps): Route[] {
  return [createRoute(deps), editRoute(deps), deleteRoute(deps), listRoute(deps)];
}

const priceFields = z.object({
  id: z.string().meta({ example: EXAMPLES.priceId }),
  productId: z.string().meta({ example: EXAMPLES.productId }),
  amount: z.string().meta({ example: '49.90' }),
  currency: z.string().meta({ example: 'USD' }),
  active: z.boolean(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});
const priceView = priceFields.meta({ id: 'Price' });

function present(row: PriceRow): z.input<typeof priceView> {
  return {
    id: row.id,
    productId: row.productId,
    amount: row.amount,
    currency: row.currency,
    active: row.active,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}

const createdAnswer = (made: PriceRow) => {
  const { updatedAt: _, ...shown } = present(made);
  return shown;
};

function createRoute(deps: CatalogDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/price/create',
    summary: 'Create a price',
    description:
      'Adds an active price to a product. A product may have any number of prices. Members and keys of a shop ' +
      'change only products that no other shop sells.',
    tags,
    auth: 'account',
    scope: 'catalog:write',
    status: 201,
    body: z
      .object({
        productId: identifier().meta({ example: EXAMPLES.productId }),
        amount: fiatAmount(),
        currency: currency(),
      })
      .superRefine(refineFiatAmount),
    data: priceFields.omit({ updatedAt: true }),
    errors: ['PRODUCT_NOT_FOUND'],
    handler: async ({ auth, client, body, storeAnswer }) => {
      const input = { ...body, by: { ...auth, client } };
      return createdAnswer(
        await createPrice(deps, input, (tx, made) => storeAnswer(tx, createdAnswer(made))),
      );
    },
  });
}

function editRoute(deps: CatalogDeps): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/merchant/price/edit',
    summary: 'Edit a price',
    description:
      'Omitted fields are unchanged. An inactive price cannot be paid. Existing payments keep their amount.',
    tags,
    auth: 'account',
    scope: 'catalog:write',
    status: 200,
    body: z
      .object({
        priceId: identifier().meta({ example: EXAMPLES.priceId }),
        amount: settles(fiatAmount()).optional(),
        currency: settles(currency()).optional(),
        active: z.boolean().optional(),
      })
      .superRefine(refineFiatAmount),
    data: priceFields.pick({ id: true, amount: true, currency: true, active: true, updatedAt: true }),
    errors: ['PRICE_NOT_FOUND'],
    handler: async ({ auth, client, body }) => {
      const { id, amount, currency, active, updatedAt } = present(
        await editPrice(deps, { ...body, by: { ...auth, client } }),
      );
      return { id, amount, currency, active, updatedAt };
    },
  });
}

function deleteRoute(deps: CatalogDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/merchant/price/delete',
    summary: 'Delete a price',
    description: 'Existing payments are unchanged.',
    tags,
    auth: 'account',
    scope: 'catalog:write',
    status: 200,
    body: z.object({ priceId: identifier().meta({ example: EXAMPLES.priceId }) }),
    data: z.object({ deleted: z.boolean(), priceId: z.string().meta({ example: EXAMPLES.priceId }) }),
    errors: ['PRICE_NOT_FOUND'],
    handler: async ({ auth, client, body }) => {
      await deletePrice(deps, { by: { ...auth, client }, priceId: body.priceId });
      return { deleted: true, priceId: body.priceId };
    },
  });
}

function listRoute(deps: CatalogDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/price/list',
    summary: 'List prices',
    description: 'Prices of the account, newest first.',
    tags,
    auth: 'account',
    scope: 'catalog:read',
    status: 200,
    query: z.object({
      ...pageQuery(),
      productId: identifier().optional().meta({ example: EXAMPLES.productId }),
      active: booleanQuery().optional(),
    }),
    data: z.object({ prices: z.array(priceView), pagination: pagination() }),
    errors: [],
    handler: async ({ auth, query }) => {
      const { page, limit, productId, active } = query;
      const filter = { userId: auth.userId, productId, active };
      const { rows, total } = await listPrices(deps, filter, { page, limit });
      return { prices: rows.map(present), pagination: { page, limit, total } };
    },
  });
}
