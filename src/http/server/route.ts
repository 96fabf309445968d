import { z } from 'zod';
import type { Actor } from '../../domain/actor.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { MemberRole } from '../../domain/roles.ts';
import type { Scope } from '../../domain/scopes.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Client } from '../../usecases/accounts/index.ts';
import { hasMark } from '../schemas/marks.ts';
import { stepUpRule, type StepUpRule } from './step-up.ts';
import { StreamReply, type StreamType } from './stream-reply.ts';

/**
 * Who may call a route.
 * - `none`: anybody.
 * - `jwt`: a user token only (account and key management).
 * - `account`: a user token, or a secret key acting for its merchant's owner, but for no other merchant of the owner.
 * - `merchant`: a secret key, or a user token with `merchantId` in body or query.
 * - `payer`: a public key, a secret key, or a user token with `merchantId`.
 * Wherever a secret key may, a restricted key may that has the scope of the route, and a member of a shop whose role
 * includes that scope: on `account` routes by naming the shop.
 */
export type AuthKind = 'none' | 'jwt' | 'account' | 'merchant' | 'payer';

/**
 * What a restricted key needs to call a route: one scope, all of several, or none in particular (`any`).
 * `never` keeps restricted keys out: accounts, shops and keys are not theirs to manage.
 */
export type RouteScope = Scope | readonly [Scope, Scope, ...Scope[]] | 'any' | 'never';

/** Routes that take user tokens only, or no credential at all, are never a restricted key's. */
type ScopeOf<A extends AuthKind> = A extends 'none' | 'jwt' ? 'never' : RouteScope;

/** What the caller of a shop or an account is allowed. */
interface Allowed {
  readonly actor: Actor;
  /** What a restricted key or a role is allowed; every scope for owners and secret keys, none for public keys. */
  readonly scopes: ReadonlySet<Scope>;
}

interface AccountAuth extends Allowed {
  readonly via: 'jwt' | 'secret' | 'restricted';
  /** Whose account it is. */
  readonly userId: string;
  /** The user who acts in another's account as a member of a shop; null for its owner, and for keys. */
  readonly memberId: string | null;
  /** The one merchant a key may learn of and change; null for users, who have all of the account. */
  readonly onlyMerchantId: string | null;
  /** The merchant that the request names, or whose key it is; null where an owner names none. */
  readonly shopId: string | null;
}

interface MerchantAuth<V extends string> extends Allowed {
  readonly via: V;
  /** Owner of the merchant. */
  readonly userId: string;
  /** The user who acts as a member of the shop; null for its owner, and for keys. */
  readonly memberId: string | null;
  readonly merchantId: string;
  /** The merchant as it was when the request came in. */
  readonly merchant: MerchantRow;
  /** False for a session of the dashboard that has not proved again who is there. */
  readonly isProven: boolean;
  /** Whether the caller may decide alone that coins leave the wallet: a restricted key or a role only with `wallet:send`. */
  readonly maySend: boolean;
  /** Whether the caller may open refund links: a restricted key or a role only with `refunds:write`. */
  readonly mayRefund: boolean;
}

/** What a handler learns about its caller, by the `auth` of the route; `sessionId` of the dashboard's session. */
export interface AuthOf {
  none: null;
  jwt: { readonly userId: string; readonly sessionId: string | null };
  account: AccountAuth;
  merchant: MerchantAuth<'jwt' | 'secret' | 'restricted'>;
  payer: MerchantAuth<'jwt' | 'secret' | 'restricted' | 'public'>;
}

