import { ChainError } from '../../../domain/chain.ts';
import { RpcRefusal } from './rpc.ts';

/** A refusal where a plain question must have an answer is trouble of the node, not an answer. */
export function resultOf(answer: RpcRefusal | { readonly result: unknown } | undefined): unknown {
  if (answer === undefined) throw stale('an answer is missing');
  if (answer instanceof RpcRefusal) throw stale(answer.message);
  return answer.result;
}

/** As resultOf, of a single call. */
export async function understood<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof RpcRefusal ? stale(error.message) : error;
  }
}

/** The node, or the backend behind a load balancer that answered, is not where the others are: ask again. */
export function stale(why: string): ChainError {
  return new ChainError('unavailable', `the node's answers do not fit together: ${why}`);
}

/** A quantity as requests carry it. */
export function toHex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
