import { updatePaymentLink } from '../../../store/catalog/payment-links.ts';
import { createdByPerson } from '../../../store/merchants/created-by-person.ts';
import { deleteRestrictedKey } from '../../../store/merchants/restricted-keys.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { endEndpoint } from '../../webhooks/index.ts';
import type { PeopleDeps } from './invite-person.ts';
import { auditAction, type ActingUser } from './audit-action.ts';

/** Which objects created by a person end when they leave a shop, are removed from it or get another role. */
export interface RevokeChoice {
  readonly endpoints: boolean;
  readonly keys: boolean;
  readonly links: boolean;
}

/** An endpoint and a key continue to read for their creator; a link only receives money for the shop. */
export const REVOKE_BY_DEFAULT: RevokeChoice = { endpoints: true, keys: true, links: false };

export const REVOKE_NOTHING: RevokeChoice = { endpoints: false, keys: false, links: false };

/** Numbers of ended objects. */
export interface RevokedCounts {
  readonly endpoints: number;
  readonly keys: number;
  readonly links: number;
}

type Deps = Pick<PeopleDeps, 'clock' | 'secretBox'>;

/** Ends the objects that a person created for a shop, each with its entry in the audit log. */
export async function revokeCreated(
  tx: Tx,
  deps: Deps,
  input: {
    readonly merchantId: string;
    readonly personId: string;
    readonly end: RevokeChoice;
    readonly by: ActingUser;
  },
): Promise<RevokedCounts> {
  const { merchantId, personId, end, by } = input;
  const made = await createdByPerson(tx, { merchantId, userId: personId });
  const now = deps.clock.now();
  const note = async (action: string, objectId: string): Promise<void> =>
    auditAction(tx, deps, by, { merchantId, action, objectId });
  const endpoints = end.endpoints ? made.endpoints : [];
  for (const { id } of endpoints) {
    await endEndpoint(tx, {
      merchantId,
      id,
      why: 'the person who made the endpoint may no longer read webhooks',
      now,
    });
    await note('DELETE /merchant/webhook/endpoint/delete', id);
  }
  const links = end.links ? made.links : [];
  for (const { id } of links) {
    await updatePaymentLink(tx, id, { active: false, deletedAt: now, updatedAt: now });
    await note('DELETE /merchant/link/delete', id);
  }
  const keys = end.keys ? made.keys : [];
  for (const { id } of keys) {
    await deleteRestrictedKey(tx, { merchantId, keyId: id });
    await note('DELETE /merchant/keys/delete', id);
  }
  return { endpoints: endpoints.length, keys: keys.length, links: links.length };
}
