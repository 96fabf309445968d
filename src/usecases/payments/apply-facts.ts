import { outputKey } from '../../domain/chain.ts';
import { type Coin } from '../../domain/coins.ts';
import { parseFiat, requestedAtoms } from '../../domain/fiat.ts';
import { isLate, isOverdue, transitionAll } from '../../domain/payment/payment-machine.ts';
import { termsFor } from '../../domain/payment/terms.ts';
import type {
  PaymentCredit,
  PaymentEventType,
  PaymentFact,
  PaymentRefund,
  PaymentState,
} from '../../domain/payment/types.ts';
import type { Clock, Logger, Rates } from '../../domain/ports.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { upsertOutput } from '../../store/ledger/outputs.ts';
import { formatShare, formatSums } from '../../store/payments/sum-columns.ts';
import { liveCredits } from '../../domain/payment/credits.ts';
import { endsUnclaimedRefundLinks } from '../../domain/payment/link-terms.ts';
import { hasMoneyAfterRefund } from '../../domain/payment/remaining-refundable.ts';
import { requiredDepths, type Depths } from '../../domain/payment/depth.ts';
import { awaitedDepth } from '../../store/payments/payments-with-money.ts';
import { issueReceipt } from '../../store/payments/receipts.ts';
import { setRefundValues } from '../../store/payments/refunds.ts';
import { findPayment, updatePayment, type StoredPayment } from '../../store/payments/payments.ts';
import { applyPaymentToInvoice } from '../invoices/index.ts';
import { quoteOrNull, RATE_HOLDS_MS } from '../rates/index.ts';
import { cancelOpenLinks } from './refunds/cancel-links.ts';
import { storeDepths } from './awaited-depths.ts';
import { emitPaymentEvents } from './emit-payment-events.ts';
import { withKept } from './kept-money.ts';
import { afterChange, loadPayment, type LoadedPayment, type ReceiptRates } from './load-payment.ts';
import { factsForLead, leadPaymentId, groupPayee, pricedBy } from './payment-group.ts';
import type { PresentDeps } from './present-payment.ts';

export interface ApplyFactsDeps extends PresentDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly rates: Pick<Rates, 'quote'>;
  /** How long money seen in time may stay unconfirmed after the expiry before it counts as late; a day by default. */
  readonly unconfirmedGraceMs?: number;
  /**
   * Called after the commit with each payment that got new facts, because its presentation may have changed.
   */
  readonly onPaymentChanged: (paymentId: string) => void;
}

/**
 * Applies facts that were observed together to a payment, and stores everything that follows: its state, the
 * ledger's outputs, its events and their deliveries. Must run in the caller's transaction, so that all of it
 * exists exactly when the cause does; and before a chain's new tip is stored there, because the payment's
 * earlier state is read with the current tip. The first money of a group closes all its payments but the
 * newest, which counts it: facts about a superseded payment are applied to that one.
 * @param blockHash the block that contains confirmed facts
 * @returns the events it caused, in order
 */
export async function applyFacts(
  tx: Tx,
  deps: ApplyFactsDeps,
  paymentId: string,
  facts: readonly PaymentFact[],
  blockHash: string | null = null,
): Promise<readonly PaymentEventType[]> {
  if (!tx.isTransaction) throw new Error('applyFacts must run in a transaction');
  const row = await findPayment(tx, paymentId);
  if (row === undefined) throw new Error(`payment ${paymentId} does not exist`);
  // Even if nothing is written below: a new block alone changes the confirmations that are shown.
  tx.afterCommit(() => deps.onPaymentChanged(paymentId));
  if (row.supersededBy === null) return applyTo(tx, deps, row, facts, blockHash);
  const leadFacts = factsForLead(paymentId, facts);
  return leadFacts.length === 0 ? [] : applyFacts(tx, deps, row.supersededBy, leadFacts, blockHash);
}

