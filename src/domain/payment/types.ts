import type { Coin } from '../coins.ts';
import type { OutputRef } from '../chain.ts';
import type { ConfirmationPolicy, FinalHeights } from '../confirmations.ts';

export const PAYMENT_STATUSES = [
  'pending',
  'underpaid',
  'confirming',
  'completed',
  'expired',
  'cancelled',
  'failed',
  'refunded',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** `reversed`: money was seen, the network dropped it, and the order lacks it now. */
export const PAYMENT_EXCEPTIONS = ['underpaid', 'overpaid', 'late', 'multiple', 'reversed'] as const;
export type PaymentException = (typeof PAYMENT_EXCEPTIONS)[number];

/** What to do with late money that covers the price. */
export const LATE_POLICIES = ['accept', 'review'] as const;
export type LatePolicy = (typeof LATE_POLICIES)[number];

export type CreditState = 'unconfirmed' | 'confirmed' | 'gone';

/** One output that paid an address of the payment, as last observed. */
export interface PaymentCredit {
  readonly coin: Coin;
  readonly ref: OutputRef;
  readonly amount: bigint;
  /** Its position among the money, decisions and refunds of the order, in the order of observation. */
  readonly position: number;
  readonly state: CreditState;
  /** Height of its current block; null unless confirmed. */
  readonly height: number | null;
  /** Confirmations before it may settle beyond the payment's own policy (coinbase 100, peg-out 6). */
  readonly maturity: number;
  readonly firstSeenAt: number;
  /** When it was first seen in a block of the best chain, ms; a reorganisation does not undo it. Null: never. */
  readonly confirmedAt: number | null;
  /**
   * First seen after expiry or cancellation, or unconfirmed for too long after it. Once set, it is reset only when the
   * exact time of its first block proves that it came in time.
   */
  readonly late: boolean;
  /**
   * Atoms of this coin that cover the whole price at the rate that applies to this credit: the locked rate
   * when on time, the rate at first sight when late, or the rate on the day of its block when it stayed
   * unconfirmed for too long; null while unknown.
   */
  readonly due: bigint | null;
  /** The superseded payment of the same group whose address received it; absent: this payment. */
  readonly via?: string;
  /** The share of this payment's price that `due` covers; absent: all of it. */
  readonly dueShare?: Share;
}

export interface PaymentOption {
  readonly due: bigint;
  /**
   * Its confirmation policy: `base` is the requirement that the payment was created or quoted with, the tiers
   * are those of the setting.
   */
  readonly policy: ConfirmationPolicy;
}

/** The terms of a superseded payment: its money counts for its successor, by these terms. */
export interface MemberTerms {
  readonly expiresAt: number;
  readonly cancelledAt: number | null;
  readonly options: Readonly<Partial<Record<Coin, PaymentOption>>>;
  /**
   * Its price as a share of the successor's price; null in another currency: its money is then priced at the
   * rate of the day, like late money.
   */
  readonly priceShare: Share | null;
}

/** Atoms per coin. */
export type CoinSums = Readonly<Partial<Record<Coin, bigint>>>;

/** An exact share of the price. */
export interface Share {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/**
 * The progress of a refund. `promised`: claimed, and no send is signed; `signed`: stored with its send;
 * `accepted`: a node accepted it; `failed`: it can never confirm.
 */
export type RefundStage = 'promised' | 'signed' | 'accepted' | 'failed';

/** The money that completes an order. */
export interface Completion {
  /** Settled atoms per coin. */
  readonly sums: CoinSums;
  /** The merchant accepted that money, although it does not cover the price: other money cannot replace it. */
  readonly byAcceptance: boolean;
}

/** A refund of the payment, or a claim on a refund link that no send pays yet. */
export interface PaymentRefund {
  /** Of the send; of the link while it is a claim. */
  readonly id: string;
  readonly coin: Coin;
  /** Atoms of the payment's money that it uses up. */
  readonly amount: bigint;
  readonly stage: RefundStage;
  /**
   * The share of the price that it gave back, fixed when it was made or once the rate of its money is known.
   */
  readonly value: Share;
  /** Atoms whose rate at receipt is not known yet: `value` excludes them. */
  readonly unpriced: bigint;
  /**
   * Set for a refund made while the order was complete: the merchant's decision, which holds while that money
   * would still complete it. Null: made before, so that the payer owes it again.
   */
  readonly completedBy: Completion | null;
  /** As of a credit; null while it is promised: that is always later than an external refund. */
  readonly position: number | null;
}

/** Money seen in time that is still unconfirmed this long after the payment's expiry counts as late. */
export const UNCONFIRMED_GRACE_MS = 24 * 3_600_000;

/** State of the payment machine. It decides only on this state and the fact. */
export interface PaymentState {
  readonly status: PaymentStatus;
  readonly exception: PaymentException | null;
  readonly expiresAt: number;
  /**
   * When the payment was closed, after every chain had been read past the deadline; null before.
   * Only this ends a payment, because the clock alone must not while a node is unreachable.
   */
  readonly closedAt: number | null;
  readonly cancelledAt: number | null;
  /** When the merchant accepted the money present at the time, whatever its amount (`resolve` accept). */
  readonly acceptedAt: number | null;
  /** Every item up to this position was present when the merchant accepted. */
  readonly acceptedPosition: number | null;
  /** Atoms per coin that the merchant accepted: the acceptance holds while as much of that money is live. */
  readonly accepted: CoinSums;
  readonly refundedAt: number | null;
  /** Every item up to this position was present when the payment became refunded. */
  readonly refundedPosition: number | null;
  /** Source of the refunded state: the merchant (`resolve` refunded), which is final, or the sum of its refunds. */
  readonly refundedBy: 'merchant' | 'refunds' | null;
  /** Atoms per coin that were present when the merchant recorded them as refunded elsewhere. */
  readonly returned: CoinSums;
  /** All refunds and claims, including failed ones. */
  readonly refunds: readonly PaymentRefund[];
  /** Largest settled sum that `payment.overpaid` was emitted for, minus reversals since; null: never. */
  readonly reportedExcess: Share | null;
  /** How long money may stay unconfirmed after the deadline before it is priced on the day of its block. */
  readonly unconfirmedGraceMs: number;
  /** The payment of its group that superseded it when the group received money: its own money counts there. */
  readonly supersededBy: string | null;
  /** The payments of its group that it superseded, by id. */
  readonly members: Readonly<Record<string, MemberTerms>>;
  /** Tolerated underpayment in basis points of the price. */
  readonly toleranceBps: number;
  readonly latePolicy: LatePolicy;
  readonly options: Readonly<Partial<Record<Coin, PaymentOption>>>;
  readonly credits: readonly PaymentCredit[];
  /** Best known chain height of each coin. */
  readonly tips: Readonly<Partial<Record<Coin, number>>>;
  /** Final heights of each coin's network, as far as the ledger's blocks agree with them. */
  readonly final: Readonly<Partial<Record<Coin, FinalHeights>>>;
}

/** Facts about a payment. Observations may repeat and come in any order. */
export type PaymentFact =
  | {
      readonly type: 'output_seen';
      readonly coin: Coin;
      readonly ref: OutputRef;
      readonly amount: bigint;
      readonly maturity: number;
      readonly seenAt: number;
      /** Price in atoms at the current rate, used only if the credit is late. */
      readonly currentDue: bigint | null;
      /** The superseded payment of its group whose address received it. */
      readonly via?: string;
    }
  | {
      readonly type: 'output_confirmed';
      readonly coin: Coin;
      readonly ref: OutputRef;
      readonly amount: bigint;
      readonly maturity: number;
      readonly seenAt: number;
      readonly currentDue: bigint | null;
      readonly height: number;
      /** Time of the block, ms, where exact: it proves that money first seen later arrived by then. */
      readonly cameBefore?: number;
      readonly via?: string;
    }
  /** Its block left the best chain; the transaction itself may still be valid. */
  | { readonly type: 'output_unconfirmed'; readonly ref: OutputRef }
  /** Replaced, double-spent or reorged away: it no longer counts. */
  | { readonly type: 'output_gone'; readonly ref: OutputRef }
  | { readonly type: 'late_quoted'; readonly ref: OutputRef; readonly due: bigint }
  /** New tip of a chain, with its final heights if they changed. */
  | { readonly type: 'tip'; readonly coin: Coin; readonly height: number; readonly final?: FinalHeights }
  /** The daemon has read every chain of the payment up to now. */
  | { readonly type: 'time_passed' }
  /**
   * The daemon has read the chain of a coin past the time for which money may stay unconfirmed after the
   * deadline. The price is at the current rate; null while unknown.
   */
  | {
      readonly type: 'grace_expired';
      readonly coin: Coin;
      readonly currentDue: bigint | null;
      /** The superseded payment whose deadline it is. */
      readonly via?: string;
    }
  | { readonly type: 'cancel' }
  /** The group received money, which another payment of it counts. */
  | { readonly type: 'superseded'; readonly by: string }
  /** Refunds or claims were created, advanced or failed: the current list of all of them. */
  | { readonly type: 'refunds_changed'; readonly refunds: readonly PaymentRefund[] }
  | { readonly type: 'resolve'; readonly action: 'accept' | 'refunded' };

export interface Transition {
  readonly payment: PaymentState;
  readonly events: readonly PaymentEventType[];
}

export const PAYMENT_EVENT_TYPES = [
  'payment.created',
  'payment.updated',
  'payment.confirming',
  'payment.underpaid',
  'payment.completed',
  'payment.overpaid',
  'payment.late',
  'payment.expired',
  'payment.cancelled',
  'payment.superseded',
  'payment.reversed',
  'payment.failed',
  'payment.refunded',
  'payment.partially_refunded',
  'payment.refund_failed',
] as const;
export type PaymentEventType = (typeof PAYMENT_EVENT_TYPES)[number];
