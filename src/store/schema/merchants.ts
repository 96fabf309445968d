import type { LogoType } from '../../domain/branding.ts';
import type { VerificationMethod } from '../../domain/domain-verification.ts';
import type { LatePolicy } from '../../domain/payment/types.ts';
import type { CreatorColumns } from './creator.ts';

export interface MerchantRow {
  id: string;
  userId: string;
  account: number;
  name: string;
  description: string | null;
  domain: string;
  domainToken: string;
  domainVerifiedAt: number | null;
  webhookUrl: string | null;
  webhookSecretSealed: string;
  /** The secret before the last rotation, still used for signing until the time below. */
  webhookOldSecretSealed: string | null;
  webhookOldSecretUntil: number | null;
  sandbox: boolean;
  paymentLifetimeMinutes: number;
  toleranceBps: number;
  latePolicy: LatePolicy;
  /** Sites that may embed the checkout in a frame besides the verified domain: origins, a JSON array. */
  embedOriginsJson: string;
  /** ISO 4217: the currency of the owner's totals. Prices may be in any other. */
  currency: string;
  /** IANA name of the owner's time zone for days; null: not chosen. */
  timeZone: string | null;
  /** After a change of the zone: since when sends count for the current day, ms, until a time; see startOfLimitDay. */
  dayFloor: number | null;
  dayFloorUntil: number | null;
  /** Contact for payers: an email address or an https URL. */
  supportContact: string | null;
  /** The seller on new receipts, a Business; null: not entered. */
  businessJson: string | null;
  /** Before the numbers of new receipts. */
  receiptPrefix: string;
  /** `#rrggbb` in lower case. */
  accentColor: string | null;
  /** Hash of the logo in merchant_logos; null: none. */
  logoHash: string | null;
  /** Whether payers may renew expired payments that the shop created. */
  renewExpired: boolean;
  /** Calendar days before its period on which an invoice of a subscription is made. */
  invoiceLeadDays: number;
  /** Calendar days for which an unpaid subscription stays entitled. */
  graceDays: number;
  /** Whether money beyond an invoice is credit of its subscription. */
  excessToCredit: boolean;
  /** Whether payers may request the excess of an order on its checkout page; a person approves the refund. */
  payerMayAskExcess: boolean;
  /** Whether payers may pause, or cancel, their subscriptions themselves. */
  payerMayPause: boolean;
  payerMayCancel: boolean;
  /** Whether payers get mails about their subscriptions. */
  mailsSubscribers: boolean;
  /**
   * Since when secret keys, keys with wallet:send and members wait for the owner's confirmation; null: they
   * are valid.
   */
  suspendedAt: number | null;
  /** The end of the latest past range of the books that was read, ms: no line is written before it. */
  booksClosedUntil: number;
  createdAt: number;
  updatedAt: number;
}

export interface MerchantLogoRow {
  merchantId: string;
  /** Base64url of the SHA-256 of the bytes. */
  hash: string;
  type: LogoType;
  bytes: Buffer;
}

/** Exists once the merchant has chosen how to verify its domain; see DomainState. */
export interface DomainCheckRow {
  merchantId: string;
  method: VerificationMethod;
  provenMethod: VerificationMethod | null;
  chosenAt: number;
  revokedAt: number | null;
  checkedAt: number | null;
  lastError: string | null;
  failures: number;
  failedSince: number | null;
  nextCheckAt: number | null;
}

export interface ApiKeyRow {
  id: string;
  merchantId: string;
  kind: 'public' | 'secret';
  keyHash: string;
  /** The whole key for public keys; null for secret ones. */
  publicValue: string | null;
  prefix: string;
  lastFour: string;
  createdAt: number;
  /** End of the grace period after a regeneration; null while it is the current key. */
  expiresAt: number | null;
  lastUsedAt: number | null;
}

/** A key of a merchant that may do only what its scopes permit; see domain/scopes.ts for their text form. */
export interface RestrictedKeyRow extends CreatorColumns {
  id: string;
  merchantId: string;
  name: string;
  scopes: string;
  keyHash: string;
  prefix: string;
  lastFour: string;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** Limits of what it may send; null: only those of the shop. */
  limitsJson: string | null;
}

/** An owner's approval, until a shop exchanges the code for a restricted key, whose creator is the owner. */
export interface ConnectCodeRow extends CreatorColumns {
  codeHash: string;
  merchantId: string;
  name: string;
  scopes: string;
  /** Base64url of the SHA-256 of the code verifier (RFC 7636, S256). */
  codeChallenge: string;
  createdAt: number;
  expiresAt: number;
}
