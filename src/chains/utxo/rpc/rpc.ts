import { z } from 'zod';
import { ChainError } from '../../../domain/chain.ts';
import { parseExactJson, parseHexReply, parseReply } from './exact-json.ts';
import type { RpcTransport } from '../../shared/rpc-transport.ts';

export type RpcParams = readonly (string | number | boolean | readonly string[])[];

export interface RpcRequest {
  readonly method: string;
  readonly params: RpcParams;
}

/**
 * Of a `long` answer, long text results are returned as bytes (see parseReply); the caller checks that they
 * are hex.
 */
export type AnswerSize = 'usual' | 'long';

/** The node understood the request and said no. */
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
   * One call, its answer checked against a schema.
   * @throws {RpcRefusal} when the node answers an error; {ChainError} for everything else.
   */
  call<T>(method: string, params: RpcParams, schema: z.ZodType<T>, size?: AnswerSize): Promise<T>;
  /** As call, but not retried: the answer is that of the only request that can have reached a node. */
  callOnce<T>(method: string, params: RpcParams, schema: z.ZodType<T>): Promise<T>;
  /** Several calls in one batch; answers are matched by id, each a value or the node's refusal. */
  batch<T>(
    requests: readonly RpcRequest[],
    schema: z.ZodType<T>,
    size?: AnswerSize,
  ): Promise<(T | RpcRefusal)[]>;
  close(): Promise<void>;
}

const RPC_IN_WARMUP = -28;

/** HTTP statuses that a node returns before reading the request, with a hint for the operator. */
const REFUSALS: Readonly<Record<number, string>> = {
  401: 'the node refuses our credentials (401): check user and password of its RPC URL, or the cookie file',
  403: 'the node refuses our address (403): its rpcallowip must have the address that we come from',
};

const REPLY = z.object({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  result: z.unknown(),
  error: z.object({ code: z.number(), message: z.string() }).nullish(),
});
type Reply = z.infer<typeof REPLY>;
/** Built once: zod takes longer to build a schema than to check an answer. */
const REPLIES = z.array(REPLY);

/** JSON-RPC 1.0 as bitcoind and its relatives speak it. */
export function createRpc(transport: RpcTransport): Rpc {
  let lastId = 0;
  const nextId = (): string => `tilld-${(lastId += 1)}`;

  async function call<T>(
    method: string,
    params: RpcParams,
    schema: z.ZodType<T>,
    size: AnswerSize | 'once' = 'usual',
  ): Promise<T> {
    const id = nextId();
    const reply = REPLY.safeParse(await exchange({ jsonrpc: '1.0', id, method, params }, method, size));
    if (!reply.success) throw badAnswer(method, 'is no JSON-RPC reply');
    // A node answers parse errors with a null id.
    if (reply.data.id !== id && !((reply.data.id ?? null) === null && reply.data.error)) {
      throw badAnswer(method, 'belongs to another request');
    }
    const value = valueOf(reply.data, method, schema);
    if (value instanceof RpcRefusal) throw value;
    return value;
  }

  async function batch<T>(
    requests: readonly RpcRequest[],
    schema: z.ZodType<T>,
    size: AnswerSize = 'usual',
  ): Promise<(T | RpcRefusal)[]> {
    if (requests.length === 0) return [];
    const calls = requests.map(({ method, params }) => ({ jsonrpc: '1.0', id: nextId(), method, params }));
    const what = `batch of ${requests.length} ${requests[0]?.method ?? ''}`;
    const replies = REPLIES.safeParse(await exchange(calls, what, size));
    if (!replies.success) throw badAnswer(what, 'is no JSON-RPC batch reply');
    const byId = new Map(replies.data.map((reply) => [reply.id, reply]));
    return calls.map(({ id, method }) => {
      const reply = byId.get(id);
      if (reply === undefined) throw badAnswer(what, `lacks request ${id}`);
      return valueOf(reply, method, schema);
    });
  }

  async function exchange(body: unknown, what: string, size: AnswerSize | 'once'): Promise<unknown> {
    const asked = JSON.stringify(body);
    const answer = await (size === 'long'
      ? transport.postForBytes(asked, what)
      : transport.post(asked, what, { once: size === 'once' }));
    const { status } = answer;
    const refusal = REFUSALS[status];
    if (refusal !== undefined) throw new ChainError('unavailable', `${what}: ${refusal}`);
    try {
      if (!('bytes' in answer)) return parseExactJson(answer.text);
      const isLone = !Array.isArray(body) || body.length === 1;
      return isLone ? parseHexReply(answer.bytes) : parseReply(answer.bytes);
    } catch (error) {
      if (status >= 400) throw new ChainError('unavailable', `${what}: HTTP ${status}`);
      throw badAnswer(what, 'is not JSON', error);
    }
  }

  return {
    call,
    callOnce: async (method, params, schema) => call(method, params, schema, 'once'),
    batch,
    close: () => transport.close(),
  };
}

function valueOf<T>(reply: Reply, method: string, schema: z.ZodType<T>): T | RpcRefusal {
  if (reply.error) {
    const { code, message } = reply.error;
    if (code === RPC_IN_WARMUP)
      throw new ChainError('unavailable', `${method}: the node is starting (${message})`);
    return new RpcRefusal(method, code, message);
  }
  const value = schema.safeParse(reply.result);
  if (value.success) return value.data;
  const [issue] = value.error.issues;
  throw badAnswer(method, `has an unexpected ${issue?.path.join('.') || 'result'}: ${issue?.message ?? ''}`);
}

function badAnswer(what: string, problem: string, cause?: unknown): ChainError {
  return new ChainError('bad_answer', `${what}: the node's answer ${problem}`, { cause });
}
