import type { PaymentNoteRow } from '../schema/payments.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/** Stores the note on a payment, in place of the earlier one. */
export async function upsertNote(tx: Tx, row: PaymentNoteRow): Promise<void> {
  const { note, creatorKind, creatorId, updatedAt } = row;
  await tx
    .insertInto('payment_notes')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('paymentId').doUpdateSet({ note, creatorKind, creatorId, updatedAt }),
    )
    .execute();
}

export async function deleteNote(tx: Tx, paymentId: string): Promise<void> {
  await tx.deleteFrom('payment_notes').where('paymentId', '=', paymentId).execute();
}

export async function findNote(db: Db, paymentId: string): Promise<PaymentNoteRow | undefined> {
  return db.selectFrom('payment_notes').selectAll().where('paymentId', '=', paymentId).executeTakeFirst();
}
