import type { Creator } from '../../domain/actor.ts';
import { isoTime } from '../../domain/iso-time.ts';
import type { Clock } from '../../domain/ports.ts';
import { creatorColumns, findCreatorNames, toCreator } from '../../store/creators.ts';
import { deleteNote, findNote, upsertNote } from '../../store/payments/payment-notes.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { findOwnPayment } from './get-payment.ts';

interface At {
  readonly merchantId: string;
  readonly paymentId: string;
}

/** The note of a shop on a payment, as its people read it. */
export interface PaymentNote {
  readonly paymentId: string;
  readonly note: string | null;
  /** Email address of the user, or name of the key, that wrote it; null: unknown, or there is no note. */
  readonly updatedBy: string | null;
  readonly updatedAt: string | null;
}

/** The answer to a changed note, without its text: answers are stored, and a note may be personal. */
interface ChangedNote {
  readonly paymentId: string;
  readonly hasNote: boolean;
}

/** @throws {AppError} PAYMENT_NOT_FOUND */
export async function readPaymentNote({ db }: { readonly db: Db }, at: At): Promise<PaymentNote> {
  const { id: paymentId } = await findOwnPayment(db, at);
  const row = await findNote(db, paymentId);
  if (row === undefined) return { paymentId, note: null, updatedBy: null, updatedAt: null };
  const names = await findCreatorNames(db, [toCreator(row)]);
  const name = row.creatorId === null ? null : (names.get(row.creatorId) ?? null);
  const updatedBy = row.creatorKind === 'secret' ? 'Secret key' : name;
  return { paymentId, note: row.note, updatedBy, updatedAt: isoTime(row.updatedAt) };
}

/**
 * Replaces the note of a shop on a payment of any status; an empty one removes it.
 * @throws {AppError} PAYMENT_NOT_FOUND
 */
export async function writePaymentNote(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { note, author, ...at }: At & { readonly note: string; readonly author: Creator },
  storeResult: StoreResult<ChangedNote> = storeNoResult,
): Promise<ChangedNote> {
  return db.transaction(async (tx) => {
    const { id: paymentId, merchantId, mode } = await findOwnPayment(tx, at);
    const changed = { paymentId, hasNote: note !== '' };
    const updatedAt = clock.now();
    if (note === '') await deleteNote(tx, paymentId);
    else await upsertNote(tx, { paymentId, merchantId, mode, note, ...creatorColumns(author), updatedAt });
    await storeResult(tx, changed);
    return changed;
  });
}
