import { z } from 'zod';
import { AppError, invalidField } from '../../domain/errors.ts';
import { parseExact } from '../../domain/exact-json.ts';
import type { SecretBox } from '../../domain/keys.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import {
  claimIdempotencyKey,
  finishIdempotencyKey,
  purgeIdempotencyKeys,
  releaseIdempotencyKey,
} from '../../store/idempotency.ts';
import type { IdempotencyRow } from '../../store/schema/operations.ts';
import type { Answer, Envelope } from './envelope.ts';
import { requestDigest } from './request-digest.ts';
import type { Route } from './route.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Transient errors: the same request may succeed later. */
const NOT_KEPT = new Set([401, 429]);

const keptAnswer = z.object({
  headers: z.record(z.string(), z.string()),
  body: z.custom<Envelope>((value) => typeof value === 'object' && value !== null),
});

export interface IdempotencyDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  readonly logger: Logger;
}

interface IdempotentRequest {
  readonly route: Pick<Route, 'method' | 'path' | 'idempotency'>;
  readonly scope: string;
  readonly key: string;
  readonly body: unknown;
  readonly query: unknown;
}

/** Stores the response in the transaction that stores the request's rows. */
export type StoreAnswer = (tx: Tx, answer: Answer) => Promise<void>;

/**
 * Runs work at most once per scope and key, and repeats the first response. Keys that are kept forever belong
 * to movements of money: there a rejection is not stored, because the handler finds its stored rows by the
 * key.
 */
export type RunIdempotent = (
  request: IdempotentRequest,
  work: (store: StoreAnswer) => Promise<Answer>,
) => Promise<Answer>;

/** The Idempotency-Key of a request; null if it has none. @throws {AppError} if it is invalid. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (/^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalidField('Idempotency-Key', 'must have 1 to 255 printable ASCII characters');
}

/**
 * An `in_flight` row of another process was left by a crash, so the work runs again. A create stores its
 * response in its own transaction, so such a row means that nothing was created; handlers that move money
 * recognise the repeat by the key.
 */
export function createIdempotentRunner(deps: IdempotencyDeps): RunIdempotent {
  const running = new Map<string, string>();
  return async (request, work) => {
    const { route, query, body } = request;
    const digest = requestDigest([route.method, route.path, query ?? null, body ?? null]);
    const slot = JSON.stringify([request.scope, request.key]);
    const other = running.get(slot);
    if (other !== undefined) throw other === digest ? inFlight() : mismatch();
    running.set(slot, digest);
    try {
      const kept = await claim(deps, request, digest);
      return kept ?? (await runAndKeep(deps, request, work));
    } finally {
      running.delete(slot);
    }
  };
}

async function claim(
  deps: IdempotencyDeps,
  request: IdempotentRequest,
  digest: string,
): Promise<Answer | null> {
  const { db, clock, secretBox } = deps;
  const { scope, key, route } = request;
  const now = clock.now();
  await purgeIdempotencyKeys(db, { scope, key }, now);
  const holder = await claimIdempotencyKey(db, {
    scope,
    key,
    route: `${route.method} ${route.path}`,
    state: 'in_flight',
    status: null,
    // Encrypted, because a plain digest of a sign-in would let a thief of the file guess the password.
    requestHash: secretBox.seal(digest),
    bodySealed: null,
    createdAt: now,
    expiresAt: route.idempotency === 'forever' ? null : now + DAY_MS,
  });
  if (holder === null) return null;
  if (secretBox.open(holder.requestHash) !== digest) throw mismatch();
  return replay(secretBox, holder);
}

function replay(secretBox: SecretBox, row: IdempotencyRow): Answer | null {
  if (row.state === 'in_flight' || row.status === null || row.bodySealed === null) return null;
  // Stored by an earlier version, without an expiry.
  if (row.expiresAt === null && isRefusal(row.status)) return null;
  const { headers, body } = keptAnswer.parse(parseExact(secretBox.open(row.bodySealed)));
  return { status: row.status, headers: { ...headers, 'Idempotent-Replayed': 'true' }, body };
}

async function runAndKeep(
  deps: IdempotencyDeps,
  request: IdempotentRequest,
  work: (store: StoreAnswer) => Promise<Answer>,
): Promise<Answer> {
  const kept: Answer[] = [];
  const answer = await work(async (tx, made) => {
    await finishIdempotencyKey(tx, request, sealed(deps, made));
    tx.afterCommit(() => kept.push(made));
  });
  // The commit succeeded and a later step failed: the rows exist, and a repeat gets this response.
  const [first] = kept;
  if (first !== undefined) return first;
  try {
    await storeAnswer(deps, request, answer);
  } catch (err) {
    // The work is done and its response valid; the row stays in flight, which a repeat treats as a crash.
    const { route, scope } = request;
    deps.logger.error({ err, path: route.path, scope }, 'storing the response of an Idempotency-Key failed');
  }
  return answer;
}

async function storeAnswer(deps: IdempotencyDeps, request: IdempotentRequest, answer: Answer): Promise<void> {
  const { status } = answer;
  const isTransient = status >= 500 || NOT_KEPT.has(status);
  if (isTransient || (request.route.idempotency === 'forever' && isRefusal(status))) {
    await releaseIdempotencyKey(deps.db, request);
    return;
  }
  await finishIdempotencyKey(deps.db, request, sealed(deps, answer));
}

function sealed(
  { secretBox }: Pick<IdempotencyDeps, 'secretBox'>,
  { status, headers, body }: Answer,
): { readonly status: number; readonly bodySealed: string } {
  return { status, bodySealed: secretBox.seal(JSON.stringify({ headers, body })) };
}

/** Nothing moved: if it were stored forever, the same request could never be served. */
function isRefusal(status: number): boolean {
  return status >= 400;
}

function mismatch(): AppError {
  return new AppError('IDEMPOTENCY_MISMATCH', 'This Idempotency-Key was used with another request');
}

function inFlight(): AppError {
  return new AppError('IDEMPOTENCY_IN_FLIGHT', 'A request with this Idempotency-Key is still being handled');
}
