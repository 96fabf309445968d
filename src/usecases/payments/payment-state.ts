import type { Coin, Mode } from '../../domain/coins.ts';
import type { ConfirmationPolicy } from '../../domain/confirmations.ts';
import { assertNever } from '../../domain/errors.ts';
import { parseFiat } from '../../domain/fiat.ts';
import { NO_SHARE } from '../../domain/payment/share.ts';
import { dueShare } from '../../domain/payment/terms.ts';
import {
  UNCONFIRMED_GRACE_MS,
  type MemberTerms,
  type PaymentCredit,
  type PaymentOption,
  type PaymentRefund,
  type PaymentState,
  type RefundStage,
  type Share,
} from '../../domain/payment/types.ts';
import type { SendStatus } from '../../domain/send/types.ts';
import type { StoredOutput } from '../../store/ledger/outputs.ts';
import { parseShare, parseSums, formatShare, formatSums } from '../../store/payments/sum-columns.ts';
import type { StoredOption, StoredPayment } from '../../store/payments/payments.ts';
import type { UnsentClaim } from '../../store/payments/refund-links.ts';
import type { StoredRefund } from '../../store/payments/refunds.ts';

export interface LoadPaymentDeps {
  /** Confirmation policy of a coin in a mode. */
  readonly confirmations: (coin: Coin, mode: Mode) => ConfirmationPolicy;
}

/** Another payment of its group. */
export interface LoadedMember {
  readonly row: StoredPayment;
  /** Read of superseded payments only: their money counts here. */
  readonly options: readonly StoredOption[];
}

interface Ledger {
  readonly members: readonly LoadedMember[];
  readonly outputs: readonly StoredOutput[];
  readonly refunds: readonly PaymentRefund[];
  readonly tips: PaymentState['tips'];
  readonly final: PaymentState['final'];
}

/** A payment's rows as the state of its machine. */
export function toState(
  deps: LoadPaymentDeps,
  row: StoredPayment,
  options: readonly StoredOption[],
  { members, outputs, refunds, tips, final }: Ledger,
): PaymentState {
  const paymentOptions = toOptions(deps, row.mode, options);
  const superseded = Object.fromEntries(
    members
      .filter((member) => member.row.supersededBy === row.id)
      .map((member) => [member.row.id, memberTerms(deps, row, member)]),
  );
  return {
    status: row.status,
    exception: row.exception,
    expiresAt: row.expiresAt,
    closedAt: row.closedAt,
    cancelledAt: row.cancelledAt,
    acceptedAt: row.acceptedAt,
    acceptedPosition: row.acceptedPosition,
    accepted: parseSums(row.acceptedJson),
    refundedAt: row.refundedAt,
    refundedPosition: row.refundedPosition,
    refundedBy: row.refundedBy,
    returned: parseSums(row.returnedJson),
    toleranceBps: row.toleranceBps,
    latePolicy: row.latePolicy,
    options: paymentOptions,
    credits: outputs.map((output) => toCredit(output, paymentOptions, superseded)),
    refunds,
    reportedExcess: parseShare(row.excessTold),
    unconfirmedGraceMs: UNCONFIRMED_GRACE_MS,
    supersededBy: row.supersededBy,
    members: superseded,
    tips,
    final,
  };
}

function toOptions(
  deps: LoadPaymentDeps,
  mode: Mode,
  options: readonly StoredOption[],
): PaymentState['options'] {
  const known: Partial<Record<Coin, PaymentOption>> = {};
  for (const option of options) {
    const policy = effectivePolicy(deps.confirmations(option.coin, mode), option);
    known[option.coin] = { due: BigInt(option.amount), policy };
  }
  return known;
}

function memberTerms(
  deps: LoadPaymentDeps,
  lead: StoredPayment,
  { row, options }: LoadedMember,
): MemberTerms {
  return {
    expiresAt: row.expiresAt,
    cancelledAt: row.cancelledAt,
    options: toOptions(deps, row.mode, options),
    priceShare: shareOfPrice(lead, row),
  };
}

/** A payment that renews another may have been updated since. Null: its currency differs. */
function shareOfPrice(lead: StoredPayment, member: StoredPayment): Share | null {
  if (lead.currency !== member.currency) return null;
  return { numerator: priceInMinor(member), denominator: priceInMinor(lead) };
}

function priceInMinor({ amount, currency }: StoredPayment): bigint {
  return parseFiat(amount, currency).minor;
}

/** The current setting, but at least the payment's requested or quoted confirmations. */
function effectivePolicy(setting: ConfirmationPolicy, option: StoredOption): ConfirmationPolicy {
  return {
    base: option.requiredFinality ?? option.requiredConfirmations,
    tiers: [{ fromAtoms: 0n, confirmations: setting.base }, ...setting.tiers],
  };
}

/** Everything that returns a payment's money. @param claims those without a send */
export function paymentRefunds(
  refunds: readonly StoredRefund[],
  claims: readonly UnsentClaim[],
): PaymentRefund[] {
  return [
    ...refunds.map((refund): PaymentRefund => ({
      id: refund.sendId,
      coin: refund.coin,
      amount: BigInt(refund.refunded),
      stage: refundStage(refund.status),
      ...refundGiven(refund),
      position: refund.position,
    })),
    ...claims.map((claim): PaymentRefund => ({
      id: claim.id,
      coin: claim.coin,
      amount: BigInt(claim.claimed),
      stage: 'promised',
      ...refundGiven({
        value: claim.claimValue,
        unpriced: claim.claimUnpriced,
        completedJson: claim.claimCompletedJson,
        byAcceptance: claim.claimByAcceptance,
      }),
      position: null,
    })),
  ];
}

function refundGiven(
  row: Pick<StoredRefund, 'value' | 'unpriced' | 'completedJson' | 'byAcceptance'>,
): Pick<PaymentRefund, 'value' | 'unpriced' | 'completedBy'> {
  const { completedJson: sums, byAcceptance } = row;
  return {
    value: parseShare(row.value) ?? NO_SHARE,
    unpriced: BigInt(row.unpriced),
    completedBy: sums === null ? null : { sums: parseSums(sums), byAcceptance },
  };
}

/** Columns for the amount that a refund or a claim returns. */
export function refundColumns({
  value,
  unpriced,
  completedBy,
}: Pick<PaymentRefund, 'value' | 'unpriced' | 'completedBy'>) {
  return {
    value: formatShare(value),
    unpriced: unpriced.toString(),
    completedJson: completedBy === null ? null : (formatSums(completedBy.sums) ?? '{}'),
    byAcceptance: completedBy?.byAcceptance === true,
  };
}

function refundStage(status: SendStatus): RefundStage {
  switch (status) {
    // Its money is reserved, and cannot be spent elsewhere.
    case 'preparing':
    case 'awaiting_signature':
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

function toCredit(
  output: StoredOutput,
  leadOptions: PaymentState['options'],
  superseded: PaymentState['members'],
): PaymentCredit {
  const late = output.late;
  const lateDue = output.lateDue === null ? null : BigInt(output.lateDue);
  const via = output.paymentId ?? '';
  const member = superseded[via];
  return {
    coin: output.coin,
    ref: { txid: output.txid, index: output.vout },
    amount: BigInt(output.amount),
    position: output.position,
    state: output.state,
    height: output.height,
    maturity: output.maturity,
    firstSeenAt: output.firstSeenAt,
    confirmedAt: output.confirmedAt,
    late,
    due: late ? lateDue : ((member?.options ?? leadOptions)[output.coin]?.due ?? null),
    ...(member === undefined ? {} : { via, ...dueShare(member) }),
  };
}
