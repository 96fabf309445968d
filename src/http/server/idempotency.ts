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
/** Answers that say nothing lasting: the same request may well succeed later. */
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

/** Keeps the answer in the transaction that stores what the request made. */
export type KeepAnswer = (tx: Tx, answer: Answer) => Promise<void>;

/**
 * Runs work at most once per scope and key, and gives repeats the first answer again. Where keys are kept for
 * ever, money moves: a refusal is not kept there, as the handler knows by the key what it has stored.
 */
export type RunIdempotent = (
  request: IdempotentRequest,
  work: (keep: KeepAnswer) => Promise<Answer>,
) => Promise<Answer>;

/** The Idempotency-Key of a request; null when it has none. @throws {AppError} when it is unusable. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (/^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalidField('Idempotency-Key', 'must have 1 to 255 printable ASCII characters');
}

/**
 * An `in_flight` row that this process did not write was left by one that died: the work is done again. What makes
 * something keeps its answer in its own transaction, so such a row says that nothing was made; handlers that move money
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
    // Sealed: a plain digest of a sign-in would let a thief of the file guess the password.
    request_hash: secretBox.seal(digest),
    body_sealed: null,
    created_at: now,
    expires_at: route.idempotency === 'forever' ? null : now + DAY_MS,
  });
  if (holder === null) return null;
  if (secretBox.open(holder.request_hash) !== digest) throw mismatch();
  return replay(secretBox, holder);
}

function replay(secretBox: SecretBox, row: IdempotencyRow): Answer | null {
  if (row.state === 'in_flight' || row.status === null || row.body_sealed === null) return null;
  // Kept by an earlier version, for ever.
  if (row.expires_at === null && isRefusal(row.status)) return null;
  const { headers, body } = keptAnswer.parse(parseExact(secretBox.open(row.body_sealed)));
  return { status: row.status, headers: { ...headers, 'Idempotent-Replayed': 'true' }, body };
}

async function runAndKeep(
  deps: IdempotencyDeps,
  request: IdempotentRequest,
  work: (keep: KeepAnswer) => Promise<Answer>,
): Promise<Answer> {
  const kept: Answer[] = [];
  const answer = await work(async (tx, made) => {
    await finishIdempotencyKey(tx, request, sealed(deps, made));
    tx.afterCommit(() => kept.push(made));
  });
  // Whatever failed after the commit: it is made, and this is what a repeat is told.
  const [first] = kept;
  if (first !== undefined) return first;
  try {
    await keep(deps, request, answer);
  } catch (err) {
    // The work is done and its answer true; the row stays in flight, which a repeat treats as a crash.
    const { route, scope } = request;
    deps.logger.error({ err, path: route.path, scope }, 'storing the answer for an Idempotency-Key failed');
  }
  return answer;
}

async function keep(deps: IdempotencyDeps, request: IdempotentRequest, answer: Answer): Promise<void> {
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

/** Nothing moved: where keys are kept for ever, such an answer would keep the same request from ever being served. */
function isRefusal(status: number): boolean {
  return status >= 400;
}

function mismatch(): AppError {
  return new AppError('IDEMPOTENCY_MISMATCH', 'This Idempotency-Key was used with another request');
}

function inFlight(): AppError {
  return new AppError('IDEMPOTENCY_IN_FLIGHT', 'A request with this Idempotency-Key is still being handled');
}
