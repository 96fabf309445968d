import { z } from 'zod';
import type { Actor, Creator } from '../../domain/actor.ts';
import { grants, type Scope } from '../../domain/scopes.ts';
import { findCreatorNames } from '../../store/creators.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** Whoever reads an answer. */
export interface Reader {
  readonly scopes: ReadonlySet<Scope>;
}

/** Whether a reader may see where webhooks go: such an address often carries a secret. */
export function seesWebhookAddresses({ scopes }: Reader): boolean {
  return grants(scopes, 'webhooks:read');
}

/** A view of a shop or a payment without what its reader may not see. */
export function shownTo<V extends { readonly webhookUrl: string | null }>(
  reader: Reader,
  view: V,
): Omit<V, 'webhookUrl'> & { readonly webhookUrl?: string | null } {
  if (seesWebhookAddresses(reader)) return view;
  const { webhookUrl: _, ...shown } = view;
  return shown;
}

/** Who made something, in answers. */
export const createdBy = z
  .object({
    kind: z.enum(['user', 'secret', 'restricted', 'public', 'link']),
    id: z.string().meta({ description: 'Of the user or restricted key; of the merchant for its secret key' }),
    name: z.string().nullable().meta({
      description: 'Address of the user or name of the key, for the owner and the secret key alone',
    }),
  })
  .nullable()
  .meta({ description: 'Null where that is not known' });

type CreatedBy = Creator & { readonly name: string | null };

/** Shows a reader who made things: names of people are the owner's to know. */
export async function creatorsFor(
  db: Db,
  { kind, role }: Actor,
  creators: readonly (Creator | null)[],
): Promise<(creator: Creator | null) => CreatedBy | null> {
  const knowsNames = role === 'owner' || kind === 'secret';
  const names = knowsNames ? await findCreatorNames(db, creators) : new Map<string, string>();
  return (creator) => (creator === null ? null : { ...creator, name: names.get(creator.id) ?? null });
}
