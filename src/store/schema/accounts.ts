import type { Generated, Selectable } from 'kysely';

export interface UserRow {
  id: string;
  email: string;
  emailKey: string;
  passwordHash: string;
  isVerified: boolean;
  tokenVersion: number;
  createdAt: number;
  updatedAt: number;
}

/** A mailed link. Only the newest of each purpose is valid. */
export interface AccountTokenRow {
  userId: string;
  purpose: 'verify-email' | 'reset-password';
  /** SHA-256 of the token; the token itself is only in the mail. */
  tokenHash: string;
  createdAt: number;
  expiresAt: number;
  usedAt: number | null;
}

export interface SecondFactorRow {
  userId: string;
  secretSealed: string;
  /** Null until the first code confirms the set-up. */
  enabledAt: number | null;
  /** Newest TOTP step that was accepted; that one and older ones are rejected. */
  lastStep: number;
  createdAt: number;
}

export interface RecoveryCodeRow {
  userId: string;
  codeHash: string;
  usedAt: number | null;
}

/** A network from which its user has signed in, stored as a hash. */
export interface KnownNetworkRow {
  userId: string;
  networkHash: string;
  lastUsedAt: number;
}

export interface MailRow {
  id: string;
  /** Null for mails to the operator of this server, or to a payer. */
  userId: string | null;
  kind:
    | 'verify-email'
    | 'reset-password'
    | 'notice'
    | 'shop-notice'
    | 'receipt'
    | 'subscription'
    | 'subscription-start';
  state: 'pending' | 'sent' | 'failed';
  /** The whole message, sealed because it contains a token; erased once settled. */
  bodySealed: string | null;
  attempts: number;
  nextAttemptAt: number;
  /** When the mail becomes useless. */
  expiresAt: number;
  lastError: string | null;
  /**
   * Digest of a mailbox that its owner has not confirmed, for a day; null: an address of the account, or no
   * longer counted.
   */
  recipientHash: string | null;
  createdAt: number;
  updatedAt: number;
}

/** A browser that is signed in to the dashboard. */
export interface SessionRow {
  id: string;
  userId: string;
  /** SHA-256 of the token; the token itself is only in the cookie. */
  tokenHash: string;
  /** The user's version when the session began: the session is valid while both are equal. */
  tokenVersion: number;
  /** Address and user agent, sealed, because the database need not reveal the locations of its users. */
  clientSealed: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
  /** When its user last proved their identity for an action that moves money. */
  steppedUpAt: number | null;
}

/** A public key credential (WebAuthn) with which its user signs in. */
export interface PasskeyRow {
  id: string;
  userId: string;
  /** Chosen by the authenticator; base64url. */
  credentialId: string;
  /** COSE key in base64url. */
  publicKey: string;
  /** Counter of the last signature; 0 for authenticators without one, such as synced ones. */
  counter: number;
  transportsJson: string;
  /** Domain it was created for; invalid on any other. */
  rpId: string;
  name: string;
  backedUp: boolean;
  createdAt: number;
  lastUsedAt: number | null;
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
  'wallet-freeze', // shop whose wallet was frozen, or `all`
  'wallet-unfreeze', // the same, unfrozen
  'wallet-limits', // shop whose limits were changed
  'counter', // id of a counter/SHA-256 of the token of its device
] as const;
export type RevocationKind = (typeof REVOCATION_KINDS)[number];

/** Maintained by triggers, except for passwords, freezes and limits. */
export interface RevocationTable {
  /** Ascends with time. */
  seq: Generated<number>;
  /** Random: the same in the list outside the database. */
  id: string;
  /** A `RevocationKind`, or one of a newer release, from the list outside the database. */
  kind: string;
  subject: string;
  at: number;
}

export type RevocationRow = Selectable<RevocationTable>;

/** An answered challenge, stored until it would have expired. */
export interface SpentChallengeRow {
  challengeHash: string;
  expiresAt: number;
}
