import type { RecurringInterval } from '../../domain/catalog.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { insertProduct } from '../../store/catalog/products.ts';
import type { ProductRow } from '../../store/schema/catalog.ts';
import { newId } from '../events/new-id.ts';
import { keepNothing, type KeepMade } from '../keep-answer.ts';

export interface CreateProductInput {
  readonly userId: string;
  readonly name: string;
  readonly description: string | null;
  /** Null for a product that is bought once. */
  readonly recurringInterval: RecurringInterval | null;
}

/** Adds an active product to the user's catalog. */
export async function createProduct(
  deps: { readonly db: Db; readonly clock: Clock },
  input: CreateProductInput,
  keep: KeepMade<ProductRow> = keepNothing,
): Promise<ProductRow> {
  const now = deps.clock.now();
  const row: ProductRow = {
    id: newId('prod_'),
    user_id: input.userId,
    name: input.name,
    description: input.description,
    recurring: input.recurringInterval === null ? 0 : 1,
    recurring_interval: input.recurringInterval,
    active: 1,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  };
  await deps.db.transaction(async (tx) => {
    await insertProduct(tx, row);
    await keep(tx, row);
  });
  return row;
}
