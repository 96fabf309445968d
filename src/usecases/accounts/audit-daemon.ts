import { insertAudit } from '../../store/audit-log.ts';
import type { SecretBox } from '../../domain/keys.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { sealClient } from './sessions/dashboard-session.ts';

/** Records a decision that no request made in the audit log of a shop, in the transaction of the decision. */
export async function auditDaemon(
  tx: Tx,
  { clock, secretBox }: { readonly clock: Clock; readonly secretBox: SecretBox },
  entry: {
    readonly merchantId: string;
    /** The part of the daemon that decided. */
    readonly actorId: string;
    readonly actorName: string;
    readonly action: string;
    readonly objectId: string;
    readonly result: string;
  },
): Promise<void> {
  await insertAudit(tx, {
    ...entry,
    at: clock.now(),
    actorKind: 'daemon',
    clientSealed: sealClient(secretBox, { address: 'this machine', userAgent: 'tilld' }),
  });
}
