import { outputKey } from '../../domain/chain.ts';
import type { Coin } from '../../domain/coins.ts';
import {
  UNCONFIRMED_GRACE_MS,
  type PaymentCredit,
  type PaymentOption,
  type PaymentState,
  type RefundSums,
} from '../../domain/payment/types.ts';
import { chainStands } from '../../store/chain/chain-cursors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { parseShare, parseSums } from '../../store/payments/payment-memory.ts';
import { outputsOfPayment, type StoredOutput } from '../../store/ledger/outputs.ts';
import { refundsOf, type StoredRefund } from '../../store/payments/refunds.ts';
import { optionsOf, type StoredOption, type StoredPayment } from '../../store/payments/payments.ts';

/** A payment with everything that was observed about it. */
export interface LoadedPayment {
  readonly row: StoredPayment;
  readonly options: readonly StoredOption[];
  /** Every refund ever made of it, failed ones too, oldest first. */
  readonly refunds: readonly StoredRefund[];
  readonly state: PaymentState;
  /** What a coin was worth when each output came, by outputKey; what is not there was not known. */
  readonly rates: ReceiptRates;
}

/** Prices of one coin in the payment's currency, with their time in ms, by outputKey. */
export type ReceiptRates = ReadonlyMap<string, { readonly rate: string; readonly at: number }>;

/** Reads what the payment machine needs to decide. */
export async function loadPayment(db: Db, row: StoredPayment): Promise<LoadedPayment> {
  return loadWith(db, row, await outputsOfPayment(db, row.id));
}

async function loadWith(
  db: Db,
  row: StoredPayment,
  outputs: readonly StoredOutput[],
): Promise<LoadedPayment> {
  const options = await optionsOf(db, row.id);
  const { tips, final } = await chainStands(db, row.mode);
  // Without money nothing can have been given back.
  const refunds = outputs.length === 0 ? [] : await refundsOf(db, row.id);
  const state = toState(row, options, { outputs, refunds, tips, final });
  return { row, options, refunds, state, rates: ratesOf(outputs) };
}

/**
 * A payment that was read in this transaction, as it would be read again after a change of it there.
 * @param row as it was written
 * @param state as the machine left it
 * @param rates of the outputs that are new
 */
export function afterChange(
  before: LoadedPayment,
  row: StoredPayment,
  { state, rates }: { readonly state: PaymentState; readonly rates: ReceiptRates },
): LoadedPayment {
  const credits =
    state.credits === before.state.credits ? state.credits : state.credits.toSorted(byFirstSight);
  return { ...before, row, state: { ...state, credits }, rates: new Map([...before.rates, ...rates]) };
}

/** The order in which outputs are read. */
function byFirstSight(a: PaymentCredit, b: PaymentCredit): number {
  if (a.firstSeenAt !== b.firstSeenAt) return a.firstSeenAt - b.firstSeenAt;
  if (a.ref.txid !== b.ref.txid) return a.ref.txid < b.ref.txid ? -1 : 1;
  return a.ref.index - b.ref.index;
}

/**
 * As loadPayment, for showing only: without money nobody asks where the chains stand, and most payments that
 * are looked up have none yet.
 */
export async function loadShownPayment(db: Db, row: StoredPayment): Promise<LoadedPayment> {
  const outputs = await outputsOfPayment(db, row.id);
  if (outputs.length > 0) return loadWith(db, row, outputs);
  return loadedNew(row, await optionsOf(db, row.id));
}

/** A payment that nobody has paid, such as one made just now. @param options by coin */
export function loadedNew(row: StoredPayment, options: readonly StoredOption[]): LoadedPayment {
  const state = toState(row, options, { outputs: [], refunds: [], tips: {}, final: {} });
  return { row, options, refunds: [], state, rates: new Map() };
}

function ratesOf(outputs: readonly StoredOutput[]): ReceiptRates {
  return new Map(
    outputs.flatMap(({ txid, vout, rate, rate_at: at }) =>
      rate === null || at === null ? [] : [[outputKey({ txid, index: vout }), { rate, at }] as const],
    ),
  );
}

interface Ledger {
  readonly outputs: readonly StoredOutput[];
  readonly refunds: readonly StoredRefund[];
  readonly tips: PaymentState['tips'];
  readonly final: PaymentState['final'];
}

function toState(
  row: StoredPayment,
  options: readonly StoredOption[],
  { outputs, refunds, tips, final }: Ledger,
): PaymentState {
  const dues: Partial<Record<Coin, PaymentOption>> = {};
  for (const option of options) {
    dues[option.coin] = {
      due: BigInt(option.amount),
      requiredConfirmations: option.required_confirmations,
      finality: option.required_finality,
    };
  }
  return {
    status: row.status,
    exception: row.exception,
    expiresAt: row.expires_at,
    closedAt: row.closed_at,
    cancelledAt: row.cancelled_at,
    acceptedAt: row.accepted_at,
    accepted: parseSums(row.accepted_json),
    refundedAt: row.refunded_at,
    refundedBy: row.refunded_by,
    returned: parseSums(row.returned_json),
    toleranceBps: row.tolerance_bps,
    latePolicy: row.late_policy,
    options: dues,
    credits: outputs.map((output) => toCredit(output, dues)),
    refunds: givenBack(refunds),
    excessTold: parseShare(row.excess_told),
    unconfirmedGraceMs: UNCONFIRMED_GRACE_MS,
    tips,
    final,
  };
}

/** What the network has taken to give back and has not failed, per coin. */
export function givenBack(refunds: readonly StoredRefund[]): RefundSums {
  const sums: Partial<Record<Coin, bigint>> = {};
  for (const { coin, refunded, status } of refunds) {
    if (status !== 'broadcast' && status !== 'confirmed') continue;
    sums[coin] = (sums[coin] ?? 0n) + BigInt(refunded);
  }
  return sums;
}

function toCredit(output: StoredOutput, dues: Partial<Record<Coin, PaymentOption>>): PaymentCredit {
  const late = output.late === 1;
  const lateDue = output.late_due === null ? null : BigInt(output.late_due);
  return {
    coin: output.coin,
    ref: { txid: output.txid, index: output.vout },
    amount: BigInt(output.amount),
    state: output.state,
    height: output.height,
    maturity: output.maturity,
    firstSeenAt: output.first_seen_at,
    confirmedAt: output.confirmed_at,
    late,
    due: late ? lateDue : (dues[output.coin]?.due ?? null),
  };
}
