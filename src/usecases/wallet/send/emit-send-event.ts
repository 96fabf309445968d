import type { SendEventType } from '../../../domain/events.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { findMerchant } from '../../../store/merchants/merchants.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import { findCursor } from '../../../store/chain/chain-cursors.ts';
import { emitEvent, type EmitEventDeps } from '../../events/index.ts';
import { viewSend } from './send-view.ts';

/** Emits a send's event in the transaction that changed it. Events of one send keep their order. */
export async function emitSendEvent(
  tx: Tx,
  deps: EmitEventDeps,
  type: SendEventType,
  send: StoredSend,
): Promise<void> {
  // No merchant ordered a sweep, and the money stays theirs.
  if (send.purpose === 'sweep') return;
  const merchant = await findMerchant(tx, send.merchantId);
  await emitEvent(tx, deps, {
    merchant: { id: send.merchantId, webhookUrl: merchant?.webhookUrl ?? null },
    type,
    mode: send.mode,
    paymentId: null,
    sendId: send.id,
    sequence: 0,
    data: { send: viewSend(send, await findCursor(tx, send)) },
    paymentWebhookUrl: null,
  });
}
