import type { Clock } from '../../../domain/ports.ts';
import { scopesToText } from '../../../domain/scopes.ts';
import { creatorColumns } from '../../../store/creators.ts';
import { insertConnectCode } from '../../../store/merchants/connect-codes.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { assertRoomForKey, findOwnMerchant, KEY_LENGTH, keyHash } from '../../access/index.ts';
import { randomBase62 } from '../../events/index.ts';
import { storeNoResult, type StoreResult } from '../../idempotent-result.ts';
import { assertRedirectUrl, type ConnectRequest } from './connect-request.ts';
import { redirectWith, type RedirectRule } from './redirect-url.ts';

const LIFETIME_MS = 10 * 60_000;

export interface ApproveConnectDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly redirectRule: RedirectRule;
}

/**
 * Approves a connect request for one merchant. @returns the URL where the owner continues, with a code that
 * is valid once, for ten minutes, together with the verifier that only the shop knows.
 * @throws {AppError} MERCHANT_NOT_FOUND, also for a merchant of another account; VALIDATION_INVALID for a
 * rejected redirect URL; INVALID_STATE when the merchant has too many keys.
 */
export async function approveConnect(
  { db, clock, redirectRule }: ApproveConnectDeps,
  input: ConnectRequest & { readonly userId: string; readonly merchantId: string },
  storeResult: StoreResult<string> = storeNoResult,
): Promise<string> {
  const { name, scopes, redirectUrl, state, codeChallenge } = input;
  assertRedirectUrl(redirectRule, redirectUrl);
  const code = randomBase62(KEY_LENGTH);
  const now = clock.now();
  const redirectTo = redirectWith(redirectUrl, { code, state });
  await db.transaction(async (tx) => {
    const merchant = await findOwnMerchant(tx, input.userId, input.merchantId);
    await assertRoomForKey(tx, merchant.id);
    await insertConnectCode(tx, {
      codeHash: keyHash(code),
      merchantId: merchant.id,
      name,
      scopes: scopesToText(scopes),
      codeChallenge,
      ...creatorColumns({ kind: 'user', id: input.userId }),
      createdAt: now,
      expiresAt: now + LIFETIME_MS,
    });
    await storeResult(tx, redirectTo);
  });
  return redirectTo;
}
