import { insertAudit } from '../../store/audit-log.ts';
import { allMerchants } from '../../store/merchants/merchants.ts';
import type { SecretBox } from '../../domain/keys.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { sealClient } from './sessions/dashboard-session.ts';

interface Deps {
  readonly clock: Clock;
  readonly secretBox: SecretBox;
}

/** Records a command of the server's operator in the audit log of a shop or of a user's account. */
export async function auditOperator(
  tx: Tx,
  { clock, secretBox }: Deps,
  entry: {
    readonly of: { readonly merchantId: string } | { readonly userId: string };
    readonly action: string;
  },
): Promise<void> {
  const { of, action } = entry;
  await insertAudit(tx, {
    at: clock.now(),
    merchantId: 'merchantId' in of ? of.merchantId : null,
    actorKind: 'operator',
    // An account's log is found by actor.
    actorId: 'userId' in of ? of.userId : 'operator',
    actorName: 'Operator of the server',
    action,
    objectId: null,
    clientSealed: sealClient(secretBox, { address: 'this machine', userAgent: 'command line' }),
    result: 'OK',
  });
}

/** Records it in the log of each shop. */
export async function auditOperatorEverywhere(db: Db, deps: Deps, action: string): Promise<void> {
  const merchants = await allMerchants(db);
  await db.transaction(async (tx) => {
    for (const { id } of merchants) await auditOperator(tx, deps, { of: { merchantId: id }, action });
  });
}
