import { z } from 'zod';
import { RECURRING_INTERVALS } from '../../domain/catalog.ts';
import { shopsOfProducts } from '../../store/catalog/product-shops.ts';
import { listMerchants } from '../../store/merchants/merchants.ts';
import type { ProductRow } from '../../store/schema/catalog.ts';
import type { Db } from '../../store/sqlite/database.ts';
import {
  type CatalogDeps,
  type CatalogReach,
  createProduct,
  deleteProduct,
  editProduct,
  listProducts,
  mayChangeSoldBy,
} from '../../usecases/catalog/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { isoTime, pagination, timestamp } from '../schemas/answers.ts';
import { booleanQuery, pageQuery } from '../schemas/query.ts';
import { identifier, text } from '../schemas/text.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const MERCHANTS_MAX = 1_000;
const tags = ['Catalog'];

/** The products of an account. */
export function productRoutes(deps: CatalogDeps): Route[] {
  return [createRoute(deps), editRoute(deps), deleteRoute(deps), listRoute(deps)];
}

const productFields = z.object({
  id: z.string().meta({ example: EXAMPLES.productId }),
  name: z.string().meta({ example: 'Coffee beans' }),
  description: z.string().nullable().meta({ example: 'One kilogram, freshly roasted' }),
  recurring: z.boolean(),
  recurringInterval: z.enum(RECURRING_INTERVALS).nullable(),
  active: z.boolean(),
  merchantIds: z
    .array(z.string())
    .nullable()
    .optional()
    .meta({
      description: 'The shops that sell it; null: all of the account. Only with the owner’s user token',
      example: [EXAMPLES.merchantId],
    }),
  mayChange: z.boolean().meta({
    description: 'Whether the caller’s shop is the only one to sell it, or the caller owns the account',
  }),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});
const productView = productFields.meta({ id: 'Product' });

/** Products as a caller sees them: members and keys of a shop learn nothing of the others. */
async function productsFor(db: Db, reach: CatalogReach, rows: readonly ProductRow[]) {
  const named = await shopsOfProducts(
    db,
    rows.map(({ id }) => id),
  );
  const all = (await listMerchants(db, reach.userId)).map(({ id }) => id);
  return rows.map((row) => {
    const shops = named.get(row.id) ?? null;
    return {
      ...present(row),
      ...(reach.onlyMerchantId === null ? { merchantIds: shops } : {}),
      mayChange: mayChangeSoldBy(reach, shops ?? all),
    };
  });
}

async function productFor(db: Db, reach: CatalogReach, row: ProductRow) {
  const [product] = await productsFor(db, reach, [row]);
  if (product === undefined) throw new Error(`product ${row.id} is not shown`);
  return product;
}

const merchantIds = () =>
  z
    .array(identifier())
    .min(1)
    .max(MERCHANTS_MAX)
    .nullable()
    .optional()
    .meta({ description: 'The shops that sell it; null: all of the account. Only the owner chooses them' });

function present(row: ProductRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    recurring: row.recurring,
    recurringInterval: row.recurringInterval,
    active: row.active,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}

const createBody = z
  .object({
    name: text().meta({ example: 'Coffee beans' }),
    description: text({ min: 0 }).nullish().meta({ example: 'One kilogram, freshly roasted' }),
    recurring: z.boolean().default(false).meta({ example: true }),
    recurringInterval: z
      .enum(RECURRING_INTERVALS)
      .nullish()
      .meta({ description: 'Required for a recurring product, rejected for any other' }),
    merchantIds: merchantIds().meta({ example: [EXAMPLES.merchantId] }),
  })
  .superRefine((body, context) => {
    const given = (body.recurringInterval ?? null) !== null;
    if (given === body.recurring) return;
    const message = given ? 'needs recurring to be true' : 'is required when recurring is true';
    context.addIssue({ code: 'custom', path: ['recurringInterval'], message });
  });

function createRoute(deps: CatalogDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/product/create',
    summary: 'Create a product',
    description:
      'Adds an active product to the account; prices are added to it one by one. The shop of the key, or the one ' +
      'that `merchantId` names, sells it; else every shop of the account. A shop that creates a payment for it is ' +
      'added to its shops, except by a public key or a clerk.',
    tags,
    auth: 'account',
    scope: 'catalog:write',
    status: 201,
    body: createBody,
    example: { body: { name: 'Beans, 1 kg', description: 'Roasted on Mondays' } },
    data: productView,
    errors: ['MERCHANT_NOT_FOUND'],
    handler: async ({ auth, client, body, storeAnswer }) => {
      const input = {
        by: { ...auth, client },
        merchantIds: body.merchantIds,
        name: body.name,
        description: body.description ?? null,
        recurringInterval: body.recurringInterval ?? null,
      };
      const made = await createProduct(deps, input, async (tx, row) =>
        storeAnswer(tx, await productFor(tx, auth, row)),
      );
      return productFor(deps.db, auth, made);
    },
  });
}

function editRoute(deps: CatalogDeps): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/merchant/product/edit',
    summary: 'Edit a product',
    description:
      'Omitted fields are unchanged. An inactive product cannot be paid for. Members and keys of a shop change ' +
      'only products that no other shop sells.',
    tags,
    auth: 'account',
    scope: 'catalog:write',
    status: 200,
    body: z.object({
      productId: identifier().meta({ example: EXAMPLES.productId }),
      name: text().optional().meta({ example: 'Coffee beans' }),
      description: text({ min: 0 }).nullish().meta({ example: 'One kilogram, freshly roasted' }),
      active: z.boolean().optional(),
      merchantIds: merchantIds().meta({ example: [EXAMPLES.merchantId] }),
    }),
    example: {
      body: { productId: 'prod_1Hn6Vd0sKq3ZtY8uPbE4xM2j', name: 'Beans, 1 kg', active: true },
    },
    data: productFields.pick({ id: true, name: true, description: true, active: true, updatedAt: true }),
    errors: ['PRODUCT_NOT_FOUND', 'MERCHANT_NOT_FOUND'],
    handler: async ({ auth, client, body }) => {
      const { id, name, description, active, updatedAt } = present(
        await editProduct(deps, { ...body, by: { ...auth, client } }),
      );
      return { id, name, description, active, updatedAt };
    },
  });
}

function deleteRoute(deps: CatalogDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/merchant/product/delete',
    summary: 'Delete a product',
    description: 'Deletes its prices too. Existing payments are unchanged.',
    tags,
    auth: 'account',
    scope: 'catalog:write',
    status: 200,
    body: z.object({ productId: identifier().meta({ example: EXAMPLES.productId }) }),
    data: z.object({ deleted: z.boolean(), productId: z.string().meta({ example: EXAMPLES.productId }) }),
    errors: ['PRODUCT_NOT_FOUND'],
    handler: async ({ auth, client, body }) => {
      await deleteProduct(deps, { by: { ...auth, client }, productId: body.productId });
      return { deleted: true, productId: body.productId };
    },
  });
}

function listRoute(deps: CatalogDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/product/list',
    summary: 'List products',
    description: 'Products of the account, newest first.',
    tags,
    auth: 'account',
    scope: 'catalog:read',
    status: 200,
    query: z.object({ ...pageQuery(), active: booleanQuery().optional() }),
    data: z.object({ products: z.array(productView), pagination: pagination() }),
    errors: [],
    handler: async ({ auth, query }) => {
      const { page, limit, active } = query;
      const { rows, total } = await listProducts(deps, { userId: auth.userId, active }, { page, limit });
      return { products: await productsFor(deps.db, auth, rows), pagination: { page, limit, total } };
    },
  });
}
