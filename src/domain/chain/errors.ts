/** `unknown_version`: a transaction or block in a format newer than this program. */
export type ChainErrorKind = 'unavailable' | 'wrong_chain' | 'pruned' | 'bad_answer' | 'unknown_version';

/** Codes and wordings of nodes and providers. */
const RATE_LIMITED =
  /\b429\b|\brate.?limit|limits our rate|too many requests|compute units per second|request limit|over rate/i;

/** A failure of a node or its answer. The message is for operators and carries no credentials. */
export class ChainError extends Error {
  override name = 'ChainError';
  readonly kind: ChainErrorKind;

  /** The node, or the provider in front of it, limits the request rate. */
  get isRateLimited(): boolean {
    return this.kind === 'unavailable' && RATE_LIMITED.test(this.message);
  }

  constructor(kind: ChainErrorKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
  }
}

/** The funds do not cover the send; amounts in atoms. */
export class InsufficientFunds extends Error {
  override name = 'InsufficientFunds';
  readonly available: bigint;
  readonly needed: bigint;

  constructor(available: bigint, needed: bigint) {
    super(`available ${available}, needed ${needed}`);
    this.available = available;
    this.needed = needed;
  }
}

/** The amount cannot be paid on this chain whatever the funds (dust, or eaten by its fee). The message is for the caller. */
export class UnsendableAmount extends Error {
  override name = 'UnsendableAmount';
}
