import { formatFiat, parseFiat } from '../../domain/fiat.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import type { Db } from '../sqlite/database.ts';
import { CAN_COST_MORE } from '../sends/send-status.ts';

/** What was made since a time, for a person who is about to lose it: counts, and sums of live money. */
export interface CreatedSince {
  readonly accounts: number;
  readonly shops: number;
  readonly payments: number;
  /** `EUR 12.00` and so on. */
  readonly paymentSums: readonly string[];
  /** Received money that the ledger has recorded since; the chains have it in any case. */
  readonly receivedSums: readonly string[];
  readonly sends: number;
  readonly sendSums: readonly string[];
  /** Sends that are not settled yet. */
  readonly openSends: readonly string[];
  readonly refundLinks: number;
  readonly events: number;
}

/** @param since ms */
export async function summarizeCreatedSince(db: Db, since: number): Promise<CreatedSince> {
  const payments = await db
    .selectFrom('payments')
    .select(['mode', 'amount', 'currency'])
    .where('createdAt', '>=', since)
    .execute();
  const sends = await db
    .selectFrom('sends')
    .select(['id', 'coin', 'mode', 'amount', 'destination', CAN_COST_MORE.as('isOpen')])
    .where('createdAt', '>=', since)
    .execute();
  const received = await db
    .selectFrom('movements')
    .select(['coin', 'amount'])
    .where('at', '>=', since)
    .where('kind', '=', 'payment')
    .where('mode', '=', 'live')
    .execute();
  return {
    accounts: await countSince(db, 'users', since),
    shops: await countSince(db, 'merchants', since),
    payments: payments.length,
    paymentSums: sumBy(
      payments.filter(({ mode }) => mode === 'live'),
      ({ currency }) => currency,
      ({ amount, currency }) => parseFiat(amount, currency).minor,
      (minor, currency) => `${currency} ${formatFiat({ minor, currency })}`,
    ),
    receivedSums: sumCoins(received),
    sends: sends.length,
    sendSums: sumCoins(sends.filter(({ mode }) => mode === 'live')),
    openSends: sends
      .filter(({ isOpen }) => isOpen)
      .map(
        ({ id, coin, amount, destination }) =>
          `${id}: ${formatCoinAmount(BigInt(amount), coin)} ${coin} to ${destination}`,
      ),
    refundLinks: await countSince(db, 'refund_links', since),
    events: await countSince(db, 'events', since),
  };
}

async function countSince(
  db: Db,
  table: 'users' | 'merchants' | 'refund_links' | 'events',
  since: number,
): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('createdAt', '>=', since)
    .executeTakeFirstOrThrow();
  return count;
}

type CoinAmount = { readonly coin: Parameters<typeof formatCoinAmount>[1]; readonly amount: string };

function sumCoins(rows: readonly CoinAmount[]): string[] {
  return sumBy(
    rows,
    ({ coin }) => coin,
    ({ amount }) => BigInt(amount),
    (atoms, coin) => `${coin} ${formatCoinAmount(atoms, coin)}`,
  );
}

function sumBy<Row, Key>(
  rows: readonly Row[],
  key: (row: Row) => Key,
  amount: (row: Row) => bigint,
  show: (sum: bigint, key: Key) => string,
): string[] {
  const sums = new Map<Key, bigint>();
  for (const row of rows) sums.set(key(row), (sums.get(key(row)) ?? 0n) + amount(row));
  return [...sums].map(([each, sum]) => show(sum, each));
}
