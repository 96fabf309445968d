import type { z } from 'zod';
import { ChainError } from '../../../domain/chain.ts';
import {
  invalidResponse,
  createJsonRpc,
  parseRpcError,
  parsed,
  RefusedBatch,
  RpcRefusal,
  type RpcAnswer,
  type RpcRequest,
} from '../../shared/json-rpc.ts';
import type { RpcTransport } from '../../shared/rpc-transport.ts';

/** A call with the schema of its answer. */
export interface RpcCall<T> extends RpcRequest {
  readonly schema: z.ZodType<T>;
}

/** Several calls: the answers come in the same order. */
export type RpcCalls<T extends readonly unknown[]> = { readonly [At in keyof T]: RpcCall<T[At]> };

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
   * Sends several calls in one request, so that normally one backend answers all; one by one where a gateway
   * does not accept batches. @throws as call
   */
  batch<T extends readonly unknown[]>(questions: RpcCalls<T>): Promise<T>;
  close(): Promise<void>;
}

/** Error codes that mean: retry later, or use a node that is further ahead. */
const NOT_NOW: ReadonlySet<number> = new Set([-32005, -32014, -32016]);
/**
 * Whether the node rejected the request because of a temporary state of its own, which proves nothing about
 * the request.
 */
export function isNotNow({ cause }: ChainError): boolean {
  return cause instanceof RpcRefusal && NOT_NOW.has(cause.code);
}

const VERSION_NOT_SUPPORTED = -32015;

interface CallOptions {
  readonly once?: boolean;
}

/** JSON-RPC 2.0 with integers of any size: amounts are u64, which a double would round. */
export function createRpc(transport: RpcTransport): Rpc {
  const rpc = createJsonRpc<CallOptions>({
    version: '2.0',
    exchange: async (body, what, options) => exchange(transport, body, what, options),
    failureIn,
    allowsErrorsOfAnyId: true,
  });

  async function batch<T extends readonly unknown[]>(questions: RpcCalls<T>): Promise<T> {
    const answers = await rpc.batch(questions).catch((error: unknown) => {
      if (error instanceof RefusedBatch) return null;
      throw error;
    });
    const values: unknown[] = [];
    for (const [at, question] of questions.entries())
      values.push(
        answers === null ? await rpc.call(question, question.schema) : valueIn(answers[at], question),
      );
    return values as unknown as T;
  }

  return {
    call: async (method, params, schema, options) => rpc.call({ method, params }, schema, options),
    batch,
    close: () => transport.close(),
  };
}

/** The parsed JSON body; of a batch, null where it is not JSON. @throws {ChainError} */
async function exchange(
  transport: RpcTransport,
  body: object,
  what: string,
  options: CallOptions | undefined,
): Promise<unknown> {
  const isBatch = Array.isArray(body);
  const calls = isBatch ? body.length : 1;
  const { status, text } = await transport.post(JSON.stringify(body), what, { ...options, calls });
  const reply = read(text);
  if (isBatch) return reply ?? null;
  if (status >= 400 && parseRpcError(reply) === null)
    throw new ChainError('unavailable', `${what}: HTTP ${status}`);
  if (reply === undefined) throw invalidResponse(what, 'is not JSON');
  return reply;
}

/** @throws {RpcRefusal} {ChainError} */
function valueIn<T>(answer: RpcAnswer | undefined, { method, schema }: RpcCall<T>): T {
  if (answer instanceof RpcRefusal) throw answer;
  return parsed(answer?.result, method, schema);
}

function failureIn(refusal: RpcRefusal, method: string): ChainError | null {
  const { code, reason } = refusal;
  if (code === VERSION_NOT_SUPPORTED) {
    // Never skipped: such a transaction may hold a payment.
    return new ChainError(
      'unknown_version',
      `${method}: the chain has a transaction version that this version of tilld cannot read: ${reason}`,
    );
  }
  return NOT_NOW.has(code) ? new ChainError('unavailable', `${method}: ${reason}`, { cause: refusal }) : null;
}

/** Undefined if it is not JSON. */
function read(text: string): unknown {
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, exactIntegers) : JSON.parse(text);
  } catch {
    return undefined;
  }
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
