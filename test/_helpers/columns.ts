import { sql } from 'kysely';

/** The columns that rows made by hand fill in, so that later ones keep their defaults. */
export const MERCHANT_COLUMNS = sql.raw(
  `(id, user_id, account, name, description, domain, domain_token, domain_verified_at, webhook_url, webhook_secret_sealed,
    webhook_old_secret_sealed, webhook_old_secret_until, sandbox, payment_lifetime_minutes, tolerance_bps, late_policy,
    created_at, updated_at)`,
);
export const OUTPUT_COLUMNS = sql.raw(
  `(seq, coin, mode, txid, vout, address_id, merchant_id, payment_id, amount, state, height, block_hash, maturity,
    first_seen_at, late, late_due, spent_by, spent_height, send_id, updated_at, awaited_depth, confirmed_at)`,
);
