import { parseFiat } from '../../domain/fiat.ts';
import type { SubscriptionState } from '../../domain/subscription/types.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { joinPeriods } from '../../domain/subscription/coverage.ts';
import { openInvoices, paidPeriods } from '../../store/subscriptions/invoices.ts';

/** Reads the input of the subscription machine. */
export async function loadState(db: Db, row: SubscriptionRow): Promise<SubscriptionState> {
  const [oldest] = await openInvoices(db, row.id);
  const later = await paidPeriods(db, row.id, row.paidUntil ?? 0);
  const { anchorAt, anchorN, interval, timeZone, ...rest } = row;
  return {
    status: rest.status,
    startsAt: rest.startsAt,
    trialEndsAt: rest.trialEndsAt,
    schedule: { anchorAt, anchorN, interval, timeZone },
    nextN: rest.nextN,
    paidUntil: rest.paidUntil,
    laterRuns: joinPeriods(later),
    hasGrace: rest.hasGrace,
    graceDays: rest.graceDays,
    openPayBy: oldest?.payBy ?? null,
    cancelAtPeriodEnd: rest.cancelAtPeriodEnd,
    cancelledBy: rest.cancelledBy,
    pausedAt: rest.pausedAt,
    pausedBy: rest.pausedBy,
    trialEndingSent: rest.trialEndingSent,
    endedAt: rest.endedAt,
  };
}

/** The columns of a decided state. */
export function stateColumns(decided: SubscriptionState) {
  const { schedule, openPayBy: _o, laterRuns: _l, ...state } = decided;
  return { ...state, ...schedule };
}

/** The price of one period in minor units. */
export function periodPrice({
  amount,
  currency,
  quantity,
}: Pick<SubscriptionRow, 'amount' | 'currency' | 'quantity'>): bigint {
  return parseFiat(amount, currency).minor * BigInt(quantity);
}
