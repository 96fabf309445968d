import type { ChainId } from '../coins.ts';
import type { SendPolicy } from './policy.ts';

/**
 * Forwarding of a wallet's coins to cold storage: what is above `keep`, after subtraction of what is promised to
 * others. A destination takes effect after a delay, so that the owner notices the change of a thief before it helps;
 * until then the previous one applies.
 */

/** Why a due forward was not made. */
export const FORWARD_PROBLEMS = [
  'frozen',
  'suspended',
  'restored',
  'gap_limit',
  'above_limit',
  'fee_above_share',
  'rate_unavailable',
  'node_unavailable',
  'unsendable',
  'rejected',
  'failed',
] as const;
export type ForwardProblem = (typeof FORWARD_PROBLEMS)[number];

/** What a rule waits for, apart from problems. */
export const FORWARD_WAITS = ['off', 'no_destination', 'in_flight', 'interval', 'below_threshold'] as const;
export type ForwardWait = (typeof FORWARD_WAITS)[number];

/** A destination before it takes effect. */
export interface PendingDestination {
  readonly id: string;
  readonly destination: string;
  /** When it takes effect, ms. */
  readonly at: number;
}

export interface ForwardTerms {
  /** Atoms that always stay in the wallet. */
  readonly keep: bigint;
  /** The least amount that is forwarded, fee included, atoms. */
  readonly threshold: bigint;
  readonly intervalMs: number;
  readonly isActive: boolean;
}

/** The rule of one coin of a shop. */
export interface ForwardRule extends ChainId, ForwardTerms {
  readonly id: string;
  readonly merchantId: string;
  /** An address, or a descriptor of another wallet; null until the first one takes effect. */
  readonly destination: string | null;
  readonly pending: PendingDestination | null;
  /** Number of forwards made. */
  readonly runs: number;
  readonly lastRunAt: number | null;
  readonly lastSendId: string | null;
  readonly problem: { readonly code: ForwardProblem; readonly message: string } | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Whether a destination is a descriptor instead of an address. */
export function isDescriptor(destination: string): boolean {
  return destination.includes('(');
}

/** The rule at a time: a destination whose time has come is in force. */
export function forwardAt(rule: ForwardRule, now: number): ForwardRule {
  const { pending } = rule;
  if (pending === null || now < pending.at) return rule;
  return { ...rule, destination: pending.destination, pending: null };
}

/**
 * The destination after an order to change it. The one in force stays until the delay is over; another order starts
 * the delay again, the same one does not, and the one in force cancels the change.
 */
export function changeDestination(
  rule: Pick<ForwardRule, 'destination' | 'pending'>,
  wanted: string,
  change: { readonly id: string; readonly now: number; readonly delayMs: number },
): Pick<ForwardRule, 'destination' | 'pending'> {
  const { destination, pending } = rule;
  if (wanted === destination) return { destination, pending: null };
  if (wanted === pending?.destination) return { destination, pending };
  return { destination, pending: { id: change.id, destination: wanted, at: change.now + change.delayMs } };
}

/** The state on which a forward depends; atoms. */
export interface ForwardFacts {
  /** Confirmed and not reserved. */
  readonly spendable: bigint;
  /** The part of it that one send can draw on. */
  readonly reach: bigint;
  /** What the network demands of an account that is not emptied; 0 where it demands nothing. */
  readonly leastLeft: bigint;
  /** What refund links, claims and sends that wait for an approval may still take. */
  readonly promised: bigint;
  /** Whether the previous forward is neither in a block nor failed. */
  readonly isInFlight: boolean;
}

export type ForwardDecision =
  | { readonly wait: ForwardWait; readonly amount: null }
  /** What leaves the wallet, fee included. */
  | { readonly wait: null; readonly amount: bigint };

/** Decides whether a rule is due, and the amount. */
export function decideForward(rule: ForwardRule, facts: ForwardFacts, now: number): ForwardDecision {
  const wait = findWait(rule, facts, now);
  if (wait !== null) return { wait, amount: null };
  const free = facts.spendable - rule.keep - facts.promised;
  const amount = leavingEnough(free < facts.reach ? free : facts.reach, facts);
  if (amount < rule.threshold || amount <= 0n) return { wait: 'below_threshold', amount: null };
  return { wait: null, amount };
}

/** The amount, or less where the rest would be too little for an account: such a rest cannot be left. */
export function leavingEnough(
  amount: bigint,
  { reach, leastLeft }: Pick<ForwardFacts, 'reach' | 'leastLeft'>,
): bigint {
  const rest = reach - amount;
  return rest > 0n && rest < leastLeft ? reach - leastLeft : amount;
}

/** What it waits for before its money matters; null: nothing. */
export function findWait(
  rule: ForwardRule,
  { isInFlight }: Pick<ForwardFacts, 'isInFlight'>,
  now: number,
): Exclude<ForwardWait, 'below_threshold'> | null {
  if (!rule.isActive) return 'off';
  if (rule.destination === null) return 'no_destination';
  if (isInFlight) return 'in_flight';
  // A last run in the future means that the clock was set back.
  const elapsed = rule.lastRunAt === null ? null : now - rule.lastRunAt;
  return elapsed !== null && elapsed >= 0 && elapsed < rule.intervalMs ? 'interval' : null;
}

const BPS = 10_000n;

/** The most that the network fee of a forward may take, fee bumps included: a forward can wait until fees fall. */
export function forwardBudget(
  amount: bigint,
  { forwardFeeShareBps }: Pick<SendPolicy, 'forwardFeeShareBps'>,
): bigint {
  return (amount * BigInt(forwardFeeShareBps)) / BPS;
}

/**
 * The most that a forward may take of what the limits leave. The part of its fee budget above the usual share counts
 * against them as well.
 */
export function amountWithin(
  room: bigint,
  { forwardFeeShareBps, maxFeeShareBps }: Pick<SendPolicy, 'forwardFeeShareBps' | 'maxFeeShareBps'>,
): bigint {
  const countedBps = BigInt(forwardFeeShareBps - maxFeeShareBps);
  if (countedBps <= 0n) return room;
  // Both shares are rounded down, so that their difference may be an atom more.
  const amount = ((room - 1n) * BPS) / (BPS + countedBps);
  return amount > 0n ? amount : 0n;
}

/**
 * Atoms to keep for a promise. Where the shop pays the fee on top, the usual share of the amount is kept for it.
 */
export function keptFor(
  { amount, paysFee }: { readonly amount: bigint; readonly paysFee: boolean },
  { maxFeeShareBps }: Pick<SendPolicy, 'maxFeeShareBps'>,
): bigint {
  return paysFee ? amount + (amount * BigInt(maxFeeShareBps) + BPS - 1n) / BPS : amount;
}
