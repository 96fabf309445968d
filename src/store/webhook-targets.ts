import type { Db } from './database.ts';

export interface SealedWebhookSecrets {
  readonly current: string;
  /** The one before the last rotation, while it is still used for signing. */
  readonly previous: string | null;
}

/** A merchant's signing secrets as of a time, sealed. */
export async function findWebhookSecrets(
  db: Db,
  merchantId: string,
  now: number,
): Promise<SealedWebhookSecrets | undefined> {
  const row = await db
    .selectFrom('merchants')
    .select(['webhook_secret_sealed', 'webhook_old_secret_sealed', 'webhook_old_secret_until'])
    .where('id', '=', merchantId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const isRotating = (row.webhook_old_secret_until ?? 0) > now;
  return {
    current: row.webhook_secret_sealed,
    previous: isRotating ? row.webhook_old_secret_sealed : null,
  };
}

/** The webhookUrl a payment was created with; null when it has none of its own. */
export async function findPaymentWebhookUrl(db: Db, paymentId: string): Promise<string | null> {
  const row = await db
    .selectFrom('payments')
    .select('webhook_url')
    .where('id', '=', paymentId)
    .executeTakeFirst();
  return row?.webhook_url ?? null;
}
