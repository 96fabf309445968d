import { Tilld, TilldError } from '../../../../packages/sdk/src/index.ts';
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

/** A request that did not succeed, in words for the page. */
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
/** Nobody is kept waiting longer for an attempt that may help. */
const RETRY_MS = 5_000;

/** Asks the API as the signed-in user. A token that is refused ends the session. */
export async function api<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  ...[request]: Request<M, P>
): Promise<Data<M, P>> {
  const signedIn = session();
  const till = new Tilld({
    baseUrl: location.origin,
    ...(signedIn === null ? {} : { key: signedIn.token }),
    timeoutMs: LIMIT_MS,
    retryBudgetMs: RETRY_MS,
  });
  try {
    return await till.request(method, path, request as Parameters<typeof till.request<M, P>>[2]);
  } catch (error) {
    if (!(error instanceof TilldError)) throw error;
    if (error.status === 401 && error.code === 'UNAUTHORISED' && signedIn !== null) endSession(true);
    const fields = Object.fromEntries(error.details.map(({ field, message }) => [field, message]));
    throw new ApiError(error.status, error.code, wordsFor(error), fields);
  }
}

function wordsFor({ code, status, message }: TilldError): string {
  if (status === 0) return 'The server does not answer. Is it running, and are you online?';
  if (code === 'UNREADABLE') return `The server answered ${status}`;
  return message.charAt(0).toUpperCase() + message.slice(1);
}
