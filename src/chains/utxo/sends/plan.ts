import type { Fund, SendPlan } from '../../../domain/chain.ts';
import type { ScriptType } from '../../../domain/coins/definition.ts';
import { dustLimit, transactionVsize } from './size.ts';

/** Parts of a plan once its inputs are selected. Rates in atoms per 1,000 vB. */
export interface PlanParts {
  readonly inputs: readonly Fund[];
  readonly destination: { readonly address: string; readonly script: Uint8Array };
  readonly change: { readonly address: string; readonly script: Uint8Array };
  readonly scriptType: ScriptType;
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
  const { destination, change } = parts;
  const withChange = transactionVsize(parts.scriptType, parts.inputs.length, [
    destination.script,
    change.script,
  ]);
  const changeAmount = rest - feeRule(withChange);
  if (changeAmount >= dustLimit(change.script, parts.dustRelayRate)) {
    return toPlan(parts, { amount, change: changeAmount, vsize: withChange });
  }
  const withoutChange = transactionVsize(parts.scriptType, parts.inputs.length, [destination.script]);
  if (rest < feeRule(withoutChange)) return null;
  return toPlan(parts, { amount, change: 0n, vsize: withoutChange });
}

/**
 * Subtracts the fee from `amount`, which the inputs must cover: the destination receives the difference,
 * never more than `amount`. A rest too small for change goes to the fee.
 */
export function finishFeeSubtracted(parts: PlanParts, amount: bigint, feeRule: FeeRule): SendPlan | null {
  const total = sumInputs(parts.inputs);
  const { destination, change } = parts;
  if (total < amount) return null;
  if (total - amount >= dustLimit(change.script, parts.dustRelayRate)) {
    const vsize = transactionVsize(parts.scriptType, parts.inputs.length, [
      destination.script,
      change.script,
    ]);
    return toPlan(parts, { amount: amount - feeRule(vsize), change: total - amount, vsize });
  }
  const vsize = transactionVsize(parts.scriptType, parts.inputs.length, [destination.script]);
  const paid = total - feeRule(vsize);
  return toPlan(parts, { amount: paid < amount ? paid : amount, change: 0n, vsize });
}

function toPlan(parts: PlanParts, numbers: { amount: bigint; change: bigint; vsize: bigint }): SendPlan {
  const { amount, change, vsize } = numbers;
  const fee = sumInputs(parts.inputs) - amount - change;
  return {
    inputs: parts.inputs,
    destination: parts.destination.address,
    amount,
    fee,
    change: change === 0n ? null : { address: parts.change.address, amount: change },
    feeRate: (fee * 1000n) / vsize,
  };
}
