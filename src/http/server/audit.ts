import { z } from 'zod';
import { emailKey } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import type { SecretBox } from '../../domain/keys.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { insertAudit, finishAuditEntry, type AuditResult } from '../../store/audit-log.ts';
import { findUser, findUserByEmail } from '../../store/accounts/users.ts';
import { findConnectedCounter, findCounter } from '../../store/merchants/counters.ts';
import { findRestrictedKey, listRestrictedKeys } from '../../store/merchants/restricted-keys.ts';
import type { AuditRow } from '../../store/schema/people.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findReachable, keyHash } from '../../usecases/access/index.ts';
import { type Caller, type Client, sealClient } from '../../usecases/accounts/index.ts';
import type { Answer } from './envelope.ts';
import type { Route } from './route.ts';
import { isChange } from './step-up.ts';
import { StreamReply } from './stream-reply.ts';

export interface AuditDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  readonly logger: Logger;
}

/** Fields that identify the subject of a request, the most specific first. */
const OBJECTS = [
  'paymentId',
  'linkId',
  'paymentLinkId',
  'counterId',
  'subscriptionId',
  'sendId',
  'logId',
  'endpointId',
  'priceId',
  'productId',
  'customerId',
  'keyId',
  'invitationId',
  'userId',
  'sessionId',
  'passkeyId',
] as const;
const SIGN_INS: ReadonlySet<string> = new Set([
  'POST /auth/login',
  'POST /auth/session',
  'POST /auth/passkeys/sign-in',
]);
/** The form of this server's ids; other values, which may be secrets, are not recorded. */
const ID =
  /^(?!(?:pk|sk|rk|whsec)_)[a-z]{2,8}_[0-9A-Za-z]{24}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Request {
  readonly caller: Caller | null;
  /** The merchant that the request names, whether or not the caller may access it. */
  readonly merchantId: string | null;
  readonly body: unknown;
  readonly client: Client;
}

/**
 * Whether a request is recorded: all changes by people; of keys only those that reveal secrets, move money or
 * erase data, not each payment of a shop; and reads that reveal a secret or export data.
 */
function isRecorded(route: Route, caller: Caller): boolean {
  if (route.recorded === true) return true;
  const isTaken = route.answersSecret || route.stepUp.always === true || route.streamsAs !== undefined;
  if (isTaken) return true;
  // Each payment is one of the list.
  if (caller.kind === 'counter' || !isChange(route)) return false;
  return caller.kind === 'user' || route.scope === 'never';
}

/**
 * Runs an action and records its actor, time, origin and result. The entry is stored before the action: if
 * the process dies in between, it shows an unknown result.
 */
export async function withAudit(
  deps: AuditDeps,
  route: Route,
  request: Request,
  act: () => Promise<Answer | StreamReply>,
): Promise<Answer | StreamReply> {
  const { caller } = request;
  if (caller === null) return withReceiver(deps, route, request, act);
  if (!isRecorded(route, caller)) return act();
  const id = await insertAudit(deps.db, await buildEntry(deps, route, caller, request));
  try {
    const answer = await act();
    const body = answer instanceof StreamReply ? null : answer.body;
    const merchantId = shopIn(body?.data);
    await finishEntry(deps, {
      id,
      result: body?.error?.code ?? 'OK',
      objectId: idIn(body?.data),
      merchantId,
    });
    return answer;
  } catch (error) {
    const result = error instanceof AppError ? error.code : 'INTERNAL_ERROR';
    await finishEntry(deps, { id, result, objectId: null, merchantId: null });
    throw error;
  }
}

const withEmail = z.object({ email: z.string() });
const withDevice = z.object({ token: z.string().startsWith('ct_') });
const withKey = z.object({ key: z.string() });
const withUser = z.object({ user: z.object({ id: z.string() }) });
/** Rate-limited attempts, and a correct password before the code. */
const UNAUDITED_RESULTS: ReadonlySet<string> = new Set([
  'RATE_LIMITED',
  'SECOND_FACTOR_REQUIRED',
  'VALIDATION_INVALID',
]);

/**
 * A request without a credential is recorded for the user who is signed in by its response, or gets a key, or for the
 * counter whose device it connects. A
 * failed sign-in is recorded for the user of the given address; the response time does not reveal whether
 * that user exists.
 */
async function withReceiver(
  deps: AuditDeps,
  route: Route,
  { body, client }: Request,
  act: () => Promise<Answer | StreamReply>,
): Promise<Answer | StreamReply> {
  const answer = await act();
  const action = `${route.method} ${route.path}`;
  const isSignIn = SIGN_INS.has(action);
  if (answer instanceof StreamReply || (!isSignIn && !route.answersSecret)) return answer;
  const { data, error: refused } = answer.body;
  if (refused !== null && (!isSignIn || UNAUDITED_RESULTS.has(refused.code))) return answer;
  const note = async (): Promise<void> => {
    const receiver = await findReceiver(deps, data, refused === null ? null : body);
    if (receiver === null) return;
    await insertAudit(deps.db, {
      at: deps.clock.now(),
      ...receiver,
      action,
      objectId: null,
      clientSealed: sealClient(deps.secretBox, client),
      result: refused?.code ?? 'OK',
    });
  };
  note().catch((error: unknown) =>
    deps.logger.error({ err: error, action }, 'audit entry of a sign-in or a new key could not be written'),
  );
  return answer;
}

