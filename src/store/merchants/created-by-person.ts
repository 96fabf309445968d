import type { Db } from '../sqlite/database.ts';

/**
 * Active objects that a person created for a shop, directly or with a restricted key of theirs, oldest first.
 */
export interface CreatedByPerson {
  readonly endpoints: readonly { readonly id: string; readonly url: string }[];
  readonly keys: readonly { readonly id: string; readonly name: string }[];
  readonly links: readonly { readonly id: string; readonly name: string }[];
}

export async function createdByPerson(
  db: Db,
  { merchantId, userId }: { readonly merchantId: string; readonly userId: string },
): Promise<CreatedByPerson> {
  const keys = await db
    .selectFrom('restricted_keys')
    .select(['id', 'name'])
    .where('merchantId', '=', merchantId)
    .where('creatorId', '=', userId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  // Ids of users, keys and shops are never the same.
  const makers = [userId, ...keys.map(({ id }) => id)];
  const endpoints = await db
    .selectFrom('webhook_endpoints')
    .select(['id', 'url'])
    .where('merchantId', '=', merchantId)
    .where('creatorId', 'in', makers)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  const links = await db
    .selectFrom('payment_links')
    .select(['id', 'name'])
    .where('merchantId', '=', merchantId)
    .where('deletedAt', 'is', null)
    .where('creatorId', 'in', makers)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  return { endpoints, keys, links };
}
