import type { ChainId, Coin } from '../coins.ts';
import { AppError } from '../errors.ts';
import { exchangeRate, type Fiat } from '../fiat.ts';

/**
 * Limits on the money that may leave a wallet without the approval of a second person. They apply to sends,
 * refunds and claims; usual network fees do not count, and of moves within the wallet only unusual ones do. A limit is inclusive. A value that is
 * unknown is above each limit.
 */

/** Amounts above which a send needs an approval; null: no limit. */
export interface SpendingLimits {
  readonly perSend: Fiat | null;
  readonly perDay: Fiat | null;
}

/** An address that may be paid without an approval. */
export interface AllowedDestination {
  readonly coin: Coin;
  readonly destination: string;
  /** The key under which its chain knows it; one address can be written in several ways. */
  readonly watchKey: string;
  readonly label: string;
}

/** The limits of a shop. */
export interface ShopLimits extends SpendingLimits {
  /** Null: every destination is allowed. */
  readonly allowList: readonly AllowedDestination[] | null;
  /** Users who may approve; empty: the owner, with the second factor. */
  readonly approvers: readonly string[];
}

export const NO_SPENDING_LIMITS: SpendingLimits = { perSend: null, perDay: null };
export const NO_LIMITS: ShopLimits = { ...NO_SPENDING_LIMITS, allowList: null, approvers: [] };

/**
 * Why a send needs an approval. `limits_unconfirmed`: the limits are those of an older copy of the database.
 * `sum_unknown`: sends of the day may be missing after a restore. `restored`: it waited before one, and may have been
 * sent since.
 */
export const APPROVAL_REASONS = [
  'per_send',
  'per_day',
  'key_per_send',
  'key_per_day',
  'destination',
  'rate_unknown',
  'sum_unknown',
  'limits_unconfirmed',
  'restored',
] as const;
export type ApprovalReason = (typeof APPROVAL_REASONS)[number];

/** A value per currency in minor units, rounded up; null: unknown. */
export type ValueIn = (currency: string) => bigint | null;

/** The currencies that limits are given in. */
export function limitCurrencies(...limits: readonly SpendingLimits[]): Set<string> {
  const amounts = limits.flatMap(({ perSend, perDay }) => [perSend, perDay]);
  return new Set(amounts.flatMap((amount) => (amount === null ? [] : [amount.currency])));
}

/**
 * What the fees of moves within the wallet may take of a limit per day before they count against it: the usual share, in
 * minor units.
 */
export function freeMoves(
  { minor }: Pick<Fiat, 'minor'>,
  { feeShareBps }: { readonly feeShareBps: number },
): bigint {
  return (minor * BigInt(feeShareBps)) / 10_000n;
}

/**
 * The limits that a send exceeds. @param value of the send @param earlier of everything that left on the same day
 * before it
 */
export function exceededLimits(
  { perSend, perDay }: SpendingLimits,
  { value, earlier }: { readonly value: ValueIn; readonly earlier: ValueIn },
): ('per_send' | 'per_day' | 'rate_unknown')[] {
  const exceeded: ('per_send' | 'per_day' | 'rate_unknown')[] = [];
  if (perSend !== null) {
    const worth = value(perSend.currency);
    if (worth === null) exceeded.push('rate_unknown');
    else if (worth > perSend.minor) exceeded.push('per_send');
  }
  if (perDay !== null) {
    const [worth, before] = [value(perDay.currency), earlier(perDay.currency)];
    if (worth === null || before === null) exceeded.push('rate_unknown');
    else if (before + worth > perDay.minor) exceeded.push('per_day');
  }
  return exceeded;
}

/** The value of atoms in minor units, rounded up, so that no sum of values is too small. */
export function valueAtRate(
  atoms: bigint,
  { coin, currency, rate }: { readonly coin: Coin; readonly currency: string; readonly rate: string },
): bigint {
  const worth = exchangeRate(rate, currency, coin);
  return (atoms * worth.minorUnits + worth.atoms - 1n) / worth.atoms;
}

const REASONS: Readonly<Record<ApprovalReason, string>> = {
  per_send: 'it is above the limit per send',
  per_day: 'the sends of this day would be above the limit per day',
  key_per_send: 'it is above the limit per send of the key',
  key_per_day: 'the sends of the key on this day would be above its limit per day',
  destination: 'a destination is not on the list of allowed addresses',
  rate_unknown: 'its value is unknown because there is no exchange rate now',
  sum_unknown: 'sends of this day may be unknown after a restore',
  limits_unconfirmed: 'the limits are those of an older copy of the database: the owner has to confirm them',
  restored: 'the database is an older copy: check on the chain whether it was sent since',
};

/** The first reason as part of a sentence. */
export function describeReasons(reasons: readonly ApprovalReason[]): string {
  return reasons.map((reason) => REASONS[reason]).join(', and ');
}

/** A planned send; amounts in atoms, as its row has them. */
export interface LimitedSend extends ChainId {
  readonly merchantId: string;
  readonly destination: string;
  /** Several recipients, as its row has them. */
  readonly outputsJson: string | null;
  /** The watched account that it is from, as its row has it. */
  readonly watchId?: string | null;
  readonly subtractFee: boolean;
  readonly ordered: string;
  readonly amount: string;
  readonly fee: string;
  readonly maxFee: string;
}

/** Thrown where a send is stored that needs an approval and has none. */
export class ApprovalRequired extends AppError {
  readonly reasons: readonly ApprovalReason[];
  readonly send: LimitedSend;

  constructor(reasons: readonly ApprovalReason[], send: LimitedSend) {
    super('APPROVAL_REQUIRED', `this send needs an approval: ${describeReasons(reasons)}`);
    this.reasons = reasons;
    this.send = send;
  }
}
