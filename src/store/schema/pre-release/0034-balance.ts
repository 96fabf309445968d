import { sql, type Kysely } from 'kysely';

/**
 * One balance of an order: the place of its credits, decisions and refunds in one sequence, and what each refund gave
 * back of the price.
 *
 * Rows that are there get the order that their times give: credits are counted by first sight, and a decision has the
 * place of the last credit that it took in. Refunds of completed payments count as made then, with the money that is there
 * now, so that nothing completed becomes underpaid; those of others count against the price. Links that were opened
 * before the last money came, the merchant accepted it, or it had its confirmations, give back no more than the excess
 * once the payment is complete.
 */
const STATEMENTS = [
  `ALTER TABLE outputs ADD COLUMN position INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE payments ADD COLUMN accepted_position INTEGER`,
  `ALTER TABLE payments ADD COLUMN refunded_position INTEGER`,
  `ALTER TABLE refunds ADD COLUMN position INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE refunds ADD COLUMN value TEXT`,
  `ALTER TABLE refunds ADD COLUMN completed_json TEXT`,
  `ALTER TABLE refund_links ADD COLUMN opened_complete INTEGER NOT NULL DEFAULT 0 CHECK (opened_complete IN (0, 1))`,
  `ALTER TABLE refund_links ADD COLUMN claim_value TEXT`,
  `ALTER TABLE refund_links ADD COLUMN claim_completed_json TEXT`,
  `ALTER TABLE refund_links ADD COLUMN cancel_reason TEXT`,
  `UPDATE outputs SET position = placed.position FROM (
    SELECT seq, row_number() OVER (PARTITION BY payment_id ORDER BY first_seen_at, seq) AS position
    FROM outputs WHERE payment_id IS NOT NULL) AS placed WHERE placed.seq = outputs.seq`,
  `UPDATE payments SET accepted_position = ${creditsUntil('payments.id', 'accepted_at')} WHERE accepted_at IS NOT NULL`,
  `UPDATE payments SET refunded_position = ${creditsUntil('payments.id', 'refunded_at')} WHERE refunded_at IS NOT NULL`,
  `UPDATE refunds SET position = ${creditsUntil('refunds.payment_id', 'created_at')}`,
  // Made after the return that was recorded, though no money came between.
  `UPDATE refunds SET position = payments.refunded_position + 1 FROM payments
    WHERE payments.id = refunds.payment_id AND payments.refunded_by = 'merchant'
      AND refunds.created_at >= payments.refunded_at AND refunds.position <= payments.refunded_position`,
  `UPDATE refund_links SET opened_complete = 1
    WHERE payment_id IN (SELECT id FROM payments WHERE status IN ('completed', 'refunded'))
      AND NOT EXISTS (SELECT 1 FROM outputs WHERE outputs.payment_id = refund_links.payment_id
        AND outputs.state <> 'gone' AND outputs.first_seen_at > refund_links.created_at)
      AND NOT EXISTS (SELECT 1 FROM payments WHERE payments.id = refund_links.payment_id
        AND payments.accepted_at > refund_links.created_at)
      AND NOT EXISTS (SELECT 1 FROM events WHERE events.payment_id = refund_links.payment_id
        AND events.type = 'payment.completed' AND events.created_at > refund_links.created_at)`,
];

/** Number of a payment's credits that were seen by a time. */
function creditsUntil(paymentId: string, time: string): string {
  return `(SELECT count(*) FROM outputs WHERE outputs.payment_id = ${paymentId} AND outputs.first_seen_at <= ${time})`;
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  await rememberCompletions(db);
  await rememberValues(db);
}

