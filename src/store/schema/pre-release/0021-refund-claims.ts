import { type Kysely, sql } from 'kysely';

/** What a refund link was made for, which claim an approval agrees to, and how much money went back elsewhere. */
const STATEMENTS = [
  `ALTER TABLE refund_links ADD COLUMN preset TEXT CHECK (preset IN ('all', 'excess'))`,
  `ALTER TABLE refund_links ADD COLUMN claim_id TEXT`,
  `ALTER TABLE refund_links ADD COLUMN claim_checked INTEGER NOT NULL DEFAULT 0 CHECK (claim_checked IN (0, 1))`,
  `ALTER TABLE refund_links ADD COLUMN reopened_by TEXT CHECK (reopened_by IN ('amount', 'destination', 'send'))`,
  // Claims made before have been checked, or were tried since.
  `UPDATE refund_links SET claim_id = 'rcl_' || lower(hex(randomblob(12))), claim_checked = 1
    WHERE status IN ('claimed', 'approved', 'paid')`,
  `ALTER TABLE payments ADD COLUMN returned_json TEXT`,
];

type Old = {
  payments: {
    id: string;
    refunded_at: number | null;
    refunded_by: string | null;
    returned_json: string | null;
  };
  outputs: { payment_id: string | null; coin: string; amount: string; state: string; first_seen_at: number };
};

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  await fillReturned(db.withTables<Old>());
}

/** Added up here: SQLite has no integers as large as amounts of ether. */
async function fillReturned(db: Kysely<Old>): Promise<void> {
  const returned = await db
    .selectFrom('payments')
    .innerJoin('outputs', 'outputs.payment_id', 'payments.id')
    .where('payments.refunded_by', '=', 'merchant')
    .where('outputs.state', '!=', 'gone')
    .whereRef('outputs.first_seen_at', '<=', 'payments.refunded_at')
    .select(['payments.id', 'outputs.coin', 'outputs.amount'])
    .execute();
  for (const [id, outputs] of Map.groupBy(returned, (row) => row.id)) {
    const sums: Record<string, bigint> = {};
    for (const { coin, amount } of outputs) sums[coin] = (sums[coin] ?? 0n) + BigInt(amount);
    const texts = Object.entries(sums).map(([coin, sum]) => [coin, sum.toString()]);
    await db
      .updateTable('payments')
      .set({ returned_json: JSON.stringify(Object.fromEntries(texts)) })
      .where('id', '=', id)
      .execute();
  }
}
