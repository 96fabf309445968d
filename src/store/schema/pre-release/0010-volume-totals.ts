import { sql, type Kysely } from 'kysely';

const HOUR_MS = 3_600_000;
const LIMB = 10n ** 12n;
const DECIMALS = 4;
const CHUNK = 1_000;

const DROPPED =
  'payments_sold payments_unsold payments_sold_anew payments_unsold_out outputs_paid outputs_unpaid outputs_paid_anew outputs_unpaid_out outputs_paid_out'.split(
    ' ',
  );

interface Hour {
  readonly merchant_id: string;
  readonly mode: string;
  readonly hour: number;
  readonly currency: string;
  readonly scale: number;
  readonly coin: string;
  readonly sole: number;
  readonly priced: number;
  readonly payments: number;
  readonly price: string;
  readonly money: string;
}

/** A sum in three limbs of twelve digits, as text, the lowest first. */
function fromLimbs(text: string): bigint {
  const [low = 0n, middle = 0n, high = 0n] = text.split(' ').map(BigInt);
  return low + middle * LIMB + high * LIMB * LIMB;
}

/**
 * Totals of completed payments are kept by the program, in the transaction that changes a payment, and no more by
 * triggers: one table, for hours and days of UTC, of sums as decimal text. Those that there are go on.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE volume_totals (
    merchant_id TEXT NOT NULL, mode TEXT NOT NULL, period_ms INTEGER NOT NULL, starts_at INTEGER NOT NULL,
    currency TEXT NOT NULL, coin TEXT NOT NULL, sum TEXT NOT NULL, payments INTEGER NOT NULL,
    PRIMARY KEY (merchant_id, mode, period_ms, starts_at, currency, coin)) STRICT, WITHOUT ROWID`.execute(db);
  const { rows } =
    await sql<Hour>`SELECT merchant_id, mode, hour, currency, scale, coin, sole, priced, payments,
    price_low || ' ' || price_middle || ' ' || price_high AS price, low || ' ' || middle || ' ' || high AS money
    FROM volume_hours`.execute(db);
  const totals = new Map<string, { sum: bigint; payments: number }>();
  const add = (key: readonly unknown[], sum: bigint, payments: number): void => {
    const text = JSON.stringify(key);
    const had = totals.get(text) ?? { sum: 0n, payments: 0 };
    totals.set(text, { sum: had.sum + sum, payments: had.payments + payments });
  };
  for (const row of rows) {
    for (const period of [HOUR_MS, 24 * HOUR_MS]) {
      const madeAt = row.hour * HOUR_MS;
      const at = [row.merchant_id, row.mode, period, madeAt - (madeAt % period)];
      if (row.payments !== 0) add([...at, '', row.coin], fromLimbs(row.money), row.payments);
      if (row.priced === 0) continue;
      const price = fromLimbs(row.price) * 10n ** BigInt(DECIMALS - row.scale);
      add([...at, row.currency, row.sole === 0 ? '' : row.coin], price, row.priced);
    }
  }
  const kept = [...totals].filter(([, { payments }]) => payments !== 0);
  for (let from = 0; from < kept.length; from += CHUNK) {
    const part = kept
      .slice(from, from + CHUNK)
      .map(([key, total]) => [...(JSON.parse(key) as unknown[]), String(total.sum), total.payments]);
    await sql`INSERT INTO volume_totals SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4,
      value ->> 5, value ->> 6, value ->> 7 FROM json_each(${JSON.stringify(part)})`.execute(db);
  }
  for (const trigger of DROPPED) await sql`DROP TRIGGER ${sql.id(trigger)}`.execute(db);
  // Their own triggers go with them.
  for (const table of ['volume_hours', 'volume_days']) await sql`DROP TABLE ${sql.id(table)}`.execute(db);
  await sql`DROP VIEW takings`.execute(db);
}
