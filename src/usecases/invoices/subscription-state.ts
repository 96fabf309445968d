import { parseFiat } from '../../domain/fiat.ts';
import type { SubscriptionState } from '../../domain/subscription/types.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { openInvoices } from '../../store/subscriptions/invoices.ts';

/** Reads the input of the subscription machine. */
export async function loadState(db: Db, row: SubscriptionRow): Promise<SubscriptionState> {
  const [oldest] = await openInvoices(db, row.id);
  const { anchorAt, anchorN, interval, timeZone, ...rest } = row;
  return {
    status: rest.status,
    startsAt: rest.startsAt,
    trialEndsAt: rest.trialEndsAt,
    schedule: { anchorAt, anchorN, interval, timeZone },
    nextN: rest.nextN,
    paidUntil: rest.paidUntil,
    hasGrace: rest.hasGrace,
    graceDays: rest.graceDays,
    openPayBy: oldest?.payBy ?? null,
    cancelAtPeriodEnd: rest.cancelAtPeriodEnd,
    pausedAt: rest.pausedAt,
    trialEndingSent: rest.trialEndingSent,
    endedAt: rest.endedAt,
  };
}

/** The columns of a decided state. */
export function stateColumns(decided: SubscriptionState) {
  const { schedule, openPayBy: _, ...state } = decided;
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