export interface RouteInput<A extends AuthKind, B, Q, D = unknown> {
  readonly auth: AuthOf[A];
  readonly body: B;
  readonly query: Q;
  readonly requestId: string;
  /** The part of the network the client is in: an IPv4 /24 or an IPv6 /48. */
  readonly network: string;
  readonly client: Client;
  /** The token in the dashboard's cookie, whether or not it counts. */
  readonly sessionToken: string | null;
  /** The Idempotency-Key header of a POST, for handlers that must recognise a repeat themselves after a crash. */
  readonly idempotencyKey: string | null;
  /** A signal that is aborted when the client hangs up, for handlers that wait. */
  readonly clientGone: () => AbortSignal;
  /**
   * Scope in which that key is unique: `merchant:<id>`, `merchant:<id>:public`, `merchant:<id>:restricted:<scopes>`, each
   * with `:sandbox` while the merchant is in the sandbox, `user:<id>` or a client address.
   */
  readonly idempotencyScope: string;
  /**
   * For the transaction that stores what a POST makes: keeps the answer of the route with it, so that a repeat under the
   * same Idempotency-Key gets that answer even if this process dies before it has answered.
   */
  readonly keepAnswer: (tx: Tx, data: D) => Promise<void>;
}

/** An answer whose status differs from the route's own, or that carries headers. */
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
  /** When a create also answers 200, because the same thing exists already: what that tells. */
  readonly repeatAnswers?: string;
  /** When a success also answers 202, because the work goes on: what that tells. */
  readonly acceptedAnswers?: string;
  /** Whether coins may leave the wallet by it; by default where it changes something with the scope `wallet:send`. */
  readonly movesMoney?: boolean;
  /** Changes who may act for a shop or an account, where no field of body or answer shows that. */
  readonly changesAccess?: true;
  /** In the audit log whoever asks: it takes something away for good. Of keys only what `isRecorded` says is there otherwise. */
  readonly recorded?: true;
  /** The request itself holds the password, or a code of the second factor, in place of a step-up. */
  readonly holdsProof?: 'password' | 'code';
  /** Roles that may not, though their scopes include the route's. */
  readonly notFor?: readonly MemberRole[];
  /** For pages of this server alone: no key and no user token is taken, and the document does not list it. */
  readonly ownPages?: true;
  /** Gives the session a fresh token: what it answers to a session is kept under no Idempotency-Key. */
  readonly renewsSession?: true;
  /** For handlers that wait for something to happen: the credential is checked once more before they answer. */
  readonly waits?: true;
  /** Other types that the answer is streamed in by request, each with an example; what is streamed in JSON is as `data` says. */
  readonly streamsAs?: Readonly<Partial<Record<Exclude<StreamType, 'application/json'>, string>>>;
  /** Codes beyond those every route of its `auth` can answer; they are documented in OpenAPI. */
  readonly errors: readonly ErrorCode[];
}

/** Examples for the documentation, where those of the single fields do not make a sensible whole. */
interface RouteExample<B, Q, D> {
  readonly body?: B;
  /** Other ways to fill the body, by what they show. */
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
  /** Schema of `data` in the answer. */
  readonly data: D;
  readonly example?: RouteExample<z.input<B>, z.input<Q>, Frozen<z.input<D>>>;
  /** How long an Idempotency-Key is remembered: a day (default), or for ever where money moves. */
  readonly idempotency?: 'day' | 'forever';
  readonly handler: (
    input: RouteInput<A, z.output<B>, z.output<Q>, Frozen<z.input<D>>>,
  ) => Promise<Frozen<z.input<D>> | Reply<Frozen<z.input<D>>> | StreamReply>;
}

/** Ids of what belongs to one merchant, wherever a request has them; the first that is given names the merchant. */
const NAMING_IDS = [
  'paymentId',
  'paymentLinkId',
  'sendId',
  'linkId',
  'logId',
  'deliveryId',
  'endpointId',
] as const;
export type NamingId = (typeof NAMING_IDS)[number];

/** A route with its types erased: what the server and the OpenAPI generator work on. */
export interface Route extends RouteFacts {
  readonly auth: AuthKind;
  readonly scope: RouteScope;
  readonly body: z.ZodType | null;
  readonly query: z.ZodType | null;
  readonly data: z.ZodType;
  readonly example: RouteExample<unknown, unknown, unknown>;
  readonly idempotency: 'day' | 'forever';
  readonly stepUp: StepUpRule;
  /** Whether its answer holds what its reader can act with. */
  readonly answersSecret: boolean;
  /** Ids in body or query that name something of one merchant: a user token that gives one need not name the merchant. */
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
