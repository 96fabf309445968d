import { model } from '@medusajs/framework/utils';

/** The one daemon that this shop is connected to, and how far its events were read. */
export const Connection = model.define('tilld_connection', {
  id: model.text().primaryKey(),
  base_url: model.text().nullable(),
  merchant_id: model.text().nullable(),
  sealed_key: model.text().nullable(),
  endpoint_id: model.text().nullable(),
  sealed_webhook_secret: model.text().nullable(),
  /** The `seq` of the last event that was applied. */
  cursor: model.text().default('0'),
  /** A connect request that the owner has not answered yet. */
  request_state: model.text().nullable(),
  sealed_verifier: model.text().nullable(),
  request_expires_at: model.dateTime().nullable(),
});
