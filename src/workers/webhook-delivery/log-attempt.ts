import type { Logger } from '../../domain/ports.ts';
import type { AttemptRecord } from '../../usecases/webhooks/index.ts';

/** One log line for a recorded attempt. */
export function logAttempt(logger: Logger, record: AttemptRecord, logId: string): void {
  const { delivery, eventType, outcome, status, error, durationMs } = record;
  const fields = {
    deliveryId: delivery.id,
    eventId: delivery.eventId,
    paymentId: delivery.paymentId,
    logId,
    eventType,
    status,
    error,
    durationMs,
  };
  if (outcome.kind === 'delivered') logger.info(fields, 'webhook delivered');
  else logger.warn({ ...fields, outcome }, 'webhook delivery attempt failed');
}
