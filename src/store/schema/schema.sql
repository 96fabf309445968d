-- The whole schema. A new database is made from this file; any other one has the same once it is migrated.
-- Generated from the migrations: after a new one run `npm run schema`. The row types beside this file document the
-- columns. Times are integer milliseconds, flags 0 or 1, atoms decimal text (wei do not fit 64 bits); *_json is JSON
-- text, compressed where it is a BLOB, *_sealed AES-GCM text. Triggers keep the tables of counts and totals.

-- Accounts: users, what they sign in with, and what was revoked

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  is_verified INTEGER NOT NULL CHECK (is_verified IN (0, 1)),
  token_version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER tokens_revoked AFTER UPDATE OF token_version ON users
  WHEN NEW.token_version > OLD.token_version
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    SELECT lower(hex(randomblob(8))), 'tokens', OLD.id || '/' || NEW.token_version,
      CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations WHERE kind = 'tokens' AND subject = OLD.id || '/' || NEW.token_version
        AND kind IN ('key', 'passkey', 'session')
    );
END;

CREATE TABLE account_tokens (
  user_id TEXT NOT NULL REFERENCES users(id),
  purpose TEXT NOT NULL CHECK (purpose IN ('verify-email', 'reset-password')),
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  PRIMARY KEY (user_id, purpose)
) STRICT, WITHOUT ROWID;

CREATE TABLE second_factors (
  user_id TEXT PRIMARY KEY REFERENCES users(id),
  secret_sealed TEXT NOT NULL,
  enabled_at INTEGER,
  last_step INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER second_factors_removed AFTER DELETE ON second_factors
  WHEN OLD.enabled_at IS NOT NULL
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    SELECT lower(hex(randomblob(8))), 'factor', OLD.user_id, CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations WHERE kind = 'factor' AND subject = OLD.user_id
        AND kind IN ('key', 'passkey', 'session')
    );
END;
CREATE TRIGGER second_factors_enabled AFTER UPDATE OF enabled_at ON second_factors
  WHEN OLD.enabled_at IS NULL AND NEW.enabled_at IS NOT NULL
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    SELECT lower(hex(randomblob(8))), 'factor', OLD.user_id, CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations WHERE kind = 'factor' AND subject = OLD.user_id
        AND kind IN ('key', 'passkey', 'session')
    );
END;

CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users(id),
  code_hash TEXT NOT NULL,
  used_at INTEGER,
  PRIMARY KEY (user_id, code_hash)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER recovery_codes_used AFTER UPDATE OF used_at ON recovery_codes
  WHEN OLD.used_at IS NULL AND NEW.used_at IS NOT NULL
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    SELECT lower(hex(randomblob(8))), 'recovery-code', OLD.user_id || '/' || OLD.code_hash,
      CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations WHERE kind = 'recovery-code' AND subject = OLD.user_id || '/' || OLD.code_hash
        AND kind IN ('key', 'passkey', 'session')
    );
END;

CREATE TABLE known_networks (
  user_id TEXT NOT NULL REFERENCES users(id),
  network_hash TEXT NOT NULL,
  last_used_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, network_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users(id),
  token_hash TEXT NOT NULL UNIQUE,
  token_version INTEGER NOT NULL,
  client_sealed TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  stepped_up_at INTEGER
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id, last_used_at);
CREATE TRIGGER sessions_ended AFTER DELETE ON sessions
  WHEN OLD.expires_at > CAST(unixepoch('subsec') * 1000 AS INTEGER)
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    SELECT lower(hex(randomblob(8))), 'session', OLD.id, CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations WHERE kind = 'session' AND subject = OLD.id
        AND kind IN ('key', 'passkey', 'session')
    );
END;

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users(id),
  credential_id TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  transports_json TEXT NOT NULL,
  rp_id TEXT NOT NULL,
  name TEXT NOT NULL,
  backed_up INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
CREATE INDEX passkeys_by_user ON passkeys (user_id, created_at);
CREATE TRIGGER passkeys_removed AFTER DELETE ON passkeys
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    SELECT lower(hex(randomblob(8))), 'passkey', OLD.id, CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations WHERE kind = 'passkey' AND subject = OLD.id
        AND kind IN ('key', 'passkey', 'session')
    );
END;

CREATE TABLE spent_challenges (
  challenge_hash TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX spent_challenges_by_expiry ON spent_challenges (expires_at);

CREATE TABLE revocations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX revocations_by_subject ON revocations (kind, subject);
CREATE INDEX revocations_of_sessions ON revocations (at) WHERE kind = 'session';

-- Mails, and notices to users and the operator

CREATE TABLE mails (
  id TEXT PRIMARY KEY,
  user_id TEXT REFERENCES users(id),
  kind TEXT NOT NULL
    CHECK (
      kind IN (
        'verify-email', 'reset-password', 'notice', 'shop-notice', 'receipt', 'subscription',
        'subscription-start'
      )
    ),
  state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'failed')),
  body_sealed TEXT,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  last_error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  recipient_hash TEXT,
  CHECK ((state = 'pending') = (body_sealed IS NOT NULL))
) STRICT;
CREATE INDEX mails_due ON mails (next_attempt_at, id) WHERE state = 'pending';
CREATE INDEX mails_by_user ON mails (user_id, kind, created_at);
CREATE INDEX mails_by_age ON mails (created_at) WHERE state <> 'pending' AND kind <> 'receipt';
CREATE INDEX mails_by_recipient ON mails (recipient_hash, kind, created_at) WHERE recipient_hash IS NOT NULL;

