import type { Fiat } from '../fiat.ts';
import { type AllowedDestination, NO_LIMITS, type ShopLimits } from './spending-limits.ts';

/**
 * Changes of the limits of a shop. What allows less takes effect at once; what allows more after a delay, so that
 * the owner notices the change of a thief before it helps.
 */

/** A change that waits. */
interface Pending<T> {
  readonly value: T;
  /** When it takes effect, ms. */
  readonly at: number;
}

/** Parts of the limits that can wait for their time, each by its own. */
export interface PendingRaises {
  readonly perSend: Pending<Fiat | null> | null;
  readonly perDay: Pending<Fiat | null> | null;
  /** Addresses to add. */
  readonly added: readonly Pending<AllowedDestination>[];
  /** Since when every destination is allowed, ms. */
  readonly listLiftedAt: number | null;
  readonly approvers: Pending<readonly string[]> | null;
}

const NO_RAISES: PendingRaises = {
  perSend: null,
  perDay: null,
  added: [],
  listLiftedAt: null,
  approvers: null,
};

/** Parts of the raises, by which they can be dropped. */
export const RAISES = ['perSend', 'perDay', 'allowList', 'approvers', 'confirmation'] as const;
export type Raise = (typeof RAISES)[number];

export interface StoredLimits {
  readonly limits: ShopLimits;
  readonly raises: PendingRaises;
  /**
   * From when on the owner vouches for them, ms: CONFIRMED unless the database was restored. Null: they are those of an
   * older copy, and stricter ones may be missing.
   */
  readonly confirmedAt: number | null;
}

/** Not a time, because the clock may be set back. */
export const CONFIRMED = 0;

/** Of a shop that has set none. */
export const NO_STORED_LIMITS: StoredLimits = {
  limits: NO_LIMITS,
  raises: NO_RAISES,
  confirmedAt: CONFIRMED,
};

/** Whether nothing may leave by them without an approval, because they are those of an older copy. */
export function isUnconfirmed({ confirmedAt }: StoredLimits, now: number): boolean {
  return confirmedAt === null || confirmedAt > now;
}

/** Omitted parts stay. */
export interface LimitsChange {
  readonly perSend?: Fiat | null | undefined;
  readonly perDay?: Fiat | null | undefined;
  /** The whole list; null: every destination is allowed. */
  readonly allowList?: readonly AllowedDestination[] | null | undefined;
  readonly approvers?: readonly string[] | undefined;
}

/** The limits at a time: raises whose time has come are part of them. */
export function limitsAt({ limits, raises, confirmedAt }: StoredLimits, now: number): StoredLimits {
  const isDue = ({ at }: { readonly at: number }): boolean => at <= now;
  const { perSend, perDay, added, listLiftedAt, approvers } = raises;
  const isListLifted = listLiftedAt !== null && listLiftedAt <= now;
  const due = added.filter(isDue).map(({ value }) => value);
  const kept = limits.allowList?.filter((known) => !due.some((one) => isSame(one, known))) ?? [];
  const allowList = isListLifted || limits.allowList === null ? null : [...kept, ...due];
  const keepsRaises = allowList !== null;
  return {
    limits: {
      perSend: perSend !== null && isDue(perSend) ? perSend.value : limits.perSend,
      perDay: perDay !== null && isDue(perDay) ? perDay.value : limits.perDay,
      allowList,
      approvers: approvers !== null && isDue(approvers) ? approvers.value : limits.approvers,
    },
    raises: {
      perSend: perSend !== null && !isDue(perSend) ? perSend : null,
      perDay: perDay !== null && !isDue(perDay) ? perDay : null,
      added: keepsRaises ? added.filter((one) => !isDue(one)) : [],
      listLiftedAt: keepsRaises ? listLiftedAt : null,
      approvers: approvers !== null && !isDue(approvers) ? approvers : null,
    },
    confirmedAt: confirmedAt !== null && confirmedAt <= now ? CONFIRMED : confirmedAt,
  };
}

/**
 * The limits after a change at a time; each change confirms those of an older copy.
 * @param delayMs before a raise takes effect, and a confirmation by a person without a second factor
 */
