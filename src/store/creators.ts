import type { Creator } from '../domain/actor.ts';
import type { Origin } from '../domain/origin.ts';
import type { CreatorColumns } from './schema/creator.ts';
import type { Db } from './sqlite/database.ts';

export function creatorColumns(creator: Creator | null): CreatorColumns {
  return { creatorKind: creator?.kind ?? null, creatorId: creator?.id ?? null };
}

export function toCreator({ creatorKind: kind, creatorId: id }: CreatorColumns): Creator | null {
  return kind === null || id === null ? null : { kind, id };
}

export function findOrigin(row: CreatorColumns & { readonly priceLocked: boolean }): Origin {
  return { creator: toCreator(row), isPriceLocked: row.priceLocked };
}

/** Names of the creators of rows, by their id: addresses of users, names of existing restricted keys. */
export async function findCreatorNames(
  db: Db,
  creators: readonly (Creator | null)[],
): Promise<ReadonlyMap<string, string>> {
  const listIds = (kind: Creator['kind']): string[] => [
    ...new Set(creators.flatMap((creator) => (creator?.kind === kind ? [creator.id] : []))),
  ];
  const [users, keys] = [listIds('user'), listIds('restricted')];
  const people =
    users.length === 0
      ? []
      : await db.selectFrom('users').select(['id', 'email as name']).where('id', 'in', users).execute();
  const named =
    keys.length === 0
      ? []
      : await db.selectFrom('restricted_keys').select(['id', 'name']).where('id', 'in', keys).execute();
  return new Map([...people, ...named].map(({ id, name }) => [id, name]));
}
