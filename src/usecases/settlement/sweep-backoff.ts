import { ChainError, InsufficientFunds } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { RetryBackoff } from './retry-backoff.ts';

/** What the rounds that move money within the wallet of one chain remember of each other. */
export interface SweepBackoff {
  /** By address. */
  readonly deposits: RetryBackoff;
  /** Whose deposits are gathered, by id. */
  readonly merchants: RetryBackoff;
  /** By account and nonce. */
  readonly gaps: RetryBackoff;
  /** Of all questions to the node, under one name. */
  readonly node: RetryBackoff;
}

export function createSweepBackoff(clock: Clock): SweepBackoff {
  return {
    deposits: new RetryBackoff(clock),
    merchants: new RetryBackoff(clock),
    gaps: new RetryBackoff(clock),
    node: new RetryBackoff(clock),
  };
}

const NODE = 'node';

/** One thing that a round tries. */
export interface Attempt {
  readonly key: string;
  /** The memory of its kind. */
  readonly kind: RetryBackoff;
  /** Names it in the log. */
  readonly fields: object;
  /** What failed, in words. */
  readonly what: string;
}

interface Round {
  readonly logger: Logger;
  readonly memory: SweepBackoff;
  readonly chain: ChainId;
}

/**
 * Notes why an attempt failed, and tells it when that is news, not in every round. True when the node is in
 * trouble: then nothing else is asked of it in this round.
 */
export function recordFailure({ logger, memory, chain }: Round, attempt: Attempt, error: unknown): boolean {
  const { key, kind, what } = attempt;
  const fields = { coin: chain.coin, mode: chain.mode, ...attempt.fields };
  const message = `${what}; trying again`;
  if (error instanceof ChainError) {
    const isNew = kind.recordFailure(key, error.message, 'node');
    // An outage is one piece of news, whichever attempts it meets.
    if (memory.node.recordFailure(NODE, error.message, 'node') && isNew)
      logger.warn({ ...fields, error: error.message }, message);
    return true;
  }
  memory.node.recordSuccess(NODE);
  if (error instanceof InsufficientFunds) {
    // Its figures change with the fees.
    if (kind.recordFailure(key, error.name)) logger.warn({ ...fields, error: error.message }, message);
    return false;
  }
  const reason = error instanceof Error ? error.message : 'unexpected failure';
  if (kind.recordFailure(key, reason)) logger.error({ ...fields, err: error }, message);
  return false;
}

/** The node answered, and there is nothing left to try. */
export function recordSuccess(memory: SweepBackoff, { key, kind }: Pick<Attempt, 'key' | 'kind'>): void {
  kind.recordSuccess(key);
  memory.node.recordSuccess(NODE);
}

/** The node answered, and for now nothing can be done: it rests as after a failure, so that others get its turn. */
export function recordNoop(memory: SweepBackoff, { key, kind }: Pick<Attempt, 'key' | 'kind'>): void {
  kind.recordFailure(key, 'nothing can be done');
  memory.node.recordSuccess(NODE);
}
