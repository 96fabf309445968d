import { COIN_DEFINITIONS, type Coin } from '../../domain/coins.ts';

/** When sends are offered to the node again and when their fee is raised. Times in ms. */
export interface SendPolicy {
  /** How long the request that made a send may wait for the node before the loop takes over. */
  readonly firstAnswerMs: number;
  /** Gap before the second offer of bytes without a clear answer; it doubles up to the maximum. */
  readonly retryMs: number;
  readonly retryMaxMs: number;
  /** How often an accepted but unconfirmed send is offered again, in case the node forgot it. */
  readonly rebroadcastMs: number;
  /** The same where transactions expire within minutes. */
  readonly expiringRebroadcastMs: number;
  /** How long the newest version may wait for a block before its fee is looked at. */
  readonly bumpAfterMs: number;
  /** The same where blocks come every few seconds. */
  readonly accountBumpAfterMs: number;
  /** The same for one that pays less than the network takes at all. */
  readonly bumpUnderpaidAfterMs: number;
  /** Whether fees are raised without being asked. */
  readonly raisesFees: boolean;
  /** Share of the amount, in hundredths of a per cent, that a raised fee stays within where the order says nothing. */
  readonly maxFeeShareBps: number;
  /** Hundreds of outputs are made one while the node asks no more than this, atoms per 1,000 vB; 0: never by itself. */
  readonly consolidateBelowRate: bigint;
  /** The fee is raised when the node asks at least this many per cent of the rate paid. */
  readonly bumpFromPercent: number;
  /** Most signed versions of one send, the first included. */
  readonly maxVersions: number;
  /** Confirmations after which coins reserved for another version are given back. */
  readonly surplusDepth: number;
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
  raisesFees: true,
  maxFeeShareBps: 1_000,
  consolidateBelowRate: 0n,
  bumpFromPercent: 150,
  maxVersions: 6,
  surplusDepth: 6,
};

/** Gap before the next offer after `offers` of them went without a clear answer. */
export function retryDelayMs(policy: SendPolicy, offers: number): number {
  return Math.min(policy.retryMs * 2 ** Math.min(Math.max(offers - 1, 0), 30), policy.retryMaxMs);
}

/** How long the newest version of a send of a coin waits for a block before its fee is looked at. */
export function bumpAfterMs(policy: SendPolicy, coin: Coin): number {
  return COIN_DEFINITIONS[coin].spending === 'one-account' ? policy.accountBumpAfterMs : policy.bumpAfterMs;
}

/** Gap before an accepted send of a coin is offered again. */
export function rebroadcastGapMs(policy: SendPolicy, coin: Coin): number {
  return COIN_DEFINITIONS[coin].expires ? policy.expiringRebroadcastMs : policy.rebroadcastMs;
}
