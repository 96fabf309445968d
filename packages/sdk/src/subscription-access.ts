import type { Schemas } from './contract.ts';

export interface SubscriptionAccess {
  readonly isGranted: boolean;
  /** Until when, if nothing changes; null: it was never paid. */
  readonly until: Date | null;
}

/**
 * Whether a subscription entitles its customer now. The status does not matter: a paid period stays paid after a
 * cancellation, and `activeUntil` contains the days of grace.
 * @param now ms; a subscription that was read earlier is worth as much as a fresh one until it changes
 * @throws {RangeError} for an `activeUntil` that is not a time: do not conclude anything from it
 */
export function subscriptionAccess(
  { activeUntil }: Pick<Schemas['Subscription'], 'activeUntil'>,
  now: number = Date.now(),
): SubscriptionAccess {
  if (activeUntil === null) return { isGranted: false, until: null };
  const until = new Date(activeUntil);
  if (Number.isNaN(until.getTime())) throw new RangeError(`not a time: ${activeUntil}`);
  return { isGranted: now < until.getTime(), until };
}
