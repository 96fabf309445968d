import type { SecretBox } from '../../../domain/keys.ts';
import type { Clock } from '../../../domain/ports.ts';
import { insertAudit } from '../../../store/audit-log.ts';
import { findUser } from '../../../store/accounts/users.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { type Client, sealClient } from '../../accounts/index.ts';

/** A user who does something, and the browser that they do it in. */
export interface ActingUser {
  readonly userId: string;
  readonly client: Client;
}

/** What a request does beside what it is for, or in another shop than the one it names. */
export interface Action {
  readonly merchantId: string;
  /** Method and path of the route that does the same. */
  readonly action: string;
  readonly objectId: string;
}

/** Notes in the audit log of a shop what the transaction does there. */
export async function noteAction(
  tx: Tx,
  { clock, secretBox }: { readonly clock: Clock; readonly secretBox: SecretBox },
  { userId, client }: ActingUser,
  { merchantId, action, objectId }: Action,
): Promise<void> {
  const user = await findUser(tx, userId);
  await insertAudit(tx, {
    at: clock.now(),
    merchant_id: merchantId,
    actor_kind: 'user',
    actor_id: userId,
    actor_name: user?.email ?? '',
    action,
    object_id: objectId,
    client_sealed: sealClient(secretBox, client),
    result: 'OK',
  });
}
