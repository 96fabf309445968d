import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../../domain/errors.ts';
import type { SecretBox } from '../../../domain/keys.ts';
import type { Clock } from '../../../domain/ports.ts';
import { grants, scopesFromText, type Scope } from '../../../domain/scopes.ts';
import { toCreator } from '../../../store/creators.ts';
import { currentPublicKey } from '../../../store/merchants/api-keys.ts';
import { hasConnectCode, consumeConnectCode } from '../../../store/merchants/connect-codes.ts';
import { findMerchant } from '../../../store/merchants/merchants.ts';
import type { ConnectCodeRow } from '../../../store/schema/merchants.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { addRestrictedKey, keyHash } from '../../access/index.ts';
import { storeNoResult, type StoreResult } from '../../idempotent-result.ts';

export interface ExchangeCodeDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
}

export interface Connection {
  readonly merchantId: string;
  /** The restricted key, shown only now. */
  readonly key: string;
  readonly scopes: readonly Scope[];
  readonly publicKey: string;
  /** Null without the scope that reads signing secrets. */
  readonly webhookSecret: string | null;
}

/**
 * Exchanges the code of an approved connect request for a restricted key. This consumes the code, with the
 * right verifier or a wrong one, so that an interceptor has no second guess.
 * @throws {AppError} INVALID_CODE for a code that is unknown, used or expired, and for a wrong verifier;
 * INVALID_STATE when the merchant has too many keys.
 */
export async function exchangeCode(
  deps: ExchangeCodeDeps,
  { code, codeVerifier }: { readonly code: string; readonly codeVerifier: string },
  storeResult: StoreResult<Connection> = storeNoResult,
): Promise<Connection> {
  const codeHash = keyHash(code);
  // Anonymous callers have access: an invalid code costs no write.
  if (!(await hasConnectCode(deps.db, codeHash))) throw invalidCode();
  const connection = await deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const agreed = await consumeConnectCode(tx, codeHash);
    if (agreed === undefined || agreed.expiresAt <= now) return null;
    if (!isVerifier(codeVerifier, agreed.codeChallenge)) return null;
    const made = await connect(tx, deps, agreed, now);
    await storeResult(tx, made);
    return made;
  });
  // Thrown after the transaction, because a rollback would make the code valid again.
  if (connection === null) throw invalidCode();
  return connection;
}

async function connect(
  tx: Tx,
  { secretBox }: ExchangeCodeDeps,
  agreed: ConnectCodeRow,
  now: number,
): Promise<Connection> {
  const { merchantId, name } = agreed;
  const scopes = scopesFromText(agreed.scopes);
  const { value: key } = await addRestrictedKey(
    tx,
    { merchantId, name, scopes, expiresAt: null, creator: toCreator(agreed) },
    now,
  );
  const merchant = await findMerchant(tx, merchantId);
  const publicKey = await currentPublicKey(tx, merchantId);
  if (merchant === undefined || publicKey === null)
    throw new Error(`merchant ${merchantId} has no public key`);
  const mayReadSecret = grants(new Set(scopes), 'webhooks:write');
  const webhookSecret = mayReadSecret ? secretBox.open(merchant.webhookSecretSealed) : null;
  return { merchantId, key, scopes, publicKey, webhookSecret };
}

/** RFC 7636, section 4.6, method S256. */
function isVerifier(codeVerifier: string, codeChallenge: string): boolean {
  const given = createHash('sha256').update(codeVerifier).digest();
  const expected = Buffer.from(codeChallenge, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function invalidCode(): AppError {
  return new AppError('INVALID_CODE', 'The code is wrong, was used before, or is older than ten minutes');
}
