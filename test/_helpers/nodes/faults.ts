/** The faults that the proxy can inject, and what each does to an answer. */
import { parseForRewriting } from './exact-json.ts';
import { RpcError } from './json-rpc.ts';

export type Fault =
  /** Never answers; the caller's own timeout must end it. The node does not see the call. */
  | { readonly kind: 'hang' }
  /** Forwards after this long. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Answers with this HTTP status instead of asking the node (500, 503, 429, 401 …). */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** HTTP 200 whose body is no JSON. */
  | { readonly kind: 'garbage'; readonly body?: string }
  /** Breaks the connection before the node sees the call. */
  | { readonly kind: 'reset' }
  /** Forwards the call, lets the node answer, then breaks the connection: outcome unknown. */
  | { readonly kind: 'dropResponse' }
  /** Forwards the call, lets the node answer, then never answers: outcome unknown. */
  | { readonly kind: 'hangAfter' }
  /** Sends half of the body, then breaks the connection. */
  | { readonly kind: 'truncate' }
  /** The entries of a batch answer, last first. */
  | { readonly kind: 'reverseBatch' }
  /** Every entry of a batch answer twice. */
  | { readonly kind: 'duplicateBatch' }
  /** A JSON-RPC error from a node that was not asked, such as -28 while warming up. */
  | { readonly kind: 'rpcError'; readonly code: number; readonly message: string }
  /** Changes results; numbers keep their digits. An RpcError thrown by it is the answer to that call. */
  | { readonly kind: 'rewrite'; readonly rewrite: Rewrite };

type Rewrite = (result: unknown, method: string, params: readonly unknown[]) => unknown;

export interface FaultScope {
  /** Only calls of these methods (a batch matches if any of its entries does); all by default. */
  readonly methods?: readonly string[];
  /** Only the next N matching HTTP requests; until cleared by default. */
  readonly times?: number;
}

export interface RpcCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a request asks for; empty when it is no JSON-RPC. */
export function readCalls(body: string): { calls: RpcCall[]; batch: boolean } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return { calls: [], batch: false };
  }
  const entries: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  const calls = entries
    .filter(isCall)
    .map(({ id, method, params }) => ({ id, method, params: Array.isArray(params) ? params : [] }));
  return { calls, batch: Array.isArray(parsed) };
}

function isCall(value: unknown): value is RpcCall {
  return typeof value === 'object' && value !== null && 'method' in value;
}

interface Reply {
  id: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

/** Applies the faults that change the answer of the node. */
export function distort(body: string, fault: Fault, calls: readonly RpcCall[]): string {
  if (fault.kind === 'reverseBatch') return mapBatch(body, (replies) => replies.toReversed());
  if (fault.kind === 'duplicateBatch') {
    return mapBatch(body, (replies) => replies.flatMap((reply) => [reply, reply]));
  }
  return fault.kind === 'rewrite' ? rewriteResults(body, fault.rewrite, calls) : body;
}

/** The answer of a node that refuses every call of the request. */
export function rpcErrorBody(
  calls: readonly RpcCall[],
  batch: boolean,
  error: { code: number; message: string },
): string {
  const replies = calls.map(({ id }) => ({
    result: null,
    error: { code: error.code, message: error.message },
    id,
  }));
  return JSON.stringify(batch ? replies : replies[0]);
}

function mapBatch(body: string, change: (replies: unknown[]) => unknown[]): string {
  const parsed = parseForRewriting(body);
  return Array.isArray(parsed) ? JSON.stringify(change(parsed)) : body;
}

function rewriteResults(body: string, rewrite: Rewrite, calls: readonly RpcCall[]): string {
  const parsed = parseForRewriting(body) as Reply | Reply[];
  const replies = Array.isArray(parsed) ? parsed : [parsed];
  for (const [index, reply] of replies.entries()) {
    const id = JSON.stringify(reply.id);
    // Answers may come in any order; without usable ids they come in the order of the calls.
    const call = calls.find((candidate) => JSON.stringify(candidate.id) === id) ?? calls[index];
    if (call !== undefined && reply.result !== undefined && reply.result !== null) {
      rewriteReply(reply, call, rewrite);
    }
  }
  return JSON.stringify(parsed);
}

function rewriteReply(reply: Reply, { method, params }: RpcCall, rewrite: Rewrite): void {
  try {
    reply.result = rewrite(reply.result, method, params);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    delete reply.result;
    reply.error = { code: error.code, message: error.message };
  }
}
