import { z } from 'zod';
import type { Actor } from '../../domain/actor.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { MemberRole } from '../../domain/roles.ts';
import type { Scope } from '../../domain/scopes.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Client } from '../../usecases/accounts/index.ts';
import { hasMark } from '../schemas/security-marks.ts';
import { stepUpRule, type StepUpRule } from './step-up.ts';
import { StreamReply, type StreamType } from './stream-reply.ts';

/**
 * Who may call a route.
 * - `none`: no authentication.
 * - `jwt`: a user token only (account and key management).
 * - `account`: a user token, or a secret key acting for its merchant's owner, but for no other merchant of the owner.
 * - `merchant`: a secret key, or a user token with `merchantId` in body or query.
 * - `payer`: a public key, a secret key, or a user token with `merchantId`.
 * - `counter`: the device of a counter only, on its own payments. No other route accepts it.
 * Wherever a secret key may, a restricted key may that has the scope of the route, and a member of a shop whose role
 * includes that scope: on `account` routes by naming the shop.
 */
export type AuthKind = 'none' | 'jwt' | 'account' | 'merchant' | 'payer' | 'counter';

/**
 * The scopes that a restricted key needs to call a route: one, all of several, or none in particular (`any`).
 * `never` rejects restricted keys: they cannot manage accounts, shops and keys.
 */
export type RouteScope = Scope | readonly [Scope, Scope, ...Scope[]] | 'any' | 'never';

/** Routes that accept only user tokens, or need no credential, never accept a restricted key. */
type ScopeOf<A extends AuthKind> = A extends 'none' | 'jwt' | 'counter' ? 'never' : RouteScope;

/** The permissions of a caller in a shop or an account. */
interface Allowed {
  readonly actor: Actor;
  /** The scopes of a restricted key or a role; all for owners and secret keys, none for public keys. */
  readonly scopes: ReadonlySet<Scope>;
}

interface AccountAuth extends Allowed {
  readonly via: 'jwt' | 'secret' | 'restricted';
  /** Owner of the account. */
  readonly userId: string;
  /** The user who acts in another's account as a member of a shop; null for its owner, and for keys. */
  readonly memberId: string | null;
  /** The one merchant that a key may see and change; null for users, who may access the whole account. */
  readonly onlyMerchantId: string | null;
  /** The merchant that the request names, or whose key it is; null if an owner names none. */
  readonly shopId: string | null;
}

interface MerchantAuth<V extends string> extends Allowed {
  readonly via: V;
  /** Owner of the merchant. */
  readonly userId: string;
  /** The user who acts as a member of the shop; null for its owner, and for keys. */
  readonly memberId: string | null;
  readonly merchantId: string;
  /** The merchant when the request arrived. */
  readonly merchant: MerchantRow;
  /** False for a session of the dashboard without a recent step-up. */
  readonly isProven: boolean;
  /**
   * Whether the caller may send coins without approval: a restricted key or a role only with `wallet:send`.
   */
  readonly maySend: boolean;
  /** Whether the caller may create refund links: a restricted key or a role only with `refunds:write`. */
  readonly mayRefund: boolean;
}

interface CounterAuth extends Allowed {
  readonly via: 'counter';
  readonly counterId: string;
  readonly merchantId: string;
  readonly merchant: MerchantRow;
}

/** The caller as a handler sees it, by the `auth` of the route; `sessionId` of the dashboard's session. */
export interface AuthOf {
  none: null;
  jwt: { readonly userId: string; readonly sessionId: string | null };
  account: AccountAuth;
  merchant: MerchantAuth<'jwt' | 'secret' | 'restricted'>;
  payer: MerchantAuth<'jwt' | 'secret' | 'restricted' | 'public'>;
  counter: CounterAuth;
}

export interface RouteInput<A extends AuthKind, B, Q, D = unknown> {
  readonly auth: AuthOf[A];
  readonly body: B;
  readonly query: Q;
  readonly requestId: string;
  /** The client's network: an IPv4 /24 or an IPv6 /48. */
  readonly network: string;
  readonly client: Client;
  /** The token in the dashboard's cookie, whether or not it is accepted. */
  readonly sessionToken: string | null;
  /** The Idempotency-Key header of a POST, for handlers that must recognise a repeat themselves after a crash. */
  readonly idempotencyKey: string | null;
  /** A signal that is aborted when the client disconnects, for handlers that wait. */
  readonly clientGone: () => AbortSignal;
  /**
   * Scope in which that key is unique: `merchant:<id>`, `merchant:<id>:public`, `merchant:<id>:counter:<id>`,
   * `merchant:<id>:restricted:<scopes>`, each
   * with `:sandbox` while the merchant is in the sandbox, `user:<id>` or a client address.
   */
  readonly idempotencyScope: string;
  /**
   * For the transaction that stores the rows of a POST: also stores the response of the route, so that a
   * repeat with the same Idempotency-Key gets it even if this process dies before it has responded.
   */
  readonly storeAnswer: (tx: Tx, data: D) => Promise<void>;
}

/** A response whose status differs from the route's own, or that has headers. */
export class Reply<D> {
  readonly status: number;
  readonly data: D;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, data: D, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.data = data;
    this.headers = headers;
  }
}