async function applyTo(
  tx: Tx,
  deps: ApplyFactsDeps,
  row: StoredPayment,
  facts: readonly PaymentFact[],
  blockHash: string | null,
): Promise<readonly PaymentEventType[]> {
  const loaded = await loadPayment(tx, deps, row);
  const now = deps.clock.now();
  const known = new Map(loaded.state.credits.map((credit) => [outputKey(credit.ref), credit]));
  const { unconfirmedGraceMs = loaded.state.unconfirmedGraceMs } = deps;
  const state = { ...loaded.state, unconfirmedGraceMs };
  const result = transitionAll(
    state,
    facts.map((fact) => prepared(deps, loaded, { state, known }, fact)),
    now,
  );
  const isWaiting = hasMoneyAfterRefund(result.payment);
  if (
    result.events.length === 0 &&
    isUnchanged(state, result.payment) &&
    isWaiting === row.hasMoneyAfterRefund
  ) {
    // New confirmations or a partial refund may still change the invoice.
    await applyPaymentToInvoice(tx, withKept(tx, deps), row, result.payment);
    return [];
  }
  const { payment, events } = result;
  if (payment.supersededBy === null && liveCredits(payment).length > 0) {
    const leadId = leadPaymentId(loaded);
    await supersedeOthers(tx, deps, loaded, leadId);
    // The received money belongs to that payment now.
    if (leadId !== row.id) return applyFacts(tx, deps, row.id, facts, blockHash);
  }
  const rates = receiptRates(deps, loaded, payment, now);
  await saveCredits(tx, loaded, payment, { now, blockHash, rates });
  await setRefundValues(tx, pricedRefunds(state, payment));
  const saved = await saveState(tx, row, payment, { now, events: events.length });
  const receipt = events.includes('payment.completed') ? await issueReceipt(tx, saved, now) : loaded.receipt;
  if (events.length > 0)
    await emitPaymentEvents(tx, deps, afterChange(loaded, saved, { state: payment, rates, receipt }), events);
  await applyPaymentToInvoice(tx, withKept(tx, deps), saved, payment);
  if (endsUnclaimedRefundLinks(state, payment)) await cancelOpenLinks(tx, deps, row.id);
  return events;
}

/** Closes the payments of a group that has received money, except its lead. */
async function supersedeOthers(
  tx: Tx,
  deps: ApplyFactsDeps,
  { row, members }: LoadedPayment,
  leadId: string,
): Promise<void> {
  for (const { id, supersededBy: lead } of [row, ...members.map((member) => member.row)]) {
    if (lead === null && id !== leadId) await applyFacts(tx, deps, id, [{ type: 'superseded', by: leadId }]);
  }
}

/** True when there is nothing to write: most blocks change nothing about most payments. */
function isUnchanged(before: PaymentState, after: PaymentState): boolean {
  return (
    before.status === after.status &&
    before.exception === after.exception &&
    before.closedAt === after.closedAt &&
    before.cancelledAt === after.cancelledAt &&
    before.supersededBy === after.supersededBy &&
    before.acceptedPosition === after.acceptedPosition &&
    before.reportedExcess === after.reportedExcess &&
    before.refundedPosition === after.refundedPosition &&
    before.refundedBy === after.refundedBy &&
    before.returned === after.returned &&
    before.credits === after.credits
  );
}

/** Adds the fields of an observed output that follow from the payment's own terms. */
function prepared(
  deps: ApplyFactsDeps,
  loaded: LoadedPayment,
  at: {
    readonly state: PaymentState;
    readonly known: ReadonlyMap<string, PaymentCredit>;
  },
  fact: PaymentFact,
): PaymentFact {
  const { state, known } = at;
  if (fact.type !== 'output_seen' && fact.type !== 'output_confirmed' && fact.type !== 'grace_expired')
    return fact;
  const dueNow = (): bigint | null => currentDue(deps, pricedBy(loaded, fact.via), fact.coin);
  if (fact.type === 'grace_expired') return { ...fact, currentDue: dueNow() };
  const seenAt = Math.max(fact.seenAt, groupPayee(loaded, fact.via).createdAt);
  const credit = known.get(outputKey(fact.ref));
  const terms = termsFor(state, fact.via);
  const isPricedNow =
    terms.priceShare === null ||
    (credit === undefined ? isLate(terms, seenAt) : isOverdue(terms, credit, seenAt));
  return { ...fact, seenAt, currentDue: isPricedNow ? dueNow() : null };
}

/** The payment's price at the current rate, in atoms; null while no rate is available. */
export function currentDue(
  deps: Pick<ApplyFactsDeps, 'rates'>,
  payment: StoredPayment,
  coin: Coin,
): bigint | null {
  const quote = quoteOrNull(deps, payment, coin);
  if (quote === null) return null;
  return requestedAtoms(parseFiat(payment.amount, payment.currency), quote.rate, coin);
}

