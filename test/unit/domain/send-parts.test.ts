import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planSend } from '../../../src/chains/utxo/sends/plan-send.ts';
import { feeFor, inputVsize } from '../../../src/chains/utxo/sends/size.ts';
import { outputKey, UnsendableAmount, type Fund, type SendPlan } from '../../../src/domain/chain.ts';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { nextStep } from '../../../src/domain/send/next-step.ts';
import { planPreparation, type Preparation } from '../../../src/domain/send/plan-preparation.ts';
import type { PartedOrder, PartTerms, Reserved } from '../../../src/domain/send/parts.ts';
import { OwnKeys } from '../../conformance/own-keys.ts';

const COIN = UTXO_COINS.BTC;
const KEYS = new OwnKeys('BTC', 'live', 'regtest');
const OWNED = KEYS.newAddress();
const CHANGE = KEYS.newAddress().address;
const DESTINATION = 'bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6';

function fund(at: number, amount: bigint): Fund {
  return { ...OWNED, ref: { txid: (at + 1).toString(16).padStart(64, '0'), index: 0 }, amount };
}

const inputCost = (rate: bigint) => feeFor(inputVsize(COIN.scriptType), rate);

function termsAt(rate: bigint, mostInputs: number, minimum = 100n): PartTerms {
  return {
    adapter: { planSend: (request) => planSend(COIN, 'regtest', request) },
    quote: { rate, minimum, source: 'test', at: 0 },
    changeAddress: CHANGE,
    mostInputs,
    inputCost,
  };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

const sumOf = (funds: readonly Fund[]) => sum(funds.map(({ amount }) => amount));

/** Worth more than they cost at a rate, largest first, as an order is planned from. */
function usable(amounts: readonly bigint[], rate: bigint): Fund[] {
  return amounts
    .map((amount, at) => fund(at, amount))
    .filter(({ amount }) => amount > inputCost(rate))
    .toSorted((a, b) => Number(b.amount - a.amount));
}

/** What holds for every plan: no output is spent twice, none is too large, nothing is lost. */
function checkPlans(plans: readonly SendPlan[], mostInputs: number): void {
  const spent = plans.flatMap(({ inputs }) => inputs.map(({ ref }) => outputKey(ref)));
  expect(new Set(spent).size).toBe(spent.length);
  for (const plan of plans) {
    expect(plan.inputs.length).toBeLessThanOrEqual(mostInputs);
    expect(sumOf(plan.inputs)).toBe(plan.amount + plan.fee + (plan.change?.amount ?? 0n));
  }
}

/** The planner's own plan of what a part gathers. */
function plannedAgain({ inputs }: SendPlan, rate: bigint): SendPlan {
  const { quote } = termsAt(rate, inputs.length);
  const paid = { destination: CHANGE, changeAddress: CHANGE, amount: sumOf(inputs), subtractFee: true };
  return planSend(COIN, 'regtest', { ...paid, funds: inputs, quote });
}

function checkPaid(order: PartedOrder, last: SendPlan, partsFee: bigint): void {
  expect(last.destination).toBe(DESTINATION);
  if (order.everything) expect(last.change).toBeNull();
  else if (!order.subtractFee) expect(last.amount).toBe(order.amount);
  else expect(last.amount + last.fee + partsFee <= order.amount || last.change === null).toBe(true);
}

const orders = fc.record({
  destination: fc.constant(DESTINATION),
  amount: fc.bigInt(1_000n, 3_000_000n),
  subtractFee: fc.boolean(),
  everything: fc.boolean(),
});
const outputs = fc.array(fc.bigInt(300n, 100_000n), { minLength: 1, maxLength: 70 });
const rates = fc.bigInt(100n, 20_000n);
/** So that one level of parts is enough for all outputs, as in practice. */
const limits = fc.integer({ min: 12, max: 20 });

function asked(order: PartedOrder): PartedOrder {
  return { ...order, subtractFee: order.subtractFee || order.everything };
}

function prepare(order: PartedOrder, funds: readonly Fund[], terms: PartTerms): Preparation | null | 'dust' {
  try {
    return planPreparation(order, funds, terms);
  } catch (error) {
    if (error instanceof UnsendableAmount) return 'dust';
    throw error;
  }
}

describe('planSend with more inputs than one transaction may spend', () => {
  it('spends no output twice, respects the size limit, pays exactly, and finds a plan whenever the funds suffice', () => {
    fc.assert(
      fc.property(orders, outputs, rates, limits, (wish, amounts, rate, mostInputs) => {
        const order = asked(wish);
        const funds = usable(amounts, rate);
        fc.pre(funds.length > 0);
        const found = prepare(order, funds, termsAt(rate, mostInputs));
        if (found === 'dust') return;
        const worth = sumOf(funds) - inputCost(rate) * BigInt(funds.length);
        // Each part costs less than two more inputs, and so does the last transaction.
        const overhead = inputCost(rate) * BigInt(2 * Math.ceil(funds.length / 2) + 4);
        if (found === null) {
          expect(order.everything || worth < order.amount + overhead).toBe(true);
          return;
        }
        const { parts, last, fee } = found;
        checkPlans([...parts, last], mostInputs);
        const partsFee = sum(parts.map((part) => part.fee));
        expect(fee).toBe(partsFee + last.fee);
        for (const part of parts) expect(plannedAgain(part, rate)).toEqual(part);
        checkPaid(order, last, partsFee);
        const reserved = new Set(found.funds.map(({ ref }) => outputKey(ref)));
        const loose = [...parts, last]
          .flatMap(({ inputs }) => inputs)
          .filter(({ ref }) => !ref.txid.startsWith('f'));
        expect(loose.every(({ ref }) => reserved.has(outputKey(ref)))).toBe(true);
        if (order.everything) expect(last.amount + fee).toBe(sumOf(funds));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    { name: 'everything', share: 1_000n, everything: true },
    { name: 'nine tenths', share: 900n, everything: false },
    { name: 'more than there is', share: 1_000n, everything: false },
  ])(
    'plans at most four transactions for 20,000 outputs and $name, because transactions of equal size cost the same',
    (order) => {
      const funds = Array.from({ length: 20_000 }, (_, at) => fund(at, 100_000n));
      const { share, everything } = order;
      const terms = termsAt(5_000n, 1_450);
      let planned = 0;
      const adapter: PartTerms['adapter'] = {
        planSend: (request) => {
          planned += 1;
          return terms.adapter.planSend(request);
        },
      };
      const amount = (sumOf(funds) * share) / 1_000n;
      const asked = { destination: DESTINATION, amount, subtractFee: everything, everything };
      const found = planPreparation(asked, funds, { ...terms, adapter });
      expect(found?.parts.length ?? 0).toBe(share === 900n ? 24 : everything ? 26 : 0);
      expect(planned).toBeLessThanOrEqual(4);
    },
  );

  it('reserves no more than the amount and twice the fee require', () => {
    const funds = usable(
      Array.from({ length: 70 }, () => 10_000n),
      1_000n,
    );
    const order = { destination: DESTINATION, amount: 250_000n, subtractFee: false, everything: false };
    const found = planPreparation(order, funds, termsAt(1_000n, 12));
    expect(found?.funds.length).toBeLessThan(35);
    expect(found?.parts.length).toBeGreaterThan(1);
  });
});

/** What a send reserved, and a chain that mines its transactions. */
class Life {
  reserved: Reserved;
  readonly plans: SendPlan[] = [];
  readonly #open: SendPlan[] = [];

  constructor(loose: readonly Fund[]) {
    this.reserved = { gathered: [], ungathered: loose, expected: [], partsFee: 0n };
  }

  take(plan: SendPlan): void {
    const spent = new Set(plan.inputs.map(({ ref }) => outputKey(ref)));
    this.plans.push(plan);
    this.#open.push(plan);
    const { ungathered: loose, expected, partsFee } = this.reserved;
    this.reserved = {
      ...this.reserved,
      ungathered: loose.filter(({ ref }) => !spent.has(outputKey(ref))),
      expected: [...expected, plan.amount],
      partsFee: partsFee + plan.fee,
    };
  }

  mine(): void {
    const made = this.#open.splice(0).map((plan, at) => ({
      ...fund(1_000_000 + this.plans.length * 100 + at, plan.amount),
      address: CHANGE,
    }));
    this.reserved = { ...this.reserved, gathered: [...this.reserved.gathered, ...made], expected: [] };
  }
}

describe('the transactions of a send that first consolidates its inputs', () => {
  it('stay within the fee budget at any fee rate, and end in a transaction that pays exactly', () => {
    const paths = fc.array(fc.bigInt(100n, 200_000n), { minLength: 30, maxLength: 30 });
    fc.assert(
      fc.property(orders, outputs, limits, paths, (wish, amounts, mostInputs, path) => {
        const order = asked(wish);
        const funds = usable(amounts, path[0]!);
        fc.pre(funds.length > 0);
        const found = prepare(order, funds, termsAt(path[0]!, mostInputs));
        if (found === null || found === 'dust') return;
        const budget = found.fee + found.fee / 2n;
        const life = new Life(found.funds);
        for (const rate of [...path, ...Array.from({ length: 40 }, () => 100n)]) {
          let step;
          try {
            step = nextStep(order, life.reserved, { ...termsAt(rate, mostInputs), budget });
          } catch (error) {
            if (error instanceof UnsendableAmount) return;
            throw error;
          }
          if (step.kind === 'send') {
            checkPlans([...life.plans, step.plan], mostInputs);
            checkPaid(order, step.plan, life.reserved.partsFee);
            expect(life.reserved.partsFee + step.plan.fee <= budget).toBe(true);
            return;
          }
          if (step.kind === 'part') {
            expect(step.limit >= step.plan.fee).toBe(true);
            expect(life.reserved.partsFee + step.limit + step.rest <= budget).toBe(true);
            life.take(step.plan);
          } else {
            expect(step.kind).not.toBe('short');
            life.mine();
          }
        }
        expect.unreachable('at the lowest rate every send is signed');
      }),
      { numRuns: 500 },
    );
  });
});
