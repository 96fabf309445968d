import type { CounterRow } from '../schema/counters.ts';
import type { MerchantRow } from '../schema/merchants.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';

export async function insertCounter(tx: Tx, row: CounterRow): Promise<void> {
  await tx.insertInto('counters').values(row).execute();
}

/** A counter of any merchant; deleted ones are not found. */
export async function findCounter(db: Db, id: string): Promise<CounterRow | undefined> {
  return db
    .selectFrom('counters')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

/** Counters of a merchant, the oldest first. */
export async function listCounters(db: Db, merchantId: string): Promise<CounterRow[]> {
  return db
    .selectFrom('counters')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

/** Deleted ones count, because their rows stay. */
export async function countCounters(tx: Tx, merchantId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('counters')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('merchantId', '=', merchantId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function updateCounter(
  tx: Tx,
  id: string,
  changes: Partial<Omit<CounterRow, 'id' | 'merchantId' | 'currency'>> & { updatedAt: number },
): Promise<CounterRow> {
  return tx
    .updateTable('counters')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A connected device: its counter and its merchant. */
export interface ConnectedCounter {
  readonly counter: Pick<CounterRow, 'id' | 'lastUsedAt'>;
  readonly merchant: Readonly<MerchantRow>;
}

const byToken = prepared((db, param: ParamOf<{ tokenHash: string }>) =>
  db
    .selectFrom('counters')
    .innerJoin('merchants', 'merchants.id', 'counters.merchantId')
    .selectAll('merchants')
    .select(['counters.id as counterId', 'counters.lastUsedAt as counterLastUsedAt'])
    .where('counters.tokenHash', '=', param('tokenHash')),
);

/** The counter whose device has the token with this SHA-256. */
export async function findConnectedCounter(db: Db, tokenHash: string): Promise<ConnectedCounter | null> {
  const [row] = await byToken(db, { tokenHash });
  if (row === undefined) return null;
  const { counterId: id, counterLastUsedAt: lastUsedAt, ...merchant } = row;
  return { counter: { id, lastUsedAt }, merchant };
}

/** The counter that the code with this SHA-256 connects. */
export async function findCounterByCode(tx: Tx, codeHash: string): Promise<CounterRow | undefined> {
  return tx.selectFrom('counters').selectAll().where('codeHash', '=', codeHash).executeTakeFirst();
}

/** Records a use, unless one since `before` is already recorded. */
export async function touchCounter(
  db: Db,
  use: { readonly id: string; readonly now: number; readonly before: number },
): Promise<void> {
  await db
    .updateTable('counters')
    .set({ lastUsedAt: use.now })
    .where('id', '=', use.id)
    .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<=', use.before)]))
    .execute();
}

const DISCONNECTED = { codeHash: null, codeExpiresAt: null, tokenHash: null, connectedAt: null } as const;

/** Disconnects the devices of a merchant; returns how many were connected. */
export async function disconnectCounters(tx: Tx, merchantId: string): Promise<number> {
  const connected = await tx
    .selectFrom('counters')
    .select('id')
    .where('merchantId', '=', merchantId)
    .where('tokenHash', 'is not', null)
    .execute();
  await tx.updateTable('counters').set(DISCONNECTED).where('merchantId', '=', merchantId).execute();
  return connected.length;
}

/** Removes every unused code of the shops that a user owns. */
export async function deleteCounterCodes(tx: Tx, userId: string): Promise<void> {
  await tx
    .updateTable('counters')
    .set({ codeHash: null, codeExpiresAt: null })
    .where('codeHash', 'is not', null)
    .where('merchantId', 'in', (eb) => eb.selectFrom('merchants').select('id').where('userId', '=', userId))
    .execute();
}

/** Disconnects the device with this token; false when it is not connected. */
export async function disconnectDevice(
  tx: Tx,
  { id, tokenHash }: { readonly id: string; readonly tokenHash: string },
): Promise<boolean> {
  const result = await tx
    .updateTable('counters')
    .set(DISCONNECTED)
    .where('id', '=', id)
    .where('tokenHash', '=', tokenHash)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
