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

  /** The node answered and rejected the call; the message names the call and the reason. */
  get isRefusal(): boolean {
    return this.cause instanceof Error && this.cause.name === 'RpcRefusal';
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

/**
 * The amount cannot be paid on this chain however much the wallet holds (dust, or eaten by its fee). The
 * message is for the caller.
 */
export class UnsendableAmount extends Error {
  override name = 'UnsendableAmount';
  /** The recipient that it concerns, where there are several. */
  readonly output: number | null;

  constructor(message: string, output: number | null = null) {
    super(message);
    this.output = output;
  }
}

/**
 * Describes a node failure: unavailable, a rejected call, or a malformed answer. Names the call and the
 * reason.
 */
export function nodeFault(coin: string, error: ChainError): string {
  if (error.isRefusal) return `the ${coin} node rejects a call: ${error.message}`;
  if (error.kind === 'unavailable') return `the ${coin} node is not answering: ${error.message}`;
  return `the ${coin} node cannot be used: ${error.message}`;
}
