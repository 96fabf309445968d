import type { Coin } from '../../domain/coins.ts';
import type { PaymentCredit, PaymentOption, PaymentState } from '../../domain/payment/types.ts';
import { cursorHeights } from '../../store/chain-cursors.ts';
import type { Db } from '../../store/database.ts';
import { outputsOfPayment, type StoredOutput } from '../../store/outputs.ts';
import { optionsOf, type StoredOption, type StoredPayment } from '../../store/payments.ts';

/** A payment with everything that was observed about it. */
export interface LoadedPayment {
  readonly row: StoredPayment;
  readonly options: readonly StoredOption[];
  readonly outputs: readonly StoredOutput[];
  readonly state: PaymentState;
}

/** Reads what the payment machine needs to decide. */
export async function loadPayment(db: Db, row: StoredPayment): Promise<LoadedPayment> {
  const options = await optionsOf(db, row.id);
  const outputs = await outputsOfPayment(db, row.id);
  const tips = await cursorHeights(db, row.mode);
  return { row, options, outputs, state: toState(row, options, outputs, tips) };
}

function toState(
  row: StoredPayment,
  options: readonly StoredOption[],
  outputs: readonly StoredOutput[],
  tips: Partial<Record<Coin, number>>,
): PaymentState {
  const dues: Partial<Record<Coin, PaymentOption>> = {};
  for (const option of options) {
    dues[option.coin] = {
      due: BigInt(option.amount),
      requiredConfirmations: option.required_confirmations,
    };
  }
  return {
    status: row.status,
    exception: row.exception,
    expiresAt: row.expires_at,
    closedAt: row.closed_at,
    cancelledAt: row.cancelled_at,
    acceptedAt: row.accepted_at,
    refundedAt: row.refunded_at,
    toleranceBps: row.tolerance_bps,
    latePolicy: row.late_policy,
    options: dues,
    credits: outputs.map((output) => toCredit(output, dues)),
    tips,
  };
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
    late,
    due: late ? lateDue : (dues[output.coin]?.due ?? null),
  };
}
