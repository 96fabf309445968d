import { invalidField } from '../../domain/errors.ts';
import { parseFiat } from '../../domain/fiat.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import { loadState, saveSubscription } from '../invoices/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { reviseInvoices } from './revise-invoice.ts';
import { findOwnSubscription, forbiddenBy, type SubscriptionDeps } from './subscription-deps.ts';

export interface CreditSubscriptionInput {
  readonly merchantId: string;
  readonly subscriptionId: string;
  /** Decimal string in the currency of the subscription. */
  readonly amount: string;
  /** A correction: takes credit away instead of giving it. */
  readonly isCorrection: boolean;
  /** For the event. */
  readonly note: string | null;
}

/**
 * Gives credit, which an open invoice without money uses at once, or takes it back.
 * @throws {AppError} SUBSCRIPTION_NOT_FOUND, INVALID_STATE once it has ended, RATE_UNAVAILABLE,
 * VALIDATION_INVALID (amount) beyond the credit that is there
 */
export async function creditSubscription(
  deps: SubscriptionDeps,
  { merchantId, subscriptionId, amount, isCorrection, note }: CreditSubscriptionInput,
  storeResult: StoreResult<SubscriptionRow> = storeNoResult,
): Promise<SubscriptionRow> {
  const { currency } = await findOwnSubscription(deps.db, merchantId, subscriptionId);
  await deps.rates.ensure(currency);
  const after = await deps.db.transaction(async (tx) => {
    const row = await findOwnSubscription(tx, merchantId, subscriptionId);
    if (row.status === 'ended') throw forbiddenBy(row);
    const { minor } = parseFiat(amount, row.currency);
    const balance = BigInt(row.balanceMinor) + (isCorrection ? -minor : minor);
    if (isCorrection && balance < 0n) throw invalidField('amount', 'is more than the credit', 'too_big');
    const credited = { ...row, balanceMinor: balance.toString() };
    const revised = await reviseInvoices(tx, deps, credited, ({ price }) => price);
    const state = await loadState(tx, revised);
    const decision = { state, events: ['subscription.updated'] } as const;
    const saved = await saveSubscription(tx, deps, revised, decision, { note });
    await storeResult(tx, saved);
    return saved;
  });
  deps.wakeWebhooks();
  return after;
}
