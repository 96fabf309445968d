import { endSession, session } from './session.ts';

interface Envelope<T> {
  success: boolean;
  error: {
    status: number;
    code: string;
    message: string;
    details?: { field: string; message: string }[];
  } | null;
  data: T;
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

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Request {
  readonly query?: Query;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Lets a repeated request act once only. */
  readonly idempotencyKey?: string;
}

/** Asks the API as the signed-in user. A token that is refused ends the session. */
export async function api<T>(method: string, path: string, request: Request = {}): Promise<T> {
  const signedIn = session();
  const answer = await ask(
    method,
    path + queryText(request.query),
    {
      ...(signedIn === null ? {} : { authorization: `Bearer ${signedIn.token}` }),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(request.idempotencyKey === undefined ? {} : { 'idempotency-key': request.idempotencyKey }),
    },
    request.body,
  );
  const envelope = (await answer.json().catch(() => null)) as Envelope<T> | null;
  if (envelope?.success === true) return envelope.data;
  const error = envelope?.error;
  if (answer.status === 401 && error?.code === 'UNAUTHORISED' && signedIn !== null) endSession(true);
  // A node that is not ready is told with 503 and all the facts.
  if (path === '/readyz' && envelope !== null && envelope.data !== null) return envelope.data;
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

function queryText(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
