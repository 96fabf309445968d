import {
  InsufficientFunds,
  outputKey,
  type FeeQuote,
  type Fund,
  type SendBuilder,
  type SendPlan,
  UnsendableAmount,
} from '../chain.ts';

/**
 * Sends that spend more outputs than one transaction takes. Parts gather outputs within the wallet, each into one
 * output; once blocks hold them, the send itself spends what they made and the outputs that are left. All of it is
 * planned from the outputs that were reserved when the send was ordered, and from no others.
 */

/** A part gathers half as many outputs as one transaction takes, so that miners find room for it. */
const PART_DIVISOR = 2;
/** Most outputs that one send reserves: some 28 parts. */
export const MAX_RESERVED_OUTPUTS = 20_000;

/** What a send pays, and how its fee is taken. Atoms. */
export interface PartedOrder {
  readonly destination: string;
  /** As ordered: with subtractFee what leaves the wallet. */
  readonly amount: bigint;
  readonly subtractFee: boolean;
  /** All that is reserved goes out. */
  readonly everything: boolean;
}

export interface PartTerms {
  readonly adapter: Pick<SendBuilder, 'planSend'>;
  readonly quote: FeeQuote;
  /** Where parts and change are paid to. */
  readonly changeAddress: string;
  /** Most outputs that one transaction of the chain spends. */
  readonly mostInputs: number;
  /** Cost of spending one output at a rate, atoms. */
  readonly inputCost: (rate: bigint) => bigint;
}

/** The reserved outputs as they are now. */
export interface Reserved {
  /** Outputs that parts made, in blocks. */
  readonly gathered: readonly Fund[];
  /** Outputs in blocks that no part has spent, largest first. */
  readonly loose: readonly Fund[];
  /** Amounts of the outputs that no block holds yet: those of parts, and reserved ones that wait for a block. */
  readonly expected: readonly bigint[];
  /** Fees of all parts together, atoms. */
  readonly partsFee: bigint;
}

type Transaction =
  /** A move within the wallet. */
  { readonly kind: 'part'; readonly plan: SendPlan } | { readonly kind: 'send'; readonly plan: SendPlan };

type NextTransaction =
  | Transaction
  /** Outputs that it needs must be mined first. */
  | { readonly kind: 'wait' }
  /** What is reserved does not pay for it at this fee rate. */
  | { readonly kind: 'short' };

/** The next transaction of a send. @throws {UnsendableAmount} when the fee leaves less than the network relays. */
function nextTransaction(order: PartedOrder, reserved: Reserved, terms: PartTerms): NextTransaction {
  const { gathered, expected, partsFee } = reserved;
  const cost = terms.inputCost(terms.quote.rate);
  const loose = reserved.loose.filter(({ amount }) => amount > cost);
  const excess = gathered.length + loose.length + expected.length - terms.mostInputs;
  if (excess > 0 && loose.length > 1) {
    // The largest, so that no part makes an output too small to be spent.
    const inputs = loose.slice(0, Math.min(outputsPerPart(terms), excess + 1));
    const plan = planPart(inputs, terms);
    return plan === null ? { kind: 'short' } : { kind: 'part', plan };
  }
  if (expected.length > 0) return { kind: 'wait' };
  const funds = [...gathered, ...loose];
  const amount = order.everything ? sumOf(funds) : order.amount - (order.subtractFee ? partsFee : 0n);
  const { adapter, quote, changeAddress } = terms;
  const { destination, subtractFee } = order;
  try {
    const plan = adapter.planSend({ funds, destination, amount, subtractFee, changeAddress, quote });
    return { kind: 'send', plan };
  } catch (error) {
    if (error instanceof InsufficientFunds) return { kind: 'short' };
    throw error;
  }
}

function outputsPerPart({ mostInputs }: Pick<PartTerms, 'mostInputs'>): number {
  return Math.max(2, Math.floor(mostInputs / PART_DIVISOR));
}

/** Null when they do not pay for more than their own fee. */
function planPart(inputs: readonly Fund[], { adapter, quote, changeAddress }: PartTerms): SendPlan | null {
  const amount = sumOf(inputs);
  const paid = { destination: changeAddress, changeAddress, amount, subtractFee: true };
  try {
    return adapter.planSend({ ...paid, funds: inputs, quote });
  } catch (error) {
    if (error instanceof InsufficientFunds || error instanceof UnsendableAmount) return null;
    throw error;
  }
}

/** All transactions of a send as they would be planned now. */
export interface Preparation {
  /** To be reserved, largest first. */
  readonly funds: readonly Fund[];
  readonly parts: readonly SendPlan[];
  readonly last: SendPlan;
  /** Of all transactions, atoms. */
  readonly fee: bigint;
}

