import type { Fund, SendPlan } from '../chain.ts';
import {
  worthSpending,
  partSizes,
  outputsPerPart,
  planPart,
  planLast,
  sumFunds,
  type PartedOrder,
  type PartTerms,
  type Reserved,
} from './parts.ts';

/** All transactions of a send as planned at this rate. */
export interface Preparation {
  /** To be reserved, largest first. */
  readonly funds: readonly Fund[];
  readonly parts: readonly SendPlan[];
  readonly last: SendPlan;
  /** Of all transactions, atoms. */
  readonly fee: bigint;
}

/**
 * Selects the outputs that a send needs, largest first, with headroom for doubled fee rates. Null when all of
 * them together do not pay for it. Pure.
 * @param funds worth more than they cost to spend, largest first
 * @throws {UnsendableAmount} as nextStep
 */
export function planPreparation(
  order: PartedOrder,
  funds: readonly Fund[],
  terms: PartTerms,
): Preparation | null {
  let count = order.everything ? funds.length : Math.min(funds.length, outputsFor(order, funds, terms));
  for (;;) {
    const draft = draftPart(order, funds.slice(0, count), terms);
    if (draft !== null || count >= funds.length) return draft;
    count = Math.min(funds.length, count + Math.ceil(count / STEPS) + 1);
  }
}

/** More outputs are tried in steps of this fraction. */
const STEPS = 20;

/** Number of outputs that pay the amount and twice the current fee. */
function outputsFor(
  { amount, subtractFee }: PartedOrder,
  funds: readonly Fund[],
  { inputCost, mostInputs, quote }: PartTerms,
): number {
  let missing = amount;
  const cost = inputCost(quote.rate);
  for (const [at, fund] of funds.entries()) {
    const fee = cost * costInInputs(at + 1, { mostInputs });
    missing -= fund.amount;
    if (missing + (subtractFee ? 0n : 2n * fee) <= 0n) return at + 1;
  }
  return funds.length;
}

/**
 * Cost of all transactions that spend this many outputs, in inputs: a part and its output cost less than two.
 */
function costInInputs(outputs: number, { mostInputs }: Pick<PartTerms, 'mostInputs'>): bigint {
  const beyond = outputs - 1 - mostInputs;
  const parts = beyond < 0 ? 0 : Math.ceil(beyond / outputsPerPart({ mostInputs })) + 1;
  return BigInt(outputs + 2 * (parts + 1));
}

/**
 * Amount that an order would take from the wallet if it spent all of these, including the fees of all
 * transactions. Atoms.
 */
export function neededWith(order: PartedOrder, funds: readonly Fund[], terms: PartTerms): bigint {
  if (order.subtractFee) return order.amount;
  const all = { ...order, amount: sumFunds(funds), subtractFee: true, everything: true };
  return order.amount + (planPreparation(all, funds, terms)?.fee ?? 0n);
}

/** Null when the reserved money does not cover it. */
function draftPart(order: PartedOrder, funds: readonly Fund[], terms: PartTerms): Preparation | null {
  const draft = draftRemainingParts(
    order,
    { gathered: [], ungathered: funds, expected: [], partsFee: 0n },
    terms,
  );
  if (draft === null) return null;
  const { parts, last, fee } = draft;
  return { funds, parts, last, fee };
}

/** The remaining transactions as planned at this rate. `fee`: theirs and that of earlier parts, atoms. */
export function draftRemainingParts(
  order: PartedOrder,
  reserved: Reserved,
  terms: PartTerms,
): Omit<Preparation, 'funds'> | null {
  const ungathered = worthSpending(reserved.ungathered, terms);
  const like = ungathered[0] ?? reserved.gathered[0];
  if (like === undefined) return null;
  const parts = draftParts(reserved, ungathered, terms);
  if (parts === null) return null;
  const made = [...reserved.expected, ...parts.map(({ amount }) => amount)];
  const gathered = made.map((amount, at) => madeOutput(amount, at, { like, terms }));
  const spent = parts.reduce((sum, { inputs }) => sum + inputs.length, 0);
  const partsFee = parts.reduce((sum, { fee }) => sum + fee, reserved.partsFee);
  const funds = [...reserved.gathered, ...gathered, ...ungathered.slice(spent)];
  const last = planLast(order, { funds, partsFee }, terms);
  return last === null ? null : { parts, last, fee: partsFee + last.fee };
}

/**
 * The remaining parts; null when one does not pay for more than its fee. Parts with the same number of
 * outputs cost the same, so only the first and the last of them, which hold the most and the least, are
 * planned.
 */
function draftParts(
  { gathered, expected }: Reserved,
  ungathered: readonly Fund[],
  terms: PartTerms,
): readonly SendPlan[] | null {
  const sizes = partSizes(gathered.length + expected.length, ungathered.length, terms);
  const parts: SendPlan[] = [];
  let from = 0;
  for (const [at, size] of sizes.entries()) {
    const inputs = ungathered.slice(from, from + size);
    const like = parts.at(-1);
    const isBetween = like?.inputs.length === size && sizes[at + 1] === size;
    const plan = isBetween
      ? { ...like, inputs, amount: sumFunds(inputs) - like.fee }
      : planPart(inputs, terms);
    if (plan === null) return null;
    parts.push(plan);
    from += size;
  }
  return parts;
}

/** Placeholder in a draft for an output that does not exist yet; its key is irrelevant. */
function madeOutput(
  amount: bigint,
  at: number,
  { like, terms }: { readonly like: Fund; readonly terms: PartTerms },
): Fund {
  const ref = { txid: at.toString(16).padStart(64, 'f'), index: 0 };
  return { ref, amount, address: terms.changeAddress, keyPath: like.keyPath };
}
