import { AppError } from '../../../domain/errors.ts';
import type { Clock } from '../../../domain/ports.ts';
import { isOpen } from '../../../domain/send/send-status.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { findSend, type StoredSend } from '../../../store/sends/sends.ts';
import { isUnseen, storeNotPaid, unseenUntil } from '../../../store/sends/unseen-payments.ts';

/**
 * Whether a send may have been paid although all its known versions look impossible: it was made before the ledger
 * was restored from a backup, which lacks the versions signed since, or before blocks were skipped, which may hold
 * its payment. False once the operator has confirmed that it was not paid.
 */
export async function isPossiblyPaid(
  db: Db,
  send: Pick<StoredSend, 'id' | 'coin' | 'mode' | 'createdAt'>,
): Promise<boolean> {
  return isUnseen(db, send, await unseenUntil(db, send));
}

/**
 * Records the operator's statement that a send was not paid by an undetected transaction. This alone ends nothing: the send
 * continues like any other, and fails only once the chain proves that its known versions cannot confirm.
 * @throws {AppError} SEND_NOT_FOUND, INVALID_STATE
 */
export async function confirmUnpaid(
  deps: { readonly db: Db; readonly clock: Clock },
  id: string,
): Promise<void> {
  const send = await findSend(deps.db, id);
  if (send === undefined) throw new AppError('SEND_NOT_FOUND', `send ${id} does not exist`);
  if (!isOpen(send) && send.status !== 'preparing')
    throw new AppError('INVALID_STATE', `send ${id} is ${send.status} already`);
  if (!(await isPossiblyPaid(deps.db, send))) {
    throw new AppError(
      'INVALID_STATE',
      `send ${id} does not wait for an operator to confirm that it was not paid`,
    );
  }
  await storeNotPaid(deps.db, id, deps.clock.now());
}

/** Records that the transaction which displaced a send was read completely and is not its payment. */
export async function recordExamined(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  send: StoredSend,
): Promise<void> {
  if (await isPossiblyPaid(tx, send)) await storeNotPaid(tx, send.id, clock.now());
}
