import { sql, type Kysely } from 'kysely';

const DAY_MS = 86_400_000;

function countPayment(): string {
  const { whole, daily } = countedBy('NEW');
  return `INSERT INTO payment_counts VALUES (${whole}, 1) ON CONFLICT DO UPDATE SET count = count + 1;
    INSERT INTO payment_day_counts VALUES (${daily}, 1) ON CONFLICT DO UPDATE SET count = count + 1;`;
}

function discountPayment(): string {
  const { whole, daily } = countedBy('OLD');
  return `UPDATE payment_counts SET count = count - 1 WHERE (merchant_id, mode, status, offered) = (${whole});
    UPDATE payment_day_counts SET count = count - 1 WHERE (merchant_id, mode, day, status, offered) = (${daily});`;
}

function countedBy(row: 'NEW' | 'OLD'): { readonly whole: string; readonly daily: string } {
  const shop = `${row}.merchant_id, ${row}.mode`;
  const kind = `${row}.status, ${row}.offered`;
  return { whole: `${shop}, ${kind}`, daily: `${shop}, ${row}.created_at / ${DAY_MS}, ${kind}` };
}

const HOUR_MS = 3_600_000;
/** Amounts are decimal text; their sums are kept in three limbs of twelve digits. */
const LIMB = 12;

function limb(digits: string, place: number): string {
  const padded = `('${'0'.repeat(3 * LIMB)}' || ${digits})`;
  return `cast(substr(${padded}, length(${padded}) - ${place * LIMB - 1}, ${LIMB}) AS INTEGER)`;
}

/**
 * What completed payments brought: a row for each coin of which money is confirmed, or one without a coin.
 * The first of a payment's rows has its price; `sole`, when it is the only one with a coin.
 * @param except a condition for outputs that are not to count, with AND
 */
function takings(except = ''): string {
  const confirmed = `payment_id = p.id AND state = 'confirmed'${except}`;
  const price = `replace(p.amount, '.', '')`;
  const isPriced = `(o.coin IS (SELECT min(coin) FROM outputs WHERE ${confirmed}))`;
  return `SELECT p.id AS payment_id, p.merchant_id, p.mode, p.created_at, p.currency,
      CASE WHEN p.amount LIKE '%.%' THEN length(p.amount) - length(rtrim(p.amount, '0123456789')) ELSE 0 END AS scale,
      coalesce(o.coin, '') AS coin,
      coalesce((SELECT min(coin) = max(coin) FROM outputs WHERE ${confirmed}), 0) AS sole,
      ${isPriced} AS priced, ${isPriced} * ${limb(price, 1)} AS price_low,
      ${isPriced} * ${limb(price, 2)} AS price_middle, ${isPriced} * ${limb(price, 3)} AS price_high,
      o.coin IS NOT NULL AS payments, coalesce(sum(${limb('o.amount', 1)}), 0) AS low,
      coalesce(sum(${limb('o.amount', 2)}), 0) AS middle, coalesce(sum(${limb('o.amount', 3)}), 0) AS high
    FROM payments AS p
    LEFT JOIN outputs AS o ON o.payment_id = p.id AND o.state = 'confirmed'${except}
    WHERE p.status = 'completed' GROUP BY p.merchant_id, p.mode, p.created_at, p.id, o.coin`;
}

const TAKEN = ['priced', 'price_low', 'price_middle', 'price_high', 'payments', 'low', 'middle', 'high'];

/** Adds what payments brought to its hours, or takes it away again. */
function takeInto(sign: '+' | '-', payments: string, source = 'takings'): string {
  return `INSERT INTO volume_hours SELECT merchant_id, mode, created_at / ${HOUR_MS}, currency, scale, coin, sole,
      ${TAKEN.map((column) => `${sign}${column}`).join(', ')} FROM ${source} WHERE payment_id IN (${payments})
    ON CONFLICT DO UPDATE SET ${TAKEN.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')};`;
}

const isCompleted = (payments: string): string =>
  `EXISTS (SELECT 1 FROM payments WHERE id IN (${payments}) AND status = 'completed')`;
const SOLD_ANEW = `(OLD.merchant_id, OLD.mode, OLD.status, OLD.amount, OLD.currency, OLD.created_at)
  <> (NEW.merchant_id, NEW.mode, NEW.status, NEW.amount, NEW.currency, NEW.created_at)`;
