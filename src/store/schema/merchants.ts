import type { LogoType } from '../../domain/branding.ts';
import type { VerificationMethod } from '../../domain/domain-verification.ts';
import type { LatePolicy } from '../../domain/payment/types.ts';
import type { CreatorColumns } from './creator.ts';
import type { Flag } from './flag.ts';

export interface MerchantRow {
  id: string;
  user_id: string;
  account: number;
  name: string;
  description: string | null;
  domain: string;
  domain_token: string;
  domain_verified_at: number | null;
  webhook_url: string | null;
  webhook_secret_sealed: string;
  /** The secret before the last rotation, still used for signing until the time below. */
  webhook_old_secret_sealed: string | null;
  webhook_old_secret_until: number | null;
  sandbox: Flag;
  payment_lifetime_minutes: number;
  tolerance_bps: number;
  late_policy: LatePolicy;
  /** Sites that may embed the checkout in a frame besides the verified domain: origins, a JSON array. */
  embed_origins_json: string;
  /** ISO 4217: the currency of the owner's totals. Prices may be in any other. */
  currency: string;
  /** IANA name of the owner's time zone for days; null: not chosen. */
  time_zone: string | null;
  /** Contact for payers: an email address or an https URL. */
  support_contact: string | null;
  /** `#rrggbb` in lower case. */
  accent_color: string | null;
  /** Hash of the logo in merchant_logos; null: none. */
  logo_hash: string | null;
  /** Whether payers may renew expired payments that the shop created. */
  renew_expired: Flag;
  /**
   * Since when secret keys, keys with wallet:send and members wait for the owner's confirmation; null: they
   * are valid.
   */
  suspended_at: number | null;
  /** The end of the latest past range of the books that was read, ms: no line is written before it. */
  books_closed_until: number;
  created_at: number;
  updated_at: number;
}

export interface MerchantLogoRow {
  merchant_id: string;
  /** Base64url of the SHA-256 of the bytes. */
  hash: string;
  type: LogoType;
  bytes: Buffer;
}

/** Exists once the merchant has chosen how to verify its domain; see DomainState. */
export interface DomainCheckRow {
  merchant_id: string;
  method: VerificationMethod;
  proven_method: VerificationMethod | null;
  chosen_at: number;
  revoked_at: number | null;
  checked_at: number | null;
  last_error: string | null;
  failures: number;
  failed_since: number | null;
  next_check_at: number | null;
}

export interface ApiKeyRow {
  id: string;
  merchant_id: string;
  kind: 'public' | 'secret';
  key_hash: string;
  /** The whole key for public keys; null for secret ones. */
  public_value: string | null;
  prefix: string;
  last_four: string;
  created_at: number;
  /** End of the grace period after a regeneration; null while it is the current key. */
  expires_at: number | null;
  last_used_at: number | null;
}

/** A key of a merchant that may do only what its scopes permit; see domain/scopes.ts for their text form. */
export interface RestrictedKeyRow extends CreatorColumns {
  id: string;
  merchant_id: string;
  name: string;
  scopes: string;
  key_hash: string;
  prefix: string;
  last_four: string;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

/** An owner's approval, until a shop exchanges the code for a restricted key, whose creator is the owner. */
export interface ConnectCodeRow extends CreatorColumns {
  code_hash: string;
  merchant_id: string;
  name: string;
  scopes: string;
  /** Base64url of the SHA-256 of the code verifier (RFC 7636, S256). */
  code_challenge: string;
  created_at: number;
  expires_at: number;
}