export function changeLimits(
  stored: StoredLimits,
  change: LimitsChange,
  by: { readonly now: number; readonly delayMs: number; readonly hasSecondFactor: boolean },
): StoredLimits {
  const { now, delayMs } = by;
  const before = limitsAt(stored, now);
  const at = now + delayMs;
  const perSend = changeAmount({ ...before, part: 'perSend' }, change.perSend, at);
  const perDay = changeAmount({ ...before, part: 'perDay' }, change.perDay, at);
  const list = changeList(before, change.allowList, at);
  const approvers = changeApprovers(before, change.approvers, at);
  return {
    limits: {
      perSend: perSend.value,
      perDay: perDay.value,
      allowList: list.allowList,
      approvers: approvers.value,
    },
    raises: {
      perSend: perSend.raise,
      perDay: perDay.raise,
      added: list.added,
      listLiftedAt: list.listLiftedAt,
      approvers: approvers.raise,
    },
    confirmedAt: by.hasSecondFactor ? CONFIRMED : (before.confirmedAt ?? at),
  };
}

/** Drops raises that have not taken effect. */
export function cancelLimitIncreases(
  stored: StoredLimits,
  parts: readonly Raise[],
  now: number,
): StoredLimits {
  const { limits, raises, confirmedAt } = limitsAt(stored, now);
  const isDropped = (part: Raise): boolean => parts.includes(part);
  return {
    limits,
    raises: {
      perSend: isDropped('perSend') ? null : raises.perSend,
      perDay: isDropped('perDay') ? null : raises.perDay,
      added: isDropped('allowList') ? [] : raises.added,
      listLiftedAt: isDropped('allowList') ? null : raises.listLiftedAt,
      approvers: isDropped('approvers') ? null : raises.approvers,
    },
    confirmedAt: isDropped('confirmation') && confirmedAt !== CONFIRMED ? null : confirmedAt,
  };
}

interface Changed<T> {
  readonly value: T;
  readonly raise: Pending<T> | null;
}

function changeAmount(
  { limits, raises, part }: Pick<StoredLimits, 'limits' | 'raises'> & { readonly part: 'perSend' | 'perDay' },
  next: Fiat | null | undefined,
  at: number,
): Changed<Fiat | null> {
  const current = limits[part];
  if (next === undefined) return { value: current, raise: raises[part] };
  if (isStricter(next, current)) return { value: next, raise: null };
  return { value: current, raise: { value: next, at } };
}

/** Whether a limit allows at most what another one does. Amounts of two currencies cannot be compared. */
function isStricter(next: Fiat | null, current: Fiat | null): boolean {
  if (current === null) return true;
  return next !== null && next.currency === current.currency && next.minor <= current.minor;
}

function changeList(
  { limits, raises }: StoredLimits,
  next: readonly AllowedDestination[] | null | undefined,
  at: number,
): Pick<ShopLimits, 'allowList'> & Pick<PendingRaises, 'added' | 'listLiftedAt'> {
  const current = limits.allowList;
  if (next === undefined) return { allowList: current, ...raises };
  // The first list allows less than no list.
  if (current === null) return { allowList: next, added: [], listLiftedAt: null };
  if (next === null) return { allowList: current, added: raises.added, listLiftedAt: at };
  const known = next.filter((one) => current.some((other) => isSame(one, other)));
  const added = next
    .filter((one) => !known.includes(one))
    .map((value) => raises.added.find((waiting) => isSame(waiting.value, value)) ?? { value, at });
  return { allowList: known, added, listLiftedAt: null };
}

function isSame(one: AllowedDestination, other: AllowedDestination): boolean {
  return one.coin === other.coin && one.watchKey === other.watchKey;
}

/** Fewer approvers is stricter, unless none is left: then the owner alone decides. */
function changeApprovers(
  { limits, raises }: StoredLimits,
  next: readonly string[] | undefined,
  at: number,
): Changed<readonly string[]> {
  const current = limits.approvers;
  if (next === undefined) return { value: current, raise: raises.approvers };
  const isSubset = next.every((id) => current.includes(id));
  if (isSubset && (next.length > 0 || current.length === 0)) return { value: next, raise: null };
  const remaining = current.filter((id) => next.includes(id));
  return { value: remaining.length > 0 ? remaining : current, raise: { value: next, at } };
}
