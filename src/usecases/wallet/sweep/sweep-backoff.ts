import { ChainError, InsufficientFunds } from '../../../domain/chain.ts';
import { AppError } from '../../../domain/errors.ts';
import type { ChainId } from '../../../domain/coins.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';
import { RetryBackoff } from '../lifecycle/retry-backoff.ts';

/** Backoff state that the rounds moving money within the wallet of one chain share. */
export interface SweepBackoff {
  /** By address. */
  readonly deposits: RetryBackoff;
  /** By id of the merchant whose deposits are gathered. */
  readonly merchants: RetryBackoff;
  /** By account and nonce. */
  readonly gaps: RetryBackoff;
  /** A single key for all requests to the node. */
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

/** One attempt of a round. */
export interface Attempt {
  readonly key: string;
  /** The backoff of its kind. */
  readonly kind: RetryBackoff;
  /** Identifies it in the log. */
  readonly fields: object;
  /** What failed, as logged. */
  readonly what: string;
}

interface Round {
  readonly logger: Logger;
  readonly memory: SweepBackoff;
  readonly chain: ChainId;
}

/**
 * Records why an attempt failed, and logs it when the reason is new instead of in every round. Returns true when the
 * node is at fault: the round then makes no more requests.
 */
export function recordFailure({ logger, memory, chain }: Round, attempt: Attempt, error: unknown): boolean {
  const { key, kind, what } = attempt;
  const fields = { coin: chain.coin, mode: chain.mode, ...attempt.fields };
  const message = `${what}; will retry`;
  if (error instanceof ChainError) {
    const isNew = kind.recordFailure(key, error.message, 'node');
    // Logs an outage once, whichever attempts it affects.
    if (memory.node.recordFailure(NODE, error.message, 'node') && isNew)
      logger.warn({ ...fields, error: error.message }, message);
    return true;
  }
  memory.node.recordSuccess(NODE);
  if (error instanceof InsufficientFunds) {
    // Compares by name: the amounts in the message change with the fees.
    if (kind.recordFailure(key, error.name)) logger.warn({ ...fields, error: error.message }, message);
    return false;
  }
  if (error instanceof AppError && error.code === 'FEE_ABOVE_LIMIT') {
    if (kind.recordFailure(key, error.code)) logger.warn({ ...fields, reason: error.message }, message);
    return false;
  }
  const reason = error instanceof Error ? error.message : 'unexpected failure';
  if (kind.recordFailure(key, reason)) logger.error({ ...fields, err: error }, message);
  return false;
}

/** Records that the node answered and the attempt has nothing left to do. */
export function recordSuccess(memory: SweepBackoff, { key, kind }: Pick<Attempt, 'key' | 'kind'>): void {
  kind.recordSuccess(key);
  memory.node.recordSuccess(NODE);
}

/**
 * The node answered, but nothing can be done now: backs off as after a failure, so that the others get their
 * turn.
 */
export function recordNoop(memory: SweepBackoff, { key, kind }: Pick<Attempt, 'key' | 'kind'>): void {
  kind.recordFailure(key, 'nothing to do');
  memory.node.recordSuccess(NODE);
}
