import { sql, type Kysely } from 'kysely';

interface Output {
  readonly payment_id: string;
  readonly coin: string;
  readonly amount: string;
  readonly due: string | null;
  readonly state: string;
  readonly first_seen_at: number;
}

/**
 * What a payment remembers of events and decisions: the excess that was told, the money that the merchant
 * accepted, and when a block first held each output. Filled in for what is in the database already.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE payments ADD COLUMN accepted_json TEXT`.execute(db);
  await sql`ALTER TABLE payments ADD COLUMN excess_told TEXT`.execute(db);
  await sql`ALTER TABLE outputs ADD COLUMN confirmed_at INTEGER`.execute(db);
  await sql`UPDATE outputs SET confirmed_at = first_seen_at WHERE state = 'confirmed'`.execute(db);
  await rememberAccepted(db);
  await rememberExcess(db);
}

async function rememberAccepted(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string; accepted_at: number }>`
    SELECT id, accepted_at FROM payments WHERE accepted_at IS NOT NULL`.execute(db);
  for (const { id, accepted_at: acceptedAt } of rows) {
    const sums: Record<string, string> = {};
    for (const { coin, amount, state, first_seen_at: seenAt } of await outputsOf(db, id)) {
      if (state === 'gone' || seenAt > acceptedAt) continue;
      sums[coin] = (BigInt(sums[coin] ?? '0') + BigInt(amount)).toString();
    }
    await sql`UPDATE payments SET accepted_json = ${JSON.stringify(sums)} WHERE id = ${id}`.execute(db);
  }
}

async function rememberExcess(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ payment_id: string }>`
    SELECT id AS payment_id FROM payments WHERE exception IN ('overpaid', 'multiple')
    UNION SELECT payment_id FROM events WHERE type = 'payment.overpaid' AND payment_id IS NOT NULL`.execute(
    db,
  );
  for (const { payment_id: id } of rows) {
    const perDue = new Map<string, bigint>();
    for (const { amount, due, state } of await outputsOf(db, id)) {
      if (state === 'confirmed' && due !== null) perDue.set(due, (perDue.get(due) ?? 0n) + BigInt(amount));
    }
    let [numerator, denominator] = [0n, 1n];
    for (const [due, amount] of perDue) {
      numerator = numerator * BigInt(due) + amount * denominator;
      denominator *= BigInt(due);
    }
    await sql`UPDATE payments SET excess_told = ${`${numerator}/${denominator}`} WHERE id = ${id}`.execute(
      db,
    );
  }
}

async function outputsOf(db: Kysely<unknown>, paymentId: string): Promise<readonly Output[]> {
  const { rows } = await sql<Output>`
    SELECT outputs.payment_id, outputs.coin, outputs.amount, outputs.state, outputs.first_seen_at,
      CASE outputs.late WHEN 1 THEN outputs.late_due ELSE payment_options.amount END AS due
    FROM outputs
    LEFT JOIN payment_options ON payment_options.payment_id = outputs.payment_id
      AND payment_options.coin = outputs.coin
    WHERE outputs.payment_id = ${paymentId}`.execute(db);
  return rows;
}
