import { sql, type Kysely } from 'kysely';

const HOUR_MS = 3_600_000;
/** Decimals of summed prices. */
const PRICE_DECIMALS = 4;

const COLUMNS = [
  `ALTER TABLE payments ADD COLUMN group_id TEXT REFERENCES payments(id)`,
  `ALTER TABLE payments ADD COLUMN superseded_by TEXT REFERENCES payments(id)`,
  `CREATE INDEX payments_by_group ON payments (group_id) WHERE group_id IS NOT NULL`,
];

/** Of the payment that supersedes `payments`: where its money, its decisions and its refunds end. */
const LAST_POSITION = `coalesce((SELECT max(
    coalesce(lead.accepted_position, 0), coalesce(lead.refunded_position, 0),
    (SELECT coalesce(max(position), 0) FROM outputs WHERE payment_id = lead.id),
    (SELECT coalesce(max(position), 0) FROM refunds WHERE payment_id = lead.id))
  FROM payments AS lead WHERE lead.id = payments.superseded_by), 0)`;

/**
 * Fills in the groups of renewals that exist. A payment that was refunded keeps its own books: it leaves the group, and
 * the group goes on without it.
 */
const GROUPS = [
  `WITH RECURSIVE members (id, first) AS (
     SELECT id, id FROM payments
       WHERE renews IS NULL AND id IN (SELECT renews FROM payments WHERE renews IS NOT NULL)
     UNION ALL
     SELECT later.id, members.first FROM members JOIN payments AS later ON later.renews = members.id
   )
   UPDATE payments SET group_id = members.first FROM members
     WHERE members.id = payments.id AND payments.status <> 'refunded'`,
  // What is done stays done: the completed payment, of several the one that had money first, or what the merchant has
  // accepted. Else the newest, which may be open: its status follows when its chain starts.
  `WITH paid AS (
     SELECT payments.id, payments.group_id, min(outputs.first_seen_at) AS since
       FROM payments JOIN outputs ON outputs.payment_id = payments.id AND outputs.state <> 'gone'
       WHERE payments.group_id IS NOT NULL GROUP BY payments.id
   ), leads AS (
     SELECT payments.id, payments.group_id, row_number() OVER (
       PARTITION BY payments.group_id
       ORDER BY status = 'completed' DESC, accepted_at IS NOT NULL DESC, iif(status = 'completed', since, 0),
         payments.id IN (SELECT renews FROM payments WHERE renews IS NOT NULL AND group_id IS NOT NULL),
         created_at DESC) AS place
     FROM payments LEFT JOIN paid ON paid.id = payments.id
       WHERE payments.group_id IN (SELECT group_id FROM paid)
   )
   UPDATE payments SET superseded_by = leads.id FROM leads
     WHERE leads.place = 1 AND leads.group_id = payments.group_id AND leads.id <> payments.id`,
  // What was asked for it in another currency says nothing of the price that counts: it is priced anew.
  `UPDATE outputs SET late = 1, late_due = NULL FROM payments AS member JOIN payments AS lead
     ON lead.id = member.superseded_by
     WHERE member.id = outputs.payment_id AND member.currency <> lead.currency`,
  // Money of the others, and what was given back of it, became known after what was decided on the payment that counts it.
  `UPDATE outputs SET position = outputs.position + ${LAST_POSITION} FROM payments
     WHERE payments.id = outputs.payment_id AND payments.superseded_by IS NOT NULL`,
  `UPDATE refunds SET position = refunds.position + ${LAST_POSITION} FROM payments
     WHERE payments.id = refunds.payment_id AND payments.superseded_by IS NOT NULL`,
];

/** What was given back is given back of the payment that counts the money. */
const MOVES = ['refunds', 'refund_links'].map(
  (table) => `UPDATE ${table} SET payment_id = payments.superseded_by FROM payments
     WHERE payments.id = ${table}.payment_id AND payments.superseded_by IS NOT NULL`,
);

/** What has ended without money stays as the shop was told; every other one asks for nothing any more. */
const CLOSE = `UPDATE payments SET status = 'cancelled', exception = NULL,
    cancelled_at = coalesce(cancelled_at, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE superseded_by IS NOT NULL AND (status NOT IN ('expired', 'failed', 'cancelled') OR exception IS NOT NULL)`;

/**
 * Payments that renew each other are a group, named by the first of them. Once money came to one there is one balance, of
 * the payment that supersedes the others. Shops are not told of what is closed here: no event of the past is made up.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...COLUMNS, ...GROUPS]) await sql.raw(statement).execute(db);
  await rescale(db, { table: 'refunds', key: 'send_id', column: 'value' });
  await rescale(db, { table: 'refund_links', key: 'id', column: 'claim_value' });
  for (const statement of MOVES) await sql.raw(statement).execute(db);
  const before = await soldInGroups(db, true);
  await sql.raw(CLOSE).execute(db);
  await moveTotals(db, before, await soldInGroups(db, false));
}

interface Given {
  readonly key: string;
  readonly value: string;
  readonly price: string;
  readonly currency: string;
  readonly lead_price: string;
  readonly lead_currency: string;
}

/**
 * Makes what was given back of the price of a superseded payment a share of the price that counts. Of another currency
 * only the coins are known: they are valued at what such coins came for.
 */
