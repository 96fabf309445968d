import { randomBytes } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import { AppError } from '../../domain/errors.ts';
import { isoTime } from '../../domain/iso-time.ts';
import { recordRevocation } from '../revocations.ts';
import type { WalletFreezeRow } from '../schema/sends.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/**
 * Frozen wallets: nothing is signed for them except cancellations, which pay the wallet itself. The database
 * rejects a send or a version that is not signed yet (`insertSend`, `insertSendVersion`), so that no use case
 * can overlook it; loops skip frozen wallets by `isUnfrozen`. Signed bytes that no node has had are withheld
 * (`isBroadcastable`, `isWithheld`).
 */

export type WalletFreeze = Selectable<WalletFreezeRow>;

/** The subject of the freeze of every wallet. */
export const ALL_WALLETS = 'all';

/** In a query: whether nothing freezes the wallet of the merchant in this column. */
export function isUnfrozen(
  merchantId: 'sends.merchant_id' | 'outputs.merchant_id' | 'open.merchant_id' | 'payments.merchant_id',
) {
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM wallet_freezes
    WHERE subject IN (${sql.lit(ALL_WALLETS)}, ${sql.ref(merchantId)}))`;
}

/**
 * In a query of sends: whether a node may get bytes of this one. While its wallet is frozen, only a send that was
 * broadcast before is broadcast again, or one that waits for its cancellation.
 */
export function isBroadcastable() {
  return sql<boolean>`(sends.broadcasts > 0 OR ${isUnfrozen('sends.merchant_id')} OR EXISTS (
    SELECT 1 FROM send_versions AS newer
    WHERE newer.send_id = sends.id AND newer.version > sends.version AND newer.cancels))`;
}

/** Whether a freeze withholds the current bytes of a send, because none of their broadcasts is recorded. */
export async function isWithheld(db: Db, sendId: string): Promise<boolean> {
  const row = await db
    .selectFrom('sends')
    .select('id')
    .where('id', '=', sendId)
    .where('broadcasts', '=', 0)
    .where('height', 'is', null)
    .where((eb) => eb.not(isUnfrozen('sends.merchant_id')))
    .executeTakeFirst();
  return row !== undefined;
}

/** The freezes that apply to a merchant's wallet: that of the whole server first. */
export async function findFreezes(db: Db, merchantId: string): Promise<WalletFreeze[]> {
  return db
    .selectFrom('wallet_freezes')
    .selectAll()
    .where('subject', 'in', [ALL_WALLETS, merchantId])
    .orderBy(sql<boolean>`subject <> ${sql.lit(ALL_WALLETS)}`)
    .execute();
}

/** All freezes, oldest first. */
export async function listFreezes(db: Db): Promise<WalletFreeze[]> {
  return db.selectFrom('wallet_freezes').selectAll().orderBy('frozenAt').orderBy('subject').execute();
}

/** @throws {AppError} WALLET_FROZEN */
export async function requireUnfrozen(db: Db, merchantId: string): Promise<void> {
  refuse((await findFreezes(db, merchantId))[0]);
}

/** The same for the wallet of a send. @param refused what the freeze refuses. @throws {AppError} WALLET_FROZEN */
export async function requireUnfrozenSend(tx: Tx, sendId: string, refused?: string): Promise<void> {
  const freeze = await tx
    .selectFrom('sends')
    .innerJoin('wallet_freezes', (join) =>
      join.on((eb) =>
        eb.or([eb('subject', '=', ALL_WALLETS), eb('subject', '=', eb.ref('sends.merchantId'))]),
      ),
    )
    .selectAll('wallet_freezes')
    .where('sends.id', '=', sendId)
    .executeTakeFirst();
  refuse(freeze, refused);
}

function refuse(freeze: WalletFreeze | undefined, refused?: string): void {
  if (freeze === undefined) return;
  const message = frozenMessage(freeze);
  throw new AppError('WALLET_FROZEN', refused === undefined ? message : `${refused}: ${message}`);
}

/** Why nothing is sent, for the people of the shop. */
export function frozenMessage({ subject, frozenAt, reason }: WalletFreeze): string {
  const whose = subject === ALL_WALLETS ? 'all wallets of this server are' : 'the wallet is';
  const why = reason === null ? '' : ` (${reason})`;
  return `${whose} frozen since ${isoTime(frozenAt)}${why}: nothing is signed until unfrozen`;
}

/** Freezes a wallet; false when it was frozen already, which changes nothing. */
export async function insertFreeze(tx: Tx, freeze: WalletFreeze): Promise<boolean> {
  if (!(await adoptFreeze(tx, freeze))) return false;
  await record(tx, 'wallet-freeze', freeze.subject, freeze.frozenAt);
  return true;
}

/** The same for a freeze that the list of revocations contains. */
export async function adoptFreeze(tx: Tx, freeze: WalletFreeze): Promise<boolean> {
  const added = await tx
    .insertInto('wallet_freezes')
    .values(freeze)
    .onConflict((conflict) => conflict.doNothing())
    .returning('subject')
    .executeTakeFirst();
  return added !== undefined;
}

/** Unfreezes a wallet; false when it was not frozen. */
export async function deleteFreeze(tx: Tx, subject: string, now: number): Promise<boolean> {
  if (!(await adoptUnfreeze(tx, subject))) return false;
  await record(tx, 'wallet-unfreeze', subject, now);
  return true;
}

/** The same where the list of revocations contains it. */
export async function adoptUnfreeze(tx: Tx, subject: string): Promise<boolean> {
  const removed = await tx
    .deleteFrom('wallet_freezes')
    .where('subject', '=', subject)
    .returning('subject')
    .executeTakeFirst();
  return removed !== undefined;
}

/** A freeze outlasts the restore of an older copy of the database because the list of revocations has it. */
async function record(
  tx: Tx,
  kind: 'wallet-freeze' | 'wallet-unfreeze',
  subject: string,
  at: number,
): Promise<void> {
  await recordRevocation(tx, { id: randomBytes(8).toString('hex'), kind, subject, at });
}
