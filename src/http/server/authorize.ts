import type { Actor } from '../../domain/actor.ts';
import type { FieldProblem } from '../../domain/errors.ts';
import { AppError, assertNever } from '../../domain/errors.ts';
import { unauthorised } from '../../domain/unauthorised.ts';
import { roleGrants, roleScopes, type Role } from '../../domain/roles.ts';
import { grants, SCOPES, type Scope } from '../../domain/scopes.ts';
import type { Db } from '../../store/sqlite/database.ts';
import {
  assertNotSuspended,
  authenticate,
  type AuthenticateDeps,
  authenticateSession,
  type Caller,
  isSteppedUp,
} from '../../usecases/accounts/index.ts';
import { authorizeMerchant } from '../../usecases/access/index.ts';
import { assertKind, needsCredential } from './credential-kinds.ts';
import { findNamedId } from './named-merchant.ts';
import type { AuthKind, AuthOf, Route, RouteScope } from './route.ts';
import { assertSteppedUp } from './step-up.ts';
import { parsePart } from './validation.ts';
import { identifier } from '../schemas/text.ts';
import { z } from 'zod';

/** The credentials of a request. */
export interface Credentials {
  /** The Authorization header. */
  readonly header: string | undefined;
  /** The token in the dashboard's cookie, from a page of this server; it is used only without that header. */
  readonly sessionToken: string | null;
}

type Guarded = Pick<Route, 'auth' | 'scope' | 'notFor' | 'stepUp' | 'dashboardOnly'>;

/**
 * The caller of a route; null on unauthenticated routes.
 * @throws {AppError} UNAUTHORISED for a missing, invalid or wrong kind of credential; FORBIDDEN for a suspended
 * key, and a restricted key without the scope of the route; STEP_UP_REQUIRED for a session that needs a step-up.
 */
export async function identify(
  deps: AuthenticateDeps,
  route: Guarded,
  credentials: Credentials,
): Promise<Caller | null> {
  if (!needsCredential(route.auth)) return null;
  const caller = await identifyCaller(deps, credentials);
  assertKind(route.auth, caller);
  assertNotSuspended(caller);
  if (caller.kind === 'restricted') requireScope(caller.scopes, route.scope);
  const session = caller.kind === 'user' ? caller.session : null;
  if (route.dashboardOnly === true && session === null) throw sessionRequired();
  await assertSteppedUp(deps, route, caller);
  return caller;
}

async function identifyCaller(
  deps: AuthenticateDeps,
  { header, sessionToken }: Credentials,
): Promise<Caller> {
  if (header === undefined) {
    if (sessionToken === null) throw unauthorised('missing');
    return authenticateSession(deps, sessionToken);
  }
  // An empty variable in a shop's configuration is the most frequent cause of an empty credential.
  if (/^(?:Bearer)? *$/i.test(header)) throw unauthorised('missing');
  const credential = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (credential === undefined) throw unauthorised('malformed');
  return authenticate(deps, credential);
}

/** The 401 of routes that only pages of this server may call. */
export function sessionRequired(): AppError {
  return unauthorised(
    'wrong_kind',
    'A user token is not accepted here: this needs a session of the dashboard',
  );
}

/** @throws {AppError} FORBIDDEN with the scopes that the key lacks. */
function requireScope(granted: ReadonlySet<Scope>, scope: RouteScope): void {
  if (scope === 'any') return;
  if (scope === 'never') throw new AppError('FORBIDDEN', 'Restricted keys may not do this');
  const needed = typeof scope === 'string' ? [scope] : scope;
  const missing = needed.filter((one) => !grants(granted, one));
  if (missing.length === 0) return;
  const details = missing.map((one) => ({ field: 'scope', code: 'missing', message: `needs ${one}` }));
  const message = `This key lacks the scope ${missing.join(' and ')}`;
  throw new AppError('FORBIDDEN', message, { details });
}

/** @throws {AppError} FORBIDDEN for a role that lacks the scope of the route. */
function requireRole(role: Role, { scope, notFor }: Pick<Route, 'scope' | 'notFor'>): void {
  if (role === 'owner' || scope === 'any') return;
  const needed = typeof scope === 'string' ? [scope] : scope;
  const may = needed.every((one) => one !== 'never' && roleGrants(role, one));
  if (may && notFor?.includes(role) !== true) return;
  const details = [{ field: 'role', code: 'insufficient', message: `is ${role}` }];
  throw new AppError('FORBIDDEN', `Your role in this shop, ${role}, does not include this`, { details });
}

export interface MerchantChoice {
  /** Null if the credential itself names the merchant, or the route is about none. */
  readonly merchantId: string | null;
  readonly problems: readonly FieldProblem[];
}

const chooser = z.object({ merchantId: identifier() });

/**
 * The merchant of a request: `merchantId` in the body, else in the query. A user token must name one, unless
 * another id in the request implies it. On account routes it is optional: members of a shop access its
 * owner's account with it.
 */
export function chooseMerchant(
  { auth, namedBy }: Pick<Route, 'auth' | 'namedBy'>,
  caller: Caller | null,
  body: unknown,
  query: unknown,
): MerchantChoice {
  const concernsMerchant = auth === 'merchant' || auth === 'payer' || auth === 'account';
  if (!concernsMerchant || caller === null) return { merchantId: null, problems: [] };
  const given = has(body, 'merchantId') ? body : query;
  const isNamed =
    caller.kind !== 'user' || auth === 'account' || findNamedId({ namedBy }, body, query) !== null;
  if (isNamed && !has(given, 'merchantId')) return { merchantId: null, problems: [] };
  const parsed = chooser.safeParse(given);
  if (parsed.success) return { merchantId: parsed.data.merchantId, problems: [] };
  return { merchantId: null, problems: parsePart(chooser, 'body', given).problems };
}

