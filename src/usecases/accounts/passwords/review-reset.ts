import { findAccountToken } from '../../../store/accounts/account-tokens.ts';
import { findUserPasskeys } from '../../../store/accounts/passkeys.ts';
import { findSecondFactor } from '../../../store/accounts/second-factors.ts';
import { findUser } from '../../../store/accounts/users.ts';
import { listMerchants } from '../../../store/merchants/merchants.ts';
import { listRestrictedKeys } from '../../../store/merchants/restricted-keys.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import type { AccountDeps } from '../account-deps.ts';
import { invalidToken, tokenHash } from '../account-link.ts';
import { toPasskey, type Passkey } from '../passkeys/list-passkeys.ts';
import { passkeySite } from '../passkeys/relying-party.ts';

/** A restricted key of a shop, with the fields that help to recognise it. */
interface KnownKey {
  readonly id: string;
  readonly shop: string;
  readonly name: string;
  readonly lastFour: string;
  readonly lastUsedAt: number | null;
}

/** What gives access to an account besides its password, for the reader of a mailed reset link. */
export interface ResetReview {
  /** False where the reset verifies the address for the first time and revokes all of it. */
  readonly isConfirmed: boolean;
  /**
   * With a second factor on a confirmed account the mail alone reveals nothing: passkeys and keys are left
   * out.
   */
  readonly hasSecondFactor: boolean;
  readonly passkeys: readonly Passkey[];
  readonly keys: readonly KnownKey[];
  readonly shops: readonly string[];
}

/** @throws {AppError} VALIDATION_INVALID for an invalid token. */
export async function reviewReset(
  { db, clock, baseUrl }: Pick<AccountDeps, 'db' | 'clock' | 'baseUrl'>,
  token: string,
): Promise<ResetReview> {
  const find = { purpose: 'reset-password', hash: tokenHash(token), now: clock.now() } as const;
  const stored = await findAccountToken(db, find);
  const user = stored === undefined ? undefined : await findUser(db, stored.userId);
  if (user === undefined || stored?.usedAt !== null) throw invalidToken();
  const isConfirmed = user.isVerified;
  const hasSecondFactor = await isFactorOn(db, user.id);
  if (isConfirmed && hasSecondFactor)
    return { isConfirmed, hasSecondFactor, passkeys: [], keys: [], shops: [] };
  const { site } = passkeySite(baseUrl);
  const shops = await listMerchants(db, user.id);
  const keys: KnownKey[] = [];
  for (const shop of shops) {
    const rows = await listRestrictedKeys(db, shop.id);
    for (const { id, name, lastFour, lastUsedAt } of rows)
      keys.push({ id, shop: shop.name, name, lastFour, lastUsedAt });
  }
  return {
    isConfirmed,
    hasSecondFactor,
    passkeys: (await findUserPasskeys(db, user.id)).map((row) => toPasskey(row, site)),
    keys,
    shops: shops.map(({ name }) => name),
  };
}

export async function isFactorOn(db: Db, userId: string): Promise<boolean> {
  const factor = await findSecondFactor(db, userId);
  return factor !== undefined && factor.enabledAt !== null;
}
