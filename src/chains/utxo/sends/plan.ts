import type { Fund, SendPlan } from '../../../domain/chain.ts';
import { type SendOutput, splitAmount } from '../../../domain/send/outputs.ts';
import { dustLimit, type InputKind, transactionVsize } from './size.ts';

/** A recipient; its amount as ordered, atoms. */
export interface Payee extends SendOutput {
  readonly script: Uint8Array;
}

/** Parts of a plan once its inputs are selected. Rates in atoms per 1,000 vB. */
export interface PlanParts {
  readonly inputs: readonly Fund[];
  /** At least one. */
  readonly payees: readonly Payee[];
  readonly change: { readonly address: string; readonly script: Uint8Array };
  readonly inputKind: InputKind;
  readonly dustRelayRate: bigint;
}

/** Minimum fee for a size: at the rate, or more for a replacement. */
export type FeeRule = (vsize: bigint) => bigint;

export function sumInputs(funds: readonly Fund[]): bigint {
  return funds.reduce((sum, fund) => sum + fund.amount, 0n);
}

/**
 * Pays `amount` and the fee from the inputs, with the rest as change; dust goes to the fee. Null when the
 * inputs do not cover it.
 */
export function finishFeeOnTop(parts: PlanParts, amount: bigint, feeRule: FeeRule): SendPlan | null {
  const rest = sumInputs(parts.inputs) - amount;
  const withChange = planVsize(parts, { hasChange: true });
  const changeAmount = rest - feeRule(withChange);
  if (changeAmount >= dustLimit(parts.change.script, parts.dustRelayRate)) {
    return toPlan(parts, { amount, change: changeAmount, vsize: withChange });
  }
  const withoutChange = planVsize(parts, { hasChange: false });
  if (rest < feeRule(withoutChange)) return null;
  return toPlan(parts, { amount, change: 0n, vsize: withoutChange });
}

/**
 * Subtracts the fee from `amount`, which the inputs must cover: the destination receives the difference,
 * never more than `amount`. A rest too small for change goes to the fee.
 */
export function finishFeeSubtracted(parts: PlanParts, amount: bigint, feeRule: FeeRule): SendPlan | null {
  const total = sumInputs(parts.inputs);
  if (total < amount) return null;
  if (total - amount >= dustLimit(parts.change.script, parts.dustRelayRate)) {
    const vsize = planVsize(parts, { hasChange: true });
    return toPlan(parts, { amount: amount - feeRule(vsize), change: total - amount, vsize });
  }
  const vsize = planVsize(parts, { hasChange: false });
  const paid = total - feeRule(vsize);
  return toPlan(parts, { amount: paid < amount ? paid : amount, change: 0n, vsize });
}

/** Size of the transaction of these parts. */
function planVsize(
  { inputKind, inputs, payees, change }: PlanParts,
  { hasChange }: { readonly hasChange: boolean },
): bigint {
  const scripts = payees.map(({ script }) => script);
  return transactionVsize(inputKind, inputs.length, hasChange ? [...scripts, change.script] : scripts);
}

function toPlan(parts: PlanParts, numbers: { amount: bigint; change: bigint; vsize: bigint }): SendPlan {
  const { amount, change, vsize } = numbers;
  const { inputs, payees } = parts;
  const [first] = payees;
  if (first === undefined) throw new RangeError('a send needs a recipient');
  const fee = sumInputs(inputs) - amount - change;
  return {
    inputs,
    destination: first.destination,
    amount,
    ...(payees.length === 1 ? {} : { outputs: splitAmount(payees, amount) }),
    fee,
    change: change === 0n ? null : { address: parts.change.address, amount: change },
    feeRate: (fee * 1000n) / vsize,
  };
}
