import { outputKey } from '../../domain/chain.ts';
import { parseFiat, type Fiat } from '../../domain/fiat.ts';
import type { PaymentRefund, PaymentState } from '../../domain/payment/types.ts';
import { subscriptionOfOrder } from '../../domain/subscription/invoice.ts';
import { listCursors } from '../../store/chain/chain-cursors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { outputsOfPayment, type StoredOutput } from '../../store/ledger/outputs.ts';
import { unsentClaims } from '../../store/payments/refund-links.ts';
import { findReceipt, type Receipt } from '../../store/payments/receipts.ts';
import { listRefunds, type StoredRefund } from '../../store/payments/refunds.ts';
import { findPaymentInvoice } from '../../store/subscriptions/invoices.ts';
import { otherMembers } from '../../store/payments/payment-groups.ts';
import { listPaymentOptions, type StoredOption, type StoredPayment } from '../../store/payments/payments.ts';
import { paymentRefunds, toState, type LoadedMember, type LoadPaymentDeps } from './payment-state.ts';

/** A payment with all its observed facts, and with the money of the payments that it superseded. */
export interface LoadedPayment {
  readonly row: StoredPayment;
  readonly price: Fiat;
  readonly options: readonly StoredOption[];
  /** The other payments of its group, oldest first; empty where it was never renewed. */
  readonly members: readonly LoadedMember[];
  /** Every refund of it, failed ones included, oldest first. */
  readonly refunds: readonly StoredRefund[];
  readonly state: PaymentState;
  /** The value of a coin at the receipt of each output, by outputKey; absent where unknown. */
  readonly rates: ReceiptRates;
  /** The stored `awaited_depth` of each output, by outputKey. */
  readonly awaited: ReadonlyMap<string, number>;
  /** Whether money beyond its invoice became credit of its subscription. */
  readonly isExcessCredited: boolean;
  /** Null until it was completed, and for payments that are older than receipts with numbers. */
  readonly receipt: Receipt | null;
}

/** Prices of one coin in the payment's currency, with their time in ms, by outputKey. */
export type ReceiptRates = ReadonlyMap<string, { readonly rate: string; readonly at: number }>;

/** Reads the input of the payment machine. */
export async function loadPayment(db: Db, deps: LoadPaymentDeps, row: StoredPayment): Promise<LoadedPayment> {
  const members = await loadMembers(db, row);
  return loadWith(db, deps, { row, members, outputs: await countedOutputs(db, row, members) });
}

async function loadMembers(db: Db, row: StoredPayment): Promise<LoadedMember[]> {
  const members: LoadedMember[] = [];
  for (const member of await otherMembers(db, row)) {
    const options = member.supersededBy === row.id ? await listPaymentOptions(db, member.id) : [];
    members.push({ row: member, options });
  }
  return members;
}

/** All outputs that count for a payment, in the order in which they became known. */
async function countedOutputs(
  db: Db,
  row: StoredPayment,
  members: readonly LoadedMember[],
): Promise<readonly StoredOutput[]> {
  if (row.supersededBy !== null) return [];
  const outputs = await outputsOfPayment(db, row.id);
  const superseded = members.filter((member) => member.row.supersededBy === row.id);
  if (superseded.length === 0) return outputs;
  const all = [...outputs];
  for (const member of superseded) all.push(...(await outputsOfPayment(db, member.row.id)));
  return all.toSorted((a, b) => a.position - b.position || a.seq - b.seq);
}

async function loadWith(
  db: Db,
  deps: LoadPaymentDeps,
  { row, members, outputs }: Pick<LoadedPayment, 'row' | 'members'> & { outputs: readonly StoredOutput[] },
): Promise<LoadedPayment> {
  const options = await listPaymentOptions(db, row.id);
  const { tips, final } = await listCursors(db, row.mode);
  // Without money there are no refunds.
  const refunds = outputs.length === 0 ? [] : await listRefunds(db, row.id);
  const claims = outputs.length === 0 ? [] : await unsentClaims(db, row.id);
  const givesBack = paymentRefunds(refunds, claims);
  const state = toState(deps, row, options, { members, outputs, refunds: givesBack, tips, final });
  return {
    row,
    options,
    members,
    refunds,
    state,
    price: parseFiat(row.amount, row.currency),
    rates: receiptRates(outputs),
    awaited: awaitedDepths(outputs),
    isExcessCredited: outputs.length > 0 && (await isExcessCredited(db, row)),
    // Without money it was never completed.
    receipt: outputs.length === 0 ? null : await findReceipt(db, row.id),
  };
}

/**
 * A payment read in this transaction, as it would be read after its change.
 * @param row as written
 * @param state as returned by the machine
 * @param rates of the new outputs
 * @param receipt issued by the change, or before
 */
export function afterChange(
  before: LoadedPayment,
  row: StoredPayment,
  {
    state,
    rates,
    receipt,
  }: { readonly state: PaymentState; readonly rates: ReceiptRates; readonly receipt: Receipt | null },
): LoadedPayment {
  const credits =
    state.credits === before.state.credits
      ? state.credits
      : state.credits.toSorted((a, b) => a.position - b.position);
  return {
    ...before,
    row,
    price: parseFiat(row.amount, row.currency),
    state: { ...state, credits },
    rates: new Map([...before.rates, ...rates]),
    receipt,
  };
}

/**
 * Like loadPayment, for display only: without money the tips of the chains are not needed, and most displayed
 * payments have none yet.
 */
export async function loadGroupLead(
  db: Db,
  deps: LoadPaymentDeps,
  row: StoredPayment,
): Promise<LoadedPayment> {
  const members = await loadMembers(db, row);
  const outputs = await countedOutputs(db, row, members);
  if (outputs.length > 0) return loadWith(db, deps, { row, members, outputs });
  return { ...toUnpaidPayment(deps, row, await listPaymentOptions(db, row.id)), members };
}

/** An unpaid payment, such as a new one. @param options by coin */
export function toUnpaidPayment(
  deps: LoadPaymentDeps,
  row: StoredPayment,
  options: readonly StoredOption[],
): LoadedPayment {
  const state = toState(deps, row, options, { members: [], outputs: [], refunds: [], tips: {}, final: {} });
  const price = parseFiat(row.amount, row.currency);
  return {
    row,
    price,
    options,
    members: [],
    refunds: [],
    state,
    rates: new Map(),
    awaited: new Map(),
    isExcessCredited: false,
    receipt: null,
  };
}

async function isExcessCredited(db: Db, { id, orderId }: StoredPayment): Promise<boolean> {
  if (subscriptionOfOrder(orderId) === null) return false;
  const invoice = await findPaymentInvoice(db, id);
  return invoice !== undefined && invoice.credited > 0n;
}

function receiptRates(outputs: readonly StoredOutput[]): ReceiptRates {
  return new Map(
    outputs.flatMap(({ txid, vout, rate, rateAt: at }) =>
      rate === null || at === null ? [] : [[outputKey({ txid, index: vout }), { rate, at }] as const],
    ),
  );
}

function awaitedDepths(outputs: readonly StoredOutput[]): ReadonlyMap<string, number> {
  return new Map(
    outputs.map(({ txid, vout, awaitedDepth: depth }) => [outputKey({ txid, index: vout }), depth]),
  );
}

/** Everything that returns a payment's money, in its current state. */
export async function readRefunds(db: Db, paymentId: string): Promise<PaymentRefund[]> {
  return paymentRefunds(await listRefunds(db, paymentId), await unsentClaims(db, paymentId));
}
