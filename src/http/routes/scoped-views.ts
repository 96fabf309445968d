import { z } from 'zod';
import type { Actor, Creator } from '../../domain/actor.ts';
import { grants, type Scope } from '../../domain/scopes.ts';
import { findCreatorNames } from '../../store/creators.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

/** The reader of a response. */
export interface Reader {
  readonly scopes: ReadonlySet<Scope>;
}

/** Whether a reader may see webhook URLs, which often contain a secret. */
export function seesWebhookAddresses({ scopes }: Reader): boolean {
  return grants(scopes, 'webhooks:read');
}

/** Removes the fields of a shop or a payment that its reader may not see. */
export function shownTo<V extends { readonly webhookUrl: string | null }>(
  reader: Reader,
  view: V,
): Omit<V, 'webhookUrl'> & { readonly webhookUrl?: string | null } {
  if (seesWebhookAddresses(reader)) return view;
  const { webhookUrl: _, ...shown } = view;
  return shown;
}

/** The creator of a thing, in responses. */
export const createdBy = z
  .object({
    kind: z.enum(['user', 'secret', 'restricted', 'public', 'link', 'counter']),
    id: z.string().meta({
      description: 'Of the user or restricted key; of the merchant for its secret key',
      example: EXAMPLES.userId,
    }),
    name: z.string().nullable().meta({
      description: 'Address of the user or name of the key, for the owner and the secret key alone',
      example: EXAMPLES.email,
    }),
  })
  .nullable()
  .meta({ description: 'Null where that is not known' });

type CreatedBy = Creator & { readonly name: string | null };

/** Shows the creators of things; only the owner may see the names of people. */
export async function creatorsFor(
  db: Db,
  { kind, role }: Actor,
  creators: readonly (Creator | null)[],
): Promise<(creator: Creator | null) => CreatedBy | null> {
  const knowsNames = role === 'owner' || kind === 'secret';
  const names = knowsNames ? await findCreatorNames(db, creators) : new Map<string, string>();
  return (creator) => (creator === null ? null : { ...creator, name: names.get(creator.id) ?? null });
}