/** The same value, read-only to any depth: a handler may answer with what it must not change. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

interface RouteFacts {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Status of a success; creates are 201. */
  readonly status: 200 | 201;
  /** Description of a 200 of a create, if the same thing exists already. */
  readonly repeatAnswers?: string;
  /** Where bodies may be larger than the setting allows. */
  readonly bodyLimitBytes?: number;
  /** Description of a 202, if the work continues after the response. */
  readonly acceptedAnswers?: string;
  /** Whether it can send coins; by default if it writes with the scope `wallet:send`. */
  readonly movesMoney?: boolean;
  /** Changes access to a shop or an account, where no field of body or response shows that. */
  readonly changesAccess?: true;
  /**
   * Recorded in the audit log for every caller, because it deletes for good or is for emergencies. For keys,
   * otherwise only as `isRecorded` decides.
   */
  readonly recorded?: true;
  /** The request itself contains the password, or a code of the second factor, instead of a step-up. */
  readonly holdsProof?: 'password' | 'code';
  /** Roles that are rejected although their scopes include the route's. */
  readonly notFor?: readonly MemberRole[];
  /**
   * For pages of this server only: it accepts no key and no user token, and the document does not list it.
   */
  readonly dashboardOnly?: true;
  /** For the page of the counter only: the document does not list it. */
  readonly counterOnly?: true;
  /** Issues a new session token, so its response to a session is stored under no Idempotency-Key. */
  readonly renewsSession?: true;
  /** For handlers that wait for an event: the credential is checked again before they respond. */
  readonly waits?: true;
  /** Other media types of the streamed response, each with an example; the JSON stream is as in `data`. */
  readonly streamsAs?: Readonly<Partial<Record<Exclude<StreamType, 'application/json'>, string>>>;
  /** Codes beyond those every route of its `auth` can answer; they are documented in OpenAPI. */
  readonly errors: readonly ErrorCode[];
}

/** Examples for the documentation, if those of the single fields do not fit together. */
interface RouteExample<B, Q, D> {
  readonly body?: B;
  /** Other ways to fill the body, by description. */
  readonly otherBodies?: Readonly<Record<string, B>>;
  readonly query?: Q;
  readonly data?: D;
}

export interface RouteDefinition<
  A extends AuthKind,
  B extends z.ZodType,
  Q extends z.ZodType,
  D extends z.ZodType,
> extends RouteFacts {
  readonly auth: A;
  readonly scope: ScopeOf<A>;
  readonly body?: B;
  readonly query?: Q;
  /** Schema of `data` in the response. */
  readonly data: D;
  readonly example?: RouteExample<z.input<B>, z.input<Q>, Frozen<z.input<D>>>;
  /** How long an Idempotency-Key is stored: a day (default), or forever for movements of money. */
  readonly idempotency?: 'day' | 'forever';
  readonly handler: (
    input: RouteInput<A, z.output<B>, z.output<Q>, Frozen<z.input<D>>>,
  ) => Promise<Frozen<z.input<D>> | Reply<Frozen<z.input<D>>> | StreamReply>;
}

/** Ids of one merchant's records, wherever a request has them; the first one implies the merchant. */
const NAMING_IDS = [
  'paymentId',
  'paymentLinkId',
  'counterId',
  'subscriptionId',
  'sendId',
  'linkId',
  'logId',
  'deliveryId',
  'endpointId',
] as const;
export type NamingId = (typeof NAMING_IDS)[number];

/** A route with its types erased, for the server and the OpenAPI generator. */
export interface Route extends RouteFacts {
  readonly auth: AuthKind;
  readonly scope: RouteScope;
  readonly body: z.ZodType | null;
  readonly query: z.ZodType | null;
  readonly data: z.ZodType;
  readonly example: RouteExample<unknown, unknown, unknown>;
  readonly idempotency: 'day' | 'forever';
  readonly stepUp: StepUpRule;
  /** Whether its response contains a secret. */
  readonly answersSecret: boolean;
  /** Ids in body or query that imply one merchant: a user token that sends one need not name the merchant. */
  readonly namedBy: readonly NamingId[];
  readonly handle: (input: RouteInput<AuthKind, unknown, unknown>) => Promise<Reply<unknown> | StreamReply>;
}

/**
 * Defines one endpoint. Server, validation and documentation all come from this one definition;
 * the handler gets body and query already parsed and returns `data`, a `Reply` when the status
 * or headers depend on the outcome, or a `StreamReply` when `data` is too long to be held. Errors are thrown as AppError.
 */
export function defineRoute<
  A extends AuthKind,
  D extends z.ZodType,
  B extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
>(definition: RouteDefinition<A, B, Q, D>): Route {
  const { handler, body = null, query = null, example = {}, idempotency = 'day', ...facts } = definition;
  return {
    ...facts,
    body,
    query,
    example,
    idempotency,
    stepUp: stepUpRule(definition),
    answersSecret: hasMark(definition.data, 'secret'),
    namedBy: isOfMerchant(facts.auth)
      ? NAMING_IDS.filter((id) => [body, query].some((part) => hasField(part, id)))
      : [],
    handle: async (input) => {
      const answer = await handler(input as RouteInput<A, z.output<B>, z.output<Q>>);
      if (answer instanceof StreamReply) return answer;
      return answer instanceof Reply ? answer : new Reply<unknown>(facts.status, answer);
    },
  };
}

/** Whether a user token must name the merchant that a route is about. */
function isOfMerchant(auth: AuthKind): boolean {
  return auth === 'merchant' || auth === 'payer';
}

function hasField(schema: z.ZodType | null, name: string): boolean {
  return schema instanceof z.ZodObject && Object.hasOwn(schema.shape, name);
}

/** Whether the documentation lists a route: not those that only pages of this server call. */
export function isListed({
  dashboardOnly,
  counterOnly,
}: Pick<Route, 'dashboardOnly' | 'counterOnly'>): boolean {
  return dashboardOnly !== true && counterOnly !== true;
}
