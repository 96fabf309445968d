import { setImmediate } from 'node:timers/promises';
import { sql, type Selectable } from 'kysely';
import type { ChainId, Coin, Mode } from '../../domain/coins.ts';
import type { WatchAddressRow } from '../schema/ledger.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';

/** Addresses of watched accounts that are lists. Long lists are written in pieces, between which other work goes on. */

export type WatchAddress = Selectable<WatchAddressRow>;

/** An address of a list with the key under which its chain finds payments. */
export interface ListedAddress {
  readonly address: string;
  readonly watchKey: string;
}

/** Rows per statement: a few milliseconds. */
const PIECE = 500;

/** The ranges of a list that are read or written at a time. */
async function* pieces(size: number): AsyncGenerator<{ from: number; below: number }, void> {
  for (let from = 0; from < size; from += PIECE) {
    yield { from, below: Math.min(from + PIECE, size) };
    await setImmediate();
  }
}

/** Stores the addresses of a list that is not confirmed. */
export async function insertProposedAddresses(
  tx: Tx,
  { number, coin, mode }: ChainId & { readonly number: number },
  addresses: readonly ListedAddress[],
): Promise<void> {
  for await (const { from, below } of pieces(addresses.length)) {
    const rows = addresses.slice(from, below).map(({ address, watchKey }) => [watchKey, address]);
    await sql`INSERT INTO watch_addresses (account_number, idx, coin, mode, watch_key, address)
      SELECT ${number}, ${from} + key, ${coin}, ${mode}, value ->> 0, value ->> 1
        FROM json_each(${JSON.stringify(rows)})`.execute(tx);
  }
}

export async function dropProposedAddresses(tx: Tx, number: number, size: number): Promise<void> {
  for await (const { from, below } of pieces(size))
    await tx
      .deleteFrom('watch_addresses')
      .where('accountNumber', '=', number)
      .where('idx', '>=', from)
      .where('idx', '<', below)
      .execute();
}

/** Claims the addresses of a list for it. Throws where another confirmed list has one (see findClaimed). */
export async function claimListedAddresses(tx: Tx, number: number, size: number): Promise<void> {
  await setConfirmed(tx, number, size, true);
}

/** Undoes claimListedAddresses. */
export async function releaseListedAddresses(tx: Tx, number: number, size: number): Promise<void> {
  await setConfirmed(tx, number, size, false);
}

async function setConfirmed(tx: Tx, number: number, size: number, confirmed: boolean): Promise<void> {
  for await (const { from, below } of pieces(size))
    await tx
      .updateTable('watch_addresses')
      .set({ confirmed })
      .where('accountNumber', '=', number)
      .where('idx', '>=', from)
      .where('idx', '<', below)
      .execute();
}

/** Which of these keys the server uses already: addresses that it gave out or derived, and those of confirmed lists. */
export async function findClaimed(
  db: Db,
  { coin, mode }: ChainId,
  watchKeys: readonly string[],
): Promise<ReadonlySet<string>> {
  const claimed = new Set<string>();
  for await (const { from, below } of pieces(watchKeys.length)) {
    const { rows } = await sql<{ readonly watchKey: string }>`SELECT value AS watch_key
      FROM json_each(${JSON.stringify(watchKeys.slice(from, below))})
      WHERE EXISTS (SELECT 1 FROM addresses WHERE coin = ${coin} AND mode = ${mode} AND watch_key = value)
        OR EXISTS (SELECT 1 FROM watch_addresses
          WHERE coin = ${coin} AND mode = ${mode} AND watch_key = value AND confirmed = 1)`.execute(db);
    for (const row of rows) claimed.add(row.watchKey);
  }
  return claimed;
}

/** Whether one of these keys is on a confirmed list of any shop. */
export async function isListed(
  db: Db,
  { coin, mode }: ChainId,
  watchKeys: readonly string[],
): Promise<boolean> {
  const row = await db
    .selectFrom('watch_addresses')
    .select('idx')
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('watchKey', 'in', watchKeys)
    .where(sql<boolean>`confirmed = 1`)
    .executeTakeFirst();
  return row !== undefined;
}

/** isListed, for one key of each order. */
export async function isKeyListed(db: Db, { coin, mode }: ChainId, watchKey: string): Promise<boolean> {
  return (await listedAs(db, { coin, mode, watchKey })).length > 0;
}

