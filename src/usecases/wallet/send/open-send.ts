import { AppError } from '../../../domain/errors.ts';
import { awaitsBlock, isReverted } from '../../../domain/send/send-status.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { sendStatus } from '../../../store/sends/send-status.ts';
import { findSend, type StoredSend } from '../../../store/sends/sends.ts';

/**
 * Loads an unconfirmed send of the merchant, or an unconfirmed move within the wallet.
 * @throws {AppError} SEND_NOT_FOUND, INVALID_STATE
 */
export async function requireOpenSend(
  db: Db,
  { merchantId, sendId }: { readonly merchantId: string; readonly sendId: string },
): Promise<StoredSend> {
  const send = await findSend(db, sendId);
  if (send === undefined || send.merchantId !== merchantId) {
    throw new AppError('SEND_NOT_FOUND', 'no such send');
  }
  if (!awaitsBlock(send)) {
    const state = isReverted(send) ? 'already in a block' : sendStatus(send);
    throw new AppError('INVALID_STATE', `this send is ${state}: its fee can no longer be changed`);
  }
  return send;
}

/** The error while another request or the send loop is working on this send. */
export function sendBusyError(): AppError {
  return new AppError('INVALID_STATE', 'this send is being broadcast: try again', {
    retryAfterMs: 2_000,
  });
}

/** The error where only the wallet that has the keys can replace a transaction. */
export function signedElsewhere(): AppError {
  return new AppError(
    'INVALID_STATE',
    'this send is from a watched account: replace its transaction with the wallet that has the keys',
  );
}
