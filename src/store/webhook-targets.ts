import type { Db } from './database.ts';
import { prepared, type SlotOf } from './prepared.ts';

export interface SealedWebhookSecrets {
  readonly current: string;
  /** The one before the last rotation, while it is still used for signing. */
  readonly previous: string | null;
}

/** A merchant's signing secrets as of a time, sealed; undefined when there is no such merchant. */
export async function findWebhookSecrets(
  db: Db,
  merchantId: string,
  now: number,
): Promise<SealedWebhookSecrets | undefined> {
  const [row] = await secretsOf(db, { merchantId });
  if (row === undefined) return undefined;
  const isRotating = (row.webhook_old_secret_until ?? 0) > now;
  const previous = isRotating ? row.webhook_old_secret_sealed : null;
  return { current: row.webhook_secret_sealed, previous };
}

const secretsOf = prepared((db, slot: SlotOf<{ merchantId: string }>) =>
  db
    .selectFrom('merchants')
    .select(['webhook_secret_sealed', 'webhook_old_secret_sealed', 'webhook_old_secret_until'])
    .where('id', '=', slot('merchantId')),
);

/** The webhookUrl a payment was created with; null when it has none of its own. */
export async function findPaymentWebhookUrl(db: Db, paymentId: string): Promise<string | null> {
  const row = await db
    .selectFrom('payments')
    .select('webhook_url')
    .where('id', '=', paymentId)
    .executeTakeFirst();
  return row?.webhook_url ?? null;
}
