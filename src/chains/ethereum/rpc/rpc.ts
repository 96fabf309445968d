import { ChainError } from '../../../domain/chain.ts';
import {
  invalidResponse,
  createJsonRpc,
  parseRpcError,
  type JsonRpc,
  RpcRefusal,
} from '../../shared/json-rpc.ts';
import type { PostOptions, RpcTransport } from '../../shared/rpc-transport.ts';
import { isUnknownMethod } from '../sends/reject-reasons.ts';

export interface Rpc extends JsonRpc<PostOptions> {
  close(): Promise<void>;
}

/** HTTP: content too large. */
const TOO_LARGE = 413;
/**
 * Error codes of nodes and providers for a temporary rejection (EIP-1474: limit exceeded, resource
 * unavailable).
 */
const BUSY_CODES = new Set([-32005, -32002, 429]);
const BUSY_REASON = /rate.?limit|too many requests|limit exceeded|request timed? ?out|overloaded/i;
/** Nethermind's message for a dropped state, sent under one of these codes; no retry will succeed. */
const GONE_REASON = /^no state available/i;

/**
 * JSON-RPC 2.0 over the transport that all chain families share. ethers' own provider is not used: it retries 429
 * without an overall bound, caches, and hides which answers came from one request.
 */
export function createRpc(transport: RpcTransport): Rpc {
  const rpc = createJsonRpc<PostOptions>({
    version: '2.0',
    async exchange(body, what, options) {
      const isBatch = Array.isArray(body);
      const calls = isBatch ? body.length : 1;
      const answered = await transport.post(JSON.stringify(body), what, { ...options, calls });
      if (answered.status === TOO_LARGE && !isBatch) {
        throw new RpcRefusal(what, TOO_LARGE, 'the request is too large');
      }
      return opened(answered, what);
    },
    failureIn: ({ code, reason }, method) => {
      const isBusy = (BUSY_CODES.has(code) && !GONE_REASON.test(reason)) || BUSY_REASON.test(reason);
      return isBusy ? new ChainError('unavailable', `${method}: the node is busy (${reason})`) : null;
    },
  });
  return { ...rpc, close: () => transport.close() };
}

/** The parsed JSON body, whatever the HTTP status. @throws {ChainError} */
function opened({ status, text }: { readonly status: number; readonly text: string }, what: string): unknown {
  if (status >= 400 && refusesMethod(text)) return JSON.parse(text);
  if (status === 401 || status === 403) {
    throw new ChainError(
      'unavailable',
      `${what}: the node rejects the credentials or the IP address (${status}): check user, password or key in its RPC URL`,
    );
  }
  if (status === 429) throw new ChainError('unavailable', `${what}: the node limits our rate (429)`);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (status >= 400) throw new ChainError('unavailable', `${what}: HTTP ${status}`);
    throw invalidResponse(what, 'is not JSON', error);
  }
}

/** Whether the body rejects a method: some providers answer 400 or 403 for a method that is not in the plan. */
function refusesMethod(text: string): boolean {
  try {
    const error = parseRpcError(JSON.parse(text));
    return error !== null && isUnknownMethod({ code: error.code, reason: error.message });
  } catch {
    return false;
  }
}
