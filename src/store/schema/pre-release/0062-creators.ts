import { sql, type Kysely } from 'kysely';

/** An entry is written just before its action is carried out: a repeat that found what was there already is later. */
const JUST_BEFORE_MS = 60_000;

function addCreator(table: string): string[] {
  return [
    `ALTER TABLE ${table} ADD COLUMN creator_kind TEXT`,
    `ALTER TABLE ${table} ADD COLUMN creator_id TEXT`,
  ];
}

/** From the audit log, which has what users made, as far back as it is kept. */
function fillIn(table: string, action: string): string {
  return `UPDATE ${table} SET creator_kind = entry.actor_kind, creator_id = entry.actor_id FROM audit_log AS entry
    WHERE entry.object_id = ${table}.id AND entry.action = '${action}' AND entry.result = 'OK'
      AND entry.merchant_id = ${table}.merchant_id AND entry.actor_kind IN ('user', 'secret', 'restricted')
      AND entry.at BETWEEN ${table}.created_at - ${JUST_BEFORE_MS} AND ${table}.created_at`;
}

/** Of what people made who work for the shop, what has no price of the catalog and none that its owner has set since. */
function unlock(table: string, edit: string): string {
  return `UPDATE ${table} SET price_locked = 0 WHERE creator_kind = 'user' AND price_id IS NULL
    AND creator_id <> (SELECT user_id FROM merchants WHERE merchants.id = ${table}.merchant_id)
    AND id NOT IN (SELECT entry.object_id FROM audit_log AS entry JOIN merchants ON merchants.id = entry.merchant_id
      WHERE entry.action = '${edit}' AND entry.object_id IS NOT NULL AND entry.actor_id = merchants.user_id)`;
}

/**
 * Who made endpoints, links, keys and payments, and which prices no clerk changes: those of the owner, of keys and of
 * the catalog. Rows of before get their maker from the audit log; where it has none, who made them stays unknown and
 * the price locked.
 */
const STATEMENTS = [
  ...['webhook_endpoints', 'payment_links', 'restricted_keys', 'payments', 'connect_codes'].flatMap(
    addCreator,
  ),
  'ALTER TABLE payments ADD COLUMN price_locked INTEGER NOT NULL DEFAULT 1 CHECK (price_locked IN (0, 1))',
  'ALTER TABLE payment_links ADD COLUMN price_locked INTEGER NOT NULL DEFAULT 1 CHECK (price_locked IN (0, 1))',
  fillIn('webhook_endpoints', 'POST /merchant/webhook/endpoint/create'),
  fillIn('payment_links', 'POST /merchant/link/create'),
  fillIn('restricted_keys', 'POST /merchant/keys/create'),
  fillIn('payments', 'POST /payment/create'),
  unlock('payments', 'PATCH /payment/update'),
  unlock('payment_links', 'PATCH /merchant/link/edit'),
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