async function rescale(
  db: Kysely<unknown>,
  at: { readonly table: string; readonly key: string; readonly column: string },
): Promise<void> {
  const [table, key, column] = [sql.table(at.table), sql.ref(at.key), sql.ref(at.column)];
  const { rows } = await sql<Given>`
    SELECT given.${key} AS key, given.${column} AS value, member.amount AS price, member.currency,
      lead.amount AS lead_price, lead.currency AS lead_currency
    FROM ${table} AS given JOIN payments AS member ON member.id = given.payment_id
      JOIN payments AS lead ON lead.id = member.superseded_by
    WHERE given.${column} IS NOT NULL`.execute(db);
  for (const given of rows) {
    await sql`UPDATE ${table} SET ${column} = ${shareOfLead(given)} WHERE ${key} = ${given.key}`.execute(db);
  }
}

function shareOfLead({ value, price, currency, lead_price, lead_currency }: Given): string | null {
  if (currency !== lead_currency) return null;
  const [numerator = '', denominator = ''] = value.split('/');
  return `${BigInt(numerator) * minorUnits(price)}/${BigInt(denominator) * minorUnits(lead_price)}`;
}

interface Sold {
  readonly id: string;
  readonly merchant_id: string;
  readonly mode: string;
  readonly created_at: number;
  readonly currency: string;
  readonly price: string;
  readonly coin: string | null;
  readonly atoms: string | null;
}

/**
 * Completed payments of groups in which more than one has money, each with the confirmed money that counts for it.
 * @param own its own only; else that of the payments that it superseded as well
 */
async function soldInGroups(db: Kysely<unknown>, own: boolean): Promise<readonly Sold[]> {
  const counted = own
    ? sql`o.payment_id = p.id`
    : sql`o.payment_id IN (
        SELECT id FROM payments WHERE group_id = p.group_id AND (id = p.id OR superseded_by = p.id))`;
  const { rows } = await sql<Sold>`
    SELECT p.id, p.merchant_id, p.mode, p.created_at, p.currency, p.amount AS price, o.coin, o.amount AS atoms
    FROM payments AS p LEFT JOIN outputs AS o ON o.state = 'confirmed' AND ${counted}
    WHERE p.status = 'completed' AND p.group_id IN (
      SELECT group_id FROM payments JOIN outputs ON outputs.payment_id = payments.id
      WHERE group_id IS NOT NULL GROUP BY group_id HAVING count(DISTINCT payments.id) > 1)`.execute(db);
  return rows;
}

interface Total {
  sum: bigint;
  payments: number;
}

/** The volume counts each order once, with all its money: added up here, because SQLite has no integers that large. */
async function moveTotals(
  db: Kysely<unknown>,
  before: readonly Sold[],
  after: readonly Sold[],
): Promise<void> {
  const moves = new Map<string, Total>();
  addUp(moves, before, -1);
  addUp(moves, after, 1);
  for (const [key, by] of moves) {
    if (by.sum === 0n && by.payments === 0) continue;
    const place = sql.join((JSON.parse(key) as (string | number)[]).map((value) => sql`${value}`));
    const at = sql`(merchant_id, mode, period_ms, starts_at, currency, coin) = (${place})`;
    const { rows } = await sql<{ sum: string; payments: number }>`
      SELECT sum, payments FROM volume_totals WHERE ${at}`.execute(db);
    const sum = BigInt(rows[0]?.sum ?? 0) + by.sum;
    const payments = (rows[0]?.payments ?? 0) + by.payments;
    await sql`DELETE FROM volume_totals WHERE ${at}`.execute(db);
    if (sum === 0n && payments === 0) continue;
    await sql`INSERT INTO volume_totals (merchant_id, mode, period_ms, starts_at, currency, coin, sum, payments)
      VALUES (${place}, ${String(sum)}, ${payments})`.execute(db);
  }
}

function addUp(moves: Map<string, Total>, sold: readonly Sold[], sign: 1 | -1): void {
  for (const rows of Map.groupBy(sold, ({ id }) => id).values()) {
    const [payment] = rows;
    if (payment === undefined) continue;
    const money = new Map<string, bigint>();
    for (const { coin, atoms } of rows) {
      if (coin !== null && atoms !== null) money.set(coin, (money.get(coin) ?? 0n) + BigInt(atoms));
    }
    const [coin = '', ...others] = money.keys();
    add(moves, payment, [payment.currency, others.length === 0 ? coin : ''], sign, minorUnits(payment.price));
    for (const [paidIn, atoms] of money) add(moves, payment, ['', paidIn], sign, atoms);
  }
}

function add(
  moves: Map<string, Total>,
  { merchant_id, mode, created_at: madeAt }: Sold,
  kind: readonly [currency: string, coin: string],
  sign: 1 | -1,
  sum: bigint,
): void {
  for (const period of [HOUR_MS, 24 * HOUR_MS]) {
    const key = JSON.stringify([merchant_id, mode, period, madeAt - (madeAt % period), ...kind]);
    const total = moves.get(key) ?? { sum: 0n, payments: 0 };
    moves.set(key, { sum: total.sum + BigInt(sign) * sum, payments: total.payments + sign });
  }
}

function minorUnits(price: string): bigint {
  const [whole = '', fraction = ''] = price.split('.');
  return BigInt(whole + fraction.padEnd(PRICE_DECIMALS, '0'));
}