const listedAs = prepared((db, param: ParamOf<ChainId & { watchKey: string }>) =>
  db
    .selectFrom('watch_addresses')
    .select('idx')
    .where('coin', '=', param('coin'))
    .where('mode', '=', param('mode'))
    .where('watchKey', '=', param('watchKey'))
    .where(sql<boolean>`confirmed = 1`),
);

/** The addresses of a list in a range of positions. */
export async function listedAddresses(
  db: Db,
  number: number,
  { from, below }: { readonly from: number; readonly below: number },
): Promise<WatchAddress[]> {
  return db
    .selectFrom('watch_addresses')
    .selectAll()
    .where('accountNumber', '=', number)
    .where('idx', '>=', from)
    .where('idx', '<', below)
    .orderBy('idx')
    .execute();
}

/** All addresses of a list, in its order. */
export async function allListedAddresses(db: Db, number: number, size: number): Promise<WatchAddress[]> {
  const rows: WatchAddress[] = [];
  for await (const piece of pieces(size)) rows.push(...(await listedAddresses(db, number, piece)));
  return rows;
}

/** Takes the next position of a list; undefined at its end. None is ever taken twice. */
export async function takeListedAddress(
  tx: Tx,
  number: number,
  { now, paymentId }: { readonly now: number; readonly paymentId: string | null },
): Promise<WatchAddress | undefined> {
  const taken = await tx
    .updateTable('watch_accounts')
    .set((eb) => ({ nextReceive: eb('nextReceive', '+', 1) }))
    .where('number', '=', number)
    .whereRef('nextReceive', '<', 'listSize')
    .returning(['nextReceive', 'coin', 'mode'])
    .executeTakeFirst();
  if (taken === undefined) return undefined;
  const { coin, mode } = taken;
  return tx
    .updateTable('watch_addresses')
    .set({ givenAt: now, paymentId, chainTime: lastBlockTime(tx, { coin, mode }) })
    .where('accountNumber', '=', number)
    .where('idx', '=', taken.nextReceive - 1)
    .where('confirmed', '=', true)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function lastBlockTime(db: Db, { coin, mode }: ChainId) {
  return db
    .selectFrom('chain_blocks')
    .select('timeMs')
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .orderBy('height', 'desc')
    .limit(1);
}

/** The time of the last recorded block when an order got an address of a list; null where unknown. */
export async function listedChainTime(db: Db, number: number, idx: number): Promise<number | null> {
  const row = await db
    .selectFrom('watch_addresses')
    .select('chainTime')
    .where('accountNumber', '=', number)
    .where('idx', '=', idx)
    .executeTakeFirst();
  return row?.chainTime ?? null;
}

/** The lists of a coin of a shop. */
export interface ListTotals {
  readonly lists: number;
  /** Addresses that are not given out, of confirmed lists. */
  readonly free: number;
}

export async function listTotals(
  db: Db,
  { merchantId, coin, mode }: ChainId & { readonly merchantId: string },
): Promise<ListTotals> {
  const row = await db
    .selectFrom('watch_accounts')
    .select((eb) => [
      eb.fn.countAll<number>().as('lists'),
      eb.fn.sum<number | null>(eb('listSize', '-', eb.ref('nextReceive'))).as('free'),
    ])
    .where('merchantId', '=', merchantId)
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('listSize', 'is not', null)
    .where('confirmedAt', 'is not', null)
    .executeTakeFirstOrThrow();
  return { lists: row.lists, free: row.free ?? 0 };
}

/** A coin of a shop whose lists in use have few addresses left. */
export interface LowList extends ChainId {
  readonly merchantId: string;
  readonly free: number;
}

/** The coins whose lists in use have at most so many addresses left, all of them together. */
export async function lowLists(
  db: Db,
  of: { readonly atMost: number; readonly now: number; readonly merchantId?: string; readonly mode?: Mode },
): Promise<LowList[]> {
  const { rows } = await sql<{ merchantId: string; coin: Coin; mode: Mode; free: number }>`SELECT
      merchant_id, coin, mode, SUM(list_size - next_receive) AS free
    FROM watch_accounts INDEXED BY watch_lists
    WHERE list_size IS NOT NULL AND starts_at IS NOT NULL AND starts_at <= ${of.now}
      AND (${of.merchantId ?? null} IS NULL OR merchant_id = ${of.merchantId ?? null})
      AND (${of.mode ?? null} IS NULL OR mode = ${of.mode ?? null})
    GROUP BY merchant_id, mode, coin HAVING free <= ${of.atMost}`.execute(db);
  return rows;
}
