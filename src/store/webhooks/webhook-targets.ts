import type { Db } from '../sqlite/database.ts';
import { preparedList, type ParamOf } from '../sqlite/prepared.ts';

export interface SealedWebhookSecrets {
  readonly current: string;
  /** The previous secret, while it is still used for signing. */
  readonly previous: string | null;
}

/** The signing secrets of merchants as of a time, sealed, by merchant. */
export async function findWebhookSecrets(
  db: Db,
  merchantIds: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, SealedWebhookSecrets>> {
  const rows = await selectSecrets(db, {}, merchantIds);
  return new Map(
    rows.map((row) => {
      const isRotating = (row.webhookOldSecretUntil ?? 0) > now;
      const previous = isRotating ? row.webhookOldSecretSealed : null;
      return [row.id, { current: row.webhookSecretSealed, previous }];
    }),
  );
}

const selectSecrets = preparedList((db, _slot: ParamOf<object>, ids) =>
  db
    .selectFrom('merchants')
    .select(['id', 'webhookSecretSealed', 'webhookOldSecretSealed', 'webhookOldSecretUntil'])
    .where('id', 'in', ids),
);

/** The webhookUrl a payment was created with; null when it has none of its own. */
export async function findPaymentWebhookUrl(db: Db, paymentId: string): Promise<string | null> {
  const row = await db
    .selectFrom('payments')
    .select('webhookUrl')
    .where('id', '=', paymentId)
    .executeTakeFirst();
  return row?.webhookUrl ?? null;
}
