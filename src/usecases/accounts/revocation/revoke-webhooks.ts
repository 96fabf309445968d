import type { SecretBox } from '../../../domain/keys.ts';
import { findMerchant, updateMerchant } from '../../../store/merchants/merchants.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { endEndpointDeliveries } from '../../../store/webhooks/deliveries.ts';
import {
  deleteEndpoint,
  findEndpoint,
  forgetHealth,
  updateEndpoint,
} from '../../../store/webhooks/webhook-endpoints.ts';
import { newWebhookSecret } from '../../events/index.ts';

interface RevokeContext {
  readonly now: number;
  readonly secretBox: SecretBox;
}

const WHY = 'the endpoint was deleted after this copy of the database was made';

/**
 * Deletes an endpoint that was deleted after the database was copied; false where the copy does not contain
 * it.
 */
export async function revokeEndpoint(tx: Tx, id: string, { now }: RevokeContext): Promise<boolean> {
  const endpoint = await findEndpoint(tx, id);
  if (endpoint === undefined) return false;
  await endEndpointDeliveries(tx, { merchantId: endpoint.merchantId, endpointId: id, why: WHY, now });
  await forgetHealth(tx, id);
  await deleteEndpoint(tx, id);
  return true;
}

/** Removes the webhookUrl of a merchant that removed it after the database was copied. */
export async function revokeWebhookUrl(tx: Tx, id: string, { now }: RevokeContext): Promise<boolean> {
  const merchant = await findMerchant(tx, id);
  if ((merchant?.webhookUrl ?? null) === null) return false;
  await endEndpointDeliveries(tx, { merchantId: id, endpointId: id, why: WHY, now });
  await updateMerchant(tx, id, { webhookUrl: null, updatedAt: now });
  return true;
}

/**
 * Replaces a secret that was rotated after the database was copied. The shop's current secret is unknown
 * here, so the shop rejects deliveries until its owner has copied the new one.
 */
export async function revokeEndpointSecret(
  tx: Tx,
  id: string,
  { now, secretBox }: RevokeContext,
): Promise<boolean> {
  if ((await findEndpoint(tx, id)) === undefined) return false;
  await updateEndpoint(tx, id, {
    secretSealed: secretBox.seal(newWebhookSecret()),
    oldSecretSealed: null,
    oldSecretUntil: null,
    updatedAt: now,
  });
  return true;
}

/** The same for the secret of a merchant's own webhookUrl. */
export async function revokeWebhookSecret(
  tx: Tx,
  id: string,
  { now, secretBox }: RevokeContext,
): Promise<boolean> {
  if ((await findMerchant(tx, id)) === undefined) return false;
  await updateMerchant(tx, id, {
    webhookSecretSealed: secretBox.seal(newWebhookSecret()),
    webhookOldSecretSealed: null,
    webhookOldSecretUntil: null,
    updatedAt: now,
  });
  return true;
}
