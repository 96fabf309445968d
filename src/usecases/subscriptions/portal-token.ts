import type { SecretBox } from '../../domain/keys.ts';
import { AppError } from '../../domain/errors.ts';
import { listPendingMails, replaceMailBody } from '../../store/accounts/mails.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { findSubscriptionByToken, updateSubscription } from '../../store/subscriptions/subscriptions.ts';
import { tokenHash } from '../accounts/index.ts';
import { randomBase62 } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { findOwnSubscription, type SubscriptionDeps } from './subscription-deps.ts';

/** 22 base62 characters carry 131 bits. */
const TOKEN_LENGTH = 22;

/**
 * A new token of a payer's page. The database has its hash, by which requests find it, and the token sealed with a
 * key of the keyring, from which mails and the API build the address. It is random instead of derived from a
 * counter: a backup that brings the counter back would bring back tokens that were rotated since.
 */
export function newPortalToken({
  secretBox,
}: {
  readonly secretBox: SecretBox;
}): Pick<SubscriptionRow, 'portalTokenHash' | 'portalTokenSealed'> {
  const token = randomBase62(TOKEN_LENGTH);
  return { portalTokenHash: tokenHash(token), portalTokenSealed: secretBox.seal(token) };
}

/** The address of the payer's page; null where there is none. */
export function portalUrl(
  { baseUrl, secretBox }: Pick<SubscriptionDeps, 'baseUrl' | 'secretBox'>,
  { portalTokenSealed: sealed }: Pick<SubscriptionRow, 'portalTokenSealed'>,
): string | null {
  return sealed === null ? null : `${baseUrl}/s/${secretBox.open(sealed)}`;
}

/**
 * The subscription of a payer's page.
 * @throws {AppError} SUBSCRIPTION_NOT_FOUND
 */
export async function findByPortalToken(db: Db, token: string): Promise<SubscriptionRow> {
  const row = await findSubscriptionByToken(db, tokenHash(token));
  if (row === undefined) throw new AppError('SUBSCRIPTION_NOT_FOUND', 'No such subscription');
  return row;
}

/**
 * Replaces the token of the payer's page: earlier addresses are not found any more. Mails, which contain the address,
 * go to the customer again, because a reader of a leaked one may have chosen another address there.
 * @throws {AppError} SUBSCRIPTION_NOT_FOUND
 */
export async function rotatePortalToken(
  deps: SubscriptionDeps,
  { merchantId, subscriptionId }: { readonly merchantId: string; readonly subscriptionId: string },
  storeResult: StoreResult<SubscriptionRow> = storeNoResult,
): Promise<SubscriptionRow> {
  return deps.db.transaction(async (tx) => {
    const row = await findOwnSubscription(tx, merchantId, subscriptionId);
    const rotated = { ...row, ...newPortalToken(deps), email: null, updatedAt: deps.clock.now() };
    await updateSubscription(tx, rotated);
    await replaceInMails(tx, deps, row, rotated);
    await storeResult(tx, rotated);
    return rotated;
  });
}

type Sealed = Pick<SubscriptionRow, 'id' | 'portalTokenSealed'>;

/** Mails that wait in the outbox have the new address. */
async function replaceInMails(
  tx: Tx,
  { secretBox }: Pick<SubscriptionDeps, 'secretBox'>,
  { id, portalTokenSealed: before }: Sealed,
  { portalTokenSealed: after }: Sealed,
): Promise<void> {
  if (before === null || after === null) return;
  const [earlier, token] = [secretBox.open(before), secretBox.open(after)];
  for (const { id: mailId, bodySealed } of await listPendingMails(tx, `${id}/`)) {
    if (bodySealed === null) continue;
    const body = secretBox.open(bodySealed).replaceAll(earlier, token);
    await replaceMailBody(tx, mailId, secretBox.seal(body));
  }
}