/**
 * Selects the outputs that a send needs, largest first, with room for fee rates that double. Null when all of them
 * together do not pay for it. Pure.
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
    const draft = draftOf(order, funds.slice(0, count), terms);
    if (draft !== null || count >= funds.length) return draft;
    count = Math.min(funds.length, count + Math.ceil(count / STEPS) + 1);
  }
}

/** More outputs are tried in steps of this fraction. */
const STEPS = 20;

/** How many outputs pay the amount and twice the fee at the rate of now. */
function outputsFor(
  { amount, subtractFee }: PartedOrder,
  funds: readonly Fund[],
  { inputCost, mostInputs, quote }: PartTerms,
): number {
  let missing = amount;
  for (const [at, fund] of funds.entries()) {
    // A part and its output cost less than two inputs; each gathers hundreds.
    const parts = at < mostInputs ? 0 : Math.ceil((at - mostInputs) / outputsPerPart({ mostInputs })) + 1;
    const fee = inputCost(quote.rate) * BigInt(at + 1 + 2 * (parts + 1));
    missing -= fund.amount;
    if (missing + (subtractFee ? 0n : 2n * fee) <= 0n) return at + 1;
  }
  return funds.length;
}

/** Null when what is reserved does not pay for it. */
function draftOf(order: PartedOrder, funds: readonly Fund[], terms: PartTerms): Preparation | null {
  const draft = draftRest(order, { gathered: [], loose: funds, expected: [], partsFee: 0n }, terms);
  if (draft === null) return null;
  const { parts, last, fee } = draft;
  return { funds, parts, last, fee };
}

/** All transactions that are missing, as they would be planned now. `fee`: theirs and that of earlier parts, atoms. */
function draftRest(order: PartedOrder, now: Reserved, terms: PartTerms): Omit<Preparation, 'funds'> | null {
  const parts: SendPlan[] = [];
  let reserved = asMined(now, terms);
  for (;;) {
    const step = nextTransaction(order, reserved, terms);
    if (step.kind === 'send') return { parts, last: step.plan, fee: reserved.partsFee + step.plan.fee };
    if (step.kind !== 'part') return null;
    parts.push(step.plan);
    reserved = afterPart(reserved, step.plan, terms);
  }
}

/** As it is once blocks hold all that is expected. */
function asMined(reserved: Reserved, terms: PartTerms): Reserved {
  const gathered = reserved.expected.map((amount, at) => madeOutput(amount, at, reserved, terms));
  return { ...reserved, gathered: [...reserved.gathered, ...gathered], expected: [] };
}

/** As it is once a part is mined. */
function afterPart(reserved: Reserved, part: SendPlan, terms: PartTerms): Reserved {
  const spent = new Set(part.inputs.map(({ ref }) => outputKey(ref)));
  const made = madeOutput(part.amount, reserved.gathered.length, reserved, terms);
  return {
    ...reserved,
    gathered: [...reserved.gathered, made],
    loose: reserved.loose.filter((fund) => !spent.has(outputKey(fund.ref))),
    partsFee: reserved.partsFee + part.fee,
  };
}

/** Stands in a draft for an output that does not exist yet: its key is of no account. */
function madeOutput(
  amount: bigint,
  at: number,
  { loose, gathered }: Reserved,
  { changeAddress }: PartTerms,
): Fund {
  const like = loose[0] ?? gathered[0];
  if (like === undefined) throw new Error('nothing is reserved in a block');
  const ref = { txid: at.toString(16).padStart(64, 'f'), index: 0 };
  return { ref, amount, address: changeAddress, keyPath: like.keyPath };
}

export type PreparationStep =
  /** `limit`: its share of the budget; `rest`: the fee of what comes after it, as planned now. */
  | { readonly kind: 'part'; readonly plan: SendPlan; readonly limit: bigint; readonly rest: bigint }
  | { readonly kind: 'send'; readonly plan: SendPlan }
  | { readonly kind: 'wait' }
  /** All of it would cost more than the budget. `fee`: of all transactions, at the lowest rate. */
  | { readonly kind: 'over'; readonly fee: bigint }
  /** What is reserved does not pay for it at any rate. */
  | { readonly kind: 'short' };

/**
 * The next step of a send at the rate of the quote or, where its budget does not allow that, at the highest rate that it
 * allows and the network relays. Pure.
 * @throws {UnsendableAmount} when the fee leaves the destination less than the network relays.
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

/** Null when what is reserved does not pay for all that is missing. */
function feeOfAll(
  step: Transaction,
  order: PartedOrder,
  reserved: Reserved,
  terms: PartTerms,
): bigint | null {
  if (step.kind === 'send') return reserved.partsFee + step.plan.fee;
  return draftRest(order, reserved, terms)?.fee ?? null;
}

function sumOf(funds: readonly Fund[]): bigint {
  return funds.reduce((sum, { amount }) => sum + amount, 0n);
}
