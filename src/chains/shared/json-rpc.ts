import { z } from 'zod';
import { ChainError } from '../../domain/chain.ts';

export interface RpcRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A JSON-RPC error: the node understood the request and rejected it. */
export class RpcRefusal extends Error {
  override name = 'RpcRefusal';
  readonly code: number;
  readonly reason: string;
  /** Additional data from the node. */
  readonly data: unknown;

  constructor(method: string, code: number, reason: string, data?: unknown) {
    super(`${method}: ${reason} (${code})`);
    this.code = code;
    this.reason = reason;
    this.data = data;
  }
}

/** A raw result, or the node's error. */
export type RpcAnswer = RpcRefusal | { readonly result: unknown };

export interface JsonRpc<Options> {
  /**
   * Sends one call and validates its result against a schema.
   * @throws {RpcRefusal} when the node answers with an error; {ChainError} for everything else.
   */
  call<T>(request: RpcRequest, schema: z.ZodType<T>, options?: Options): Promise<T>;
  /**
   * Sends several calls in one request, so that normally one backend answers all of them. Answers are matched
   * by id.
   * @throws {RefusedBatch} when the answer is not a list; {ChainError} for everything else.
   */
  batch(requests: readonly RpcRequest[], options?: Options): Promise<RpcAnswer[]>;
}

/** What differs between the nodes of chain families. */
export interface RpcDialect<Options> {
  readonly version: '1.0' | '2.0';
  /** Posts a call or a batch and parses the JSON of the answer, whatever its HTTP status. */
  readonly exchange: (body: object, what: string, options: Options | undefined) => Promise<unknown>;
  /**
   * The failure if the error does not concern the request itself, such as a temporary overload; null for a
   * rejection.
   */
  readonly failureIn: (refusal: RpcRefusal, method: string) => ChainError | null;
  /** Whether an error may name another request: some gateways reject without reading the id. */
  readonly allowsErrorsOfAnyId?: boolean;
}

/** The answer to a batch is not a list of replies. */
export class RefusedBatch extends ChainError {}

const REPLY = z.object({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).nullish(),
});
/** Built once: zod takes longer to build a schema than to check an answer. */
const REPLIES = z.array(REPLY);

/** JSON-RPC: numbers calls, matches replies to them and validates results. */
export function createJsonRpc<Options>(dialect: RpcDialect<Options>): JsonRpc<Options> {
  let lastId = 0;
  const numbered = ({ method, params }: RpcRequest) => {
    return { jsonrpc: dialect.version, id: (lastId += 1), method, params };
  };

  function readAnswer(reply: z.infer<typeof REPLY>, method: string): RpcAnswer {
    if (!reply.error) return { result: reply.result };
    const { code, message, data } = reply.error;
    const refusal = new RpcRefusal(method, code, message, data);
    const failure = dialect.failureIn(refusal, method);
    if (failure === null) return refusal;
    throw failure;
  }

  async function call<T>(request: RpcRequest, schema: z.ZodType<T>, options?: Options): Promise<T> {
    const { method } = request;
    const numberedRequest = numbered(request);
    const reply = REPLY.safeParse(await dialect.exchange(numberedRequest, method, options));
    if (!reply.success) throw invalidResponse(method, 'is no JSON-RPC reply');
    const { id = null, error } = reply.data;
    // A node answers parse errors with a null id.
    const mayDiffer = Boolean(error) && (id === null || dialect.allowsErrorsOfAnyId === true);
    if (id !== numberedRequest.id && !mayDiffer) throw invalidResponse(method, 'belongs to another request');
    const answer = readAnswer(reply.data, method);
    if (answer instanceof RpcRefusal) throw answer;
    return parsed(answer.result, method, schema);
  }

  async function batch(requests: readonly RpcRequest[], options?: Options): Promise<RpcAnswer[]> {
    if (requests.length === 0) return [];
    const calls = requests.map(numbered);
    const what = `batch of ${requests.length} ${requests[0]?.method ?? ''}`;
    const body = await dialect.exchange(calls, what, options);
    const replies = REPLIES.safeParse(body);
    if (!replies.success) throw refusedBatch(body, what);
    const byId = new Map(replies.data.map((reply) => [reply.id, reply]));
    return calls.map(({ id, method }) => {
      const reply = byId.get(id);
      if (reply === undefined) throw invalidResponse(what, `lacks request ${id}`);
      return readAnswer(reply, method);
    });
  }

  return { call, batch };
}

/** A single error instead of a batch's answers: the provider does not accept batches, or not at the moment. */
function refusedBatch(body: unknown, what: string): RefusedBatch {
  const error = parseRpcError(body);
  if (error === null)
    return new RefusedBatch('bad_answer', `${what}: the node's answer is no JSON-RPC batch reply`);
  return new RefusedBatch('unavailable', `${what}: ${error.message}`);
}

/** The code and message of a reply that is an error; null for any other body. */
export function parseRpcError(body: unknown): { readonly code: number; readonly message: string } | null {
  return REPLY.safeParse(body).data?.error ?? null;
}

/** Validates one result. @throws {ChainError} bad_answer naming the field. */
export function parsed<T>(result: unknown, method: string, schema: z.ZodType<T>): T {
  const value = schema.safeParse(result);
  if (value.success) return value.data;
  const [issue] = value.error.issues;
  throw invalidResponse(
    method,
    `has an unexpected ${issue?.path.join('.') || 'result'}: ${issue?.message ?? ''}`,
  );
}

/** The error for a malformed answer. */
export function invalidResponse(what: string, problem: string, cause?: unknown): ChainError {
  return new ChainError('bad_answer', `${what}: the node's answer ${problem}`, { cause });
}
