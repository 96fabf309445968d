import { sql } from 'kysely';
import type { Coin, Mode } from '../domain/coins.ts';
import type { Db } from './database.ts';

export interface WalletTransactionFilter {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly coin: Coin | null;
  readonly direction: 'in' | 'out' | null;
  readonly page: number;
  readonly limit: number;
}

/** One line of a merchant's money book: an output that paid it, or a send. */
export interface WalletTransactionRow {
  readonly direction: 'in' | 'out';
  /** The send's id; `txid:index` of an output. */
  readonly id: string;
  readonly coin: Coin;
  readonly txid: string;
  readonly address: string;
  readonly amount: string;
  readonly fee: string | null;
  readonly status: string;
  readonly height: number | null;
  readonly payment_id: string | null;
  readonly error: string | null;
  readonly created_at: number;
}

/** One page of money in and out, newest first. Change of one's own sends and moved deposits are no income and left out. */
export async function pageWalletTransactions(
  db: Db,
  filter: WalletTransactionFilter,
): Promise<{ rows: WalletTransactionRow[]; total: number }> {
  const { page, limit } = filter;
  // Each side comes sorted from its index and is cut before the two are merged.
  const moneyIn = incoming(db, filter)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page * limit);
  const moneyOut = outgoing(db, filter)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page * limit);
  const both = db
    .selectFrom(moneyIn.as('money_in'))
    .selectAll()
    .unionAll(db.selectFrom(moneyOut.as('money_out')).selectAll());
  const rows = await db
    .selectFrom(both.as('book'))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  return { rows, total: (await countIncoming(db, filter)) + (await count(db, outgoing(db, filter))) };
}

/** All outputs less those left out, which are found from the sends: far fewer than what came in. */
async function countIncoming(db: Db, filter: WalletTransactionFilter): Promise<number> {
  const { merchantId, mode, coin, direction } = filter;
  if (direction === 'out') return 0;
  const all = await db
    .selectFrom('outputs')
    .where('merchant_id', '=', merchantId)
    .where('mode', '=', mode)
    .$if(coin !== null, (query) => query.where('coin', '=', coin))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  // A txid belongs to one version of one send (it is unique there), so that no output is met twice.
  const leftOut = await db
    .selectFrom('sends')
    .innerJoin('send_versions', 'send_versions.send_id', 'sends.id')
    .innerJoin('outputs', (join) =>
      join
        .onRef('outputs.coin', '=', 'send_versions.coin')
        .onRef('outputs.mode', '=', 'send_versions.mode')
        .onRef('outputs.txid', '=', 'send_versions.txid')
        .onRef('outputs.merchant_id', '=', 'sends.merchant_id'),
    )
    .innerJoin('addresses', 'addresses.id', 'outputs.address_id')
    .where('sends.merchant_id', '=', merchantId)
    .where('outputs.mode', '=', mode)
    .$if(coin !== null, (query) => query.where('outputs.coin', '=', coin))
    .where((eb) =>
      eb.or([eb('sends.destination', '<>', eb.ref('addresses.address')), eb('sends.purpose', '=', 'sweep')]),
    )
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return all.total - leftOut.total;
}

async function count(db: Db, side: ReturnType<typeof outgoing>): Promise<number> {
  const counted = await db
    .selectFrom(side.as('side'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return counted.total;
}

function incoming(db: Db, filter: WalletTransactionFilter) {
  const { merchantId, mode, coin, direction } = filter;
  return db
    .selectFrom('outputs')
    .innerJoin('addresses', 'addresses.id', 'outputs.address_id')
    .select([
      sql.lit<'in' | 'out'>('in').as('direction'),
      sql<string>`outputs.txid || ':' || outputs.vout`.as('id'),
      'outputs.coin as coin',
      'outputs.txid as txid',
      'addresses.address as address',
      'outputs.amount as amount',
      sql<string | null>`null`.as('fee'),
      sql.ref<string>('outputs.state').as('status'),
      'outputs.height as height',
      'outputs.payment_id as payment_id',
      sql<string | null>`null`.as('error'),
      'outputs.first_seen_at as created_at',
    ])
    .where('outputs.merchant_id', '=', merchantId)
    .where('outputs.mode', '=', mode)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('send_versions')
            .innerJoin('sends', 'sends.id', 'send_versions.send_id')
            .select('sends.id')
            .whereRef('send_versions.coin', '=', 'outputs.coin')
            .whereRef('send_versions.mode', '=', 'outputs.mode')
            .whereRef('send_versions.txid', '=', 'outputs.txid')
            .whereRef('sends.merchant_id', '=', 'outputs.merchant_id')
            .where((or) =>
              or.or([
                or('sends.destination', '<>', or.ref('addresses.address')),
                or('sends.purpose', '=', 'sweep'),
              ]),
            ),
        ),
      ),
    )
    .$if(coin !== null, (query) => query.where('outputs.coin', '=', coin))
    .$if(direction === 'out', (query) => query.where(sql<boolean>`1 = 0`));
}

function outgoing(db: Db, filter: WalletTransactionFilter) {
  const { merchantId, mode, coin, direction } = filter;
  return db
    .selectFrom('sends')
    .select([
      sql.lit<'in' | 'out'>('out').as('direction'),
      'sends.id as id',
      'sends.coin as coin',
      'sends.txid as txid',
      'sends.destination as address',
      'sends.amount as amount',
      sql.ref<string | null>('sends.fee').as('fee'),
      sql.ref<string>('sends.status').as('status'),
      'sends.height as height',
      sql<string | null>`null`.as('payment_id'),
      'sends.error as error',
      'sends.created_at as created_at',
    ])
    .where('sends.merchant_id', '=', merchantId)
    .where('sends.mode', '=', mode)
    .where('sends.purpose', '=', 'send')
    .$if(coin !== null, (query) => query.where('sends.coin', '=', coin))
    .$if(direction === 'in', (query) => query.where(sql<boolean>`1 = 0`));
}
