import type { Actor } from '../../domain/actor.ts';
import type { SecretBox } from '../../domain/keys.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import type { Client } from '../accounts/index.ts';
import { auditAction } from '../shops/index.ts';
import type { CatalogReach } from './selling-shops.ts';

export interface CatalogDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
}

/** The caller who changes the catalog. */
export interface CatalogActor extends CatalogReach {
  readonly actor: Actor;
  /** The shop named by the request, whose audit log always gets the change; null: none. */
  readonly shopId: string | null;
  readonly client: Client;
}

/**
 * Records an owner's change in the audit log of every shop that it concerns. Members and keys cannot change
 * anything of other shops.
 */
export async function auditCatalogChange(
  tx: Tx,
  deps: CatalogDeps,
  { actor, onlyMerchantId, shopId, client }: CatalogActor,
  change: { readonly action: string; readonly objectId: string; readonly shops: readonly string[] },
): Promise<void> {
  if (onlyMerchantId !== null) return;
  const { action, objectId } = change;
  for (const merchantId of new Set(change.shops)) {
    if (merchantId !== shopId)
      await auditAction(tx, deps, { userId: actor.id, client }, { merchantId, action, objectId });
  }
}
