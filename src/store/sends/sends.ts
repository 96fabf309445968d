import { sql, type Selectable } from 'kysely';
import { STORED_FALSE } from '../sqlite/column-names.ts';
import { COINS, MODES, type ChainId } from '../../domain/coins.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import type { SendRow } from '../schema/sends.ts';
import { drawOn, requireDrawable } from './fee-budgets.ts';
import { type MoveValue, requireMoveRoom } from './move-limits.ts';
import { type OutgoingValue, enforceSpendingLimits, WITHIN_WALLET } from './spending-limits.ts';
import { requireUnfrozen } from './wallet-freezes.ts';

export type StoredSend = Selectable<SendRow>;

/** The mutable fields of a send. */
export type SendPatch = Partial<
  Pick<
    StoredSend,
    | 'status'
    | 'txid'
    | 'amount'
    | 'fee'
    | 'version'
    | 'height'
    | 'error'
    | 'nextBroadcastAt'
    | 'broadcasts'
    | 'announcedTxid'
    | 'confirmedTxid'
    | 'feeLimitedAt'
    | 'orderedRate'
    | 'displacedHeight'
    | 'queued'
    | 'queueAccount'
    | 'queuePosition'
    | 'unfundedSince'
  >
>;

type OptionalOfSend =
  | 'creatorKind'
  | 'creatorId'
  | 'leaving'
  | 'valuesJson'
  | 'everything'
  | 'note'
  | 'displacedHeight'
  | 'drawsOn'
  | 'drawsOnVersion'
  | 'feeLimitedAt'
  | 'queueAccount'
  | 'queuePosition'
  | 'watchId'
  | 'queued'
  | 'partOf'
  | 'parts'
  | 'partsConfirmed'
  | 'partsFee'
  | 'orderedRate'
  | 'reason'
  | 'unfundedSince'
  | 'outputsJson'
  | 'coinControl'
  | 'feeTermsJson'
  | 'byPsbt';

/**
 * Stores a new send. One that names a send in `draws_on` or `part_of` shares the budget that this one has or draws on.
 * @param leaving null for a move within the wallet
 * @param move of a move within the wallet on its own fee budget; null: no limit concerns it
 * @throws {AppError} FEE_ABOVE_LIMIT when it would use more of that than is left; WALLET_FROZEN; APPROVAL_REQUIRED when
 * it is above a limit of the shop or of the key that ordered it.
 */
export async function insertSend(
  tx: Tx,
  row: NewSendRow,
  leaving: OutgoingValue | null,
  move: MoveValue | null = null,
): Promise<void> {
  await requireUnfrozen(tx, row.merchantId);
  if ((row.purpose === 'send') !== (leaving !== null)) throw new Error('only sends leave the wallet');
  if (move !== null) await requireMoveRoom(tx, row, move);
  const by = { creatorKind: move?.creator?.kind ?? null, creatorId: move?.creator?.id ?? null };
  const counted =
    leaving === null
      ? { ...WITHIN_WALLET, ...by }
      : await enforceSpendingLimits(tx, { outputsJson: null, ...row }, leaving);
  await insertMinedSend(tx, { ...row, ...counted });
}

type NewSendRow = Omit<StoredSend, OptionalOfSend> & Partial<Pick<StoredSend, OptionalOfSend>>;

/** The same for a send whose transaction is in a block already: a freeze does not change that. */
export async function insertMinedSend(tx: Tx, row: NewSendRow): Promise<void> {
  const drawing = await drawOn(tx, row);
  await requireDrawable(tx, { ...row, ...drawing });
  await tx
    .insertInto('sends')
    .values({
      ...WITHIN_WALLET,
      note: null,
      queueAccount: null,
      queuePosition: null,
      unfundedSince: null,
      reason: null,
      outputsJson: null,
      ...row,
      ...drawing,
    })
    .execute();
  await countParts(tx, row.partOf ?? null);
}

/** Writes a change and returns the updated send. */
export async function updateSend(tx: Tx, sendId: string, patch: SendPatch, now: number): Promise<StoredSend> {
  const send = await tx
    .updateTable('sends')
    .set({ ...patch, updatedAt: now })
    .where('id', '=', sendId)
    .returningAll()
    .executeTakeFirstOrThrow();
  await countParts(tx, send.partOf);
  return send;
}

