import type { PaymentEventType } from '../../domain/payment/types.ts';
import { getWebhookUrl } from '../../store/merchants/merchants.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { emitEvent, type EmitEventDeps } from '../events/index.ts';
import type { LoadedPayment } from './load-payment.ts';
import { presentLoaded, presentTimeline, type PresentDeps } from './present-payment.ts';

/** Stores events of a payment, which its counter includes already, each with the payment's current view. */
export async function emitPaymentEvents(
  tx: Tx,
  deps: PresentDeps & EmitEventDeps,
  loaded: LoadedPayment,
  events: readonly PaymentEventType[],
): Promise<void> {
  const { row } = loaded;
  const merchant = { id: row.merchantId, webhookUrl: await getWebhookUrl(tx, row.merchantId) };
  const timeline = await presentTimeline(tx, row.id);
  let sequence = row.sequence - events.length;
  for (const type of events) {
    sequence += 1;
    const at = deps.clock.now();
    timeline.push({ type, sequence, at });
    await emitEvent(tx, deps, {
      merchant,
      type,
      mode: row.mode,
      paymentId: row.id,
      sendId: null,
      sequence,
      data: { payment: presentLoaded(deps, loaded, timeline) },
      paymentWebhookUrl: row.webhookUrl,
      at,
    });
  }
}