CREATE TABLE notices (
  key TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  merchant_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'sandbox')),
  subject TEXT NOT NULL,
  details_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  due_at INTEGER,
  told_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX notices_due ON notices (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX notices_by_age ON notices (created_at);

CREATE TABLE notice_mails (
  user_id TEXT NOT NULL,
  notice_key TEXT NOT NULL,
  merchant_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('mailed', 'held', 'summarised')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, notice_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX notice_mails_by_shop ON notice_mails (user_id, merchant_id, created_at) WHERE state = 'mailed';
CREATE INDEX notice_mails_held ON notice_mails (user_id, merchant_id, created_at) WHERE state = 'held';
CREATE INDEX notice_mails_by_age ON notice_mails (created_at);

CREATE TABLE notice_choices (
  user_id TEXT NOT NULL REFERENCES users(id),
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  kind TEXT NOT NULL,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, merchant_id, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE notice_languages (
  user_id TEXT PRIMARY KEY REFERENCES users(id),
  language TEXT NOT NULL,
  source TEXT NOT NULL DEFAULT 'chosen' CHECK (source IN ('chosen', 'pages'))
) STRICT, WITHOUT ROWID;

CREATE TABLE notice_conditions (
  key TEXT PRIMARY KEY,
  condition_json TEXT NOT NULL,
  since INTEGER NOT NULL,
  told_at INTEGER,
  over_since INTEGER,
  returns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE attention_dismissals (
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  item_id TEXT NOT NULL,
  mark TEXT NOT NULL,
  note TEXT,
  actor_kind TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  dismissed_at INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, item_id)
) STRICT, WITHOUT ROWID;

-- Shops, their members and keys

CREATE TABLE merchants (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users(id),
  account INTEGER NOT NULL UNIQUE,
  name TEXT NOT NULL,
  description TEXT,
  domain TEXT NOT NULL UNIQUE,
  domain_token TEXT NOT NULL,
  domain_verified_at INTEGER,
  webhook_url TEXT,
  webhook_secret_sealed TEXT NOT NULL,
  webhook_old_secret_sealed TEXT,
  webhook_old_secret_until INTEGER,
  sandbox INTEGER NOT NULL CHECK (sandbox IN (0, 1)),
  payment_lifetime_minutes INTEGER NOT NULL,
  tolerance_bps INTEGER NOT NULL,
  late_policy TEXT NOT NULL CHECK (late_policy IN ('accept', 'review')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  embed_origins_json TEXT NOT NULL DEFAULT '[]',
  currency TEXT NOT NULL DEFAULT 'USD',
  time_zone TEXT,
  support_contact TEXT,
  accent_color TEXT,
  logo_hash TEXT,
  renew_expired INTEGER NOT NULL DEFAULT 0 CHECK (renew_expired IN (0, 1)),
  books_closed_until INTEGER NOT NULL DEFAULT 0,
  suspended_at INTEGER,
  invoice_lead_days INTEGER NOT NULL DEFAULT 7,
  grace_days INTEGER NOT NULL DEFAULT 7,
  excess_to_credit INTEGER NOT NULL DEFAULT 1 CHECK (excess_to_credit IN (0, 1)),
  day_floor INTEGER,
  day_floor_until INTEGER,
  payer_may_ask_excess INTEGER NOT NULL DEFAULT 1 CHECK (payer_may_ask_excess IN (0, 1)),
  payer_may_pause INTEGER NOT NULL DEFAULT 0 CHECK (payer_may_pause IN (0, 1)),
  payer_may_cancel INTEGER NOT NULL DEFAULT 1 CHECK (payer_may_cancel IN (0, 1)),
  mails_subscribers INTEGER NOT NULL DEFAULT 1 CHECK (mails_subscribers IN (0, 1)),
  business_json TEXT,
  receipt_prefix TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX merchants_by_user ON merchants (user_id, created_at, id);
CREATE TRIGGER webhook_urls_removed AFTER UPDATE OF webhook_url ON merchants
  WHEN OLD.webhook_url IS NOT NULL AND NEW.webhook_url IS NULL
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    VALUES (lower(hex(randomblob(8))), 'webhook-url', OLD.id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER webhook_secrets_rotated AFTER UPDATE OF webhook_secret_sealed ON merchants
  WHEN NEW.webhook_secret_sealed <> OLD.webhook_secret_sealed
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    VALUES (lower(hex(randomblob(8))), 'webhook-secret', OLD.id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;

CREATE TABLE merchant_logos (
  merchant_id TEXT PRIMARY KEY REFERENCES merchants(id),
  hash TEXT NOT NULL,
  type TEXT NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE INDEX merchant_logos_by_hash ON merchant_logos (hash);

CREATE TABLE domain_checks (
  merchant_id TEXT PRIMARY KEY REFERENCES merchants(id),
  method TEXT NOT NULL CHECK (method IN ('dns', 'file', 'meta')),
  proven_method TEXT CHECK (proven_method IN ('dns', 'file', 'meta')),
  chosen_at INTEGER NOT NULL,
  revoked_at INTEGER,
  checked_at INTEGER,
  last_error TEXT,
  failures INTEGER NOT NULL,
  failed_since INTEGER,
  next_check_at INTEGER
) STRICT;
CREATE INDEX domain_checks_due ON domain_checks (next_check_at) WHERE next_check_at IS NOT NULL;

CREATE TABLE members (
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  user_id TEXT NOT NULL REFERENCES users(id),
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_user ON members (user_id);
CREATE TRIGGER members_removed AFTER DELETE ON members
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    SELECT lower(hex(randomblob(8))), 'member', OLD.merchant_id || '/' || OLD.user_id,
      CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations WHERE kind = 'member' AND subject = OLD.merchant_id || '/' || OLD.user_id
        AND kind IN ('key', 'passkey', 'session')
    );
END;
CREATE TRIGGER members_changed AFTER UPDATE OF role ON members
  WHEN NEW.role <> OLD.role
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    SELECT lower(hex(randomblob(8))), 'role', OLD.merchant_id || '/' || OLD.user_id || '/' || NEW.role,
      CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations WHERE kind = 'role'
        AND subject = OLD.merchant_id || '/' || OLD.user_id || '/' || NEW.role
        AND kind IN ('key', 'passkey', 'session')
    );
END;

CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  role TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX invitations_by_merchant ON invitations (merchant_id, created_at);
CREATE INDEX invitations_by_age ON invitations (created_at);
CREATE TRIGGER invitations_ended AFTER UPDATE OF ended_at ON invitations
  WHEN OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    SELECT lower(hex(randomblob(8))), 'invitation', OLD.id, CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations WHERE kind = 'invitation' AND subject = OLD.id
        AND kind IN ('key', 'passkey', 'session')
    );
END;

CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  merchant_id TEXT,
  actor_kind TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  action TEXT NOT NULL,
  object_id TEXT,
  client_sealed TEXT NOT NULL,
  result TEXT
) STRICT;
CREATE INDEX audit_log_by_merchant ON audit_log (merchant_id, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX audit_log_by_user ON audit_log (actor_id, id) WHERE merchant_id IS NULL;
CREATE INDEX audit_log_by_age ON audit_log (at);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  kind TEXT NOT NULL CHECK (kind IN ('public', 'secret')),
  key_hash TEXT NOT NULL UNIQUE,
  public_value TEXT,
  prefix TEXT NOT NULL,
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE INDEX api_keys_by_merchant ON api_keys (merchant_id, kind);
CREATE TRIGGER api_keys_revoked AFTER DELETE ON api_keys
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    SELECT lower(hex(randomblob(8))), 'key', OLD.id, CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations WHERE kind = 'key' AND subject = OLD.id
        AND kind IN ('key', 'passkey', 'session')
    );
END;
CREATE TRIGGER api_keys_retired AFTER UPDATE OF expires_at ON api_keys
  WHEN NEW.expires_at IS NOT NULL AND NEW.expires_at IS NOT OLD.expires_at
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    SELECT lower(hex(randomblob(8))), 'retired-key', OLD.id || '/' || NEW.expires_at,
      CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations WHERE kind = 'retired-key' AND subject = OLD.id || '/' || NEW.expires_at
        AND kind IN ('key', 'passkey', 'session')
    );
END;

CREATE TABLE restricted_keys (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  key_hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  creator_kind TEXT,
  creator_id TEXT,
  limits_json TEXT
) STRICT;
CREATE INDEX restricted_keys_by_merchant ON restricted_keys (merchant_id, created_at, id);
CREATE TRIGGER restricted_keys_revoked AFTER DELETE ON restricted_keys
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    SELECT lower(hex(randomblob(8))), 'key', OLD.id, CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations WHERE kind = 'key' AND subject = OLD.id
        AND kind IN ('key', 'passkey', 'session')
    );
END;

CREATE TABLE connect_codes (
  code_hash TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  code_challenge TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  creator_kind TEXT,
  creator_id TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX connect_codes_by_age ON connect_codes (expires_at);

CREATE TABLE counters (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  name TEXT NOT NULL,
  currency TEXT NOT NULL,
  tips_json TEXT NOT NULL,
  favourites_json TEXT NOT NULL,
  code_hash TEXT,
  code_expires_at INTEGER,
  token_hash TEXT,
  connected_at INTEGER,
  last_used_at INTEGER,
  creator_kind TEXT,
  creator_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE INDEX counters_by_merchant ON counters (merchant_id, created_at, id);
CREATE UNIQUE INDEX counters_by_token ON counters (token_hash) WHERE token_hash IS NOT NULL;
CREATE UNIQUE INDEX counters_by_code ON counters (code_hash) WHERE code_hash IS NOT NULL;
CREATE TRIGGER counters_disconnected AFTER UPDATE OF token_hash ON counters
  WHEN OLD.token_hash IS NOT NULL AND NEW.token_hash IS NOT OLD.token_hash
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    SELECT lower(hex(randomblob(8))), 'counter', OLD.id || '/' || OLD.token_hash,
      CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations WHERE kind = 'counter' AND subject = OLD.id || '/' || OLD.token_hash
    );
END;

-- Customers and catalog

CREATE TABLE customers (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users(id),
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  metadata_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (user_id, email_key)
) STRICT;
CREATE INDEX customers_by_user ON customers (user_id, created_at, id, email_key);
CREATE TRIGGER customers_counted AFTER INSERT ON customers
BEGIN
  INSERT INTO customer_counts VALUES (NEW.user_id, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER customers_moved AFTER UPDATE OF user_id ON customers
  WHEN OLD.user_id <> NEW.user_id
BEGIN
  UPDATE customer_counts SET count = count - 1 WHERE user_id = OLD.user_id;
  INSERT INTO customer_counts VALUES (NEW.user_id, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER customers_counted_out AFTER DELETE ON customers
BEGIN
  UPDATE customer_counts SET count = count - 1 WHERE user_id = OLD.user_id;
END;

CREATE TABLE customer_counts (
  user_id TEXT PRIMARY KEY,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE products (
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
) STRICT;
CREATE INDEX products_by_user ON products (user_id, created_at, id) WHERE deleted_at IS NULL;

CREATE TABLE product_shops (
  product_id TEXT NOT NULL REFERENCES products(id),
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  PRIMARY KEY (product_id, merchant_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE prices (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users(id),
  product_id TEXT NOT NULL REFERENCES products(id),
  amount TEXT NOT NULL,
  currency TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE INDEX prices_by_user ON prices (user_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX prices_by_product ON prices (product_id, created_at, id) WHERE deleted_at IS NULL;

CREATE TABLE payment_links (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  slug TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('link', 'pos')),
  name TEXT NOT NULL,
  description TEXT,
  price_id TEXT REFERENCES prices(id),
  amount TEXT,
  currency TEXT,
  open_amount_json TEXT,
  fields_json TEXT NOT NULL,
  success_url TEXT,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  creator_kind TEXT,
  creator_id TEXT,
  price_locked INTEGER NOT NULL DEFAULT 1 CHECK (price_locked IN (0, 1)),
  CHECK ((price_id IS NOT NULL) + (amount IS NOT NULL) + (open_amount_json IS NOT NULL) = 1),
  CHECK ((price_id IS NULL) = (currency IS NOT NULL)),
  CHECK (kind = 'link' OR open_amount_json IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX payment_links_by_merchant ON payment_links (merchant_id, created_at, id) WHERE deleted_at IS NULL;

CREATE TABLE subscriptions (
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
  status TEXT NOT NULL CHECK (status IN ('trialing', 'active', 'past_due', 'paused', 'cancelled', 'ended')),
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
  portal_token_hash TEXT,
  portal_token_sealed TEXT,
  email TEXT,
  locale TEXT,
  problem TEXT CHECK (problem IN ('rate_unavailable', 'coin_unavailable', 'price_not_payable', 'other')),
  problem_at INTEGER,
  cancelled_by TEXT CHECK (cancelled_by IN ('merchant', 'payer')),
  paused_by TEXT CHECK (paused_by IN ('merchant', 'payer')),
  CHECK ((status = 'ended') = (ended_at IS NOT NULL)),
  CHECK ((status = 'paused') = (paused_at IS NOT NULL))
) STRICT;
CREATE INDEX subscriptions_by_merchant ON subscriptions (merchant_id, mode, created_at, id);
CREATE INDEX subscriptions_by_customer ON subscriptions (customer_id);
CREATE INDEX subscriptions_due ON subscriptions (next_decision_at, id) WHERE next_decision_at IS NOT NULL;
CREATE UNIQUE INDEX subscriptions_by_portal_token ON subscriptions (portal_token_hash)
  WHERE portal_token_hash IS NOT NULL;
CREATE INDEX subscriptions_with_problem ON subscriptions (merchant_id, mode, problem_at)
  WHERE problem IS NOT NULL;
CREATE INDEX subscriptions_past_due ON subscriptions (merchant_id, mode, paid_until) WHERE status = 'past_due';

CREATE TABLE subscription_invoices (
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
  interval TEXT,
  rate_minor TEXT NOT NULL DEFAULT '0',
  proration_exact TEXT NOT NULL DEFAULT '0',
  prorated_minor TEXT NOT NULL DEFAULT '0',
  paused_ms INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (subscription_id, n),
  CHECK (period_end > period_start)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX subscription_invoices_by_payment ON subscription_invoices (payment_id)
  WHERE payment_id IS NOT NULL;
CREATE INDEX subscription_invoices_open ON subscription_invoices (subscription_id, n) WHERE status = 'open';
CREATE INDEX subscription_invoices_paid ON subscription_invoices (subscription_id, period_end)
  WHERE status = 'paid';

CREATE TABLE subscription_mails (
  subscription_id TEXT NOT NULL REFERENCES subscriptions(id),
  n INTEGER NOT NULL CHECK (n >= 0),
  kind TEXT NOT NULL
    CHECK (
      kind IN (
        'invoice', 'reminder', 'past_due', 'paid', 'trial_ending', 'paused', 'resumed', 'cancelled', 'ended'
      )
    ),
  due_at INTEGER,
  mailed INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (subscription_id, n, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX subscription_mails_due ON subscription_mails (due_at, subscription_id) WHERE due_at IS NOT NULL;

-- Payments and refunds

CREATE TABLE payments (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  customer_id TEXT REFERENCES customers(id),
  order_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'sandbox')),
  status TEXT NOT NULL,
  exception TEXT,
  amount TEXT NOT NULL,
  currency TEXT NOT NULL,
  product_id TEXT REFERENCES products(id),
  price_id TEXT REFERENCES prices(id),
  metadata_json TEXT,
  custom_fields_json TEXT,
  webhook_url TEXT,
  success_url TEXT,
  return_url TEXT,
  allowed_cryptos_json TEXT NOT NULL,
  offered INTEGER NOT NULL DEFAULT 0,
  tolerance_bps INTEGER NOT NULL,
  late_policy TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  closed_at INTEGER,
  cancelled_at INTEGER,
  accepted_at INTEGER,
  refunded_at INTEGER,
  refunded_by TEXT CHECK (refunded_by IN ('merchant', 'refunds')),
  accepted_json TEXT,
  excess_told TEXT,
  locale TEXT,
  description TEXT,
  lines_json TEXT,
  confirmations_json TEXT,
  returned_json TEXT,
  link_id TEXT REFERENCES payment_links(id),
  renews TEXT REFERENCES payments(id),
  accepted_position INTEGER,
  refunded_position INTEGER,
  group_id TEXT REFERENCES payments(id),
  superseded_by TEXT REFERENCES payments(id),
  creator_kind TEXT,
  creator_id TEXT,
  price_locked INTEGER NOT NULL DEFAULT 1 CHECK (price_locked IN (0, 1)),
  order_label TEXT,
  has_money_after_refund INTEGER NOT NULL DEFAULT 0 CHECK (has_money_after_refund IN (0, 1)),
  counter_id TEXT REFERENCES counters(id),
  tip TEXT,
  CHECK ((refunded_at IS NULL) = (refunded_by IS NULL))
) STRICT;
CREATE UNIQUE INDEX payments_open_order ON payments (merchant_id, mode, order_id) WHERE closed_at IS NULL
  AND cancelled_at IS NULL;
CREATE INDEX payments_by_merchant ON payments (merchant_id, mode, created_at, id, offered);
CREATE INDEX payments_by_status ON payments (merchant_id, mode, status, created_at, id, offered);
CREATE INDEX payments_by_customer
  ON payments (merchant_id, mode, customer_id, created_at, id, status, offered);
CREATE INDEX payments_by_order ON payments (merchant_id, mode, order_id, created_at, id, status, offered);
CREATE INDEX payments_due ON payments (expires_at, id) WHERE closed_at IS NULL
  AND status IN ('pending', 'underpaid');
CREATE INDEX payments_confirming ON payments (expires_at, id) WHERE status = 'confirming';
CREATE INDEX payments_by_update ON payments (merchant_id, mode, updated_at, id);
CREATE UNIQUE INDEX payments_renewing ON payments (renews) WHERE renews IS NOT NULL;
CREATE INDEX payments_by_group ON payments (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX payments_by_order_label ON payments (merchant_id, mode, order_label)
  WHERE order_label IS NOT NULL;
CREATE INDEX payments_by_exception ON payments (merchant_id, mode, exception, created_at, id)
  WHERE exception IS NOT NULL;
CREATE INDEX payments_waiting
  ON payments (
    merchant_id, mode, exception IS 'reversed' AND has_money_after_refund = 0, updated_at, id, exception,
    has_money_after_refund, sequence
  )
  WHERE has_money_after_refund = 1
  OR (
    status NOT IN ('confirming', 'refunded')
      AND (exception IN ('overpaid', 'multiple')) = (status = 'completed')
  );
CREATE INDEX payments_by_link ON payments (link_id, mode, status, currency, amount) WHERE link_id IS NOT NULL;
CREATE INDEX payments_by_counter ON payments (counter_id, mode, created_at) WHERE counter_id IS NOT NULL;
CREATE TRIGGER payments_counted AFTER INSERT ON payments
BEGIN
  INSERT INTO payment_counts VALUES (NEW.merchant_id, NEW.mode, NEW.status, NEW.offered, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
  INSERT INTO payment_day_counts
    VALUES (NEW.merchant_id, NEW.mode, NEW.created_at / 86400000, NEW.status, NEW.offered, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER payments_counted_anew AFTER UPDATE OF merchant_id, mode, status, offered, created_at
  ON payments
  WHEN (
    OLD.merchant_id, OLD.mode, OLD.status, OLD.offered, OLD.created_at
  ) <> (NEW.merchant_id, NEW.mode, NEW.status, NEW.offered, NEW.created_at)
BEGIN
  UPDATE payment_counts SET count = count - 1
    WHERE (merchant_id, mode, status, offered) = (OLD.merchant_id, OLD.mode, OLD.status, OLD.offered);
  UPDATE payment_day_counts SET count = count - 1
    WHERE (merchant_id, mode, day, status, offered) = (
      OLD.merchant_id, OLD.mode, OLD.created_at / 86400000, OLD.status, OLD.offered
    );
  INSERT INTO payment_counts VALUES (NEW.merchant_id, NEW.mode, NEW.status, NEW.offered, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
  INSERT INTO payment_day_counts
    VALUES (NEW.merchant_id, NEW.mode, NEW.created_at / 86400000, NEW.status, NEW.offered, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER payments_counted_out AFTER DELETE ON payments
BEGIN
  UPDATE payment_counts SET count = count - 1
    WHERE (merchant_id, mode, status, offered) = (OLD.merchant_id, OLD.mode, OLD.status, OLD.offered);
  UPDATE payment_day_counts SET count = count - 1
    WHERE (merchant_id, mode, day, status, offered) = (
      OLD.merchant_id, OLD.mode, OLD.created_at / 86400000, OLD.status, OLD.offered
    );
END;

CREATE TABLE payment_options (
  payment_id TEXT NOT NULL REFERENCES payments(id),
  coin TEXT NOT NULL,
  address_id INTEGER NOT NULL REFERENCES addresses(id),
  address TEXT NOT NULL,
  amount TEXT NOT NULL,
  rate TEXT NOT NULL,
  rate_sources_json TEXT NOT NULL,
  rate_at INTEGER NOT NULL,
  required_confirmations INTEGER NOT NULL CHECK (required_confirmations >= 1),
  required_finality TEXT CHECK (required_finality IN ('safe', 'finalized')),
  PRIMARY KEY (payment_id, coin)
) STRICT, WITHOUT ROWID;
CREATE INDEX payment_options_by_finality ON payment_options (coin, required_finality)
  WHERE required_finality IS NOT NULL;

CREATE TABLE payment_notes (
  payment_id TEXT PRIMARY KEY REFERENCES payments(id),
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  mode TEXT NOT NULL CHECK (mode IN ('live', 'sandbox')),
  note TEXT NOT NULL,
  creator_kind TEXT,
  creator_id TEXT,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX payment_notes_by_merchant ON payment_notes (merchant_id, mode);

CREATE TABLE payment_counts (
  merchant_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  status TEXT NOT NULL,
  offered INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, mode, status, offered)
) STRICT, WITHOUT ROWID;

CREATE TABLE payment_day_counts (
  merchant_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  day INTEGER NOT NULL,
  status TEXT NOT NULL,
  offered INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, mode, day, status, offered)
) STRICT, WITHOUT ROWID;

CREATE TABLE volume_totals (
  merchant_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  period_ms INTEGER NOT NULL,
  starts_at INTEGER NOT NULL,
  currency TEXT NOT NULL,
  coin TEXT NOT NULL,
  sum TEXT NOT NULL,
  payments INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, mode, period_ms, starts_at, currency, coin)
) STRICT, WITHOUT ROWID;

CREATE TABLE sellers (
  id INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  business_json TEXT NOT NULL,
  UNIQUE (merchant_id, business_json)
) STRICT;

CREATE TABLE receipts (
  payment_id TEXT PRIMARY KEY REFERENCES payments(id),
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  mode TEXT NOT NULL CHECK (mode IN ('live', 'sandbox')),
  series INTEGER NOT NULL,
  number INTEGER NOT NULL CHECK (number > 0),
  label TEXT NOT NULL,
  currency TEXT NOT NULL,
  minor TEXT NOT NULL,
  seller_id INTEGER REFERENCES sellers(id),
  issued_at INTEGER NOT NULL,
  tip_minor TEXT NOT NULL DEFAULT '0'
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX receipts_by_number ON receipts (merchant_id, mode, series, number);
CREATE INDEX receipts_by_time ON receipts (merchant_id, mode, issued_at, series, number);

CREATE TABLE refunds (
  send_id TEXT PRIMARY KEY REFERENCES sends(id),
  payment_id TEXT NOT NULL REFERENCES payments(id),
  coin TEXT NOT NULL,
  amount TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  fiat_amount TEXT,
  rate TEXT,
  link_id TEXT REFERENCES refund_links(id),
  position INTEGER NOT NULL DEFAULT 0,
  value TEXT,
  completed_json TEXT,
  unpriced TEXT NOT NULL DEFAULT '0',
  by_acceptance INTEGER NOT NULL DEFAULT 0 CHECK (by_acceptance IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX refunds_by_payment ON refunds (payment_id, created_at, send_id);

CREATE TABLE refund_links (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  payment_id TEXT NOT NULL REFERENCES payments(id),
  token_hash TEXT NOT NULL UNIQUE,
  token_sealed TEXT NOT NULL,
  amount TEXT NOT NULL,
  currency TEXT NOT NULL,
  rate TEXT NOT NULL CHECK (rate IN ('received', 'current')),
  amounts_json TEXT NOT NULL,
  approval INTEGER NOT NULL CHECK (approval IN (0, 1)),
  deduct_fee INTEGER NOT NULL CHECK (deduct_fee IN (0, 1)),
  reason TEXT,
  status TEXT NOT NULL CHECK (status IN ('open', 'claimed', 'approved', 'paid', 'expired', 'cancelled')),
  coin TEXT,
  claimed TEXT,
  destination TEXT,
  send_id TEXT REFERENCES sends(id),
  problem TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  claimed_at INTEGER,
  approved_at INTEGER,
  paid_at INTEGER,
  preset TEXT CHECK (preset IN ('all', 'excess')),
  claim_id TEXT,
  claim_checked INTEGER NOT NULL DEFAULT 0 CHECK (claim_checked IN (0, 1)),
  reopened_by TEXT CHECK (reopened_by IN ('amount', 'destination', 'send')),
  opened_complete INTEGER NOT NULL DEFAULT 0 CHECK (opened_complete IN (0, 1)),
  claim_value TEXT,
  claim_completed_json TEXT,
  cancel_reason TEXT,
  claim_unpriced TEXT NOT NULL DEFAULT '0',
  claim_by_acceptance INTEGER NOT NULL DEFAULT 0 CHECK (claim_by_acceptance IN (0, 1)),
  creator_kind TEXT,
  creator_id TEXT,
  requested_by TEXT NOT NULL DEFAULT 'merchant' CHECK (requested_by IN ('merchant', 'payer')),
  CHECK (
    status NOT IN ('claimed', 'approved', 'paid')
      OR (coin IS NOT NULL AND claimed IS NOT NULL AND destination IS NOT NULL)
  ),
  CHECK (send_id IS NULL OR status IN ('claimed', 'approved', 'paid'))
) STRICT, WITHOUT ROWID;
CREATE INDEX refund_links_by_payment ON refund_links (payment_id, created_at, id);
CREATE INDEX refund_links_by_merchant ON refund_links (merchant_id, created_at, id);
CREATE INDEX refund_links_open ON refund_links (expires_at) WHERE status = 'open';
CREATE INDEX refund_links_unsent ON refund_links (claimed_at) WHERE status IN ('claimed', 'approved')
  AND send_id IS NULL;
CREATE INDEX refund_links_payable ON refund_links (merchant_id)
  WHERE status IN ('open', 'claimed', 'approved') AND send_id IS NULL;

-- Ledger: addresses, the outputs they received, and the books

CREATE TABLE addresses (
  id INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  branch INTEGER NOT NULL CHECK (branch IN (0, 1)),
  idx INTEGER NOT NULL,
  address TEXT NOT NULL,
  watch_key TEXT NOT NULL,
  purpose TEXT NOT NULL CHECK (purpose IN ('wallet', 'payment', 'change', 'recovered')),
  payment_id TEXT REFERENCES payments(id),
  created_at INTEGER NOT NULL,
  UNIQUE (coin, mode, watch_key),
  UNIQUE (merchant_id, coin, mode, branch, idx)
) STRICT;
CREATE INDEX addresses_by_chain ON addresses (coin, mode, id);
CREATE INDEX addresses_by_payment ON addresses (payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX addresses_by_text ON addresses (merchant_id, mode, substr(address, 1, 12) COLLATE NOCASE)
  WHERE payment_id IS NOT NULL;

CREATE TABLE address_tips (
  address_id INTEGER PRIMARY KEY REFERENCES addresses(id),
  height INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE TABLE address_counters (
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  branch INTEGER NOT NULL,
  next_index INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, coin, mode, branch)
) STRICT, WITHOUT ROWID;

CREATE TABLE look_ahead_ranges (
  id INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  coin TEXT NOT NULL,
  branch INTEGER NOT NULL CHECK (branch IN (0, 1)),
  next_index INTEGER NOT NULL,
  until_index INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE watch_accounts (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  descriptor TEXT NOT NULL,
  first_receive TEXT NOT NULL,
  first_change TEXT NOT NULL,
  next_receive INTEGER NOT NULL,
  next_change INTEGER NOT NULL,
  confirmed_at INTEGER,
  pending_id TEXT,
  starts_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  list_size INTEGER
) STRICT;
CREATE UNIQUE INDEX watch_accounts_once ON watch_accounts (coin, mode, first_receive)
  WHERE confirmed_at IS NOT NULL;
CREATE INDEX watch_accounts_by_wallet ON watch_accounts (merchant_id, mode, coin, starts_at);
CREATE INDEX watch_lists ON watch_accounts (merchant_id, mode, coin) WHERE list_size IS NOT NULL
  AND starts_at IS NOT NULL;

CREATE TABLE watch_addresses (
  account_number INTEGER NOT NULL REFERENCES watch_accounts(number),
  idx INTEGER NOT NULL,
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  watch_key TEXT NOT NULL,
  address TEXT NOT NULL,
  confirmed INTEGER NOT NULL DEFAULT 0,
  given_at INTEGER,
  payment_id TEXT REFERENCES payments(id),
  chain_time INTEGER,
  PRIMARY KEY (account_number, idx)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX watch_addresses_once ON watch_addresses (coin, mode, watch_key) WHERE confirmed = 1;
CREATE TRIGGER watch_addresses_given BEFORE UPDATE OF given_at ON watch_addresses
  WHEN OLD.given_at IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'an address of a watched list is given out once');
END;
CREATE TRIGGER watch_addresses_kept BEFORE DELETE ON watch_addresses
  WHEN OLD.confirmed = 1
BEGIN
  SELECT RAISE(ABORT, 'an address of a confirmed list is kept');
END;

CREATE TABLE wallet_labels (
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('tx', 'addr', 'output')),
  ref TEXT NOT NULL,
  label TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, coin, mode, kind, ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE outputs (
  seq INTEGER PRIMARY KEY,
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  txid TEXT NOT NULL,
  vout INTEGER NOT NULL,
  address_id INTEGER NOT NULL REFERENCES addresses(id),
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  payment_id TEXT REFERENCES payments(id),
  amount TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('unconfirmed', 'confirmed', 'gone')),
  height INTEGER,
  block_hash TEXT,
  maturity INTEGER NOT NULL,
  first_seen_at INTEGER NOT NULL,
  late INTEGER NOT NULL CHECK (late IN (0, 1)),
  late_due TEXT,
  spent_by TEXT,
  spent_height INTEGER,
  send_id TEXT REFERENCES sends(id),
  updated_at INTEGER NOT NULL,
  awaited_depth INTEGER NOT NULL DEFAULT 0,
  confirmed_at INTEGER,
  rate TEXT,
  rate_at INTEGER,
  position INTEGER NOT NULL DEFAULT 0,
  watch_only INTEGER NOT NULL DEFAULT 0,
  CHECK ((state = 'confirmed') = (height IS NOT NULL)),
  UNIQUE (coin, mode, txid, vout)
) STRICT;
CREATE INDEX outputs_by_payment ON outputs (payment_id, state, coin, amount) WHERE payment_id IS NOT NULL;
CREATE INDEX outputs_unconfirmed ON outputs (coin, mode) WHERE state = 'unconfirmed';
CREATE INDEX outputs_by_height ON outputs (coin, mode, height, awaited_depth, payment_id)
  WHERE height IS NOT NULL;
CREATE INDEX outputs_spent_height ON outputs (coin, mode, spent_height) WHERE spent_height IS NOT NULL;
CREATE INDEX outputs_by_address ON outputs (address_id) WHERE state = 'confirmed' AND spent_height IS NULL;
CREATE INDEX outputs_held ON outputs (coin, mode, height) WHERE state = 'confirmed' AND spent_height IS NULL;
CREATE INDEX outputs_by_send ON outputs (send_id) WHERE send_id IS NOT NULL;
CREATE INDEX outputs_reserved ON outputs (coin, mode) WHERE send_id IS NOT NULL AND spent_by IS NULL;
CREATE INDEX outputs_spent_unconfirmed ON outputs (coin, mode, spent_height) WHERE spent_by IS NOT NULL
  AND spent_height IS NULL;
CREATE INDEX outputs_by_merchant ON outputs (merchant_id, mode, first_seen_at, coin);
CREATE INDEX outputs_unquoted ON outputs (coin, mode) WHERE late = 1 AND late_due IS NULL AND state <> 'gone';
CREATE INDEX outputs_by_spender ON outputs (coin, mode, spent_by) WHERE spent_height IS NOT NULL;
CREATE INDEX outputs_spendable
  ON outputs (
    merchant_id, coin, mode, watch_only, height, maturity, amount, state, spent_by, send_id, txid, vout
  )
  WHERE state = 'confirmed' AND spent_by IS NULL AND send_id IS NULL;
CREATE TRIGGER outputs_counted AFTER INSERT ON outputs
BEGIN
  INSERT INTO output_counts VALUES (NEW.merchant_id, NEW.mode, NEW.coin, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER outputs_counted_out AFTER DELETE ON outputs
BEGIN
  UPDATE output_counts SET count = count - 1 WHERE merchant_id = OLD.merchant_id AND mode = OLD.mode
    AND coin = OLD.coin;
END;

CREATE TABLE output_counts (
  merchant_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  coin TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, mode, coin)
) STRICT, WITHOUT ROWID;

CREATE TABLE frozen_outputs (
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  txid TEXT NOT NULL,
  vout INTEGER NOT NULL,
  frozen_at INTEGER NOT NULL,
  PRIMARY KEY (coin, mode, txid, vout)
) STRICT, WITHOUT ROWID;

CREATE TABLE unconfirmed_inputs (
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  txid TEXT NOT NULL,
  vout INTEGER NOT NULL,
  spender TEXT NOT NULL,
  parent_open INTEGER NOT NULL CHECK (parent_open IN (0, 1)),
  PRIMARY KEY (coin, mode, txid, vout, spender)
) STRICT, WITHOUT ROWID;

CREATE TABLE raw_transactions (
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  txid TEXT NOT NULL,
  raw TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  conflict_height INTEGER,
  PRIMARY KEY (coin, mode, txid)
) STRICT, WITHOUT ROWID;

CREATE TABLE movements (
  seq INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('payment', 'refund', 'send', 'sweep', 'fee', 'reversal')),
  amount TEXT NOT NULL,
  txid TEXT NOT NULL,
  vout INTEGER,
  payment_id TEXT REFERENCES payments(id),
  send_id TEXT REFERENCES sends(id),
  address TEXT,
  currency TEXT,
  rate TEXT,
  note TEXT,
  reverses INTEGER REFERENCES movements(seq),
  CHECK ((kind = 'reversal') = (reverses IS NOT NULL)),
  CHECK (rate IS NULL OR currency IS NOT NULL)
) STRICT;
CREATE INDEX movements_by_merchant ON movements (merchant_id, mode, at);
CREATE INDEX movements_by_transaction ON movements (coin, mode, txid);
CREATE UNIQUE INDEX movements_reversed ON movements (reverses) WHERE reverses IS NOT NULL;

-- Sends, with the signed bytes of each version

CREATE TABLE sends (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  destination TEXT NOT NULL,
  subtract_fee INTEGER NOT NULL,
  ordered TEXT NOT NULL,
  amount TEXT NOT NULL,
  fee TEXT NOT NULL,
  purpose TEXT NOT NULL CHECK (purpose IN ('send', 'sweep')),
  lane TEXT,
  nonce INTEGER,
  version INTEGER NOT NULL,
  height INTEGER,
  error TEXT,
  idempotency_key TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  next_broadcast_at INTEGER,
  broadcasts INTEGER NOT NULL,
  announced_txid TEXT,
  confirmed_txid TEXT,
  everything INTEGER NOT NULL DEFAULT 0,
  note TEXT,
  displaced_height INTEGER,
  max_fee TEXT NOT NULL DEFAULT '0',
  draws_on TEXT,
  fee_limited_at INTEGER,
  status TEXT NOT NULL DEFAULT 'signed'
    CHECK (status IN ('preparing', 'signed', 'broadcast', 'confirmed', 'failed')),
  txid TEXT,
  part_of TEXT REFERENCES sends(id),
  parts INTEGER NOT NULL DEFAULT 0,
  parts_confirmed INTEGER NOT NULL DEFAULT 0,
  parts_fee TEXT NOT NULL DEFAULT '0',
  ordered_rate TEXT,
  queue_account TEXT,
  queue_position INTEGER,
  queued INTEGER NOT NULL DEFAULT 0,
  draws_on_version INTEGER,
  unfunded_since INTEGER,
  creator_kind TEXT,
  creator_id TEXT,
  leaving TEXT,
  values_json TEXT,
  reason TEXT,
  outputs_json TEXT,
  coin_control INTEGER NOT NULL DEFAULT 0,
  fee_terms_json TEXT,
  by_psbt INTEGER NOT NULL DEFAULT 0,
  watch_id TEXT
) STRICT;
CREATE INDEX sends_by_merchant ON sends (merchant_id, created_at, id);
CREATE UNIQUE INDEX sends_idempotency ON sends (merchant_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX sends_by_lane ON sends (lane, nonce) WHERE lane IS NOT NULL;
CREATE INDEX sends_drawing ON sends (draws_on) WHERE draws_on IS NOT NULL;
CREATE INDEX sends_open ON sends (coin, mode, next_broadcast_at) WHERE status IN ('signed', 'broadcast');
CREATE INDEX sends_preparing ON sends (coin, mode, next_broadcast_at) WHERE status = 'preparing';
CREATE INDEX sends_by_whole ON sends (part_of) WHERE part_of IS NOT NULL;
CREATE UNIQUE INDEX sends_by_queue ON sends (queue_account, queue_position) WHERE queue_account IS NOT NULL;
CREATE INDEX sends_queue_open ON sends (queue_account, queue_position) WHERE queue_account IS NOT NULL
  AND status IN ('signed', 'broadcast');
CREATE INDEX sends_queued ON sends (coin, mode, queue_account) WHERE queued = 1;
CREATE INDEX sends_fee_limited ON sends (fee_limited_at) WHERE fee_limited_at IS NOT NULL
  AND status IN ('preparing', 'signed', 'broadcast');
CREATE INDEX sends_failed ON sends (merchant_id, mode, updated_at) WHERE status = 'failed'
  AND purpose = 'send';
CREATE INDEX sends_forwarded ON sends (merchant_id, mode, coin, created_at) WHERE reason = 'forward';
CREATE TRIGGER sends_budget_covers_versions BEFORE UPDATE OF max_fee ON sends
  WHEN EXISTS (
    SELECT 1 FROM send_versions WHERE send_id = NEW.id
      AND (length(fee), fee) > (length(NEW.max_fee), NEW.max_fee)
  )
BEGIN
  SELECT RAISE(ABORT, 'a fee budget is below a version of its send');
END;
CREATE TRIGGER sends_budget_covers_shares BEFORE UPDATE OF max_fee ON sends
  WHEN EXISTS (SELECT 1 FROM sends WHERE draws_on = NEW.id)
    AND CAST(NEW.max_fee AS INTEGER) < (
      coalesce(
        (
          SELECT sum(
            (SELECT max(CAST(fee AS INTEGER)) FROM send_versions WHERE send_versions.send_id = part.id)
          )
            FROM sends AS part WHERE part.draws_on = NEW.id AND part.draws_on_version IS NULL
            AND part.status <> 'failed'
        ),
        0
      )
      + coalesce(
        (
          SELECT max(
            CAST(own.fee AS INTEGER)
            + coalesce(
              (
                SELECT sum(
                  (SELECT max(CAST(fee AS INTEGER)) FROM send_versions WHERE send_versions.send_id = child.id)
                )
                  FROM sends AS child WHERE child.draws_on = NEW.id AND child.draws_on_version = own.version
                  AND child.status <> 'failed'
              ),
              0
            )
          )
            FROM send_versions AS own WHERE own.send_id = NEW.id
        ),
        0
      )
    )
BEGIN
  SELECT RAISE(ABORT, 'a fee budget is below what is signed within it');
END;

CREATE TABLE send_versions (
  send_id TEXT NOT NULL REFERENCES sends(id),
  version INTEGER NOT NULL,
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  txid TEXT NOT NULL,
  raw TEXT NOT NULL,
  fee TEXT NOT NULL,
  fee_rate TEXT NOT NULL,
  plan_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  change_index INTEGER,
  cancels INTEGER NOT NULL DEFAULT 0,
  balance_change TEXT,
  PRIMARY KEY (send_id, version),
  UNIQUE (coin, mode, txid)
) STRICT;
CREATE TRIGGER send_versions_within_budget BEFORE INSERT ON send_versions
  WHEN (length(NEW.fee), NEW.fee) > (SELECT length(max_fee), max_fee FROM sends WHERE id = NEW.send_id)
BEGIN
  SELECT RAISE(ABORT, 'a version costs more than the fee budget of its send');
END;
CREATE TRIGGER send_versions_within_shared_budget AFTER INSERT ON send_versions
  WHEN EXISTS (
    SELECT 1 FROM sends WHERE draws_on = (SELECT coalesce(draws_on, id) FROM sends WHERE id = NEW.send_id)
  )
    AND (SELECT CAST(max_fee AS INTEGER) FROM sends WHERE id = (SELECT coalesce(draws_on, id) FROM sends WHERE id = NEW.send_id)) < (
      coalesce(
        (
          SELECT sum(
            (SELECT max(CAST(fee AS INTEGER)) FROM send_versions WHERE send_versions.send_id = part.id)
          )
            FROM sends AS part
            WHERE part.draws_on = (SELECT coalesce(draws_on, id) FROM sends WHERE id = NEW.send_id)
            AND part.draws_on_version IS NULL AND part.status <> 'failed'
        ),
        0
      )
      + coalesce(
        (
          SELECT max(
            CAST(own.fee AS INTEGER)
            + coalesce(
              (
                SELECT sum(
                  (SELECT max(CAST(fee AS INTEGER)) FROM send_versions WHERE send_versions.send_id = child.id)
                )
                  FROM sends AS child
                  WHERE child.draws_on = (SELECT coalesce(draws_on, id) FROM sends WHERE id = NEW.send_id)
                  AND child.draws_on_version = own.version AND child.status <> 'failed'
              ),
              0
            )
          )
            FROM send_versions AS own
            WHERE own.send_id = (SELECT coalesce(draws_on, id) FROM sends WHERE id = NEW.send_id)
        ),
        0
      )
    )
BEGIN
  SELECT RAISE(ABORT, 'a version costs more than the fee budget that its send shares');
END;

CREATE TABLE fee_levels (
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  rate TEXT NOT NULL,
  input_cost TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (coin, mode)
) STRICT, WITHOUT ROWID;

CREATE TABLE wallet_freezes (
  subject TEXT PRIMARY KEY,
  frozen_at INTEGER NOT NULL,
  frozen_by TEXT NOT NULL,
  reason TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE wallet_limits (
  merchant_id TEXT PRIMARY KEY REFERENCES merchants(id),
  limits_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  confirmed_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE send_approvals (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('send', 'refund', 'claim')),
  destination TEXT NOT NULL,
  subtract_fee INTEGER NOT NULL,
  ordered TEXT NOT NULL,
  amount TEXT NOT NULL,
  fee TEXT NOT NULL,
  max_fee TEXT NOT NULL,
  note TEXT,
  request_json TEXT NOT NULL,
  reasons_json TEXT NOT NULL,
  payment_id TEXT,
  link_id TEXT,
  claim_id TEXT,
  creator_kind TEXT,
  creator_id TEXT,
  asker_id TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'expired')),
  idempotency_key TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_by TEXT,
  outputs_json TEXT,
  watch_id TEXT
) STRICT;
CREATE UNIQUE INDEX send_approvals_idempotency ON send_approvals (merchant_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX send_approvals_by_merchant ON send_approvals (merchant_id, mode, created_at, id);
CREATE INDEX send_approvals_pending ON send_approvals (expires_at) WHERE status = 'pending';
CREATE INDEX send_approvals_by_link ON send_approvals (link_id) WHERE link_id IS NOT NULL;
CREATE INDEX send_approvals_waiting ON send_approvals (merchant_id, mode, created_at, id)
  WHERE status = 'pending';

CREATE TABLE send_psbts (
  send_id TEXT PRIMARY KEY REFERENCES sends(id),
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  txid TEXT NOT NULL,
  account_number INTEGER NOT NULL REFERENCES watch_accounts(number),
  psbt TEXT,
  required INTEGER NOT NULL,
  collected INTEGER NOT NULL,
  plan_json TEXT NOT NULL,
  change_index INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  check_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX send_psbts_by_txid ON send_psbts (coin, mode, txid);
CREATE INDEX send_psbts_open ON send_psbts (coin, mode, check_at) WHERE psbt IS NOT NULL;

CREATE TABLE send_psbt_inputs (
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  txid TEXT NOT NULL,
  vout INTEGER NOT NULL,
  send_id TEXT NOT NULL REFERENCES send_psbts(send_id),
  PRIMARY KEY (coin, mode, txid, vout, send_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE wallet_forwards (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  destination TEXT,
  keep TEXT NOT NULL,
  threshold TEXT NOT NULL,
  interval_ms INTEGER NOT NULL,
  active INTEGER NOT NULL,
  pending_id TEXT,
  pending_destination TEXT,
  pending_at INTEGER,
  runs INTEGER NOT NULL,
  last_run_at INTEGER,
  last_send_id TEXT,
  problem TEXT,
  problem_message TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (merchant_id, mode, coin)
) STRICT;

CREATE TABLE forward_counters (
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  descriptor TEXT NOT NULL,
  next_index INTEGER NOT NULL,
  PRIMARY KEY (coin, mode, descriptor)
) STRICT, WITHOUT ROWID;

-- Chains: how far each is read

CREATE TABLE chain_cursors (
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  height INTEGER NOT NULL,
  hash TEXT NOT NULL,
  safe_height INTEGER,
  finalized_height INTEGER,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (coin, mode)
) STRICT, WITHOUT ROWID;

CREATE TABLE chain_blocks (
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  height INTEGER NOT NULL,
  hash TEXT NOT NULL,
  time_ms INTEGER NOT NULL,
  PRIMARY KEY (coin, mode, height)
) STRICT, WITHOUT ROWID;

CREATE TABLE chain_gaps (
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  after_height INTEGER NOT NULL,
  before_height INTEGER NOT NULL,
  found_at INTEGER NOT NULL,
  reason TEXT NOT NULL DEFAULT 'lost' CHECK (reason IN ('lost', 'skipped')),
  PRIMARY KEY (coin, mode, after_height)
) STRICT, WITHOUT ROWID;

CREATE TABLE unread_transactions (
  coin TEXT NOT NULL,
  mode TEXT NOT NULL,
  txid TEXT NOT NULL,
  height INTEGER NOT NULL,
  watch_key TEXT,
  reason TEXT NOT NULL,
  unknown_version INTEGER NOT NULL CHECK (unknown_version IN (0, 1)),
  first_seen_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  retry_at INTEGER NOT NULL,
  PRIMARY KEY (coin, mode, txid)
) STRICT, WITHOUT ROWID;

-- Events and webhooks

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  mode TEXT NOT NULL,
  type TEXT NOT NULL,
  payment_id TEXT REFERENCES payments(id),
  send_id TEXT REFERENCES sends(id),
  sequence INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  body_json BLOB,
  subscription_id TEXT REFERENCES subscriptions(id)
) STRICT;
CREATE UNIQUE INDEX events_by_payment ON events (payment_id, sequence) WHERE payment_id IS NOT NULL;
CREATE INDEX events_by_merchant ON events (merchant_id, seq, type);
CREATE INDEX events_of_sandbox ON events (merchant_id, seq, type) WHERE mode = 'sandbox';
CREATE UNIQUE INDEX events_by_subscription ON events (subscription_id, sequence)
  WHERE subscription_id IS NOT NULL;
CREATE TRIGGER events_counted AFTER INSERT ON events
BEGIN
  INSERT INTO event_counts VALUES (NEW.merchant_id, NEW.type, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER events_counted_out AFTER DELETE ON events
BEGIN
  UPDATE event_counts SET count = count - 1 WHERE merchant_id = OLD.merchant_id AND type = OLD.type;
END;

CREATE TABLE event_counts (
  merchant_id TEXT NOT NULL,
  type TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, type)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  event_id TEXT NOT NULL REFERENCES events(id),
  event_seq INTEGER NOT NULL,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  payment_id TEXT REFERENCES payments(id),
  order_key TEXT NOT NULL,
  url TEXT NOT NULL,
  origin TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  lease_until INTEGER,
  lease_token TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  endpoint_id TEXT,
  mode TEXT NOT NULL DEFAULT 'live',
  event_type TEXT NOT NULL DEFAULT '',
  replaced INTEGER NOT NULL DEFAULT 0 CHECK (replaced IN (0, 1))
) STRICT;
CREATE INDEX deliveries_due_again ON deliveries (lease_until) WHERE lease_token IS NOT NULL;
CREATE INDEX deliveries_order ON deliveries (order_key, event_seq) WHERE status = 'pending';
CREATE INDEX deliveries_by_event ON deliveries (event_id);
CREATE INDEX deliveries_by_age ON deliveries (created_at) WHERE status <> 'pending';
CREATE INDEX deliveries_due ON deliveries (origin, next_attempt_at, event_seq, updated_at)
  WHERE status = 'pending' AND lease_token IS NULL;
CREATE INDEX deliveries_listed ON deliveries (merchant_id, created_at, id, mode, event_type, endpoint_id)
  WHERE replaced = 0;
CREATE INDEX deliveries_undelivered
  ON deliveries (merchant_id, status, replaced, created_at, id, mode, event_type, endpoint_id)
  WHERE status <> 'delivered';
CREATE TRIGGER deliveries_counted AFTER INSERT ON deliveries
BEGIN
  INSERT INTO delivery_counts
    SELECT NEW.merchant_id, NEW.created_at / 86400000, NEW.mode, NEW.event_type,
      coalesce(NEW.endpoint_id, ''), 1
    WHERE NEW.replaced = 0 ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER deliveries_counted_anew AFTER UPDATE OF merchant_id, created_at, mode, event_type, endpoint_id,
  replaced
  ON deliveries
BEGIN
  UPDATE delivery_counts SET count = count - 1 WHERE OLD.replaced = 0
    AND (merchant_id, day, mode, event_type, endpoint_id) = (
      OLD.merchant_id, OLD.created_at / 86400000, OLD.mode, OLD.event_type, coalesce(OLD.endpoint_id, '')
    );
  DELETE FROM delivery_counts
    WHERE (merchant_id, day, mode, event_type, endpoint_id) = (
      OLD.merchant_id, OLD.created_at / 86400000, OLD.mode, OLD.event_type, coalesce(OLD.endpoint_id, '')
    )
    AND count = 0;
  INSERT INTO delivery_counts
    SELECT NEW.merchant_id, NEW.created_at / 86400000, NEW.mode, NEW.event_type,
      coalesce(NEW.endpoint_id, ''), 1
    WHERE NEW.replaced = 0 ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER deliveries_counted_out AFTER DELETE ON deliveries
BEGIN
  UPDATE delivery_counts SET count = count - 1 WHERE OLD.replaced = 0
    AND (merchant_id, day, mode, event_type, endpoint_id) = (
      OLD.merchant_id, OLD.created_at / 86400000, OLD.mode, OLD.event_type, coalesce(OLD.endpoint_id, '')
    );
  DELETE FROM delivery_counts
    WHERE (merchant_id, day, mode, event_type, endpoint_id) = (
      OLD.merchant_id, OLD.created_at / 86400000, OLD.mode, OLD.event_type, coalesce(OLD.endpoint_id, '')
    )
    AND count = 0;
END;

CREATE TABLE delivery_counts (
  merchant_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  mode TEXT NOT NULL,
  event_type TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, day, mode, event_type, endpoint_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_logs (
  id TEXT PRIMARY KEY,
  delivery_id TEXT NOT NULL REFERENCES deliveries(id),
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  payment_id TEXT,
  endpoint TEXT NOT NULL,
  status INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  error TEXT,
  size_bytes INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  event_type TEXT,
  exchange_json BLOB
) STRICT;
CREATE INDEX webhook_logs_by_merchant ON webhook_logs (merchant_id, created_at, id, status);
CREATE INDEX webhook_logs_by_status ON webhook_logs (merchant_id, status, created_at, id) WHERE status <> 200;
CREATE INDEX webhook_logs_by_age ON webhook_logs (created_at, id, size_bytes);
CREATE INDEX webhook_logs_by_delivery ON webhook_logs (delivery_id);
CREATE INDEX webhook_logs_by_event_type ON webhook_logs (merchant_id, event_type, created_at, id);
CREATE TRIGGER webhook_logs_counted AFTER INSERT ON webhook_logs
BEGIN
  INSERT INTO webhook_log_counts
    VALUES (NEW.merchant_id, NEW.created_at / 86400000, NEW.status, 1, NEW.size_bytes)
    ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER webhook_logs_counted_anew AFTER UPDATE OF merchant_id, created_at, status, size_bytes
  ON webhook_logs
BEGIN
  UPDATE webhook_log_counts SET count = count - 1, bytes = bytes - OLD.size_bytes
    WHERE (merchant_id, day, status) = (OLD.merchant_id, OLD.created_at / 86400000, OLD.status);
  DELETE FROM webhook_log_counts
    WHERE (merchant_id, day, status) = (OLD.merchant_id, OLD.created_at / 86400000, OLD.status) AND count = 0;
  INSERT INTO webhook_log_counts
    VALUES (NEW.merchant_id, NEW.created_at / 86400000, NEW.status, 1, NEW.size_bytes)
    ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER webhook_logs_counted_out AFTER DELETE ON webhook_logs
BEGIN
  UPDATE webhook_log_counts SET count = count - 1, bytes = bytes - OLD.size_bytes
    WHERE (merchant_id, day, status) = (OLD.merchant_id, OLD.created_at / 86400000, OLD.status);
  DELETE FROM webhook_log_counts
    WHERE (merchant_id, day, status) = (OLD.merchant_id, OLD.created_at / 86400000, OLD.status) AND count = 0;
END;

CREATE TABLE webhook_log_counts (
  merchant_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  status INTEGER NOT NULL,
  count INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, day, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_endpoints (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  url TEXT NOT NULL,
  events_json TEXT,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  secret_sealed TEXT NOT NULL,
  old_secret_sealed TEXT,
  old_secret_until INTEGER,
  gone_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  creator_kind TEXT,
  creator_id TEXT
) STRICT;
CREATE INDEX webhook_endpoints_by_merchant ON webhook_endpoints (merchant_id, created_at, id);
CREATE TRIGGER webhook_endpoints_deleted AFTER DELETE ON webhook_endpoints
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    VALUES (lower(hex(randomblob(8))), 'endpoint', OLD.id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER webhook_endpoint_secrets_rotated AFTER UPDATE OF secret_sealed ON webhook_endpoints
  WHEN NEW.secret_sealed <> OLD.secret_sealed
BEGIN
  INSERT INTO revocations (id, kind, subject, at)
    VALUES (lower(hex(randomblob(8))), 'endpoint-secret', OLD.id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;

CREATE TABLE endpoint_health (
  endpoint_id TEXT PRIMARY KEY,
  last_success_at INTEGER,
  last_failure_at INTEGER,
  last_error TEXT,
  failures INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE gone_endpoints (
  merchant_id TEXT NOT NULL REFERENCES merchants(id),
  payment_id TEXT NOT NULL,
  url TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, payment_id, url)
) STRICT, WITHOUT ROWID;

-- The daemon itself, and the networks of the sandbox

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE idempotency (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  route TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('in_flight', 'done')),
  status INTEGER,
  body_sealed TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (scope, key)
) STRICT;
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE sim_blocks (
  coin TEXT NOT NULL,
  height INTEGER NOT NULL,
  hash TEXT NOT NULL,
  parent_hash TEXT NOT NULL,
  time_ms INTEGER NOT NULL,
  PRIMARY KEY (coin, height)
) STRICT, WITHOUT ROWID;

CREATE TABLE sim_transactions (
  coin TEXT NOT NULL,
  txid TEXT NOT NULL,
  height INTEGER,
  state TEXT NOT NULL CHECK (state IN ('mempool', 'mined', 'dropped')),
  body_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (coin, txid)
) STRICT;
CREATE INDEX sim_transactions_by_height ON sim_transactions (coin, height) WHERE state = 'mined';
CREATE INDEX sim_transactions_mempool ON sim_transactions (coin) WHERE state = 'mempool';

CREATE TABLE sim_spends (
  coin TEXT NOT NULL,
  txid TEXT NOT NULL,
  vout INTEGER NOT NULL,
  by_txid TEXT NOT NULL,
  PRIMARY KEY (coin, txid, vout, by_txid)
) STRICT, WITHOUT ROWID;
