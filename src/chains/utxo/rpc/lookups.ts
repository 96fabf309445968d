import { z } from 'zod';
import { ChainError } from '../../../domain/chain.ts';
import { invalidResponse, RpcRefusal } from '../../shared/json-rpc.ts';
import type { AnswerSize, Rpc } from './rpc.ts';

const RPC_MISC_ERROR = -1;
const RPC_INVALID_ADDRESS_OR_KEY = -5;
/** Look-ups per request. */
export const LOOKUP_BATCH = 200;

interface LookupRequest<T> {
  readonly method: string;
  readonly keys: readonly (string | number | boolean)[][];
  readonly schema: z.ZodType<T>;
  readonly size: number;
  /** Recognises "not found"; by default, a key unknown to the node. */
  readonly isNothing?: (refusal: RpcRefusal) => boolean;
  readonly answer?: AnswerSize;
}

/** As lookUp, but an unusable answer must not affect the others: it becomes an error in the list. */
export async function lookUpEach<T>(
  rpc: Rpc,
  { schema, ...query }: LookupRequest<T>,
): Promise<(T | null | ChainError)[]> {
  const { method, keys, size } = query;
  const found: (T | null | ChainError)[] = [];
  for (let start = 0; start < keys.length; start += size) {
    const requests = keys.slice(start, start + size).map((params) => ({ method, params }));
    for (const answer of await rpc.batch(requests, z.unknown())) {
      if (answer instanceof RpcRefusal) found.push(isUnknownKey(answer) ? null : refused(answer));
      else found.push(schema.safeParse(answer).data ?? invalidResponse(method, 'is of another form'));
    }
  }
  return found;
}

/** Batched look-ups where "not found" is an ordinary answer. */
export async function lookUp<T>(rpc: Rpc, query: LookupRequest<T>): Promise<(T | null)[]> {
  const { method, keys, schema, size, isNothing = isUnknownKey, answer: answerSize } = query;
  const found: (T | null)[] = [];
  for (let start = 0; start < keys.length; start += size) {
    const requests = keys.slice(start, start + size).map((params) => ({ method, params }));
    for (const answer of await rpc.batch(requests, schema, answerSize)) {
      if (!(answer instanceof RpcRefusal)) found.push(answer);
      else if (isNothing(answer)) found.push(null);
      else throw refused(answer);
    }
  }
  return found;
}

/** Turns unexpected errors into ChainErrors and expected ones into null. */
export async function ask<T>(answer: Promise<T>): Promise<T>;
export async function ask<T>(
  answer: Promise<T>,
  isNothing: (refusal: RpcRefusal) => boolean,
): Promise<T | null>;
export async function ask<T>(
  answer: Promise<T>,
  isNothing: (refusal: RpcRefusal) => boolean = () => false,
): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    if (isNothing(error)) return null;
    throw refused(error);
  }
}

export function refused(refusal: RpcRefusal): ChainError {
  return new ChainError('bad_answer', `the node refused ${refusal.message}`, { cause: refusal });
}

export function isUnknownKey(refusal: RpcRefusal): boolean {
  return refusal.code === RPC_INVALID_ADDRESS_OR_KEY;
}

export function isPruned(refusal: RpcRefusal): boolean {
  return refusal.code === RPC_MISC_ERROR && refusal.reason.includes('pruned');
}
