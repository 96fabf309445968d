import { AppError } from '../../../domain/errors.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';
import type { Scope } from '../../../domain/scopes.ts';
import { unauthorised } from '../../../domain/unauthorised.ts';
import { findKey, touchKey } from '../../../store/merchants/api-keys.ts';
import { findConnectedCounter, touchCounter } from '../../../store/merchants/counters.ts';
import { findRestrictedKey, touchRestrictedKey } from '../../../store/merchants/restricted-keys.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import type { MerchantRow } from '../../../store/schema/merchants.ts';
import { touchSession } from '../../../store/accounts/sessions.ts';
import { findUser } from '../../../store/accounts/users.ts';
import { keyHash } from '../../access/index.ts';
import { sessionOfToken } from './dashboard-session.ts';
import type { JwtTokens } from './jwt-tokens.ts';

/** The dashboard session in which a user acts. */
export interface CallerSession {
  readonly id: string;
  /** When the user last proved their identity for an action that moves money. */
  readonly steppedUpAt: number | null;
}

/** The owner of a credential. A user has a session only when it came in the dashboard's cookie. */
export type Caller =
  | { readonly kind: 'user'; readonly userId: string; readonly session: CallerSession | null }
  | { readonly kind: 'public' | 'secret'; readonly merchant: MerchantRow }
  | {
      readonly kind: 'restricted';
      readonly merchant: MerchantRow;
      readonly keyId: string;
      readonly scopes: ReadonlySet<Scope>;
    }
  /** The device of a counter. */
  | { readonly kind: 'counter'; readonly merchant: MerchantRow; readonly counterId: string };

export interface AuthenticateDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly tokens: JwtTokens;
  readonly logger: Logger;
}

/** Precision of a key's last use; avoids a write per request. */
const TOUCH_INTERVAL_MS = 60_000;
const KEY = /^(?:[prs]k|ct)_[0-9A-Za-z]{20,100}$/;

/**
 * Finds the owner of a user token, an API key or the token of a counter's device. A key may be suspended: see `assertNotSuspended`.
 * @throws {AppError} UNAUTHORISED, with the reason, when it is not valid now.
 */
export async function authenticate(deps: AuthenticateDeps, credential: string): Promise<Caller> {
  if (!/^(?:[prs]k|ct)_/.test(credential)) return byToken(deps, credential);
  if (!KEY.test(credential)) throw unauthorised('malformed');
  if (credential.startsWith('ct_')) return byDevice(deps, credential);
  return credential.startsWith('rk_') ? byRestrictedKey(deps, credential) : byKey(deps, credential);
}

async function byToken(deps: AuthenticateDeps, token: string): Promise<Caller> {
  const claims = await deps.tokens.read(token);
  const user = await findUser(deps.db, claims.userId);
  // A changed password raises the version and thereby invalidates every earlier token.
  if (user === undefined || user.tokenVersion !== claims.tokenVersion) throw unauthorised('expired');
  return { kind: 'user', userId: user.id, session: null };
}

/**
 * Finds the dashboard user by the token in the cookie.
 * @throws {AppError} UNAUTHORISED when it is not valid now.
 */
export async function authenticateSession(deps: AuthenticateDeps, token: string): Promise<Caller> {
  const row = await sessionOfToken(deps.db, token, deps.clock.now());
  if (row === undefined) throw unauthorised('expired', 'The session has ended: sign in again');
  noteUse(deps, { id: row.id, lastUsedAt: row.lastUsedAt }, touchSession, 'a session');
  return { kind: 'user', userId: row.userId, session: { id: row.id, steppedUpAt: row.steppedUpAt } };
}

async function byKey(deps: AuthenticateDeps, credential: string): Promise<Caller> {
  const owner = await findKey(deps.db, keyHash(credential));
  if (owner === null) throw unauthorised('unknown');
  const { key, merchant } = owner;
  assertNotExpired(key.expiresAt, deps.clock.now());
  noteUse(deps, { id: key.id, lastUsedAt: key.lastUsedAt }, touchKey);
  return { kind: key.kind, merchant };
}

async function byRestrictedKey(deps: AuthenticateDeps, credential: string): Promise<Caller> {
  const key = await findRestrictedKey(deps.db, keyHash(credential));
  if (key === null) throw unauthorised('unknown');
  const { keyId, scopes, lastUsedAt, merchant } = key;
  assertNotExpired(key.expiresAt, deps.clock.now());
  noteUse(deps, { id: keyId, lastUsedAt }, touchRestrictedKey);
  return { kind: 'restricted', merchant, keyId, scopes };
}

/** It may stay idle for any time. */
async function byDevice(deps: AuthenticateDeps, credential: string): Promise<Caller> {
  const connected = await findConnectedCounter(deps.db, keyHash(credential));
  if (connected === null) throw unauthorised('expired', 'This device is no longer connected');
  const { counter, merchant } = connected;
  noteUse(deps, counter, touchCounter, 'a counter');
  return { kind: 'counter', merchant, counterId: counter.id };
}

function assertNotExpired(expiresAt: number | null, now: number): void {
  if (expiresAt !== null && expiresAt <= now) throw unauthorised('expired');
}

/**
 * Keys that can send coins, and the devices of counters, are suspended in a restored database until its owner confirms
 * them.
 * @throws {AppError} FORBIDDEN for such a key.
 */
export function assertNotSuspended(caller: Caller): void {
  if (caller.kind === 'user' || caller.kind === 'public' || caller.merchant.suspendedAt === null) return;
  if (caller.kind === 'restricted' && !caller.scopes.has('wallet:send')) return;
  const message = 'This key is suspended since a restore: the owner of the shop must confirm its keys first';
  throw new AppError('FORBIDDEN', message, {
    details: [{ field: 'key', code: 'suspended', message: 'is suspended since a restore' }],
  });
}

/** Not awaited: a time shown in a list must neither slow a request nor fail it. */
function noteUse(
  { db, clock, logger }: AuthenticateDeps,
  { id, lastUsedAt }: { readonly id: string; readonly lastUsedAt: number | null },
  touch: typeof touchKey,
  what = 'an API key',
): void {
  const now = clock.now();
  const before = now - TOUCH_INTERVAL_MS;
  if (lastUsedAt !== null && lastUsedAt > before) return;
  touch(db, { id, now, before }).catch((error: unknown) => {
    logger.warn({ err: error, key: id }, `recording the last use of ${what} failed`);
  });
}