/** Updates the summary of its parts on a send: how many are planned and in blocks, and their cost. */
async function countParts(tx: Tx, wholeId: string | null): Promise<void> {
  if (wholeId === null) return;
  await sql`UPDATE sends SET (parts, parts_confirmed, parts_fee) = (
      SELECT max(sends.parts, count(*)), coalesce(sum(status = 'confirmed'), 0),
        cast(coalesce(sum(cast(fee AS INTEGER)), 0) AS TEXT)
      FROM sends AS part WHERE part.part_of = sends.id AND part.status <> 'failed')
    WHERE id = ${wholeId}`.execute(tx);
}

/** The fee of a send with that of its parts, which fits 64 bits: only coins held in outputs have parts. */
export const feeWithParts = sql<string>`CASE WHEN sends.parts = 0 THEN sends.fee
  ELSE cast(cast(sends.fee AS INTEGER) + cast(sends.parts_fee AS INTEGER) AS TEXT) END`;

/** The parts that gather outputs for a send, oldest first. */
export async function listParts(db: Db, wholeId: string): Promise<StoredSend[]> {
  return db
    .selectFrom('sends')
    .selectAll()
    .where('partOf', '=', wholeId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

/** Open sends displaced by blocks above a height. */
export async function displacedAbove(db: Db, chain: ChainId, height: number): Promise<string[]> {
  const rows = await openSends(db, chain).where('displacedHeight', '>', height).execute();
  return rows.map(({ id }) => id);
}

/** Releases the idempotency key of a send for another one. */
export async function releaseSendKey(tx: Tx, sendId: string): Promise<void> {
  await tx.updateTable('sends').set({ idempotencyKey: null }).where('id', '=', sendId).execute();
}

export async function findSend(db: Db, sendId: string): Promise<StoredSend | undefined> {
  return db.selectFrom('sends').selectAll().where('id', '=', sendId).executeTakeFirst();
}

export async function findSendByKey(
  db: Db,
  merchantId: string,
  idempotencyKey: string,
): Promise<StoredSend | undefined> {
  return db
    .selectFrom('sends')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('idempotencyKey', '=', idempotencyKey)
    .executeTakeFirst();
}

/** The merchant's send with a version of this transaction id, on any chain. */
export async function findSendByTxid(
  db: Db,
  merchantId: string,
  txid: string,
): Promise<StoredSend | undefined> {
  return db
    .selectFrom('send_versions')
    .innerJoin('sends', 'sends.id', 'send_versions.sendId')
    .selectAll('sends')
    .where('send_versions.coin', 'in', COINS)
    .where('send_versions.mode', 'in', MODES)
    .where('send_versions.txid', '=', txid)
    .where('sends.merchantId', '=', merchantId)
    .executeTakeFirst();
}

/** The unconfirmed send with this nonce of an account. */
export async function findOpenByNonce(
  db: Db,
  { coin, mode }: ChainId,
  { watchKey, nonce }: { readonly watchKey: string; readonly nonce: number },
): Promise<StoredSend | undefined> {
  return db
    .selectFrom('addresses')
    .innerJoin('sends', 'sends.lane', 'addresses.address')
    .selectAll('sends')
    .where('addresses.coin', '=', coin)
    .where('addresses.mode', '=', mode)
    .where('addresses.watchKey', '=', watchKey)
    .where('sends.coin', '=', coin)
    .where('sends.mode', '=', mode)
    .where('sends.nonce', '=', nonce)
    .where('sends.status', 'in', ['signed', 'broadcast'])
    .executeTakeFirst();
}

/** Sends that reverted in a block and have not failed for good, oldest block first; a bounded number. */
export async function revertedSends(db: Db, chain: ChainId): Promise<StoredSend[]> {
  return openSends(db, chain).where('height', 'is not', null).orderBy('height').limit(MAX_REVERTED).execute();
}

const MAX_REVERTED = 100;

export function releasedSends(db: Db, chain: ChainId) {
  return openSends(db, chain).where('queued', '=', STORED_FALSE);
}

/** A literal, not a parameter: only then can the planner prove that the index of open sends applies. */
export function openSends(db: Db, chain: ChainId) {
  return db
    .selectFrom('sends')
    .selectAll()
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where(sql<boolean>`status in ('signed', 'broadcast')`);
}
