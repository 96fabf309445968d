import {
  InsufficientFunds,
  type FeeQuote,
  type Fund,
  type SendBuilder,
  type SendPlan,
  UnsendableAmount,
} from '../chain.ts';

/**
 * Sends that spend more outputs than fit into one transaction. Parts gather outputs within the wallet, each
 * into one output; once blocks hold them, the send itself spends their outputs and the remaining ones.
 * Everything is planned from the outputs that were reserved when the send was ordered, and from no others.
 */

/** A part gathers half as many outputs as fit into one transaction, so that miners find room for it. */
const PART_DIVISOR = 2;
/** Maximum number of outputs that one send reserves: about 28 parts. */
export const MAX_RESERVED_OUTPUTS = 20_000;

/** The amount of a send, and how its fee is paid. Atoms. */
export interface PartedOrder {
  readonly destination: string;
  /** As ordered: with subtractFee the total that leaves the wallet. */
  readonly amount: bigint;
  readonly subtractFee: boolean;
  /** All reserved money is sent. */
  readonly everything: boolean;
}

export interface PartTerms {
  readonly adapter: Pick<SendBuilder, 'planSend'>;
  readonly quote: FeeQuote;
  /** Where parts and change are paid to. */
  readonly changeAddress: string;
  /** Maximum number of outputs that one transaction of the chain spends. */
  readonly mostInputs: number;
  /** Cost of spending one output at a rate, atoms. */
  readonly inputCost: (rate: bigint) => bigint;
}

/** The current state of the reserved outputs. */
export interface Reserved {
  /** Outputs of parts that are in blocks. */
  readonly gathered: readonly Fund[];
  /** Outputs in blocks that no part has spent, largest first. */
  readonly ungathered: readonly Fund[];
  /** Amounts of unconfirmed outputs: those of parts, and reserved ones that wait for a block. */
  readonly expected: readonly bigint[];
  /** Fees of all parts together, atoms. */
  readonly partsFee: bigint;
}

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

function worthSpending(funds: readonly Fund[], { inputCost, quote }: PartTerms): readonly Fund[] {
  const cost = inputCost(quote.rate);
  return funds.filter(({ amount }) => amount > cost);
}

/** Sizes of the parts that must precede the last transaction. */
function partSizes(gathered: number, ungathered: number, terms: Pick<PartTerms, 'mostInputs'>): number[] {
  const sizes: number[] = [];
  let [made, left] = [gathered, ungathered];
  while (made + left > terms.mostInputs && left > 1) {
    const size = Math.min(left, outputsPerPart(terms), made + left - terms.mostInputs + 1);
    sizes.push(size);
    made += 1;
    left -= size;
  }
  return sizes;
}

function outputsPerPart({ mostInputs }: Pick<PartTerms, 'mostInputs'>): number {
  return Math.max(2, Math.floor(mostInputs / PART_DIVISOR));
}

/** Null when the inputs do not pay for more than their own fee. */
function planPart(inputs: readonly Fund[], { adapter, quote, changeAddress }: PartTerms): SendPlan | null {
  const amount = sumFunds(inputs);
  const paid = { destination: changeAddress, changeAddress, amount, subtractFee: true };
  try {
    return adapter.planSend({ ...paid, funds: inputs, quote });
  } catch (error) {
    if (error instanceof InsufficientFunds || error instanceof UnsendableAmount) return null;
    throw error;
  }
}

/** Null when the inputs do not cover it. @throws {UnsendableAmount} */
function planLast(
  { destination, subtractFee, ...order }: PartedOrder,
  { funds, partsFee }: { readonly funds: readonly Fund[]; readonly partsFee: bigint },
  { adapter, quote, changeAddress }: PartTerms,
): SendPlan | null {
  const amount = order.everything ? sumFunds(funds) : order.amount - (subtractFee ? partsFee : 0n);
  try {
    return adapter.planSend({ funds, destination, amount, subtractFee, changeAddress, quote });
  } catch (error) {
    if (error instanceof InsufficientFunds) return null;
    throw error;
  }
}

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
function draftRemainingParts(
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

function sumFunds(funds: readonly Fund[]): bigint {
  return funds.reduce((sum, { amount }) => sum + amount, 0n);
}
