import { sql, type Kysely } from 'kysely';

/**
 * Marks the refunded payments with money that arrived after the refund, and adds them to the index of those that
 * wait for a decision.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE payments ADD COLUMN has_money_after_refund INTEGER NOT NULL DEFAULT 0
    CHECK (has_money_after_refund IN (0, 1))`.execute(db);
  for (const id of await findPayments(db)) {
    await sql`UPDATE payments SET has_money_after_refund = 1 WHERE id = ${id}`.execute(db);
  }
  await sql`DROP INDEX payments_waiting`.execute(db);
  await sql`CREATE INDEX payments_waiting
    ON payments (merchant_id, mode, exception IS 'reversed' AND has_money_after_refund = 0, updated_at, id, exception,
      has_money_after_refund, sequence)
    WHERE has_money_after_refund = 1 OR (status NOT IN ('confirming', 'refunded')
      AND (exception IN ('overpaid', 'multiple')) = (status = 'completed'))`.execute(db);
}

interface Money {
  readonly id: string;
  readonly coin: string;
  readonly amount: string;
}

/** Refunded payments that received more after the refund than was refunded or claimed since. */
async function findPayments(db: Kysely<unknown>): Promise<ReadonlySet<string>> {
  const received = sumMoney(await listAfterRefund(db));
  const returned = sumMoney([...(await listRefundsSince(db)), ...(await listReplaced(db))]);
  const remaining = [...received].filter(([key, atoms]) => atoms > (returned.get(key) ?? 0n));
  return new Set(remaining.map(([key]) => key.split(' ')[0] ?? ''));
}

function sumMoney(money: readonly Money[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { id, coin, amount } of money) {
    const key = `${id} ${coin}`;
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(amount));
  }
  return sums;
}

/** The outputs of a payment and of those that it superseded. */
const OWN_OUTPUTS = sql`outputs.payment_id IN (SELECT lead.id UNION ALL SELECT member.id FROM payments AS member
  WHERE member.group_id = lead.group_id AND member.superseded_by = lead.id)`;

async function listAfterRefund(db: Kysely<unknown>): Promise<readonly Money[]> {
  const { rows } = await sql<Money>`SELECT lead.id, outputs.coin, outputs.amount FROM payments AS lead
    JOIN outputs ON ${OWN_OUTPUTS} WHERE lead.status = 'refunded' AND outputs.state = 'confirmed'
      AND outputs.position > lead.refunded_position`.execute(db);
  return rows;
}

async function listRefundsSince(db: Kysely<unknown>): Promise<readonly Money[]> {
  const { rows } = await sql<Money>`SELECT refunds.payment_id AS id, refunds.coin, refunds.amount FROM refunds
    JOIN payments ON payments.id = refunds.payment_id JOIN sends ON sends.id = refunds.send_id
    WHERE payments.status = 'refunded' AND refunds.position > payments.refunded_position
      AND sends.status <> 'failed'
    UNION ALL SELECT refund_links.payment_id, refund_links.coin, refund_links.claimed FROM refund_links
    JOIN payments ON payments.id = refund_links.payment_id
    WHERE payments.status = 'refunded' AND refund_links.status IN ('claimed', 'approved')
      AND refund_links.send_id IS NULL`.execute(db);
  return rows;
}

/** Money that was refunded elsewhere and that the network dropped since: the same amount of later money replaces it. */
async function listReplaced(db: Kysely<unknown>): Promise<readonly Money[]> {
  const { rows: lost } = await sql<Money>`SELECT lead.id, part.key AS coin, part.value AS amount
    FROM payments AS lead, json_each(lead.returned_json) AS part
    WHERE lead.status = 'refunded' AND lead.refunded_by = 'merchant'`.execute(db);
  const { rows: kept } = await sql<Money>`SELECT lead.id, outputs.coin, outputs.amount FROM payments AS lead
    JOIN outputs ON ${OWN_OUTPUTS} WHERE lead.status = 'refunded' AND lead.refunded_by = 'merchant'
      AND outputs.state <> 'gone' AND outputs.position <= lead.refunded_position`.execute(db);
  const present = sumMoney(kept);
  return lost.flatMap(({ id, coin, amount }) => {
    const gone = BigInt(amount) - (present.get(`${id} ${coin}`) ?? 0n);
    return gone > 0n ? [{ id, coin, amount: String(gone) }] : [];
  });
}
