import { z } from 'zod';
import { ChainError } from '../../../domain/chain.ts';
import type { PostOptions, RpcTransport } from '../../shared/rpc-transport.ts';
import { isUnknownMethod } from '../sends/reject-reasons.ts';

export type RpcParam =
  | string
  | number
  | boolean
  | readonly string[]
  | { readonly [name: string]: string | boolean | { readonly [name: string]: boolean } };

export interface RpcRequest {
  readonly method: string;
  readonly params: readonly RpcParam[];
}

/** A JSON-RPC error: the node understood the request and refused it. */
export class RpcRefusal extends Error {
  override name = 'RpcRefusal';
  readonly code: number;
  readonly reason: string;

  constructor(method: string, code: number, reason: string) {
    super(`${method}: ${reason} (${code})`);
    this.code = code;
    this.reason = reason;
  }
}

export interface Rpc {
  /**
   * Sends one call and validates its result against a schema.
   * @throws {RpcRefusal} when the node answers with an error; {ChainError} for everything else.
   */
  call<T>(request: RpcRequest, schema: z.ZodType<T>, options?: PostOptions): Promise<T>;
  /**
   * Sends several calls in one request, so that normally one backend answers all of them. Answers are matched by id;
   * each is a raw result or the node's refusal.
   */
  batch(
    requests: readonly RpcRequest[],
    options?: PostOptions,
  ): Promise<(RpcRefusal | { readonly result: unknown })[]>;
  close(): Promise<void>;
}

/** HTTP: content too large. */
const TOO_LARGE = 413;
/** Error codes of nodes and providers for a temporary refusal (EIP-1474: limit exceeded, resource unavailable). */
const BUSY_CODES = new Set([-32005, -32002, 429]);
const BUSY_REASON = /rate.?limit|too many requests|limit exceeded|request timed? ?out|overloaded/i;
/** Nethermind's message for a dropped state, sent under one of these codes; no retry will succeed. */
const GONE_REASON = /^no state available/i;

const REPLY = z.object({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).nullish(),
});
type Reply = z.infer<typeof REPLY>;
const REPLIES = z.array(REPLY);

/**
 * JSON-RPC 2.0 over the transport that all chain families share. ethers' own provider is not used: it retries 429
 * without an overall bound, caches, and hides which answers came from one request.
 */
export function createRpc(transport: RpcTransport): Rpc {
  let lastId = 0;
  const nextId = (): number => (lastId += 1);

  async function call<T>(request: RpcRequest, schema: z.ZodType<T>, options?: PostOptions): Promise<T> {
    const id = nextId();
    const { method } = request;
    const answered = await transport.post(
      JSON.stringify({ jsonrpc: '2.0', id, ...request }),
      method,
      options,
    );
    if (answered.status === TOO_LARGE) throw new RpcRefusal(method, TOO_LARGE, 'the request is too large');
    const reply = REPLY.safeParse(opened(answered, method));
    if (!reply.success) throw badAnswer(method, 'is no JSON-RPC reply');
    if (reply.data.id !== id && !((reply.data.id ?? null) === null && reply.data.error)) {
      throw badAnswer(method, 'belongs to another request');
    }
    const found = answerOf(reply.data, method);
    if (found instanceof RpcRefusal) throw found;
    return parsed(found.result, method, schema);
  }

  async function batch(
    requests: readonly RpcRequest[],
    options?: PostOptions,
  ): Promise<(RpcRefusal | { readonly result: unknown })[]> {
    if (requests.length === 0) return [];
    const calls = requests.map((request) => ({ jsonrpc: '2.0', id: nextId(), ...request }));
    const what = `batch of ${requests.length} ${requests[0]?.method ?? ''}`;
    const { length } = calls;
    const answered = await transport.post(JSON.stringify(calls), what, { ...options, calls: length });
    return matched(opened(answered, what), calls, what);
  }

  return { call, batch, close: () => transport.close() };
}

/** The parsed JSON body, whatever the HTTP status. @throws {ChainError} */
function opened({ status, text }: { readonly status: number; readonly text: string }, what: string): unknown {
  if (status >= 400 && refusesMethod(text)) return JSON.parse(text);
  if (status === 401 || status === 403) {
    throw new ChainError(
      'unavailable',
      `${what}: the node refuses our credentials or address (${status}): check user, password or key in its RPC URL`,
    );
  }
  if (status === 429) throw new ChainError('unavailable', `${what}: the node limits our rate (429)`);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (status >= 400) throw new ChainError('unavailable', `${what}: HTTP ${status}`);
    throw badAnswer(what, 'is not JSON', error);
  }
}

/** Whether the body refuses a method: some providers answer 400 or 403 for a method that is not in the plan. */
function refusesMethod(text: string): boolean {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return false;
  }
  const reply = REPLY.safeParse(body);
  if (!reply.success || !reply.data.error) return false;
  const { code, message } = reply.data.error;
  return isUnknownMethod({ code, reason: message });
}

/** Matches answers to calls, in the order of the calls. @throws {ChainError} bad_answer when one is missing. */
function matched(
  body: unknown,
  calls: readonly { readonly id: number; readonly method: string }[],
  what: string,
): (RpcRefusal | { readonly result: unknown })[] {
  const replies = REPLIES.safeParse(body);
  if (!replies.success) throw refusedBatch(body, what);
  const byId = new Map(replies.data.map((reply) => [reply.id, reply]));
  return calls.map(({ id, method }) => {
    const reply = byId.get(id);
    if (reply === undefined) throw badAnswer(what, `lacks request ${id}`);
    return answerOf(reply, method);
  });
}

/** Validates one result. @throws {ChainError} bad_answer naming the field. */
export function parsed<T>(result: unknown, method: string, schema: z.ZodType<T>): T {
  const value = schema.safeParse(result);
  if (value.success) return value.data;
  const [issue] = value.error.issues;
  throw badAnswer(method, `has an unexpected ${issue?.path.join('.') || 'result'}: ${issue?.message ?? ''}`);
}

function answerOf(reply: Reply, method: string): RpcRefusal | { readonly result: unknown } {
  if (!reply.error) return { result: reply.result };
  const { code, message } = reply.error;
  const isBusy = (BUSY_CODES.has(code) && !GONE_REASON.test(message)) || BUSY_REASON.test(message);
  if (isBusy) throw new ChainError('unavailable', `${method}: the node is busy (${message})`);
  return new RpcRefusal(method, code, message);
}

/** A single error in place of a batch's answers: the provider takes no batches, or none now. */
function refusedBatch(body: unknown, what: string): ChainError {
  const reply = REPLY.safeParse(body);
  if (!reply.success || !reply.data.error) return badAnswer(what, 'is no JSON-RPC batch reply');
  return new ChainError('unavailable', `${what}: ${reply.data.error.message}`);
}

function badAnswer(what: string, problem: string, cause?: unknown): ChainError {
  return new ChainError('bad_answer', `${what}: the node's answer ${problem}`, { cause });
}