const PAID_ANEW = `'confirmed' IN (OLD.state, NEW.state)
  AND (OLD.payment_id, OLD.coin, OLD.amount, OLD.state) IS NOT (NEW.payment_id, NEW.coin, NEW.amount, NEW.state)
  AND ${isCompleted('OLD.payment_id, NEW.payment_id')}`;

function countLog(): string {
  return `INSERT INTO webhook_log_counts VALUES (${logCountedBy('NEW')}, 1, NEW.size_bytes)
    ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;`;
}

/** A day whose logs are all gone is forgotten. */
function discountLog(): string {
  const its = `(merchant_id, day, status) = (${logCountedBy('OLD')})`;
  return `UPDATE webhook_log_counts SET count = count - 1, bytes = bytes - OLD.size_bytes WHERE ${its};
    DELETE FROM webhook_log_counts WHERE ${its} AND count = 0;`;
}

function logCountedBy(row: 'NEW' | 'OLD'): string {
  return `${row}.merchant_id, ${row}.created_at / ${DAY_MS}, ${row}.status`;
}

/** Passes what hours gain or lose on to their days. */
function passToDay(change: (column: string) => string): string {
  return `INSERT INTO volume_days VALUES (NEW.merchant_id, NEW.mode, NEW.hour / 24, NEW.currency, NEW.scale, NEW.coin, NEW.sole,
      ${TAKEN.map(change).join(', ')})
    ON CONFLICT DO UPDATE SET ${TAKEN.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')};`;
}

/**
 * First schema. Written as plain statements because STRICT tables and partial indexes are what
 * keeps bad rows out, and a released migration never changes again.
 */
