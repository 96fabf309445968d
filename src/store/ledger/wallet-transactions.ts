import { sql } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import { paidOutputs, sentOut, type WalletTransactionRow } from './wallet-transaction-rows.ts';
import { isNamedOutput, isNamedSend } from './wallet-search.ts';

export interface WalletTransactionFilter {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly coin: Coin | null;
  readonly direction: 'in' | 'out' | null;
  /** Bounds of the first sighting or the order, ms, both inclusive. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Matched literally: see isNamedOutput and isNamedSend. */
  readonly search?: string | undefined;
  readonly page: number;
  readonly limit: number;
}

/**
 * One page of incoming and outgoing money, newest first. Excludes own change and swept deposits, which are
 * not income.
 */
export async function pageWalletTransactions(
  db: Db,
  filter: WalletTransactionFilter,
): Promise<{ rows: WalletTransactionRow[]; total: number }> {
  const { page, limit } = filter;
  // Each side is sorted by its index and cut before the merge. Rows before the page are read from the index alone.
  const moneyIn = incoming(db, filter)
    .select([
      'outputs.firstSeenAt as createdAt',
      sql.ref<number | null>('outputs.seq').as('seq'),
      sql<string | null>`null`.as('sendId'),
    ])
    .orderBy('outputs.firstSeenAt', 'desc')
    .orderBy('outputs.seq', 'desc')
    .limit(page * limit);
  const moneyOut = outgoing(db, filter)
    .select([
      'sends.createdAt as createdAt',
      sql<number | null>`null`.as('seq'),
      sql.ref<string | null>('sends.id').as('sendId'),
    ])
    .orderBy('sends.createdAt', 'desc')
    .orderBy('sends.id', 'desc')
    .limit(page * limit);
  const both = db
    .selectFrom(moneyIn.as('moneyIn'))
    .select(['createdAt', 'seq', 'sendId'])
    .unionAll(db.selectFrom(moneyOut.as('moneyOut')).select(['createdAt', 'seq', 'sendId']));
  const places = await db
    .selectFrom(both.as('book'))
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('seq', 'desc')
    .orderBy('sendId', 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  const paid = await paidOutputs(
    db,
    places.flatMap(({ seq }) => seq ?? []),
  );
  const sent = await sentOut(
    db,
    places.flatMap(({ sendId: id }) => id ?? []),
  );
  const rows = places.flatMap(
    ({ seq, sendId: id }) => (id === null ? paid.get(seq ?? 0) : sent.get(id)) ?? [],
  );
  const before = (page - 1) * limit;
  // A partial page is the last one.
  const isLast = rows.length < limit && (rows.length > 0 || before === 0);
  return { rows, total: isLast ? before + rows.length : await count(db, filter) };
}

async function count(db: Db, filter: WalletTransactionFilter): Promise<number> {
  const isOfAll = [filter.fromMs, filter.toMs, filter.search].every((value) => value === undefined);
  const moneyIn = isOfAll ? countedIncoming(db, filter) : countRows(incoming(db, filter));
  return (await moneyIn) + (await countRows(outgoing(db, filter)));
}

/**
 * Counts all outputs (from trigger-maintained counts) less the excluded ones, found through the sends, which
 * are far fewer.
 */
async function countedIncoming(db: Db, filter: WalletTransactionFilter): Promise<number> {
  if (filter.direction === 'out') return 0;
  const { merchantId, mode, coin } = filter;
  const counted = await db
    .selectFrom('output_counts')
    .where('merchantId', '=', merchantId)
    .where('mode', '=', mode)
    .$if(coin !== null, (query) => query.where('coin', '=', coin))
    .select((eb) => eb.fn.sum<number | null>('count').as('total'))
    .executeTakeFirstOrThrow();
  // A txid belongs to one version of one send (it is unique there), so that no output is counted twice.
  const none = await db
    .selectFrom(leftOut(db, filter).as('leftOut'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return (counted.total ?? 0) - none.total;
}

async function countRows(query: ReturnType<typeof incoming> | ReturnType<typeof outgoing>): Promise<number> {
  const { total } = await (query as ReturnType<typeof outgoing>)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

function incoming(db: Db, filter: WalletTransactionFilter) {
  const { merchantId, mode, coin, direction, fromMs = null, toMs = null, search } = filter;
  return db
    .selectFrom('outputs')
    .where('outputs.merchantId', '=', merchantId)
    .where('outputs.mode', '=', mode)
    .$if(coin !== null, (query) => query.where('outputs.coin', '=', coin))
    .$if(fromMs !== null, (query) => query.where('outputs.firstSeenAt', '>=', fromMs))
    .$if(toMs !== null, (query) => query.where('outputs.firstSeenAt', '<=', toMs))
    .$if(search !== undefined, (query) => query.where(isNamedOutput(db, filter, search ?? '')))
    .where('outputs.seq', 'not in', leftOut(db, filter))
    .$if(direction === 'out', (query) => query.where(sql<boolean>`1 = 0`));
}

/** Outputs of the merchant's own sends that are not income: change, and swept deposits. */
function leftOut(db: Db, { merchantId, mode, coin }: WalletTransactionFilter) {
  return db
    .selectFrom('sends')
    .innerJoin('send_versions', 'send_versions.sendId', 'sends.id')
    .innerJoin('outputs as own', (join) =>
      join
        .onRef('own.coin', '=', 'send_versions.coin')
        .onRef('own.mode', '=', 'send_versions.mode')
        .onRef('own.txid', '=', 'send_versions.txid')
        .onRef('own.merchantId', '=', 'sends.merchantId'),
    )
    .innerJoin('addresses', 'addresses.id', 'own.addressId')
    .where('sends.merchantId', '=', merchantId)
    .where('own.mode', '=', mode)
    .$if(coin !== null, (query) => query.where('own.coin', '=', coin))
    .where((eb) =>
      eb.or([
        eb.and([eb('sends.destination', '<>', eb.ref('addresses.address')), eb.not(isFurtherRecipient)]),
        eb('sends.purpose', '=', 'sweep'),
      ]),
    )
    .select('own.seq');
}

/** Whether an address is one of several recipients of a send. */
const isFurtherRecipient = sql<boolean>`(sends.outputs_json IS NOT NULL AND EXISTS (
  SELECT 1 FROM json_each(sends.outputs_json) WHERE value ->> 'destination' = addresses.address))`;

function outgoing(db: Db, filter: WalletTransactionFilter) {
  const { merchantId, mode, coin, direction, fromMs = null, toMs = null, search } = filter;
  return db
    .selectFrom('sends')
    .where('sends.merchantId', '=', merchantId)
    .where('sends.mode', '=', mode)
    .where('sends.purpose', '=', 'send')
    .$if(coin !== null, (query) => query.where('sends.coin', '=', coin))
    .$if(fromMs !== null, (query) => query.where('sends.createdAt', '>=', fromMs))
    .$if(toMs !== null, (query) => query.where('sends.createdAt', '<=', toMs))
    .$if(search !== undefined, (query) => query.where(isNamedSend(db, filter, search ?? '')))
    .$if(direction === 'in', (query) => query.where(sql<boolean>`1 = 0`));
}