function has(part: unknown, field: string): boolean {
  return typeof part === 'object' && part !== null && Object.hasOwn(part, field);
}

/**
 * The caller as the handler sees it.
 * @param merchantId the merchant that the request names, if any
 * @throws {AppError} MERCHANT_NOT_FOUND for a merchant that the user neither owns nor works for, or that is
 * not the key's own; FORBIDDEN for a member whose role does not include the route.
 */
export async function resolveAuth(
  deps: Pick<AuthenticateDeps, 'db' | 'clock'>,
  route: Pick<Route, 'auth' | 'scope' | 'notFor'>,
  caller: Caller | null,
  merchantId: string | null,
): Promise<AuthOf[AuthKind]> {
  if (caller === null) return null;
  const { auth } = route;
  switch (auth) {
    case 'none':
      return null;
    case 'jwt':
      if (caller.kind !== 'user') throw unauthorised('wrong_kind');
      return { userId: caller.userId, sessionId: caller.session?.id ?? null };
    case 'account':
      return resolveAccount(deps.db, route, caller, merchantId);
    case 'merchant':
    case 'payer':
      return resolveMerchant(deps, route, caller, merchantId);
    case 'counter':
      return resolveCounter(caller);
    default:
      return assertNever(auth);
  }
}

function resolveCounter(caller: Caller): AuthOf['counter'] {
  if (caller.kind !== 'counter') throw unauthorised('wrong_kind');
  const { kind, merchant, counterId } = caller;
  const actor: Actor = { kind, id: counterId, role: null };
  return { actor, scopes: NONE, via: kind, counterId, merchantId: merchant.id, merchant };
}

type RoleRule = Pick<Route, 'scope' | 'notFor'>;

async function resolveAccount(
  db: Db,
  rule: RoleRule,
  caller: Caller,
  merchantId: string | null,
): Promise<AuthOf['account']> {
  switch (caller.kind) {
    case 'user':
      return resolveUser(db, rule, caller.userId, merchantId);
    case 'restricted':
    case 'secret':
      refuseOtherMerchant(caller.merchant, merchantId);
      return {
        ...allowedKey(caller),
        via: caller.kind,
        userId: caller.merchant.userId,
        memberId: null,
        onlyMerchantId: caller.merchant.id,
        shopId: caller.merchant.id,
      };
    case 'public':
    case 'counter':
      throw unauthorised('wrong_kind');
    default:
      return assertNever(caller);
  }
}

/** A user in their own account, or in the account of the named shop that they work for. */
async function resolveUser(
  db: Db,
  rule: RoleRule,
  userId: string,
  merchantId: string | null,
): Promise<AuthOf['account']> {
  const own = { ...allowedUser(userId, 'owner'), via: 'jwt', userId, memberId: null } as const;
  if (merchantId === null) return { ...own, onlyMerchantId: null, shopId: merchantId };
  const { merchant, role } = await authorizeMerchant(db, userId, merchantId);
  if (role === 'owner') return { ...own, onlyMerchantId: null, shopId: merchantId };
  requireRole(role, rule);
  return {
    ...allowedUser(userId, role),
    via: 'jwt',
    userId: merchant.userId,
    memberId: userId,
    onlyMerchantId: merchant.id,
    shopId: merchant.id,
  };
}

/** A key with another merchant's id is a mistake: an error is better than the wrong shop. */
function refuseOtherMerchant(own: { readonly id: string }, merchantId: string | null): void {
  if (merchantId === null || merchantId === own.id) return;
  throw new AppError('MERCHANT_NOT_FOUND', 'Merchant not found');
}

async function resolveMerchant(
  { db, clock }: Pick<AuthenticateDeps, 'db' | 'clock'>,
  rule: RoleRule,
  caller: Caller,
  merchantId: string | null,
): Promise<AuthOf['payer']> {
  if (caller.kind === 'user') {
    const { merchant, role } = await authorizeMerchant(db, caller.userId, merchantId ?? '');
    requireRole(role, rule);
    return {
      ...allowedUser(caller.userId, role),
      via: 'jwt',
      userId: merchant.userId,
      memberId: role === 'owner' ? null : caller.userId,
      merchantId: merchant.id,
      merchant,
      isProven: caller.session === null || isSteppedUp(caller.session.steppedUpAt, clock.now()),
      maySend: roleGrants(role, 'wallet:send'),
      mayRefund: roleGrants(role, 'refunds:write'),
    };
  }
  if (caller.kind === 'counter') throw unauthorised('wrong_kind');
  const { merchant, kind } = caller;
  refuseOtherMerchant(merchant, merchantId);
  const allowed = allowedKey(caller);
  return {
    ...allowed,
    via: kind,
    userId: merchant.userId,
    memberId: null,
    merchantId: merchant.id,
    merchant,
    isProven: true,
    maySend: allowed.scopes.has('wallet:send'),
    mayRefund: allowed.scopes.has('refunds:write'),
  };
}

interface Allowed {
  readonly actor: Actor;
  readonly scopes: ReadonlySet<Scope>;
}

const ALL: ReadonlySet<Scope> = new Set(SCOPES);
const NONE: ReadonlySet<Scope> = new Set();

function allowedUser(userId: string, role: Role): Allowed {
  return { actor: { kind: 'user', id: userId, role }, scopes: roleScopes(role) };
}

function allowedKey(caller: Exclude<Caller, { readonly kind: 'user' | 'counter' }>): Allowed {
  const { kind, merchant } = caller;
  if (kind === 'restricted') return { actor: { kind, id: caller.keyId, role: null }, scopes: caller.scopes };
  return { actor: { kind, id: merchant.id, role: null }, scopes: kind === 'secret' ? ALL : NONE };
}
