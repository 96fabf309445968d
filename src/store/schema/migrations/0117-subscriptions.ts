import { sql, type Kysely } from 'kysely';

/**
 * Subscriptions and their invoices, and the settings of shops for them: existing shops get the defaults. Products
 * may recur quarterly: existing ones keep their interval.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...SETTINGS, ...PRODUCTS, ...TABLES]) await sql.raw(statement).execute(db);
}

const SETTINGS = [
  'ALTER TABLE merchants ADD COLUMN invoice_lead_days INTEGER NOT NULL DEFAULT 7',
  'ALTER TABLE merchants ADD COLUMN grace_days INTEGER NOT NULL DEFAULT 7',
  `ALTER TABLE merchants ADD COLUMN excess_to_credit INTEGER NOT NULL DEFAULT 1
    CHECK (excess_to_credit IN (0, 1))`,
];

/** SQLite cannot change a CHECK. The rows that refer to products find them again before the commit. */
const PRODUCTS = [
  'PRAGMA defer_foreign_keys = ON',
  'CREATE TABLE old_products AS SELECT * FROM products',
  'DROP TABLE products',
  `CREATE TABLE products (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users(id),
    name TEXT NOT NULL,
    description TEXT,
    recurring INTEGER NOT NULL CHECK (recurring IN (0, 1)),
    recurring_interval TEXT CHECK (recurring_interval IN ('daily', 'weekly', 'monthly', 'quarterly', 'yearly')),
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    CHECK ((recurring = 1) = (recurring_interval IS NOT NULL))
  ) STRICT`,
  'INSERT INTO products SELECT * FROM old_products',
  'DROP TABLE old_products',
  'CREATE INDEX products_by_user ON products (user_id, created_at, id) WHERE deleted_at IS NULL',
];

const TABLES = [
  `CREATE TABLE subscriptions (
    id TEXT PRIMARY KEY,
    merchant_id TEXT NOT NULL REFERENCES merchants(id),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'sandbox')),
    customer_id TEXT NOT NULL REFERENCES customers(id),
    product_id TEXT NOT NULL REFERENCES products(id),
    price_id TEXT NOT NULL REFERENCES prices(id),
    amount TEXT NOT NULL,
    currency TEXT NOT NULL,
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    balance_minor TEXT NOT NULL,
    status TEXT NOT NULL
      CHECK (status IN ('trialing', 'active', 'past_due', 'paused', 'cancelled', 'ended')),
    starts_at INTEGER NOT NULL,
    trial_ends_at INTEGER,
    anchor_at INTEGER NOT NULL,
    anchor_n INTEGER NOT NULL,
    interval TEXT NOT NULL CHECK (interval IN ('daily', 'weekly', 'monthly', 'quarterly', 'yearly')),
    time_zone TEXT NOT NULL,
    next_n INTEGER NOT NULL,
    paid_until INTEGER,
    has_grace INTEGER NOT NULL CHECK (has_grace IN (0, 1)),
    grace_days INTEGER NOT NULL,
    cancel_at_period_end INTEGER NOT NULL CHECK (cancel_at_period_end IN (0, 1)),
    paused_at INTEGER,
    trial_ending_sent INTEGER NOT NULL CHECK (trial_ending_sent IN (0, 1)),
    ended_at INTEGER,
    next_decision_at INTEGER,
    metadata_json TEXT,
    success_url TEXT,
    return_url TEXT,
    allowed_cryptos_json TEXT NOT NULL,
    creator_kind TEXT,
    creator_id TEXT,
    sequence INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK ((status = 'ended') = (ended_at IS NOT NULL)),
    CHECK ((status = 'paused') = (paused_at IS NOT NULL))
  ) STRICT`,
  'CREATE INDEX subscriptions_by_merchant ON subscriptions (merchant_id, mode, created_at, id)',
  'CREATE INDEX subscriptions_by_customer ON subscriptions (customer_id)',
  `CREATE INDEX subscriptions_due ON subscriptions (next_decision_at, id)
    WHERE next_decision_at IS NOT NULL`,
  `CREATE TABLE subscription_invoices (
    subscription_id TEXT NOT NULL REFERENCES subscriptions(id),
    n INTEGER NOT NULL CHECK (n >= 0),
    period_start INTEGER NOT NULL,
    period_end INTEGER NOT NULL,
    price_minor TEXT NOT NULL,
    applied_minor TEXT NOT NULL,
    currency TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'paid', 'void')),
    payment_id TEXT REFERENCES payments(id),
    credited_minor TEXT NOT NULL,
    pay_by INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    paid_at INTEGER,
    PRIMARY KEY (subscription_id, n),
    CHECK (period_end > period_start)
  ) STRICT, WITHOUT ROWID`,
  `CREATE UNIQUE INDEX subscription_invoices_by_payment ON subscription_invoices (payment_id)
    WHERE payment_id IS NOT NULL`,
  `CREATE INDEX subscription_invoices_open ON subscription_invoices (subscription_id, n)
    WHERE status = 'open'`,
];
