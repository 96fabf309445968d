import { sql, type Kysely } from 'kysely';

/** Share of the amount as shipped: a migration knows no settings. */
const SHARE_DIVISOR = 10n;
/** A sweep on an account chain starts when its fee is at most a twentieth of what it moves. */
const SWEEP_DIVISOR = 20n;

/**
 * Every send has a fee budget, `max_fee`, and no version costs more. `draws_on`: the send whose budget it uses up too.
 * `fee_limited_at`: since when a raise waits because the budget is too small.
 *
 * Rows filled in: a finished send gets its ordered limit, or the fee of its dearest version where that is more. One in
 * flight keeps what it was ordered with: its limit, what a claimed refund gives back, the shipped share of its amount.
 * Moves within the wallet are never raised above what they pay on output chains, and above a twentieth of what they move
 * on account chains. No budget is below a version that is signed already.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of COLUMNS) await sql.raw(statement).execute(db);
  await fillOpen(db);
  for (const statement of RULES) await sql.raw(statement).execute(db);
}

/** Amounts are decimal text without leading zeros, so that the longer one is the larger one. */
const isAbove = (a: string, b: string): string => `(length(${a}), ${a}) > (length(${b}), ${b})`;

const DEAREST = `(SELECT fee FROM send_versions WHERE send_id = sends.id ORDER BY length(fee) DESC, fee DESC LIMIT 1)`;

const COLUMNS = [
  `ALTER TABLE sends ADD COLUMN fee_budget TEXT NOT NULL DEFAULT '0'`,
  `ALTER TABLE sends ADD COLUMN draws_on TEXT`,
  `ALTER TABLE sends ADD COLUMN fee_limited_at INTEGER`,
  `UPDATE sends SET fee_budget = coalesce(max_fee, ${DEAREST}, fee)`,
  `UPDATE sends SET fee_budget = ${DEAREST} WHERE ${isAbove(DEAREST, 'fee_budget')}`,
];

interface OpenSend {
  readonly id: string;
  readonly purpose: string;
  readonly ordered: string;
  readonly fee_budget: string;
  readonly isAccount: number;
  readonly claimed: string | null;
}

async function fillOpen(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<OpenSend>`
    SELECT id, purpose, ordered, fee_budget, coin IN ('ETH', 'SOL') AS isAccount,
      (SELECT amount FROM refunds WHERE send_id = sends.id AND link_id IS NOT NULL) AS claimed
    FROM sends WHERE status IN ('signed', 'broadcast') AND max_fee IS NULL`.execute(db);
  for (const row of rows) {
    const budget = budgetOf(row);
    if (budget <= BigInt(row.fee_budget)) continue;
    await sql`UPDATE sends SET fee_budget = ${budget.toString()} WHERE id = ${row.id}`.execute(db);
  }
}

function budgetOf({ purpose, ordered, fee_budget: paid, isAccount, claimed }: OpenSend): bigint {
  if (purpose !== 'sweep') return claimed === null ? BigInt(ordered) / SHARE_DIVISOR : BigInt(claimed);
  return isAccount === 1 ? BigInt(ordered) / SWEEP_DIVISOR : BigInt(paid);
}

const RULES = [
  'ALTER TABLE sends DROP COLUMN max_fee',
  'ALTER TABLE sends RENAME COLUMN fee_budget TO max_fee',
  'CREATE INDEX sends_drawing ON sends (draws_on) WHERE draws_on IS NOT NULL',
  // Few at a time; the alarm after a day reads it.
  `CREATE INDEX sends_fee_limited ON sends (fee_limited_at)
    WHERE fee_limited_at IS NOT NULL AND status IN ('signed', 'broadcast')`,
  `CREATE TRIGGER send_versions_within_budget BEFORE INSERT ON send_versions
    WHEN (length(NEW.fee), NEW.fee) > (SELECT length(max_fee), max_fee FROM sends WHERE id = NEW.send_id)
    BEGIN SELECT RAISE(ABORT, 'a version costs more than the fee budget of its send'); END`,
  `CREATE TRIGGER sends_budget_covers_versions BEFORE UPDATE OF max_fee ON sends
    WHEN EXISTS (SELECT 1 FROM send_versions WHERE send_id = NEW.id AND ${isAbove('fee', 'NEW.max_fee')})
    BEGIN SELECT RAISE(ABORT, 'a fee budget is below a version of its send'); END`,
];
