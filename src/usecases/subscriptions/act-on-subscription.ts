import { decide } from '../../domain/subscription/subscription-machine.ts';
import type { SubscriptionFact } from '../../domain/subscription/types.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { loadState, saveSubscription } from '../invoices/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { endPayments, shiftPaidPeriods, voidInvoices } from './close-invoices.ts';
import { verifyPauseClock } from './verify-clock.ts';
import { findOwnSubscription, forbiddenBy, type SubscriptionDeps } from './subscription-deps.ts';

interface At {
  readonly merchantId: string;
  readonly subscriptionId: string;
}
type Action = Extract<SubscriptionFact, { type: 'pause' | 'resume' | 'cancel' | 'keep' }>;

/**
 * Pauses, resumes or cancels a subscription. A pause and a cancellation close its open invoices; a cancellation
 * at the end of the period leaves them, because periods paid in advance stay paid.
 * @throws {AppError} SUBSCRIPTION_NOT_FOUND, INVALID_STATE
 */
export async function changeSubscriptionStatus(
  deps: SubscriptionDeps,
  { merchantId, subscriptionId }: At,
  action: Action,
  storeResult: StoreResult<SubscriptionRow> = storeNoResult,
): Promise<SubscriptionRow> {
  const after = await deps.db.transaction(async (tx) => {
    const row = await findOwnSubscription(tx, merchantId, subscriptionId);
    const changed = await act(tx, deps, row, action);
    await storeResult(tx, changed);
    return changed;
  });
  deps.wakeWebhooks();
  return after;
}

/** The action in the transaction that has read the row. @throws {AppError} INVALID_STATE */
export async function act(
  tx: Tx,
  deps: SubscriptionDeps,
  row: SubscriptionRow,
  action: Action,
): Promise<SubscriptionRow> {
  const now = deps.clock.now();
  const state = await loadState(tx, row);
  const decision = decide(state, action, now);
  if (decision === null) throw forbiddenBy(row);
  await verifyPauseClock(tx, deps, row, action.type);
  if (decision.events.length === 0) return row;
  if (decision.state.pausedAt === null) await shiftPaidPeriods(tx, row.id, { state, now });
  const isClosing = decision.state.openPayBy === null;
  const closed = isClosing ? await voidInvoices(tx, row) : { row, invoices: [] };
  const saved = await saveSubscription(tx, deps, closed.row, decision);
  await endPayments(tx, deps, closed);
  return closed.invoices.length === 0 ? saved : findOwnSubscription(tx, row.merchantId, row.id);
}
