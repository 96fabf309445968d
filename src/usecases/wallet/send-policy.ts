import type { Coin } from '../../domain/coins.ts';

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
  bumpFromPercent: 150,
  maxVersions: 6,
  surplusDepth: 6,
};

/** Gap before the next offer after `offers` of them went without a clear answer. */
export function retryDelayMs(policy: SendPolicy, offers: number): number {
  return Math.min(policy.retryMs * 2 ** Math.min(Math.max(offers - 1, 0), 30), policy.retryMaxMs);
}

/** Gap before an accepted send of a coin is offered again. */
export function rebroadcastGapMs(policy: SendPolicy, coin: Coin): number {
  return coin === 'SOL' ? policy.expiringRebroadcastMs : policy.rebroadcastMs;
}
