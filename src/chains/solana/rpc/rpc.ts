import { z } from 'zod';
import { ChainError } from '../../../domain/chain.ts';
import type { RpcTransport } from '../../shared/rpc-transport.ts';

/** A JSON-RPC error: the node understood the request and refused it. */
export class RpcRefusal extends Error {
  override name = 'RpcRefusal';
  readonly code: number;
  readonly reason: string;
  readonly data: unknown;

  constructor(method: string, error: { code: number; message: string; data?: unknown }) {
    super(`${method}: ${error.message} (${error.code})`);
    this.code = error.code;
    this.reason = error.message;
    this.data = error.data;
  }
}

/** A call with the schema of its answer. */
export interface Question<T> {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly schema: z.ZodType<T>;
}

/** Several calls: the answers come in the same order. */
export type Questions<T extends readonly unknown[]> = { readonly [At in keyof T]: Question<T[At]> };

export interface Rpc {
  /**
   * Sends one call and validates its result against a schema; with `once` it is never retried.
   * @throws {RpcRefusal} when the node answers with an error; {ChainError} for everything else.
   */
  call<T>(
    method: string,
    params: readonly unknown[],
    schema: z.ZodType<T>,
    options?: { readonly once?: boolean },
  ): Promise<T>;
  /**
   * Sends several calls in one request, so that normally one backend answers all; one by one where a gateway takes no
   * batches. @throws as call
   */
  together<T extends readonly unknown[]>(questions: Questions<T>): Promise<T>;
  close(): Promise<void>;
}

/** Error codes that mean: retry later, or with a node that is further ahead. */
const NOT_NOW: ReadonlySet<number> = new Set([-32005, -32014, -32016]);
/** Whether the node refused for a state of its own that passes, which says nothing about the request. */
export function isNotNow({ cause }: ChainError): boolean {
  return cause instanceof RpcRefusal && NOT_NOW.has(cause.code);
}

const VERSION_NOT_SUPPORTED = -32015;

const REPLY = z.object({
  id: z.number().nullish(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).nullish(),
});
type Reply = z.output<typeof REPLY>;
const REPLIES = z.array(REPLY);

/** JSON-RPC 2.0 with integers of any size: amounts are u64, which a double would round. */
export function createRpc(transport: RpcTransport): Rpc {
  let lastId = 0;

  async function call<T>(
    method: string,
    params: readonly unknown[],
    schema: z.ZodType<T>,
    options?: { readonly once?: boolean },
  ): Promise<T> {
    const id = (lastId += 1);
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const { status, text } = await transport.post(body, method, options);
    const reply = REPLY.safeParse(parse(text, status, method));
    if (!reply.success) throw trouble(status, method, 'is no JSON-RPC reply');
    if (!reply.data.error && reply.data.id !== id)
      throw trouble(status, method, 'belongs to another request');
    return resultOf(reply.data, { method, schema });
  }

  async function together<T extends readonly unknown[]>(questions: Questions<T>): Promise<T> {
    const asked = questions.map(({ method, params }) => {
      return { jsonrpc: '2.0', id: (lastId += 1), method, params };
    });
    const names = questions.map(({ method }) => method).join(', ');
    const { status, text } = await transport.post(JSON.stringify(asked), names, { calls: asked.length });
    const replies = repliesIn(text);
    const answers: unknown[] = [];
    if (replies === null) {
      for (const { method, params, schema } of questions) answers.push(await call(method, params, schema));
      return answers as unknown as T;
    }
    const byId = new Map(replies.map((reply) => [reply.id, reply]));
    for (const [at, question] of questions.entries()) {
      const reply = byId.get(asked[at]?.id);
      if (reply === undefined) throw trouble(status, names, 'is not complete');
      answers.push(resultOf(reply, question));
    }
    return answers as unknown as T;
  }

  return { call, together, close: () => transport.close() };
}

/** The replies in a body; null when it is not a list of replies, or not JSON. */
function repliesIn(text: string): Reply[] | null {
  try {
    return REPLIES.safeParse(read(text)).data ?? null;
  } catch {
    return null;
  }
}

/** @throws {RpcRefusal} {ChainError} */
function resultOf<T>(reply: Reply, { method, schema }: Omit<Question<T>, 'params'>): T {
  const { error } = reply;
  if (error) throw refusal(method, { ...error, data: error.data });
  const value = schema.safeParse(reply.result);
  if (value.success) return value.data;
  const [issue] = value.error.issues;
  throw new ChainError(
    'bad_answer',
    `${method}: unexpected ${issue?.path.join('.') || 'result'}: ${issue?.message ?? ''}`,
  );
}

function refusal(method: string, error: { code: number; message: string; data?: unknown }): Error {
  if (error.code === VERSION_NOT_SUPPORTED) {
    // Never skipped: such a transaction may hold a payment.
    return new ChainError(
      'unknown_version',
      `${method}: the chain holds a transaction version that this version of tilld cannot read: ${error.message}`,
    );
  }
  if (!NOT_NOW.has(error.code)) return new RpcRefusal(method, error);
  return new ChainError('unavailable', `${method}: ${error.message}`, {
    cause: new RpcRefusal(method, error),
  });
}

function parse(text: string, status: number, method: string): unknown {
  try {
    return read(text);
  } catch {
    throw trouble(status, method, 'is not JSON');
  }
}

function read(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, exactIntegers) : JSON.parse(text);
}

function trouble(status: number, method: string, problem: string): ChainError {
  if (status >= 400) return new ChainError('unavailable', `${method}: HTTP ${status}`);
  return new ChainError('bad_answer', `${method}: the node's answer ${problem}`);
}

/**
 * Matches integers that a double may round; any with fewer digits is exact, and reviving every value takes several
 * times as long as parsing. Skips digits in strings (every account's owner) and rentEpoch, which is unused.
 */
const LONG_NUMBER = /(?<!"rentEpoch":|")\b\d{16}/;

/** At most 20 digits, the length of a u64: converting millions of digits would block the event loop. */
const U64 = /^-?\d{1,20}$/;

function exactIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return U64.test(source) ? BigInt(source) : value;
}
