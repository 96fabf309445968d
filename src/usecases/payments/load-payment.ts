import { outputKey } from '../../domain/chain.ts';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { ConfirmationPolicy } from '../../domain/confirmations.ts';
import { assertNever } from '../../domain/errors.ts';
import {
  UNCONFIRMED_GRACE_MS,
  type PaymentCredit,
  type PaymentOption,
  type PaymentRefund,
  type PaymentState,
  type RefundStage,
} from '../../domain/payment/types.ts';
import type { SendStatus } from '../../domain/send/types.ts';
import { chainStands } from '../../store/chain/chain-cursors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { parseShare, parseSums } from '../../store/payments/payment-memory.ts';
import { outputsOfPayment, type StoredOutput } from '../../store/ledger/outputs.ts';
import { unsentClaims, type UnsentClaim } from '../../store/payments/refund-links.ts';
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

export interface LoadPaymentDeps {
  /** Confirmation policy of a coin in a mode. */
  readonly confirmations: (coin: Coin, mode: Mode) => ConfirmationPolicy;
}

/** Prices of one coin in the payment's currency, with their time in ms, by outputKey. */
export type ReceiptRates = ReadonlyMap<string, { readonly rate: string; readonly at: number }>;

/** Reads what the payment machine needs to decide. */
export async function loadPayment(db: Db, deps: LoadPaymentDeps, row: StoredPayment): Promise<LoadedPayment> {
  return loadWith(db, deps, row, await outputsOfPayment(db, row.id));
}

async function loadWith(
  db: Db,
  deps: LoadPaymentDeps,
  row: StoredPayment,
  outputs: readonly StoredOutput[],
): Promise<LoadedPayment> {
  const options = await optionsOf(db, row.id);
  const { tips, final } = await chainStands(db, row.mode);
  // Without money nothing can have been given back.
  const refunds = outputs.length === 0 ? [] : await refundsOf(db, row.id);
  const claims = outputs.length === 0 ? [] : await unsentClaims(db, row.id);
  const givesBack = paymentRefunds(refunds, claims);
  const state = toState(deps, row, options, { outputs, refunds: givesBack, tips, final });
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
    state.credits === before.state.credits
      ? state.credits
      : state.credits.toSorted((a, b) => a.position - b.position);
  return { ...before, row, state: { ...state, credits }, rates: new Map([...before.rates, ...rates]) };
}

/**
 * As loadPayment, for showing only: without money nobody asks where the chains stand, and most payments that
 * are looked up have none yet.
 */
export async function loadShownPayment(
  db: Db,
  deps: LoadPaymentDeps,
  row: StoredPayment,
): Promise<LoadedPayment> {
  const outputs = await outputsOfPayment(db, row.id);
  if (outputs.length > 0) return loadWith(db, deps, row, outputs);
  return loadedNew(deps, row, await optionsOf(db, row.id));
}

/** A payment that nobody has paid, such as one made just now. @param options by coin */
export function loadedNew(
  deps: LoadPaymentDeps,
  row: StoredPayment,
  options: readonly StoredOption[],
): LoadedPayment {
  const state = toState(deps, row, options, { outputs: [], refunds: [], tips: {}, final: {} });
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
  readonly refunds: readonly PaymentRefund[];
  readonly tips: PaymentState['tips'];
  readonly final: PaymentState['final'];
}

function toState(
  deps: LoadPaymentDeps,
  row: StoredPayment,
  options: readonly StoredOption[],
  { outputs, refunds, tips, final }: Ledger,
): PaymentState {
  const dues: Partial<Record<Coin, PaymentOption>> = {};
  for (const option of options) {
    dues[option.coin] = {
      due: BigInt(option.amount),
      policy: policyOf(deps.confirmations(option.coin, row.mode), option),
    };
  }
  return {
    status: row.status,
    exception: row.exception,
    expiresAt: row.expires_at,
    closedAt: row.closed_at,
    cancelledAt: row.cancelled_at,
    acceptedAt: row.accepted_at,
    acceptedPosition: row.accepted_position,
    accepted: parseSums(row.accepted_json),
    refundedAt: row.refunded_at,
    refundedPosition: row.refunded_position,
    refundedBy: row.refunded_by,
    returned: parseSums(row.returned_json),
    toleranceBps: row.tolerance_bps,
    latePolicy: row.late_policy,
    options: dues,
    credits: outputs.map((output) => toCredit(output, dues)),
    refunds,
    excessTold: parseShare(row.excess_told),
    unconfirmedGraceMs: UNCONFIRMED_GRACE_MS,
    tips,
    final,
  };
}

/** The setting as it is now, and never less than the payment asked for or was quoted. */
function policyOf(setting: ConfirmationPolicy, option: StoredOption): ConfirmationPolicy {
  return {
    base: option.required_finality ?? option.required_confirmations,
    tiers: [{ fromAtoms: 0n, confirmations: setting.base }, ...setting.tiers],
  };
}

/** Everything that gives a payment's money back, as it is now. */
export async function readRefunds(db: Db, paymentId: string): Promise<PaymentRefund[]> {
  return paymentRefunds(await refundsOf(db, paymentId), await unsentClaims(db, paymentId));
}

function paymentRefunds(refunds: readonly StoredRefund[], claims: readonly UnsentClaim[]): PaymentRefund[] {
  return [
    ...refunds.map((refund): PaymentRefund => ({
      id: refund.send_id,
      coin: refund.coin,
      amount: BigInt(refund.refunded),
      stage: stageOf(refund.status),
      value: parseShare(refund.value),
      completedBy: refund.completed_json === null ? null : parseSums(refund.completed_json),
      position: refund.position,
    })),
    ...claims.map((claim): PaymentRefund => ({
      id: claim.id,
      coin: claim.coin,
      amount: BigInt(claim.claimed),
      stage: 'promised',
      value: parseShare(claim.claim_value),
      completedBy: claim.claim_completed_json === null ? null : parseSums(claim.claim_completed_json),
      position: null,
    })),
  ];
}

function stageOf(status: SendStatus): RefundStage {
  switch (status) {
    case 'queued':
    case 'signed':
      return 'signed';
    case 'failed':
      return 'failed';
    case 'broadcast':
    case 'confirmed':
      return 'accepted';
    default:
      return assertNever(status);
  }
}

function toCredit(output: StoredOutput, dues: Partial<Record<Coin, PaymentOption>>): PaymentCredit {
  const late = output.late === 1;
  const lateDue = output.late_due === null ? null : BigInt(output.late_due);
  return {
    coin: output.coin,
    ref: { txid: output.txid, index: output.vout },
    amount: BigInt(output.amount),
    position: output.position,
    state: output.state,
    height: output.height,
    maturity: output.maturity,
    firstSeenAt: output.first_seen_at,
    confirmedAt: output.confirmed_at,
    late,
    due: late ? lateDue : (dues[output.coin]?.due ?? null),
  };
}
