import type { FeeQuote } from '../chain.ts';
import { COIN_DEFINITIONS, type Coin } from '../coins.ts';

/** When sends are rebroadcast and when their fee is bumped (RBF, CPFP). Times in ms. */
export interface SendPolicy {
  /** How long the creating request may wait for the node before the send loop takes over. */
  readonly firstAnswerMs: number;
  /** First backoff after a broadcast without a clear answer; it doubles up to the maximum. */
  readonly retryMs: number;
  readonly retryMaxMs: number;
  /**
   * How often an accepted but unconfirmed send is rebroadcast, in case the node evicted it from its mempool.
   */
  readonly rebroadcastMs: number;
  /** The same where transactions expire within minutes. */
  readonly expiringRebroadcastMs: number;
  /** How long the newest version may stay unconfirmed before its fee is reviewed. */
  readonly bumpAfterMs: number;
  /** The same where blocks come every few seconds. */
  readonly accountBumpAfterMs: number;
  /** The same for a version below the network's minimum rate. */
  readonly bumpUnderpaidAfterMs: number;
  /** Whether the daemon bumps fees automatically. */
  readonly bumpsFees: boolean;
  /** Limit of a bumped fee in basis points of the amount, where the order sets none. */
  readonly maxFeeShareBps: number;
  /** Outputs are consolidated while the node's rate is at most this, atoms per 1,000 vB; 0: never automatically. */
  readonly consolidateBelowRate: bigint;
  /** The fee is bumped when the node's rate is at least this percentage of the rate paid. */
  readonly bumpFromPercent: number;
  /** Maximum number of signed versions of one send, including the first. */
  readonly maxVersions: number;
  /** Confirmations after which coins reserved for another version are released. */
  readonly surplusDepth: number;
  /** How long a send above a limit waits for its approval. */
  readonly approvalTtlMs: number;
  /** How long a higher limit, or an address added to the list, waits before it takes effect. */
  readonly limitDelayMs: number;
  /** How long another destination of forwards waits before it takes effect. */
  readonly forwardDelayMs: number;
  /** The most that the fee of a forward may take, in basis points of its amount. */
  readonly forwardFeeShareBps: number;
}

export const DEFAULT_SEND_POLICY: SendPolicy = {
  firstAnswerMs: 60_000,
  retryMs: 5_000,
  retryMaxMs: 300_000,
  rebroadcastMs: 600_000,
  expiringRebroadcastMs: 5_000,
  bumpAfterMs: 3_600_000,
  accountBumpAfterMs: 180_000,
  bumpUnderpaidAfterMs: 60_000,
  bumpsFees: true,
  maxFeeShareBps: 1_000,
  consolidateBelowRate: 0n,
  bumpFromPercent: 150,
  maxVersions: 6,
  surplusDepth: 6,
  approvalTtlMs: 86_400_000,
  limitDelayMs: 86_400_000,
  forwardDelayMs: 86_400_000,
  forwardFeeShareBps: 100,
};

/** Backoff before the next broadcast after `offers` broadcasts without a clear answer. */
export function retryDelayMs(policy: SendPolicy, offers: number): number {
  return Math.min(policy.retryMs * 2 ** Math.min(Math.max(offers - 1, 0), 30), policy.retryMaxMs);
}

/** Interval between rebroadcasts of an accepted send of a coin. */
export function rebroadcastDelayMs(policy: SendPolicy, coin: Coin): number {
  return COIN_DEFINITIONS[coin].expires ? policy.expiringRebroadcastMs : policy.rebroadcastMs;
}

/**
 * Whether to bump the fee of a send: it pays less than the network's minimum, or its newest version has
 * waited long while the node's estimate is clearly higher.
 */
export function shouldBumpFee(
  policy: SendPolicy,
  { coin, ageMs, paid }: { readonly coin: Coin; readonly ageMs: number; readonly paid: bigint },
  quote: Pick<FeeQuote, 'rate' | 'minimum'>,
): boolean {
  if (isNotRelayed(paid, quote)) return true;
  const isAccount = COIN_DEFINITIONS[coin].spending === 'one-account';
  const waitMs = isAccount ? policy.accountBumpAfterMs : policy.bumpAfterMs;
  // A negative age means that the clock was set back.
  const isOld = ageMs < 0 || ageMs >= waitMs;
  return isOld && isTooLow(policy, paid, quote);
}

/** Whether a paid rate is below the network's minimum, or clearly below the node's estimate. */
export function isTooLow(
  { bumpFromPercent }: Pick<SendPolicy, 'bumpFromPercent'>,
  paid: bigint,
  quote: Pick<FeeQuote, 'rate' | 'minimum'>,
): boolean {
  return isNotRelayed(paid, quote) || quote.rate * 100n >= paid * BigInt(bumpFromPercent);
}

function isNotRelayed(paid: bigint, { minimum }: Pick<FeeQuote, 'minimum'>): boolean {
  return minimum !== undefined && paid < minimum;
}
