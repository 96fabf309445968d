import { ChainError, InsufficientFunds } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { Setbacks } from './setbacks.ts';

/** What the rounds that move money within the wallet of one chain remember of each other. */
export interface SweepMemory {
  /** By address. */
  readonly deposits: Setbacks;
  /** Whose deposits are gathered, by id. */
  readonly merchants: Setbacks;
  /** By account and nonce. */
  readonly gaps: Setbacks;
  /** Of all questions to the node, under one name. */
  readonly node: Setbacks;
}

export function createSweepMemory(clock: Clock): SweepMemory {
  return {
    deposits: new Setbacks(clock),
    merchants: new Setbacks(clock),
    gaps: new Setbacks(clock),
    node: new Setbacks(clock),
  };
}

const NODE = 'node';

/** One thing that a round tries. */
export interface Attempt {
  readonly key: string;
  /** The memory of its kind. */
  readonly kind: Setbacks;
  /** Names it in the log. */
  readonly fields: object;
  /** What failed, in words. */
  readonly what: string;
}

interface Round {
  readonly logger: Logger;
  readonly memory: SweepMemory;
  readonly chain: ChainId;
}

/**
 * Notes why an attempt failed, and tells it when that is news, not in every round. True when the node is in
 * trouble: then nothing else is asked of it in this round.
 */
export function noteFailure({ logger, memory, chain }: Round, attempt: Attempt, error: unknown): boolean {
  const { key, kind, what } = attempt;
  const fields = { coin: chain.coin, mode: chain.mode, ...attempt.fields };
  const message = `${what}; trying again`;
  if (error instanceof ChainError) {
    const isNew = kind.failed(key, error.message, 'node');
    // An outage is one piece of news, whichever attempts it meets.
    if (memory.node.failed(NODE, error.message, 'node') && isNew)
      logger.warn({ ...fields, error: error.message }, message);
    return true;
  }
  memory.node.forget(NODE);
  if (error instanceof InsufficientFunds) {
    // Its figures change with the fees.
    if (kind.failed(key, error.name)) logger.warn({ ...fields, error: error.message }, message);
    return false;
  }
  const reason = error instanceof Error ? error.message : 'unexpected failure';
  if (kind.failed(key, reason)) logger.error({ ...fields, err: error }, message);
  return false;
}

/** The node answered, and there is nothing left to try. */
export function noteSuccess(memory: SweepMemory, { key, kind }: Pick<Attempt, 'key' | 'kind'>): void {
  kind.forget(key);
  memory.node.forget(NODE);
}

/** The node answered, and for now nothing can be done: it rests as after a failure, so that others get its turn. */
export function noteNothing(memory: SweepMemory, { key, kind }: Pick<Attempt, 'key' | 'kind'>): void {
  kind.failed(key, 'nothing can be done');
  memory.node.forget(NODE);
}
