import { AppError, invalidField } from '../../../domain/errors.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { findSend, findSendByKey, findSendByTxid, type StoredSend } from '../../../store/sends/sends.ts';
import { findApproval, findApprovalByKey, type StoredApproval } from '../../../store/sends/send-approvals.ts';
import { findPsbt, type StoredPsbt } from '../../../store/sends/send-psbts.ts';
import { sendStatus } from '../../../store/sends/send-status.ts';
import { listVersions } from '../../../store/sends/send-versions.ts';
import { findCursor } from '../../../store/chain/chain-cursors.ts';
import { viewHeldSend } from './held-send.ts';
import { viewSend, type SendView } from './send-view.ts';

export interface GetSendInput {
  readonly merchantId: string;
  /** Exactly one of these identifies the send. */
  readonly sendId?: string | undefined;
  readonly txHash?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** One send of the merchant, found by its id or the hash of any of its versions. @throws {AppError} SEND_NOT_FOUND. */
export async function getSend(deps: { readonly db: Db }, input: GetSendInput): Promise<SendView> {
  const send = await find(deps.db, input);
  const held = send === undefined ? await findHeld(deps.db, input) : undefined;
  if (held !== undefined) return viewHeldSend(held);
  if (send === undefined || send.merchantId !== input.merchantId) {
    throw new AppError('SEND_NOT_FOUND', 'no such send');
  }
  const newest = (await listVersions(deps.db, send.id)).at(-1);
  const cancelling = newest?.cancels === true && send.status !== 'confirmed' && send.status !== 'failed';
  return viewSend(send, await findCursor(deps.db, send), {
    cancelling,
    unsigned: await findUnsignedPsbt(deps.db, send),
  });
}

/** The PSBT of a send that waits for its signatures. */
export async function findUnsignedPsbt(db: Db, send: StoredSend): Promise<StoredPsbt | undefined> {
  return sendStatus(send) === 'awaiting_signature' ? findPsbt(db, send.id) : undefined;
}

/** A send that is not approved. */
async function findHeld(
  db: Db,
  { merchantId, sendId, idempotencyKey }: GetSendInput,
): Promise<StoredApproval | undefined> {
  const held =
    sendId === undefined
      ? idempotencyKey === undefined
        ? undefined
        : await findApprovalByKey(db, merchantId, idempotencyKey)
      : await findApproval(db, sendId);
  return held?.merchantId === merchantId ? held : undefined;
}

async function find(db: Db, input: GetSendInput): Promise<StoredSend | undefined> {
  const { merchantId, sendId, txHash, idempotencyKey } = input;
  const given = [sendId, txHash, idempotencyKey].filter((name) => name !== undefined);
  if (given.length !== 1) {
    throw invalidField('sendId', 'set exactly one of sendId, txHash and idempotencyKey', 'required');
  }
  if (sendId !== undefined) return findSend(db, sendId);
  if (txHash !== undefined) return findSendByTxid(db, merchantId, txHash);
  return idempotencyKey === undefined ? undefined : findSendByKey(db, merchantId, idempotencyKey);
}
