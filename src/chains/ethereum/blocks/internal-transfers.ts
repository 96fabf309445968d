import type { z } from 'zod';
import { ChainError } from '../../../domain/chain.ts';
import type { Block } from '../rpc/node-answers.ts';
import { stale } from '../rpc/rpc-results.ts';

/** One internal transfer, in trace order within its transaction. */
export interface InternalTransfer {
  /** Position of the transaction in the block. */
  readonly position: number;
  /** From 1 upwards: 0 is the transaction's own transfer. */
  readonly index: number;
  readonly to: string;
  readonly value: bigint;
}

/** Validates a trace. @throws {ChainError} bad_answer */
export function readTraces<T>(schema: z.ZodType<T>, answer: unknown): T {
  const value = schema.safeParse(answer);
  if (value.success) return value.data;
  throw new ChainError(
    'bad_answer',
    `a block trace has an unexpected form: ${value.error.issues[0]?.message}`,
  );
}

/** The trace is of another block: another backend answered, or a reorganisation happened between two calls. */
export function otherBlock({ number }: Block): ChainError {
  return stale(`the trace of block ${number} is of another block`);
}
