import { ChainError } from '../../../domain/chain.ts';
import { RpcRefusal } from '../../shared/json-rpc.ts';

/** Unwraps a result. The rejection of a call that every node supports is a node failure, not an answer. */
export function unwrapResult(answer: RpcRefusal | { readonly result: unknown } | undefined): unknown {
  if (answer === undefined) throw stale('an answer is missing');
  if (answer instanceof RpcRefusal) throw refused(answer);
  return answer.result;
}

/** Like unwrapResult, for a single call. */
export async function understood<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof RpcRefusal ? refused(error) : error;
  }
}

/** A call that the node rejected, with its method and reason. Another backend may accept it: retry. */
export function refused(refusal: RpcRefusal): ChainError {
  return new ChainError('unavailable', `the node refused ${refusal.message}`, { cause: refusal });
}

/** An inconsistent answer: the node, or a backend behind a load balancer, lags behind the others. Retry. */
export function stale(why: string): ChainError {
  return new ChainError('unavailable', `the node's responses are inconsistent: ${why}`);
}

/** Encodes a quantity for a request. */
export function toHex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