const STATEMENTS = [
  `CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT`,
  `CREATE TABLE users (
    id TEXT PRIMARY KEY, email TEXT NOT NULL, email_key TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL,
    is_verified INTEGER NOT NULL CHECK (is_verified IN (0, 1)), token_version INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT`,
  `CREATE TABLE account_tokens (
    user_id TEXT NOT NULL REFERENCES users(id), purpose TEXT NOT NULL CHECK (purpose IN ('verify-email', 'reset-password')),
    token_hash TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER,
    PRIMARY KEY (user_id, purpose)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE second_factors (
    user_id TEXT PRIMARY KEY REFERENCES users(id), secret_sealed TEXT NOT NULL, enabled_at INTEGER,
    last_step INTEGER NOT NULL, created_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE recovery_codes (
    user_id TEXT NOT NULL REFERENCES users(id), code_hash TEXT NOT NULL, used_at INTEGER,
    PRIMARY KEY (user_id, code_hash)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE known_networks (
    user_id TEXT NOT NULL REFERENCES users(id), network_hash TEXT NOT NULL, last_used_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, network_hash)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE mails (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users(id),
    kind TEXT NOT NULL CHECK (kind IN ('verify-email', 'reset-password', 'notice')),
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'failed')), body_sealed TEXT, attempts INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, last_error TEXT, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, CHECK ((state = 'pending') = (body_sealed IS NOT NULL))) STRICT`,
  `CREATE INDEX mails_due ON mails (next_attempt_at, id) WHERE state = 'pending'`,
  `CREATE INDEX mails_by_user ON mails (user_id, kind, created_at)`,
  `CREATE INDEX mails_by_age ON mails (created_at) WHERE state <> 'pending'`,
  `CREATE TABLE merchants (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users(id), account INTEGER NOT NULL UNIQUE,
    name TEXT NOT NULL, description TEXT, domain TEXT NOT NULL UNIQUE, domain_token TEXT NOT NULL,
    domain_verified_at INTEGER, webhook_url TEXT, webhook_secret_sealed TEXT NOT NULL,
    webhook_old_secret_sealed TEXT, webhook_old_secret_until INTEGER,
    sandbox INTEGER NOT NULL CHECK (sandbox IN (0, 1)), payment_lifetime_minutes INTEGER NOT NULL,
    tolerance_bps INTEGER NOT NULL, late_policy TEXT NOT NULL CHECK (late_policy IN ('accept', 'review')),
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT`,
  `CREATE INDEX merchants_by_user ON merchants (user_id, created_at, id)`,
  `CREATE TABLE domain_checks (
    merchant_id TEXT PRIMARY KEY REFERENCES merchants(id), method TEXT NOT NULL CHECK (method IN ('dns', 'file', 'meta')),
    proven_method TEXT CHECK (proven_method IN ('dns', 'file', 'meta')), chosen_at INTEGER NOT NULL, revoked_at INTEGER,
    checked_at INTEGER, last_error TEXT, failures INTEGER NOT NULL, failed_since INTEGER, next_check_at INTEGER) STRICT`,
  `CREATE INDEX domain_checks_due ON domain_checks (next_check_at) WHERE next_check_at IS NOT NULL`,
  `CREATE TABLE api_keys (
    id TEXT PRIMARY KEY, merchant_id TEXT NOT NULL REFERENCES merchants(id),
    kind TEXT NOT NULL CHECK (kind IN ('public', 'secret')), key_hash TEXT NOT NULL UNIQUE, public_value TEXT,
    prefix TEXT NOT NULL, last_four TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER,
    last_used_at INTEGER) STRICT`,
  `CREATE INDEX api_keys_by_merchant ON api_keys (merchant_id, kind)`,
  `CREATE TABLE customers (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users(id), email TEXT NOT NULL, email_key TEXT NOT NULL,
    metadata_json TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    UNIQUE (user_id, email_key)) STRICT`,
  // With the address: those of all customers are read in this order from it alone.
  `CREATE INDEX customers_by_user ON customers (user_id, created_at, id, email_key)`,
  // Besides their number, how often any was edited otherwise: both the same, all the same.
  `CREATE TABLE customer_counts (
    user_id TEXT PRIMARY KEY, count INTEGER NOT NULL, edits INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER customers_counted AFTER INSERT ON customers BEGIN
    INSERT INTO customer_counts VALUES (NEW.user_id, 1, 0) ON CONFLICT DO UPDATE SET count = count + 1;
  END`,
  `CREATE TRIGGER customers_edited AFTER UPDATE OF id, user_id, email_key, created_at ON customers
    WHEN (OLD.id, OLD.user_id, OLD.email_key, OLD.created_at) <> (NEW.id, NEW.user_id, NEW.email_key, NEW.created_at) BEGIN
    UPDATE customer_counts SET count = count - 1, edits = edits + 1 WHERE user_id = OLD.user_id;
    INSERT INTO customer_counts VALUES (NEW.user_id, 1, 1) ON CONFLICT DO UPDATE SET count = count + 1, edits = edits + 1;
  END`,
  `CREATE TRIGGER customers_counted_out AFTER DELETE ON customers BEGIN
    UPDATE customer_counts SET count = count - 1, edits = edits + 1 WHERE user_id = OLD.user_id;
  END`,
  `CREATE TABLE products (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users(id), name TEXT NOT NULL, description TEXT,
    recurring INTEGER NOT NULL CHECK (recurring IN (0, 1)),
    recurring_interval TEXT CHECK (recurring_interval IN ('daily', 'weekly', 'monthly', 'yearly')),
    active INTEGER NOT NULL CHECK (active IN (0, 1)), created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    deleted_at INTEGER, CHECK ((recurring = 1) = (recurring_interval IS NOT NULL))) STRICT`,
  `CREATE INDEX products_by_user ON products (user_id, created_at, id) WHERE deleted_at IS NULL`,
  `CREATE TABLE prices (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users(id), product_id TEXT NOT NULL REFERENCES products(id),
    amount TEXT NOT NULL, currency TEXT NOT NULL, active INTEGER NOT NULL CHECK (active IN (0, 1)),
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER) STRICT`,
  `CREATE INDEX prices_by_user ON prices (user_id, created_at, id) WHERE deleted_at IS NULL`,
  `CREATE INDEX prices_by_product ON prices (product_id, created_at, id) WHERE deleted_at IS NULL`,
  `CREATE TABLE payments (
    id TEXT PRIMARY KEY, merchant_id TEXT NOT NULL REFERENCES merchants(id),
    customer_id TEXT NOT NULL REFERENCES customers(id), order_id TEXT NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('live', 'sandbox')), status TEXT NOT NULL, exception TEXT,
    amount TEXT NOT NULL, currency TEXT NOT NULL, product_id TEXT REFERENCES products(id),
    price_id TEXT REFERENCES prices(id), metadata_json TEXT,
    custom_fields_json TEXT, webhook_url TEXT, success_url TEXT, return_url TEXT, allowed_cryptos_json TEXT NOT NULL,
    offered INTEGER NOT NULL DEFAULT 0, tolerance_bps INTEGER NOT NULL, late_policy TEXT NOT NULL,
    request_hash TEXT NOT NULL, sequence INTEGER NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    closed_at INTEGER, cancelled_at INTEGER, accepted_at INTEGER, refunded_at INTEGER,
    refunded_by TEXT CHECK (refunded_by IN ('merchant', 'refunds')),
    CHECK ((refunded_at IS NULL) = (refunded_by IS NULL))) STRICT`,
  // Not by status: late money brings an ended payment back while a newer one holds its order id.
  `CREATE UNIQUE INDEX payments_open_order ON payments (merchant_id, mode, order_id)
    WHERE closed_at IS NULL AND cancelled_at IS NULL`,
  `CREATE INDEX payments_by_merchant ON payments (merchant_id, mode, created_at, id, offered)`,
  `CREATE INDEX payments_by_status ON payments (merchant_id, mode, status, created_at, id, offered)`,
  `CREATE INDEX payments_by_customer ON payments (merchant_id, mode, customer_id, created_at, id, status, offered)`,
  `CREATE INDEX payments_by_order ON payments (merchant_id, mode, order_id, created_at, id, status, offered)`,
  `CREATE INDEX payments_due ON payments (expires_at, id)
    WHERE closed_at IS NULL AND status IN ('pending', 'underpaid')`,
  // Exact totals without a walk over the payments, whoever writes them: kept by the database itself.
  `CREATE TABLE payment_counts (
    merchant_id TEXT NOT NULL, mode TEXT NOT NULL, status TEXT NOT NULL, offered INTEGER NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (merchant_id, mode, status, offered)) STRICT, WITHOUT ROWID`,
  // The same by the day (of UTC) they were made: a range of dates is the sum of its days and the ends of two.
  `CREATE TABLE payment_day_counts (
    merchant_id TEXT NOT NULL, mode TEXT NOT NULL, day INTEGER NOT NULL, status TEXT NOT NULL, offered INTEGER NOT NULL,
    count INTEGER NOT NULL, PRIMARY KEY (merchant_id, mode, day, status, offered)) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER payments_counted AFTER INSERT ON payments BEGIN ${countPayment()} END`,
  `CREATE TRIGGER payments_counted_anew AFTER UPDATE OF merchant_id, mode, status, offered, created_at ON payments
    WHEN (OLD.merchant_id, OLD.mode, OLD.status, OLD.offered, OLD.created_at)
      <> (NEW.merchant_id, NEW.mode, NEW.status, NEW.offered, NEW.created_at)
    BEGIN ${discountPayment()} ${countPayment()} END`,
  `CREATE TRIGGER payments_counted_out AFTER DELETE ON payments BEGIN ${discountPayment()} END`,
  `CREATE TABLE addresses (
    id INTEGER PRIMARY KEY, merchant_id TEXT NOT NULL REFERENCES merchants(id), coin TEXT NOT NULL, mode TEXT NOT NULL,
    branch INTEGER NOT NULL CHECK (branch IN (0, 1)), idx INTEGER NOT NULL, address TEXT NOT NULL, watch_key TEXT NOT NULL,
    purpose TEXT NOT NULL CHECK (purpose IN ('wallet', 'payment', 'change', 'recovered')),
    payment_id TEXT REFERENCES payments(id),
    created_at INTEGER NOT NULL,
    UNIQUE (coin, mode, watch_key), UNIQUE (merchant_id, coin, mode, branch, idx)) STRICT`,
  `CREATE INDEX addresses_by_chain ON addresses (coin, mode, id)`,
  `CREATE INDEX addresses_by_payment ON addresses (payment_id) WHERE payment_id IS NOT NULL`,
  `CREATE TABLE address_counters (
    merchant_id TEXT NOT NULL REFERENCES merchants(id), coin TEXT NOT NULL, mode TEXT NOT NULL, branch INTEGER NOT NULL,
    next_index INTEGER NOT NULL, PRIMARY KEY (merchant_id, coin, mode, branch)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE payment_options (
    payment_id TEXT NOT NULL REFERENCES payments(id), coin TEXT NOT NULL, address_id INTEGER NOT NULL REFERENCES addresses(id),
    address TEXT NOT NULL, amount TEXT NOT NULL, rate TEXT NOT NULL, rate_sources_json TEXT NOT NULL, rate_at INTEGER NOT NULL,
    required_confirmations INTEGER NOT NULL CHECK (required_confirmations >= 1),
    required_finality TEXT CHECK (required_finality IN ('safe', 'finalized')),
    PRIMARY KEY (payment_id, coin)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE sends (
    id TEXT PRIMARY KEY, merchant_id TEXT NOT NULL REFERENCES merchants(id), coin TEXT NOT NULL, mode TEXT NOT NULL,
    destination TEXT NOT NULL, subtract_fee INTEGER NOT NULL, ordered TEXT NOT NULL, amount TEXT NOT NULL, fee TEXT NOT NULL,
    purpose TEXT NOT NULL CHECK (purpose IN ('send', 'sweep')), lane TEXT, nonce INTEGER,
    status TEXT NOT NULL CHECK (status IN ('signed', 'broadcast', 'confirmed', 'failed')), txid TEXT NOT NULL,
    version INTEGER NOT NULL, height INTEGER, error TEXT, idempotency_key TEXT, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, next_broadcast_at INTEGER, broadcasts INTEGER NOT NULL,
    announced_txid TEXT, confirmed_txid TEXT) STRICT`,
  `CREATE INDEX sends_by_merchant ON sends (merchant_id, created_at, id)`,
  `CREATE UNIQUE INDEX sends_idempotency ON sends (merchant_id, idempotency_key) WHERE idempotency_key IS NOT NULL`,
  `CREATE INDEX sends_by_lane ON sends (lane, nonce) WHERE lane IS NOT NULL`,
  `CREATE INDEX sends_open ON sends (coin, mode, next_broadcast_at) WHERE status IN ('signed', 'broadcast')`,
  `CREATE TABLE send_versions (
    send_id TEXT NOT NULL REFERENCES sends(id), version INTEGER NOT NULL, coin TEXT NOT NULL, mode TEXT NOT NULL,
    txid TEXT NOT NULL, raw TEXT NOT NULL, fee TEXT NOT NULL, fee_rate TEXT NOT NULL, plan_json TEXT NOT NULL,
    created_at INTEGER NOT NULL, PRIMARY KEY (send_id, version), UNIQUE (coin, mode, txid)) STRICT`,
  `CREATE TABLE refunds (
    send_id TEXT PRIMARY KEY REFERENCES sends(id), payment_id TEXT NOT NULL REFERENCES payments(id),
    coin TEXT NOT NULL, amount TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE INDEX refunds_by_payment ON refunds (payment_id, created_at, send_id)`,
  `CREATE TABLE outputs (
    seq INTEGER PRIMARY KEY, coin TEXT NOT NULL, mode TEXT NOT NULL, txid TEXT NOT NULL, vout INTEGER NOT NULL,
    address_id INTEGER NOT NULL REFERENCES addresses(id), merchant_id TEXT NOT NULL REFERENCES merchants(id),
    payment_id TEXT REFERENCES payments(id), amount TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('unconfirmed', 'confirmed', 'gone')), height INTEGER, block_hash TEXT,
    maturity INTEGER NOT NULL, first_seen_at INTEGER NOT NULL, late INTEGER NOT NULL CHECK (late IN (0, 1)), late_due TEXT,
    spent_by TEXT, spent_height INTEGER, send_id TEXT REFERENCES sends(id), updated_at INTEGER NOT NULL,
    awaited_depth INTEGER NOT NULL DEFAULT 0,
    CHECK ((state = 'confirmed') = (height IS NOT NULL)),
    UNIQUE (coin, mode, txid, vout)) STRICT`,
  `CREATE INDEX outputs_by_payment ON outputs (payment_id, state, coin, amount) WHERE payment_id IS NOT NULL`,
  `CREATE INDEX outputs_unconfirmed ON outputs (coin, mode) WHERE state = 'unconfirmed'`,
  // With what tells to which payments another block still makes a difference: of most there is no row to be read then.
  `CREATE INDEX outputs_by_height ON outputs (coin, mode, height, awaited_depth, payment_id) WHERE height IS NOT NULL`,
  `CREATE INDEX outputs_spent_height ON outputs (coin, mode, spent_height) WHERE spent_height IS NOT NULL`,
  `CREATE INDEX outputs_spendable ON outputs (merchant_id, coin, mode, height, maturity, amount, state, spent_by, send_id)
    WHERE state = 'confirmed' AND spent_by IS NULL AND send_id IS NULL`,
  `CREATE INDEX outputs_by_address ON outputs (address_id) WHERE state = 'confirmed' AND spent_height IS NULL`,
  `CREATE INDEX outputs_held ON outputs (coin, mode, height) WHERE state = 'confirmed' AND spent_height IS NULL`,
  `CREATE INDEX outputs_by_send ON outputs (send_id) WHERE send_id IS NOT NULL`,
  `CREATE INDEX outputs_reserved ON outputs (coin, mode) WHERE send_id IS NOT NULL AND spent_by IS NULL`,
  `CREATE INDEX outputs_spent_unconfirmed ON outputs (coin, mode, spent_height)
    WHERE spent_by IS NOT NULL AND spent_height IS NULL`,
  `CREATE INDEX outputs_by_merchant ON outputs (merchant_id, mode, first_seen_at, coin)`,
  `CREATE INDEX outputs_unquoted ON outputs (coin, mode) WHERE late = 1 AND late_due IS NULL AND state <> 'gone'`,
  `CREATE TABLE output_counts (
    merchant_id TEXT NOT NULL, mode TEXT NOT NULL, coin TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (merchant_id, mode, coin)) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER outputs_counted AFTER INSERT ON outputs BEGIN
    INSERT INTO output_counts VALUES (NEW.merchant_id, NEW.mode, NEW.coin, 1) ON CONFLICT DO UPDATE SET count = count + 1;
  END`,
  `CREATE TRIGGER outputs_counted_out AFTER DELETE ON outputs BEGIN
    UPDATE output_counts SET count = count - 1
      WHERE merchant_id = OLD.merchant_id AND mode = OLD.mode AND coin = OLD.coin;
  END`,
  // What completed payments brought, by the hour (of UTC) they were made: days of every time zone are sums of
  // whole hours and the ends of two. Kept by the database itself, whatever becomes of a payment or its money.
  `CREATE VIEW takings AS ${takings()}`,
  `CREATE TABLE volume_hours (
    merchant_id TEXT NOT NULL, mode TEXT NOT NULL, hour INTEGER NOT NULL, currency TEXT NOT NULL, scale INTEGER NOT NULL,
    coin TEXT NOT NULL, sole INTEGER NOT NULL, ${TAKEN.map((column) => `${column} INTEGER NOT NULL`).join(', ')},
    PRIMARY KEY (merchant_id, mode, hour, currency, scale, coin, sole)) STRICT, WITHOUT ROWID`,
  // The same by the day of UTC, which is what is asked for most: a few rows instead of one or more for each hour.
  `CREATE TABLE volume_days (
    merchant_id TEXT NOT NULL, mode TEXT NOT NULL, day INTEGER NOT NULL, currency TEXT NOT NULL, scale INTEGER NOT NULL,
    coin TEXT NOT NULL, sole INTEGER NOT NULL, ${TAKEN.map((column) => `${column} INTEGER NOT NULL`).join(', ')},
    PRIMARY KEY (merchant_id, mode, day, currency, scale, coin, sole)) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER volume_hours_begun AFTER INSERT ON volume_hours BEGIN ${passToDay((column) => `NEW.${column}`)} END`,
  // What an hour is of never changes.
  `CREATE TRIGGER volume_hours_changed AFTER UPDATE OF ${TAKEN.join(', ')} ON volume_hours
    BEGIN ${passToDay((column) => `NEW.${column} - OLD.${column}`)} END`,
  `CREATE TRIGGER payments_sold AFTER INSERT ON payments WHEN NEW.status = 'completed'
    BEGIN ${takeInto('+', 'NEW.id')} END`,
  `CREATE TRIGGER payments_unsold BEFORE UPDATE OF merchant_id, mode, status, amount, currency, created_at ON payments
    WHEN OLD.status = 'completed' AND ${SOLD_ANEW} BEGIN ${takeInto('-', 'OLD.id')} END`,
  `CREATE TRIGGER payments_sold_anew AFTER UPDATE OF merchant_id, mode, status, amount, currency, created_at ON payments
    WHEN NEW.status = 'completed' AND ${SOLD_ANEW} BEGIN ${takeInto('+', 'NEW.id')} END`,
  `CREATE TRIGGER payments_unsold_out BEFORE DELETE ON payments WHEN OLD.status = 'completed'
    BEGIN ${takeInto('-', 'OLD.id')} END`,
  // After the row is there: what fires before an insert fires also when that becomes an update.
  `CREATE TRIGGER outputs_paid AFTER INSERT ON outputs
    WHEN NEW.state = 'confirmed' AND ${isCompleted('NEW.payment_id')}
    BEGIN ${takeInto('-', 'NEW.payment_id', `(${takings(' AND seq <> NEW.seq')})`)} ${takeInto('+', 'NEW.payment_id')} END`,
  `CREATE TRIGGER outputs_unpaid BEFORE UPDATE OF payment_id, coin, amount, state ON outputs WHEN ${PAID_ANEW}
    BEGIN ${takeInto('-', 'OLD.payment_id, NEW.payment_id')} END`,
  `CREATE TRIGGER outputs_paid_anew AFTER UPDATE OF payment_id, coin, amount, state ON outputs WHEN ${PAID_ANEW}
    BEGIN ${takeInto('+', 'OLD.payment_id, NEW.payment_id')} END`,
  `CREATE TRIGGER outputs_unpaid_out BEFORE DELETE ON outputs WHEN OLD.state = 'confirmed' AND ${isCompleted('OLD.payment_id')}
    BEGIN ${takeInto('-', 'OLD.payment_id')} END`,
  `CREATE TRIGGER outputs_paid_out AFTER DELETE ON outputs WHEN OLD.state = 'confirmed' AND ${isCompleted('OLD.payment_id')}
    BEGIN ${takeInto('+', 'OLD.payment_id')} END`,
  `CREATE TABLE raw_transactions (
    coin TEXT NOT NULL, mode TEXT NOT NULL, txid TEXT NOT NULL, raw TEXT NOT NULL, created_at INTEGER NOT NULL,
    PRIMARY KEY (coin, mode, txid)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE unconfirmed_inputs (
    coin TEXT NOT NULL, mode TEXT NOT NULL, txid TEXT NOT NULL, vout INTEGER NOT NULL, spender TEXT NOT NULL,
    parent_open INTEGER NOT NULL CHECK (parent_open IN (0, 1)),
    PRIMARY KEY (coin, mode, txid, vout, spender)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE chain_cursors (
    coin TEXT NOT NULL, mode TEXT NOT NULL, height INTEGER NOT NULL, hash TEXT NOT NULL,
    safe_height INTEGER, finalized_height INTEGER, updated_at INTEGER NOT NULL,
    PRIMARY KEY (coin, mode)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE chain_blocks (
    coin TEXT NOT NULL, mode TEXT NOT NULL, height INTEGER NOT NULL, hash TEXT NOT NULL, time_ms INTEGER NOT NULL,
    PRIMARY KEY (coin, mode, height)) STRICT, WITHOUT ROWID`,
  // Events are never deleted: the next number is the highest one's, without a second place that keeps count.
  `CREATE TABLE events (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, merchant_id TEXT NOT NULL REFERENCES merchants(id),
    mode TEXT NOT NULL, type TEXT NOT NULL, payment_id TEXT REFERENCES payments(id), send_id TEXT REFERENCES sends(id),
    sequence INTEGER NOT NULL, body_json TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT`,
  `CREATE INDEX events_by_merchant ON events (merchant_id, created_at, seq, type)`,
  `CREATE TABLE event_counts (
    merchant_id TEXT NOT NULL, type TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (merchant_id, type)) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER events_counted AFTER INSERT ON events BEGIN
    INSERT INTO event_counts VALUES (NEW.merchant_id, NEW.type, 1) ON CONFLICT DO UPDATE SET count = count + 1;
  END`,
  `CREATE TRIGGER events_counted_out AFTER DELETE ON events BEGIN
    UPDATE event_counts SET count = count - 1 WHERE merchant_id = OLD.merchant_id AND type = OLD.type;
  END`,
  `CREATE UNIQUE INDEX events_by_payment ON events (payment_id, sequence) WHERE payment_id IS NOT NULL`,
  `CREATE TABLE deliveries (
    id TEXT PRIMARY KEY, event_id TEXT NOT NULL REFERENCES events(id), event_seq INTEGER NOT NULL,
    merchant_id TEXT NOT NULL REFERENCES merchants(id),
    payment_id TEXT REFERENCES payments(id), order_key TEXT NOT NULL, url TEXT NOT NULL, origin TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')), attempts INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL, lease_until INTEGER, lease_token TEXT, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL) STRICT`,
  `CREATE INDEX deliveries_due ON deliveries (next_attempt_at, event_seq, origin, updated_at)
    WHERE status = 'pending' AND lease_token IS NULL`,
  `CREATE INDEX deliveries_due_again ON deliveries (lease_until) WHERE lease_token IS NOT NULL`,
  `CREATE INDEX deliveries_order ON deliveries (order_key, event_seq) WHERE status = 'pending'`,
  `CREATE INDEX deliveries_by_event ON deliveries (event_id)`,
  `CREATE INDEX deliveries_by_age ON deliveries (created_at) WHERE status <> 'pending'`,
  `CREATE TABLE webhook_logs (
    id TEXT PRIMARY KEY, delivery_id TEXT NOT NULL REFERENCES deliveries(id), merchant_id TEXT NOT NULL REFERENCES merchants(id),
    payment_id TEXT, endpoint TEXT NOT NULL, status INTEGER NOT NULL, attempt INTEGER NOT NULL, duration_ms INTEGER NOT NULL,
    error TEXT, request_json TEXT NOT NULL, response_json TEXT NOT NULL, size_bytes INTEGER NOT NULL,
    created_at INTEGER NOT NULL) STRICT`,
  `CREATE INDEX webhook_logs_by_merchant ON webhook_logs (merchant_id, created_at, id, status)`,
  `CREATE INDEX webhook_logs_by_status ON webhook_logs (merchant_id, status, created_at, id) WHERE status <> 200`,
  `CREATE INDEX webhook_logs_by_age ON webhook_logs (created_at, id, size_bytes)`,
  `CREATE INDEX webhook_logs_by_delivery ON webhook_logs (delivery_id)`,
  // How many there are and what they take, by the day (of UTC) they were written: totals without a walk.
  `CREATE TABLE webhook_log_counts (
    merchant_id TEXT NOT NULL, day INTEGER NOT NULL, status INTEGER NOT NULL, count INTEGER NOT NULL, bytes INTEGER NOT NULL,
    PRIMARY KEY (merchant_id, day, status)) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER webhook_logs_counted AFTER INSERT ON webhook_logs BEGIN ${countLog()} END`,
  `CREATE TRIGGER webhook_logs_counted_anew AFTER UPDATE OF merchant_id, created_at, status, size_bytes ON webhook_logs
    BEGIN ${discountLog()} ${countLog()} END`,
  `CREATE TRIGGER webhook_logs_counted_out AFTER DELETE ON webhook_logs BEGIN ${discountLog()} END`,
  `CREATE TABLE gone_endpoints (
    merchant_id TEXT NOT NULL REFERENCES merchants(id), payment_id TEXT NOT NULL, url TEXT NOT NULL, created_at INTEGER NOT NULL,
    PRIMARY KEY (merchant_id, payment_id, url)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE idempotency (
    scope TEXT NOT NULL, key TEXT NOT NULL, route TEXT NOT NULL, request_hash TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('in_flight', 'done')), status INTEGER, body_sealed TEXT, created_at INTEGER NOT NULL,
    expires_at INTEGER, PRIMARY KEY (scope, key)) STRICT`,
  `CREATE INDEX idempotency_by_expiry ON idempotency (expires_at) WHERE expires_at IS NOT NULL`,
  `CREATE TABLE sim_blocks (
    coin TEXT NOT NULL, height INTEGER NOT NULL, hash TEXT NOT NULL, parent_hash TEXT NOT NULL, time_ms INTEGER NOT NULL,
    PRIMARY KEY (coin, height)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE sim_transactions (
    coin TEXT NOT NULL, txid TEXT NOT NULL, height INTEGER, state TEXT NOT NULL CHECK (state IN ('mempool', 'mined', 'dropped')),
    body_json TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (coin, txid)) STRICT`,
  `CREATE INDEX sim_transactions_by_height ON sim_transactions (coin, height) WHERE state = 'mined'`,
  `CREATE INDEX sim_transactions_mempool ON sim_transactions (coin) WHERE state = 'mempool'`,
  `CREATE TABLE sim_spends (
    coin TEXT NOT NULL, txid TEXT NOT NULL, vout INTEGER NOT NULL, by_txid TEXT NOT NULL,
    PRIMARY KEY (coin, txid, vout, by_txid)) STRICT, WITHOUT ROWID`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