/** Current rates for outputs that are new and just arrived; the value of older ones was different. */
function receiptRates(
  deps: Pick<ApplyFactsDeps, 'rates'>,
  loaded: LoadedPayment,
  after: PaymentState,
  now: number,
): ReceiptRates {
  const { state } = loaded;
  const known = new Set(state.credits.map(({ ref }) => outputKey(ref)));
  const fresh = after.credits.filter(
    ({ ref, firstSeenAt }) => !known.has(outputKey(ref)) && now - firstSeenAt < RATE_HOLDS_MS,
  );
  return new Map(
    fresh.flatMap(({ ref, coin, via }) => {
      const quote = quoteOrNull(deps, groupPayee(loaded, via), coin);
      return quote === null ? [] : [[outputKey(ref), { rate: quote.rate, at: quote.at }] as const];
    }),
  );
}

/**
 * Refunds whose value is now known: only a rate changes it, and other changes of a refund are stored by their
 * cause.
 */
function pricedRefunds(before: PaymentState, { refunds }: PaymentState): readonly PaymentRefund[] {
  const was = new Map(before.refunds.map((refund) => [`${refund.stage} ${refund.id}`, refund.unpriced]));
  return refunds.filter(({ stage, id, unpriced }) => (was.get(`${stage} ${id}`) ?? unpriced) !== unpriced);
}

interface Moment {
  readonly now: number;
  readonly blockHash: string | null;
  readonly rates: ReceiptRates;
}

async function saveCredits(tx: Tx, loaded: LoadedPayment, after: PaymentState, at: Moment): Promise<void> {
  const before = new Set(loaded.state.credits);
  const waits = requiredDepths(after);
  for (const credit of after.credits) {
    if (!before.has(credit)) await saveCredit(tx, loaded, credit, { ...at, waits });
  }
  await storeDepths(tx, loaded, after);
}

async function saveCredit(
  tx: Tx,
  loaded: LoadedPayment,
  credit: PaymentCredit,
  at: Moment & { readonly waits: Depths },
): Promise<void> {
  const payee = loaded.members.find((member) => member.row.id === credit.via) ?? loaded;
  const option = payee.options.find((candidate) => candidate.coin === credit.coin);
  if (option === undefined) throw new Error(`payment ${payee.row.id} does not accept ${credit.coin}`);
  const received = at.rates.get(outputKey(credit.ref));
  await upsertOutput(tx, {
    coin: credit.coin,
    mode: loaded.row.mode,
    txid: credit.ref.txid,
    vout: credit.ref.index,
    addressId: option.addressId,
    merchantId: loaded.row.merchantId,
    paymentId: payee.row.id,
    amount: credit.amount.toString(),
    state: credit.state,
    height: credit.height,
    blockHash: credit.state === 'confirmed' ? at.blockHash : null,
    maturity: credit.maturity,
    firstSeenAt: credit.firstSeenAt,
    late: credit.late,
    lateDue: credit.late && credit.due !== null ? credit.due.toString() : null,
    spentBy: null,
    spentHeight: null,
    sendId: null,
    updatedAt: at.now,
    awaitedDepth: awaitedDepth(at.waits, credit),
    position: credit.position,
    confirmedAt: credit.confirmedAt,
    rate: received?.rate ?? null,
    rateAt: received?.at ?? null,
  });
}

/** @returns the payment's updated row */
async function saveState(
  tx: Tx,
  row: StoredPayment,
  state: PaymentState,
  at: { readonly now: number; readonly events: number },
): Promise<StoredPayment> {
  const change = {
    status: state.status,
    exception: state.exception,
    updatedAt: at.now,
    closedAt: state.closedAt,
    cancelledAt: state.cancelledAt,
    supersededBy: state.supersededBy,
    acceptedAt: state.acceptedAt,
    acceptedPosition: state.acceptedPosition,
    acceptedJson: formatSums(state.accepted),
    excessTold: formatShare(state.reportedExcess),
    refundedAt: state.refundedAt,
    refundedPosition: state.refundedPosition,
    refundedBy: state.refundedBy,
    returnedJson: formatSums(state.returned),
    hasMoneyAfterRefund: hasMoneyAfterRefund(state),
  };
  await updatePayment(tx, row.id, change, { events: at.events, from: row });
  return { ...row, ...change, sequence: row.sequence + at.events };
}