/** Confirmed atoms by coin, {"BTC":"40000"}, with the refunds and claims of payments that are or were complete. */
async function rememberCompletions(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM payments WHERE status IN ('completed', 'refunded')
      AND (id IN (SELECT payment_id FROM refunds)
        OR id IN (SELECT payment_id FROM refund_links WHERE status IN ('claimed', 'approved')))`.execute(db);
  for (const { id } of rows) {
    const sums: Record<string, string> = {};
    for (const { coin, amount, state } of await creditsOf(db, id)) {
      if (state === 'confirmed') sums[coin] = (BigInt(sums[coin] ?? '0') + BigInt(amount)).toString();
    }
    const json = JSON.stringify(sums);
    await sql`UPDATE refunds SET completed_json = ${json} WHERE payment_id = ${id}`.execute(db);
    await sql`UPDATE refund_links SET claim_completed_json = ${json}
      WHERE payment_id = ${id} AND status IN ('claimed', 'approved')`.execute(db);
  }
}

interface Given {
  readonly id: string;
  readonly payment_id: string;
  readonly coin: string;
  readonly atoms: string;
  readonly amount: string;
  readonly price: string;
}

/** Of those ordered at the rate of their day; what others gave back follows from what their coins came for. */
async function rememberValues(db: Kysely<unknown>): Promise<void> {
  const refunds = await sql<Given>`
    SELECT refunds.send_id AS id, payment_id, refunds.coin, refunds.amount AS atoms, fiat_amount AS amount,
      payments.amount AS price
    FROM refunds JOIN payments ON payments.id = refunds.payment_id
    WHERE rate = 'current' AND fiat_amount IS NOT NULL`.execute(db);
  for (const given of refunds.rows) {
    await sql`UPDATE refunds SET value = ${await valueOf(db, given)} WHERE send_id = ${given.id}`.execute(db);
  }
  const claims = await sql<Given>`
    SELECT refund_links.id, payment_id, coin, claimed AS atoms, refund_links.amount, payments.amount AS price
    FROM refund_links JOIN payments ON payments.id = refund_links.payment_id
    WHERE rate = 'current' AND refund_links.status IN ('claimed', 'approved') AND send_id IS NULL`.execute(
    db,
  );
  for (const claim of claims.rows) {
    await sql`UPDATE refund_links SET claim_value = ${await valueOf(db, claim)} WHERE id = ${claim.id}`.execute(
      db,
    );
  }
}

/** A share of the price: that of the amount, or what the atoms came for if that is more; at most all that came. */
async function valueOf(db: Kysely<unknown>, given: Given): Promise<string> {
  let [came, of, all] = [0n, 1n, 0n];
  for (const { coin, amount, due, state } of await creditsOf(db, given.payment_id)) {
    if (coin !== given.coin || state === 'gone' || due === null) continue;
    [came, of] = [came * BigInt(due) + BigInt(amount) * of, of * BigInt(due)];
    all += BigInt(amount);
  }
  const [ordered, price] = [scaled(given.amount), scaled(given.price)];
  if (all === 0n) return `${ordered}/${price}`;
  const arrival = [came * BigInt(given.atoms), of * all] as const;
  const [numerator, denominator] = ordered * arrival[1] > arrival[0] * price ? [ordered, price] : arrival;
  return numerator * of > came * denominator ? `${came}/${of}` : `${numerator}/${denominator}`;
}

/** A decimal amount in units that no currency divides further. */
function scaled(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(4, '0'));
}

interface StoredCredit {
  readonly coin: string;
  readonly amount: string;
  readonly state: string;
  readonly due: string | null;
}

async function creditsOf(db: Kysely<unknown>, paymentId: string): Promise<readonly StoredCredit[]> {
  const { rows } = await sql<StoredCredit>`
    SELECT outputs.coin, outputs.amount, outputs.state,
      CASE outputs.late WHEN 1 THEN outputs.late_due ELSE payment_options.amount END AS due
    FROM outputs
    LEFT JOIN payment_options ON payment_options.payment_id = outputs.payment_id
      AND payment_options.coin = outputs.coin
    WHERE outputs.payment_id = ${paymentId}`.execute(db);
  return rows;
}
