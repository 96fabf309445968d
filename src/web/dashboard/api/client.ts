import type { Body, Data, Method, PathOf, QueryOf } from './contract.ts';
import { endSession, session } from './session.ts';

interface Extras<M extends Method, P extends PathOf<M>> {
  readonly query?: QueryOf<M, P>;
  /** Lets a repeated request act once only. */
  readonly idempotencyKey?: string;
}

type Request<M extends Method, P extends PathOf<M>> =
  Body<M, P> extends undefined
    ? [request?: Extras<M, P>]
    : [request: Extras<M, P> & { readonly body: Body<M, P> }];

interface Envelope {
  success: boolean;
  error: {
    status: number;
    code: string;
    message: string;
    details?: { field: string; message: string }[];
  } | null;
  data: unknown;
}

/** An answer of the API that is not a success, or none at all. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly status: number;

  constructor(status: number, code: string, message: string, fields: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

const LIMIT_MS = 60_000;

/** Asks the API as the signed-in user, in the terms of its OpenAPI document. A token that is refused ends the session. */
export async function api<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  ...[request]: Request<M, P>
): Promise<Data<M, P>> {
  const signedIn = session();
  const { query, idempotencyKey } = request ?? {};
  const body = request !== undefined && 'body' in request ? request.body : undefined;
  const answer = await ask(
    method,
    path + queryText(query),
    {
      ...(signedIn === null ? {} : { authorization: `Bearer ${signedIn.token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body,
  );
  const envelope = (await answer.json().catch(() => null)) as Envelope | null;
  if (envelope?.success === true) return envelope.data as Data<M, P>;
  const error = envelope?.error;
  if (answer.status === 401 && error?.code === 'UNAUTHORISED' && signedIn !== null) endSession(true);
  // A node that is not ready is told with 503 and all the facts.
  if (path === '/readyz' && envelope !== null && envelope.data !== null) return envelope.data as Data<M, P>;
  const fields = Object.fromEntries((error?.details ?? []).map(({ field, message }) => [field, message]));
  throw new ApiError(
    answer.status,
    error?.code ?? 'UNREADABLE',
    sentence(error?.message ?? `The server answered ${answer.status}`),
    fields,
  );
}

async function ask(
  method: string,
  address: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<Response> {
  try {
    return await fetch(address, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
  } catch {
    throw new ApiError(0, 'NO_ANSWER', 'The server does not answer. Is it running, and are you online?');
  }
}

function queryText(
  query: Readonly<Record<string, string | number | boolean | null | undefined>> = {},
): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
