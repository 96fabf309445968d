import { sql, type Selectable } from 'kysely';
import type { ChainId } from '../../domain/coins.ts';
import type { SendVersionRow } from '../schema/sends.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { requireWithinBudget } from './fee-budgets.ts';
import { requireUnfrozenSend } from './wallet-freezes.ts';

export type StoredSendVersion = Selectable<SendVersionRow>;

type OptionalOfVersion = 'changeIndex' | 'cancels' | 'balanceChange';

type NewVersionRow = Omit<StoredSendVersion, OptionalOfVersion> &
  Partial<Pick<StoredSendVersion, OptionalOfVersion>>;

/**
 * Stores a version that was just signed. A frozen wallet signs cancellations only, which pay itself.
 * @throws {AppError} FEE_ABOVE_LIMIT when it costs more than the budget of its send; WALLET_FROZEN.
 */
export async function insertSendVersion(tx: Tx, row: NewVersionRow): Promise<void> {
  if (row.cancels !== true) await requireUnfrozenSend(tx, row.sendId);
  await insertMinedVersion(tx, row);
}

/**
 * The same for a version that a block contains already: a freeze does not change that.
 * @throws {AppError} FEE_ABOVE_LIMIT when it costs more than the budget of its send.
 */
export async function insertMinedVersion(tx: Tx, row: NewVersionRow): Promise<void> {
  await requireWithinBudget(tx, row);
  await tx
    .insertInto('send_versions')
    .values({ changeIndex: null, balanceChange: null, ...row })
    .execute();
}

/**
 * Detaches a transaction from a send that failed with it: the same coins sent again to the same
 * destination sign to the same bytes, whose fate concerns the new send.
 */
export async function disownFailedVersion(tx: Tx, chain: ChainId, txid: string): Promise<void> {
  await tx
    .deleteFrom('send_versions')
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('txid', '=', txid)
    .where('sendId', 'in', (eb) =>
      eb
        .selectFrom('sends')
        .select('sends.id')
        .whereRef('sends.id', '=', 'send_versions.sendId')
        .where('sends.status', '=', sql.lit('failed')),
    )
    .execute();
}

/** The signed version that has this transaction id. */
export async function findVersionByTxid(
  db: Db,
  chain: ChainId,
  txid: string,
): Promise<StoredSendVersion | undefined> {
  return db
    .selectFrom('send_versions')
    .selectAll()
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('txid', '=', txid)
    .executeTakeFirst();
}

/** Ids of the transactions that gather outputs for a send. */
export async function txidsOfParts(db: Db, wholeId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('send_versions')
    .innerJoin('sends', 'sends.id', 'send_versions.sendId')
    .where('sends.partOf', '=', wholeId)
    .select('send_versions.txid')
    .execute();
  return new Set(rows.map(({ txid }) => txid));
}

/** The preparing send for which this transaction gathers outputs; null: none. */
export async function wholeOfPart(db: Db, chain: ChainId, txid: string): Promise<string | null> {
  const row = await db
    .selectFrom('send_versions')
    .innerJoin('sends as part', 'part.id', 'send_versions.sendId')
    .innerJoin('sends as whole', 'whole.id', 'part.partOf')
    .where('send_versions.coin', '=', chain.coin)
    .where('send_versions.mode', '=', chain.mode)
    .where('send_versions.txid', '=', txid)
    .where('whole.status', '=', sql.lit('preparing'))
    .select('whole.id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/**
 * The preparing send that has reserved the change of another version of this transaction's send; null: none.
 * Blocks contain only one of the versions, so the change of each belongs to it.
 */
export async function preparingChangeHolder(db: Db, chain: ChainId, txid: string): Promise<string | null> {
  const row = await db
    .selectFrom('send_versions as made')
    .innerJoin('send_versions as other', 'other.sendId', 'made.sendId')
    .innerJoin('outputs', (join) =>
      join
        .onRef('outputs.coin', '=', 'other.coin')
        .onRef('outputs.mode', '=', 'other.mode')
        .onRef('outputs.txid', '=', 'other.txid'),
    )
    .innerJoin('sends as holder', 'holder.id', 'outputs.sendId')
    .where('made.coin', '=', chain.coin)
    .where('made.mode', '=', chain.mode)
    .where('made.txid', '=', txid)
    .whereRef('other.version', '<>', 'made.version')
    .where('holder.status', '=', sql.lit('preparing'))
    .select('holder.id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** The preparing send that the outputs of this transaction belong to, in either way; null: none. */
export async function preparingSendFor(db: Db, chain: ChainId, txid: string): Promise<string | null> {
  return (await wholeOfPart(db, chain, txid)) ?? (await preparingChangeHolder(db, chain, txid));
}

/** All signed versions of a send, oldest first. */
export async function listVersions(db: Db, sendId: string): Promise<StoredSendVersion[]> {
  return db.selectFrom('send_versions').selectAll().where('sendId', '=', sendId).orderBy('version').execute();
}
