import type { Holding, OpenAccount } from '../domain/chain.ts';
import type { ChainId } from '../domain/coins.ts';
import type { Db } from './database.ts';
import { prepared, type SlotOf } from './prepared.ts';

/** Addresses looked at in one go: half a millisecond, so that a node is asked about some while the next are read. */
const PAGE = 500;

/**
 * Accounts that may be paid at any moment, each once, with what the ledger says that it holds, page by page:
 * the merchants' own, and of the newest `limit` addresses those of payments that still wait for money or
 * whose time was up only after `closedAfterMs`. What is given out after the first page is not among them.
 */
export async function* openAccounts(
  db: Db,
  { coin, mode }: ChainId,
  closedAfterMs: number,
  limit: number,
): AsyncGenerator<readonly OpenAccount[], void> {
  yield accountsOf(await ownAccounts(db, { coin, mode, limit }));
  let below = Number.MAX_SAFE_INTEGER;
  for (let left = limit; left > 0; left -= PAGE) {
    const size = Math.min(PAGE, left);
    const rows = await newestAccounts(db, { coin, mode, below, size, closedAfterMs });
    yield accountsOf(rows.filter(({ open }) => open !== null));
    const last = rows.at(-1);
    // An account has a row for every part that it holds.
    if (last === undefined || rows.length < size) return;
    below = last.id;
  }
}

/** An account and one part of what it holds, which is all null when it holds nothing. */
interface AccountRow {
  readonly id: number;
  readonly watch_key: string;
  readonly created_at: number;
  readonly txid: string | null;
  readonly vout: number | null;
  readonly amount: string | null;
  readonly height: number | null;
}

const HELD = ['outputs.txid', 'outputs.vout', 'outputs.amount', 'outputs.height'] as const;

const ownAccounts = prepared((db, slot: SlotOf<ChainId & { limit: number }>) => {
  const own = db
    .selectFrom('merchants')
    .innerJoin('addresses', 'addresses.merchant_id', 'merchants.id')
    .select(['addresses.id', 'addresses.watch_key', 'addresses.created_at'])
    .where('addresses.coin', '=', slot('coin'))
    .where('addresses.mode', '=', slot('mode'))
    .where('addresses.branch', '=', 0)
    .where('addresses.idx', '=', 0)
    .limit(slot('limit'));
  return db
    .selectFrom(own.as('own'))
    .leftJoin('outputs', (join) =>
      join
        .onRef('outputs.address_id', '=', 'own.id')
        .on('outputs.state', '=', 'confirmed')
        .on('outputs.spent_height', 'is', null),
    )
    .select(['own.id', 'own.watch_key', 'own.created_at', ...HELD])
    .orderBy('own.id');
});

type NewestQuery = ChainId & {
  readonly below: number;
  readonly size: number;
  readonly closedAfterMs: number;
};

/** The next newest addresses of payments, all of them: `open` is null for those that nobody pays any more. */
const newestAccounts = prepared((db, slot: SlotOf<NewestQuery>) => {
  const newest = db
    .selectFrom('addresses')
    .select(['id', 'watch_key', 'created_at', 'payment_id'])
    .where('coin', '=', slot('coin'))
    .where('mode', '=', slot('mode'))
    .where('id', '<', slot('below'))
    .where('payment_id', 'is not', null)
    .orderBy('id', 'desc')
    .limit(slot('size'));
  return db
    .selectFrom(newest.as('newest'))
    .leftJoin('payments', (join) =>
      join
        .onRef('payments.id', '=', 'newest.payment_id')
        .on((eb) =>
          eb.or([
            eb('payments.status', 'in', ['pending', 'underpaid', 'confirming']),
            eb('payments.expires_at', '>', slot('closedAfterMs')),
          ]),
        ),
    )
    .leftJoin('outputs', (join) =>
      join
        .onRef('outputs.address_id', '=', 'newest.id')
        .on('payments.id', 'is not', null)
        .on('outputs.state', '=', 'confirmed')
        .on('outputs.spent_height', 'is', null),
    )
    .select(['newest.id', 'newest.watch_key', 'newest.created_at', 'payments.created_at as open', ...HELD])
    .orderBy('newest.id', 'desc');
});

const NOTHING: readonly Holding[] = [];

/** @param rows those of one account in a row */
function accountsOf(rows: readonly AccountRow[]): OpenAccount[] {
  const accounts: OpenAccount[] = [];
  for (let at = 0; at < rows.length;) {
    const row = rows[at];
    if (row === undefined) break;
    let end = at + 1;
    while (rows[end]?.id === row.id) end += 1;
    const held = row.txid === null ? NOTHING : holdingsOf(rows.slice(at, end));
    accounts.push({ watchKey: row.watch_key, since: row.created_at, held });
    at = end;
  }
  return accounts;
}

/** In the order in which the ledger counts on them, as `holdings` has them. */
function holdingsOf(rows: readonly AccountRow[]): Holding[] {
  const parts = rows.map(({ height, txid, vout, amount }) => ({
    height: height ?? 0,
    ref: { txid: txid ?? '', index: vout ?? 0 },
    amount: BigInt(amount ?? 0),
  }));
  parts.sort((a, b) => a.height - b.height || compare(a.ref.txid, b.ref.txid) || a.ref.index - b.ref.index);
  return parts.map(({ ref, amount }) => ({ ref, amount }));
}

/** As SQLite compares: by bytes, which for ids of transactions is by UTF-16 units, too. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
