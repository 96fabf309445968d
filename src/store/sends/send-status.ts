import { sql } from 'kysely';
import type { SendStatus } from '../../domain/send/types.ts';
import type { StoredSend } from './sends.ts';

/** The status of a stored send. */
export function sendStatus({
  status,
  queued,
  byPsbt,
}: Pick<StoredSend, 'status' | 'queued' | 'byPsbt'>): SendStatus {
  if (queued) return 'queued';
  return byPsbt && status === 'preparing' ? 'awaiting_signature' : status;
}

/** The same in a query of `sends`. */
export const SEND_STATUS = sql<SendStatus>`case when sends.queued = 1 then 'queued'
  when sends.by_psbt = 1 and sends.status = 'preparing' then 'awaiting_signature' else sends.status end`;

/**
 * In a query of `sends`: a higher fee may still be signed for it. A literal, identical to the condition of
 * the partial index.
 */
export const CAN_COST_MORE = sql<boolean>`sends.status IN ('preparing', 'signed', 'broadcast')`;