/** The actor of a response: its user or its key; or the user of the address in a rejected body. */
async function findReceiver(deps: AuditDeps, data: unknown, refusedBody: unknown): Promise<Actor | null> {
  const key = withKey.safeParse(data).data?.key;
  if (key !== undefined) {
    const owner = await findRestrictedKey(deps.db, keyHash(key));
    return owner === null ? null : identifyActor(deps.db, { kind: 'restricted', ...owner }, null);
  }
  const token = withDevice.safeParse(data).data?.token;
  if (token !== undefined) {
    const connected = await findConnectedCounter(deps.db, keyHash(token));
    if (connected === null) return null;
    const { merchant, counter } = connected;
    return identifyActor(deps.db, { kind: 'counter', merchant, counterId: counter.id }, null);
  }
  const signedIn = withUser.safeParse(data).data;
  const email = withEmail.safeParse(refusedBody).data?.email;
  const user =
    signedIn === undefined
      ? await findUserByEmail(deps.db, emailKey(email ?? ''))
      : await findUser(deps.db, signedIn.user.id);
  if (user === undefined) return null;
  return { merchantId: null, actorKind: 'user', actorId: user.id, actorName: user.email };
}

/** If the result cannot be recorded, the action is still done and the caller gets its response. */
async function finishEntry(deps: AuditDeps, end: AuditResult): Promise<void> {
  try {
    await finishAuditEntry(deps.db, end);
  } catch (error) {
    deps.logger.error(
      { err: error, entry: end.id, result: end.result },
      'recording the result of an audited action failed',
    );
  }
}

async function buildEntry(
  deps: AuditDeps,
  route: Route,
  caller: Caller,
  { merchantId, body, client }: Request,
): Promise<Omit<AuditRow, 'id'>> {
  return {
    at: deps.clock.now(),
    ...(await identifyActor(deps.db, caller, merchantId)),
    action: `${route.method} ${route.path}`,
    objectId: namedIn(body),
    clientSealed: sealClient(deps.secretBox, client),
    result: null,
  };
}

type Actor = Pick<AuditRow, 'merchantId' | 'actorKind' | 'actorId' | 'actorName'>;

async function identifyActor(db: Db, caller: Caller, merchantId: string | null): Promise<Actor> {
  if (caller.kind === 'user') {
    // Attempts on another user's shop leave no entry, because that shop's log must not be filled by
    // strangers.
    const reached = merchantId === null ? null : await findReachable(db, caller.userId, merchantId);
    const user = await findUser(db, caller.userId);
    return {
      merchantId: reached?.merchant.id ?? null,
      actorKind: 'user',
      actorId: caller.userId,
      actorName: user?.email ?? '',
    };
  }
  const { id } = caller.merchant;
  if (caller.kind === 'counter') {
    const name = (await findCounter(db, caller.counterId))?.name ?? '';
    return { merchantId: id, actorKind: 'counter', actorId: caller.counterId, actorName: name };
  }
  if (caller.kind !== 'restricted') {
    return { merchantId: id, actorKind: 'secret', actorId: id, actorName: 'Secret key' };
  }
  const keys = await listRestrictedKeys(db, id);
  const name = keys.find((key) => key.id === caller.keyId)?.name ?? '';
  return { merchantId: id, actorKind: 'restricted', actorId: caller.keyId, actorName: name };
}

function namedIn(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const id: unknown = OBJECTS.map((field): unknown => Reflect.get(body, field)).find(
    (one) => one !== undefined,
  );
  return typeof id === 'string' && ID.test(id) ? id : null;
}

const withId = z.object({ id: z.string().regex(ID) });

const withShop = z.union([
  z.object({ shop: withId }).transform(({ shop }) => shop.id),
  z.object({ merchant: withId }).transform(({ merchant }) => merchant.id),
]);

/** The shop of this response: one just created or joined. */
function shopIn(data: unknown): string | null {
  return withShop.safeParse(data).data ?? null;
}

/** The id in a response: its own, or that of the only thing in it with an id. */
function idIn(data: unknown): string | null {
  const itself = withId.safeParse(data);
  if (itself.success) return itself.data.id;
  if (typeof data !== 'object' || data === null) return null;
  const found = Object.values(data).flatMap((value) => withId.safeParse(value).data?.id ?? []);
  return found.length === 1 ? (found[0] ?? null) : null;
}
