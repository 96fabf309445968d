import type { Clock, Logger } from '../../domain/ports.ts';
import { findValidKey, touchKey } from '../../store/merchants/api-keys.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { findUser } from '../../store/accounts/users.ts';
import { keyHash } from './api-key.ts';
import type { Tokens } from './tokens.ts';

/** Who a credential belongs to. */
export type Caller =
  | { readonly kind: 'user'; readonly userId: string }
  | { readonly kind: 'public' | 'secret'; readonly merchant: MerchantRow };

export interface AuthenticateDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly tokens: Tokens;
  readonly logger: Logger;
}

/** How exact the last use of a key is: no write per request. */
const TOUCH_INTERVAL_MS = 60_000;
const KEY = /^(?:pk|sk)_[0-9A-Za-z]{20,100}$/;

/** Finds the owner of a user token, a public key or a secret key; null when it is none that counts now. */
export async function authenticate(deps: AuthenticateDeps, credential: string): Promise<Caller | null> {
  return /^(?:pk|sk)_/.test(credential) ? byKey(deps, credential) : byToken(deps, credential);
}

async function byToken(deps: AuthenticateDeps, token: string): Promise<Caller | null> {
  const claims = await deps.tokens.read(token);
  if (claims === null) return null;
  const user = await findUser(deps.db, claims.userId);
  // The version moves when the password changes: every token issued before is dead.
  if (user === undefined || user.token_version !== claims.tokenVersion) return null;
  return { kind: 'user', userId: user.id };
}

async function byKey(deps: AuthenticateDeps, credential: string): Promise<Caller | null> {
  if (!KEY.test(credential)) return null;
  const now = deps.clock.now();
  const owner = await findValidKey(deps.db, keyHash(credential), now);
  if (owner === null) return null;
  const { key, merchant } = owner;
  if (key.last_used_at === null || now - key.last_used_at >= TOUCH_INTERVAL_MS) noteUse(deps, key.id, now);
  return { kind: key.kind, merchant };
}

/** Not waited for: no request is slower, or fails, for the sake of a time shown in a list. */
function noteUse({ db, logger }: AuthenticateDeps, keyId: string, now: number): void {
  const before = now - TOUCH_INTERVAL_MS;
  touchKey(db, { id: keyId, now, before }).catch((error: unknown) => {
    logger.warn({ err: error, key: keyId }, 'could not note the use of an API key');
  });
}
