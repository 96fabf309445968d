import { AppError } from '../../domain/errors.ts';
import { decide, isInvoiceDue, nextDecisionAt } from '../../domain/subscription/subscription-machine.ts';
import type { Decision, InvoiceProblem, SubscriptionState } from '../../domain/subscription/types.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { openInvoices } from '../../store/subscriptions/invoices.ts';
import {
  findSubscription,
  postponeDecision,
  subscriptionsDue,
  updateSubscription,
} from '../../store/subscriptions/subscriptions.ts';
import { loadState, NO_PROBLEM, readMerchant, saveSubscription } from '../invoices/index.ts';
import { endPayments, isPaymentPending, voidInvoices } from './close-invoices.ts';
import { createInvoice } from './create-invoice.ts';
import type { SubscriptionDeps } from './subscription-deps.ts';

/** Subscriptions per run; the next run continues. */
const BATCH = 500;
/** Retry delay of a failed subscription, or of one whose payment is still open. */
const RETRY_MS = 60_000;

/**
 * Makes the invoices that are due and applies the passage of time, each subscription in a transaction of its
 * own, so that one that fails holds up no other.
 * @returns the number of due subscriptions that were processed
 */
export async function renewDueSubscriptions(deps: SubscriptionDeps, signal: AbortSignal): Promise<number> {
  const ids = await subscriptionsDue(deps.db, deps.clock.now(), BATCH);
  const ensureRate = onceForEach(async (currency) => deps.rates.ensure(currency));
  for (const id of ids) {
    if (signal.aborted) break;
    await advanceOne(deps, id, ensureRate);
  }
  if (ids.length > 0) deps.wakeWebhooks();
  return ids.length;
}

type EnsureRate = (currency: string) => Promise<void>;

/** A source that does not answer holds up a run once, not for each subscription. */
function onceForEach(ensure: EnsureRate): EnsureRate {
  const asked = new Map<string, Promise<void>>();
  return async (currency) => {
    const answer = asked.get(currency) ?? ensure(currency);
    asked.set(currency, answer);
    await answer;
  };
}

async function advanceOne(deps: SubscriptionDeps, id: string, ensureRate: EnsureRate): Promise<void> {
  const { db, logger } = deps;
  try {
    const seen = await findSubscription(db, id);
    if (seen !== undefined) await ensureRate(seen.currency);
    await db.transaction(async (tx) => advance(tx, deps, id));
  } catch (error) {
    logger.error({ subscriptionId: id, err: error }, 'subscription update failed; will retry');
    await applyDueTransitions(deps, id, toProblem(error));
  }
}

/** Time passes for a subscription although its invoice cannot be made, such as without a rate. */
async function applyDueTransitions(
  deps: SubscriptionDeps,
  id: string,
  problem: InvoiceProblem,
): Promise<void> {
  const { db, clock, logger } = deps;
  try {
    await db.transaction(async (tx) => {
      const row = await findSubscription(tx, id);
      if (row !== undefined) await applyClock(tx, deps, await recordProblem(tx, deps, row, problem));
    });
  } catch (error) {
    logger.error({ subscriptionId: id, err: error }, 'updating due subscriptions failed; will retry');
    await db.transaction(async (tx) => postponeDecision(tx, id, clock.now() + RETRY_MS));
  }
}

function toProblem(error: unknown): InvoiceProblem {
  if (!(error instanceof AppError)) return 'other';
  if (error.code === 'RATE_UNAVAILABLE') return 'rate_unavailable';
  if (error.code === 'COIN_UNAVAILABLE') return 'coin_unavailable';
  return error.code === 'VALIDATION_INVALID' ? 'price_not_payable' : 'other';
}

/** Records why the invoice that is due cannot be made, for the people of the shop. The next save without it ends it. */
async function recordProblem(
  tx: Tx,
  deps: SubscriptionDeps,
  row: SubscriptionRow,
  problem: InvoiceProblem,
): Promise<SubscriptionRow> {
  const now = deps.clock.now();
  const { invoiceLeadDays } = await readMerchant(tx, row.merchantId);
  const isDue = isInvoiceDue(await loadState(tx, row), invoiceLeadDays, now);
  const current = isDue ? { problem, problemAt: row.problemAt ?? now } : NO_PROBLEM;
  if (current.problem === row.problem) return row;
  const recorded = { ...row, ...current };
  await updateSubscription(tx, recorded);
  return recorded;
}

async function advance(tx: Tx, deps: SubscriptionDeps, id: string): Promise<void> {
  const row = await findSubscription(tx, id);
  const now = deps.clock.now();
  if (row === undefined || row.nextDecisionAt === null || row.nextDecisionAt > now) return;
  const invoiced = await invoiceIfDue(tx, deps, row, now);
  // Credit may have paid it: after a downtime the next invoice can be due already.
  await applyClock(tx, deps, invoiced, invoiced === row ? RETRY_MS : 0);
}

async function applyClock(
  tx: Tx,
  deps: SubscriptionDeps,
  row: SubscriptionRow,
  retryMs = RETRY_MS,
): Promise<void> {
  const now = deps.clock.now();
  const state = await loadState(tx, row);
  const fact = { type: 'clock', isUndecided: await isPaymentPending(tx, row) } as const;
  const decision = decide(state, fact, now);
  if (decision === null) throw new Error(`subscription ${row.id} cannot be advanced`);
  if (decision.events.length > 0 || decision.state.trialEndingSent !== state.trialEndingSent) {
    await saveTransition(tx, deps, row, { before: state, decision });
    return;
  }
  const { invoiceLeadDays } = await readMerchant(tx, row.merchantId);
  const next = nextDecisionAt(state, invoiceLeadDays, now);
  await postponeDecision(tx, row.id, next === null ? null : Math.max(next, now + retryMs));
}

/** An end closes the open invoices; a paid period that begins closes those for the time before it. */
async function saveTransition(
  tx: Tx,
  deps: SubscriptionDeps,
  row: SubscriptionRow,
  { before, decision }: { readonly before: SubscriptionState; readonly decision: Decision },
): Promise<void> {
  const [run] = before.laterRuns;
  const isBegun = run !== undefined && decision.state.paidUntil !== before.paidUntil;
  const isClosing = decision.state.openPayBy === null;
  const closed =
    isClosing || isBegun
      ? await voidInvoices(tx, row, isClosing ? Infinity : run?.from)
      : { row, invoices: [] };
  const [open] = await openInvoices(tx, row.id);
  const state = { ...decision.state, openPayBy: open?.payBy ?? null };
  await saveSubscription(tx, deps, closed.row, { ...decision, state });
  await endPayments(tx, deps, closed);
}

async function invoiceIfDue(
  tx: Tx,
  deps: SubscriptionDeps,
  row: SubscriptionRow,
  now: number,
): Promise<SubscriptionRow> {
  const { invoiceLeadDays } = await readMerchant(tx, row.merchantId);
  const state = await loadState(tx, row);
  if (isInvoiceDue(state, invoiceLeadDays, now)) return createInvoice(tx, deps, row);
  if (row.problem === null) return row;
  // Not due any more: the shop has changed its lead.
  const free = { ...row, ...NO_PROBLEM };
  await updateSubscription(tx, free);
  return free;
}
