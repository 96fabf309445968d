import type { SendPlan } from '../chain.ts';
import {
  worthSpending,
  partSizes,
  planPart,
  planLast,
  type PartedOrder,
  type PartTerms,
  type Reserved,
} from './parts.ts';
import { draftRemainingParts } from './plan-preparation.ts';

type Transaction =
  /** A transfer within the wallet. */
  { readonly kind: 'part'; readonly plan: SendPlan } | { readonly kind: 'send'; readonly plan: SendPlan };

type NextTransaction =
  | Transaction
  /** Outputs that it needs must be mined first. */
  | { readonly kind: 'wait' }
  /** The reserved money does not cover it at this fee rate. */
  | { readonly kind: 'short' };

/**
 * The next transaction of a send. @throws {UnsendableAmount} when the amount after the fee is below the dust
 * limit.
 */
function nextTransaction(order: PartedOrder, reserved: Reserved, terms: PartTerms): NextTransaction {
  const { gathered, expected, partsFee } = reserved;
  const ungathered = worthSpending(reserved.ungathered, terms);
  const [size] = partSizes(gathered.length + expected.length, ungathered.length, terms);
  if (size !== undefined) {
    // The largest, so that no part makes an output too small to be spent.
    const plan = planPart(ungathered.slice(0, size), terms);
    return plan === null ? { kind: 'short' } : { kind: 'part', plan };
  }
  if (expected.length > 0) return { kind: 'wait' };
  const plan = planLast(order, { funds: [...gathered, ...ungathered], partsFee }, terms);
  return plan === null ? { kind: 'short' } : { kind: 'send', plan };
}

export type PreparationStep =
  /** `limit`: its share of the budget; `rest`: the fee of the later transactions as planned now. */
  | { readonly kind: 'part'; readonly plan: SendPlan; readonly limit: bigint; readonly rest: bigint }
  | { readonly kind: 'send'; readonly plan: SendPlan }
  | { readonly kind: 'wait' }
  /** All of it would cost more than the budget. `fee`: of all transactions, at the lowest rate. */
  | { readonly kind: 'over'; readonly fee: bigint }
  /** The reserved money does not pay for it at any rate. */
  | { readonly kind: 'short' };

/**
 * The next step of a send at the rate of the quote or, where its budget does not allow that, at the highest
 * allowed rate that the network relays. Pure.
 * @throws {UnsendableAmount} when the destination would receive less than the dust limit.
 */
export function nextStep(
  order: PartedOrder,
  reserved: Reserved,
  terms: PartTerms & { readonly budget: bigint },
): PreparationStep {
  const { quote, budget } = terms;
  const { partsFee } = reserved;
  const minimum = quote.minimum ?? quote.rate;
  let over: bigint | null = null;
  for (let rate = quote.rate; ;) {
    const at = { ...terms, quote: { ...quote, rate } };
    const step = nextTransaction(order, reserved, at);
    if (step.kind === 'wait') return step;
    const fee = step.kind === 'short' ? null : feeOfAll(step, order, reserved, at);
    if (fee !== null && step.kind !== 'short' && fee <= budget) return withinBudget(step, fee);
    if (fee !== null) over = fee;
    if (rate <= minimum) return over === null ? { kind: 'short' } : { kind: 'over', fee: over };
    const affordable = fee === null ? minimum : (rate * (budget - partsFee)) / (fee - partsFee);
    rate = affordable > minimum && affordable < rate ? affordable : minimum;
  }

  function withinBudget(step: Transaction, fee: bigint): PreparationStep {
    if (step.kind === 'send') return step;
    const missing = fee - partsFee;
    const spare = missing === 0n ? 0n : ((budget - fee) * step.plan.fee) / missing;
    return { ...step, limit: step.plan.fee + spare, rest: missing - step.plan.fee };
  }
}

/** Null when the reserved money does not pay for all remaining transactions. */
function feeOfAll(
  step: Transaction,
  order: PartedOrder,
  reserved: Reserved,
  terms: PartTerms,
): bigint | null {
  if (step.kind === 'send') return reserved.partsFee + step.plan.fee;
  return draftRemainingParts(order, reserved, terms)?.fee ?? null;
}
