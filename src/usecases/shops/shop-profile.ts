import type { MerchantRow } from '../../store/schema/merchants.ts';

/** A shop as payers see it. */
export interface ShopProfile {
  readonly name: string;
  readonly domain: string;
  readonly isVerified: boolean;
  /** IANA name of the shop's time zone for days; null: not chosen. */
  readonly timeZone: string | null;
  /** Contact for payers: an email address or an https URL. */
  readonly supportContact: string | null;
  /** `#rrggbb`. */
  readonly accentColor: string | null;
  readonly logoHash: string | null;
}

/** The public profile of a shop. */
export function shopProfile(merchant: MerchantRow): ShopProfile {
  return {
    name: merchant.name,
    domain: merchant.domain,
    isVerified: merchant.domainVerifiedAt !== null,
    timeZone: merchant.timeZone,
    supportContact: merchant.supportContact,
    accentColor: merchant.accentColor,
    logoHash: merchant.logoHash,
  };
}
