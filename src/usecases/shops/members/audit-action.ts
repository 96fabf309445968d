import type { SecretBox } from '../../../domain/keys.ts';
import type { Clock } from '../../../domain/ports.ts';
import { insertAudit } from '../../../store/audit-log.ts';
import { findUser } from '../../../store/accounts/users.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { type Client, sealClient } from '../../accounts/index.ts';

/** The acting user, and their browser. */
export interface ActingUser {
  readonly userId: string;
  readonly client: Client;
}

/** A side effect of a request, or an action in another shop than the one it names. */
export interface Action {
  readonly merchantId: string;
  /** Method and path of the equivalent route. */
  readonly action: string;
  readonly objectId: string;
}

/** Records an action of this transaction in the audit log of a shop. */
export async function auditAction(
  tx: Tx,
  { clock, secretBox }: { readonly clock: Clock; readonly secretBox: SecretBox },
  { userId, client }: ActingUser,
  { merchantId, action, objectId }: Action,
): Promise<void> {
  const user = await findUser(tx, userId);
  await insertAudit(tx, {
    at: clock.now(),
    merchantId,
    actorKind: 'user',
    actorId: userId,
    actorName: user?.email ?? '',
    action,
    objectId,
    clientSealed: sealClient(secretBox, client),
    result: 'OK',
  });
}
