import { findUserPasskeys } from '../../../store/accounts/passkeys.ts';
import type { PasskeyRow } from '../../../store/schema/accounts.ts';
import type { AccountDeps } from '../account-deps.ts';
import { passkeySite, type RelyingParty } from './relying-party.ts';

/** A passkey as its user sees it. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /** Whether the authenticator syncs it, as to the user's other devices. */
  readonly backedUp: boolean;
  /** False for one that was created under another public address. */
  readonly usable: boolean;
}

export function toPasskey(row: PasskeyRow, site: RelyingParty | null): Passkey {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.createdAt,
    lastUsedAt: row.lastUsedAt,
    backedUp: row.backedUp,
    usable: row.rpId === site?.id,
  };
}

/**
 * The passkeys of a user, oldest first, and the only origin where they work, or the reason why they work
 * nowhere.
 */
export async function listPasskeys(
  { db, baseUrl }: Pick<AccountDeps, 'db' | 'baseUrl'>,
  userId: string,
): Promise<{ passkeys: Passkey[]; origin: string | null; reason: string | null }> {
  const { site, reason } = passkeySite(baseUrl);
  const rows = await findUserPasskeys(db, userId);
  return { passkeys: rows.map((row) => toPasskey(row, site)), origin: site?.origin ?? null, reason };
}
