import type { z } from 'zod';
import { ChainError } from '../../../domain/chain.ts';
import {
  invalidResponse,
  createJsonRpc,
  parsed,
  RpcRefusal,
  type RpcRequest,
} from '../../shared/json-rpc.ts';
import type { RpcTransport } from '../../shared/rpc-transport.ts';
import { parseExactJson, parseHexReply, parseReply, parseTxidsReply } from './exact-json.ts';

export type RpcParams = readonly (string | number | boolean | readonly string[])[];

/**
 * In a `long` answer, long text results are returned as bytes (see parseReply); the caller checks that they
 * are hex. In a `txids` answer, a list of transaction ids is (see parseTxidsReply).
 */
export type AnswerSize = 'usual' | 'long' | 'txids';

export interface Rpc {
  /**
   * One call, its answer checked against a schema.
   * @throws {RpcRefusal} when the node returns an error; {ChainError} for everything else.
   */
  call<T>(method: string, params: RpcParams, schema: z.ZodType<T>, size?: AnswerSize): Promise<T>;
  /** As call, but not retried: the answer belongs to the only request that can have reached a node. */
  callOnce<T>(method: string, params: RpcParams, schema: z.ZodType<T>): Promise<T>;
  /** Several calls in one batch; answers are matched by id, each a value or the node's error. */
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
  401: 'the node rejects the credentials (401): check user and password of its RPC URL, or the cookie file',
  403: 'the node rejects the IP address (403): its rpcallowip must contain the address of this machine',
};

/** JSON-RPC 1.0 as implemented by bitcoind and its forks. */
export function createRpc(transport: RpcTransport): Rpc {
  const rpc = createJsonRpc<AnswerSize | 'once'>({
    version: '1.0',
    exchange: async (body, what, size) => exchange(transport, body, what, size),
    failureIn: ({ code, reason }, method) =>
      code === RPC_IN_WARMUP
        ? new ChainError('unavailable', `${method}: the node is starting (${reason})`)
        : null,
  });
  return {
    call: async (method, params, schema, size) => rpc.call({ method, params }, schema, size),
    callOnce: async (method, params, schema) => rpc.call({ method, params }, schema, 'once'),
    async batch(requests, schema, size) {
      const answers = await rpc.batch(requests, size);
      return answers.map((answer, at) =>
        answer instanceof RpcRefusal ? answer : parsed(answer.result, requests[at]?.method ?? '', schema),
      );
    },
    close: () => transport.close(),
  };
}

async function exchange(
  transport: RpcTransport,
  body: object,
  what: string,
  size: AnswerSize | 'once' = 'usual',
): Promise<unknown> {
  const requestBody = JSON.stringify(body);
  const answer = await (size === 'long' || size === 'txids'
    ? transport.postForBytes(requestBody, what)
    : transport.post(requestBody, what, { once: size === 'once' }));
  const { status } = answer;
  const refusal = REFUSALS[status];
  if (refusal !== undefined) throw new ChainError('unavailable', `${what}: ${refusal}`);
  try {
    if (!('bytes' in answer)) return parseExactJson(answer.text);
    if (size === 'txids') return parseTxidsReply(answer.bytes);
    const isLone = !Array.isArray(body) || body.length === 1;
    return isLone ? parseHexReply(answer.bytes) : parseReply(answer.bytes);
  } catch (error) {
    if (status >= 400) throw new ChainError('unavailable', `${what}: HTTP ${status}`);
    throw invalidResponse(what, 'is not JSON', error);
  }
}
