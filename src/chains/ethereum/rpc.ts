import { z } from 'zod';
import { ChainError } from '../../domain/chain.ts';
import type { RpcTransport } from '../rpc-transport.ts';
import { type Questions, SurveyBodies } from './survey-body.ts';

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

/** The same method asked many times: of ten thousand, neither question nor answer is worth an object. */
export interface Survey<T> extends Questions {
  /** Reads an answer that has the usual form; null for any other. Ids count up from the first. */
  readonly readPlain: (answer: Uint8Array, firstId: number, count: number) => T[] | null;
  /** Reads one result of an answer in any form. @throws {ChainError} bad_answer */
  readonly read: (result: unknown, method: string) => T;
}

export interface Rpc {
  /**
   * One call, its answer checked against a schema; with `once` it is not repeated when the line breaks.
   * @throws {RpcRefusal} when the node answers an error; {ChainError} for everything else.
   */
  call<T>(request: RpcRequest, schema: z.ZodType<T>, options?: { readonly once?: boolean }): Promise<T>;
  /**
   * Several calls in one request, so that normally one backend answers all of them; matched by id,
   * each a raw result or the node's refusal.
   */
  batch(requests: readonly RpcRequest[]): Promise<(RpcRefusal | { readonly result: unknown })[]>;
  /** One question about many things, as batch. */
  survey<T>(survey: Survey<T>): Promise<(RpcRefusal | T)[]>;
  close(): Promise<void>;
}

/** Codes of nodes and providers for "not now" (EIP-1474: limit exceeded, resource unavailable). */
const BUSY_CODES = new Set([-32005, -32002, 429]);
const BUSY_REASON = /rate.?limit|too many requests|limit exceeded|request timed? ?out|overloaded/i;
/** Nethermind's word for a state that it has dropped, under one of these codes: no later try gets it. */
const GONE_REASON = /^no state available/i;

const REPLY = z.object({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).nullish(),
});
type Reply = z.infer<typeof REPLY>;

const decoder = new TextDecoder();

/**
 * JSON-RPC 2.0 over the transport that all families share. ethers' own provider is not used: it
 * retries 429 by itself without a bound on the whole, caches, and hides which answers came together.
 */
export function createRpc(transport: RpcTransport): Rpc {
  let lastId = 0;
  const bodies = new SurveyBodies();
  const nextId = (): number => (lastId += 1);

  async function call<T>(
    request: RpcRequest,
    schema: z.ZodType<T>,
    options?: { readonly once?: boolean },
  ): Promise<T> {
    const id = nextId();
    const { method } = request;
    const reply = REPLY.safeParse(await exchange({ jsonrpc: '2.0', id, ...request }, method, options));
    if (!reply.success) throw badAnswer(method, 'is no JSON-RPC reply');
    if (reply.data.id !== id && !((reply.data.id ?? null) === null && reply.data.error)) {
      throw badAnswer(method, 'belongs to another request');
    }
    const answer = answerOf(reply.data, method);
    if (answer instanceof RpcRefusal) throw answer;
    return parsed(answer.result, method, schema);
  }

  async function batch(
    requests: readonly RpcRequest[],
  ): Promise<(RpcRefusal | { readonly result: unknown })[]> {
    if (requests.length === 0) return [];
    const calls = requests.map((request) => ({ jsonrpc: '2.0', id: nextId(), ...request }));
    const what = `batch of ${requests.length} ${requests[0]?.method ?? ''}`;
    return matched(await exchange(calls, what), calls, what);
  }

  async function survey<T>(survey: Survey<T>): Promise<(RpcRefusal | T)[]> {
    const { method, keys, readPlain, read } = survey;
    if (keys.length === 0) return [];
    const firstId = lastId + 1;
    lastId += keys.length;
    const what = `batch of ${keys.length} ${method}`;
    const body = bodies.write(survey, firstId);
    const { status, bytes } = await transport.postForBytes(body, what);
    const plain = status === 200 ? readPlain(bytes, firstId, keys.length) : null;
    if (plain !== null) {
      // Who answers every question has received all of them: nothing of it is still being sent.
      bodies.giveBack(body);
      return plain;
    }
    const calls = keys.map((_, at) => ({ id: firstId + at, method }));
    return matched(opened({ status, text: decoder.decode(bytes) }, what), calls, what).map((reply) =>
      reply instanceof RpcRefusal ? reply : read(reply.result, method),
    );
  }

  async function exchange(
    body: unknown,
    what: string,
    options?: { readonly once?: boolean },
  ): Promise<unknown> {
    return opened(await transport.post(JSON.stringify(body), what, options), what);
  }

  return { call, batch, survey, close: () => transport.close() };
}

/** The JSON of an answer, whichever it is. @throws {ChainError} */
function opened({ status, text }: { readonly status: number; readonly text: string }, what: string): unknown {
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

/** To each call its answer, in their order. @throws {ChainError} bad_answer when one is missing. */
function matched(
  body: unknown,
  calls: readonly { readonly id: number; readonly method: string }[],
  what: string,
): (RpcRefusal | { readonly result: unknown })[] {
  const replies = readReplies(body);
  if (replies === null) throw refusedBatch(body, what);
  const byId = new Map(replies.map((reply) => [reply.id, reply]));
  return calls.map(({ id, method }) => {
    const reply = byId.get(id);
    if (reply === undefined) throw badAnswer(what, `lacks request ${id}`);
    return answerOf(reply, method);
  });
}

/** Checks one answer. @throws {ChainError} bad_answer naming the field. */
export function parsed<T>(result: unknown, method: string, schema: z.ZodType<T>): T {
  const value = schema.safeParse(result);
  if (value.success) return value.data;
  const [issue] = value.error.issues;
  throw badAnswer(method, `has an unexpected ${issue?.path.join('.') || 'result'}: ${issue?.message ?? ''}`);
}

/** The replies of a batch; null when it is none. Those with a result and a number, nearly all, need no schema. */
function readReplies(body: unknown): Reply[] | null {
  if (!Array.isArray(body)) return null;
  const replies: Reply[] = [];
  for (const entry of body as unknown[]) {
    if (isResult(entry)) replies.push(entry);
    else {
      const reply = REPLY.safeParse(entry);
      if (!reply.success) return null;
      replies.push(reply.data);
    }
  }
  return replies;
}

function isResult(entry: unknown): entry is { readonly id: number; readonly result: unknown } {
  if (typeof entry !== 'object' || entry === null) return false;
  return 'id' in entry && typeof entry.id === 'number' && 'result' in entry && !('error' in entry);
}

function answerOf(reply: Reply, method: string): RpcRefusal | { readonly result: unknown } {
  if (!reply.error) return { result: reply.result };
  const { code, message } = reply.error;
  const isBusy = (BUSY_CODES.has(code) && !GONE_REASON.test(message)) || BUSY_REASON.test(message);
  if (isBusy) throw new ChainError('unavailable', `${method}: the node is busy (${message})`);
  return new RpcRefusal(method, code, message);
}

/** A provider that takes no batches, or not now, answers one error for all of them. */
function refusedBatch(body: unknown, what: string): ChainError {
  const reply = REPLY.safeParse(body);
  if (!reply.success || !reply.data.error) return badAnswer(what, 'is no JSON-RPC batch reply');
  return new ChainError('unavailable', `${what}: ${reply.data.error.message}`);
}

function badAnswer(what: string, problem: string, cause?: unknown): ChainError {
  return new ChainError('bad_answer', `${what}: the node's answer ${problem}`, { cause });
}
