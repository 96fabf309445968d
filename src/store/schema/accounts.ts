import type { Generated, Selectable } from 'kysely';
import type { Flag } from './flag.ts';

export interface UserRow {
  id: string;
  email: string;
  email_key: string;
  password_hash: string;
  is_verified: Flag;
  token_version: number;
  created_at: number;
  updated_at: number;
}

/** A mailed link. Only the newest of each purpose is valid. */
export interface AccountTokenRow {
  user_id: string;
  purpose: 'verify-email' | 'reset-password';
  /** SHA-256 of the token; the token itself is only in the mail. */
  token_hash: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

export interface SecondFactorRow {
  user_id: string;
  secret_sealed: string;
  /** Null until the first code confirms the set-up. */
  enabled_at: number | null;
  /** Newest TOTP step that was accepted; that one and older ones are rejected. */
  last_step: number;
  created_at: number;
}

export interface RecoveryCodeRow {
  user_id: string;
  code_hash: string;
  used_at: number | null;
}

/** A network from which its user has signed in, stored as a hash. */
export interface KnownNetworkRow {
  user_id: string;
  network_hash: string;
  last_used_at: number;
}

export interface MailRow {
  id: string;
  /** Null for mails to the operator of this server, or to a payer. */
  user_id: string | null;
  kind: 'verify-email' | 'reset-password' | 'notice' | 'shop-notice' | 'receipt';
  state: 'pending' | 'sent' | 'failed';
  /** The whole message, sealed because it contains a token; erased once settled. */
  body_sealed: string | null;
  attempts: number;
  next_attempt_at: number;
  /** When the mail becomes useless. */
  expires_at: number;
  last_error: string | null;
  /**
   * Digest of a mailbox that its owner has not confirmed, for a day; null: an address of the account, or no
   * longer counted.
   */
  recipient_hash: string | null;
  created_at: number;
  updated_at: number;
}

/** A browser that is signed in to the dashboard. */
export interface SessionRow {
  id: string;
  user_id: string;
  /** SHA-256 of the token; the token itself is only in the cookie. */
  token_hash: string;
  /** The user's version when the session began: the session is valid while both are equal. */
  token_version: number;
  /** Address and user agent, sealed, because the database need not reveal the locations of its users. */
  client_sealed: string;
  created_at: number;
  last_used_at: number;
  expires_at: number;
  /** When its user last proved their identity for an action that moves money. */
  stepped_up_at: number | null;
}

/** A public key credential (WebAuthn) with which its user signs in. */
export interface PasskeyRow {
  id: string;
  user_id: string;
  /** Chosen by the authenticator; base64url. */
  credential_id: string;
  /** COSE key in base64url. */
  public_key: string;
  /** Counter of the last signature; 0 for authenticators without one, such as synced ones. */
  counter: number;
  transports_json: string;
  /** Domain it was created for; invalid on any other. */
  rp_id: string;
  name: string;
  backed_up: Flag;
  created_at: number;
  last_used_at: number | null;
}

/** The kinds of revocations, each with the format of its subject. */
export const REVOCATION_KINDS = [
  'key', // id of the key
  'retired-key', // id of the key/ms of its end
  'member', // shop/user
  'role', // shop/user/role
  'invitation', // id
  'passkey', // id
  'factor', // user
  'password', // user
  'recovery-code', // user/SHA-256
  'session', // id
  'tokens', // user/version from which on they count
  'endpoint', // id of a webhook endpoint that was deleted
  'endpoint-secret', // id of a webhook endpoint whose secret was rotated
  'webhook-url', // shop whose webhookUrl was removed
  'webhook-secret', // shop whose webhook secret was rotated
] as const;
export type RevocationKind = (typeof REVOCATION_KINDS)[number];

/** Maintained by triggers, except for passwords. */
export interface RevocationTable {
  /** Ascends with time. */
  seq: Generated<number>;
  /** Random: the same in the list outside the database. */
  id: string;
  kind: RevocationKind;
  subject: string;
  at: number;
}

export type RevocationRow = Selectable<RevocationTable>;

/** An answered challenge, stored until it would have expired. */
export interface SpentChallengeRow {
  challenge_hash: string;
  expires_at: number;
}
