import { z } from 'zod';
import { RECURRING_INTERVALS } from '../../domain/catalog.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { ProductRow } from '../../store/schema/catalog.ts';
import { createProduct } from '../../usecases/catalog/create-product.ts';
import { deleteProduct } from '../../usecases/catalog/delete-product.ts';
import { editProduct } from '../../usecases/catalog/edit-product.ts';
import { listProducts } from '../../usecases/catalog/list-products.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { isoTime, pagination, timestamp } from '../schemas/answers.ts';
import { booleanQuery, pageQuery } from '../schemas/query.ts';
import { identifier, text } from '../schemas/text.ts';

export interface ProductRoutesDeps {
  readonly db: Db;
  readonly clock: Clock;
}

const tags = ['Catalog'];

/** The products of an account. */
export function productRoutes(deps: ProductRoutesDeps): Route[] {
  return [createRoute(deps), editRoute(deps), deleteRoute(deps), listRoute(deps)];
}

const productFields = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  recurring: z.boolean(),
  recurringInterval: z.enum(RECURRING_INTERVALS).nullable(),
  active: z.boolean(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});
const productView = productFields.meta({ id: 'Product' });

function present(row: ProductRow): z.input<typeof productView> {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    recurring: row.recurring === 1,
    recurringInterval: row.recurring_interval,
    active: row.active === 1,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

const createBody = z
  .object({
    name: text(),
    description: text({ min: 0 }).nullish(),
    recurring: z.boolean().default(false),
    recurringInterval: z
      .enum(RECURRING_INTERVALS)
      .nullish()
      .meta({ description: 'Required for a recurring product, refused for any other' }),
  })
  .superRefine((body, context) => {
    const given = (body.recurringInterval ?? null) !== null;
    if (given === body.recurring) return;
    const message = given ? 'needs recurring to be true' : 'is required when recurring is true';
    context.addIssue({ code: 'custom', path: ['recurringInterval'], message });
  });

function createRoute(deps: ProductRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/product/create',
    summary: 'Create a product',
    description: 'Adds an active product to the account; prices are added to it one by one.',
    tags,
    auth: 'account',
    scope: 'catalog:write',
    status: 201,
    body: createBody,
    data: productView,
    errors: [],
    handler: async ({ auth, body, keepAnswer }) => {
      const input = {
        userId: auth.userId,
        name: body.name,
        description: body.description ?? null,
        recurringInterval: body.recurringInterval ?? null,
      };
      return present(await createProduct(deps, input, (tx, made) => keepAnswer(tx, present(made))));
    },
  });
}

function editRoute(deps: ProductRoutesDeps): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/merchant/product/edit',
    summary: 'Edit a product',
    description: 'Fields left out stay as they are. An inactive product cannot be paid for.',
    tags,
    auth: 'account',
    scope: 'catalog:write',
    status: 200,
    body: z.object({
      productId: identifier(),
      name: text().optional(),
      description: text({ min: 0 }).nullish(),
      active: z.boolean().optional(),
    }),
    data: productFields.pick({ id: true, name: true, description: true, active: true, updatedAt: true }),
    errors: ['PRODUCT_NOT_FOUND'],
    handler: async ({ auth, body }) => {
      const { id, name, description, active, updatedAt } = present(
        await editProduct(deps, { ...body, userId: auth.userId }),
      );
      return { id, name, description, active, updatedAt };
    },
  });
}

function deleteRoute(deps: ProductRoutesDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/merchant/product/delete',
    summary: 'Delete a product',
    description: 'Deletes its prices too. Payments made for it stay as they are.',
    tags,
    auth: 'account',
    scope: 'catalog:write',
    status: 200,
    body: z.object({ productId: identifier() }),
    data: z.object({ deleted: z.boolean(), productId: z.string() }),
    errors: ['PRODUCT_NOT_FOUND'],
    handler: async ({ auth, body }) => {
      await deleteProduct(deps, { userId: auth.userId, productId: body.productId });
      return { deleted: true, productId: body.productId };
    },
  });
}

function listRoute(deps: ProductRoutesDeps): Route {
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
      return { products: rows.map(present), pagination: { page, limit, total } };
    },
  });
}
