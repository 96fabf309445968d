import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COIN_FORMATS } from '../../../../src/chains/simulator/formats.ts';
import { planReplacement, planSend } from '../../../../src/chains/simulator/plan.ts';
import {
  InsufficientFunds,
  UnsendableAmount,
  type Fund,
  type SendPlan,
  type SendRequest,
} from '../../../../src/domain/chain.ts';
import { COINS, type Coin } from '../../../../src/domain/coins.ts';

function fundsOf(coin: Coin, amounts: readonly bigint[]): Fund[] {
  return amounts.map((amount, index) => ({
    ref: { txid: 'f'.repeat(64), index },
    amount,
    address: `own-${index}`,
    keyPath: { coin, mode: 'sandbox', account: 0, branch: 0, index },
  }));
}

function total(funds: readonly Fund[]): bigint {
  return funds.reduce((sum, fund) => sum + fund.amount, 0n);
}

function tryPlan(coin: Coin, request: SendRequest): SendPlan | InsufficientFunds | UnsendableAmount {
  try {
    return planSend(coin, request);
  } catch (error) {
    if (error instanceof InsufficientFunds || error instanceof UnsendableAmount) return error;
    throw error;
  }
}

const request = fc.record({
  amounts: fc.array(fc.bigInt(1n, 10n ** 18n), { maxLength: 12 }),
  amount: fc.bigInt(0n, 3n * 10n ** 18n),
  subtractFee: fc.boolean(),
  rate: fc.bigInt(1n, 10n ** 13n),
});

describe.each(COINS)('planSend and planReplacement for %s in sandbox mode', (coin) => {
  it('never create or lose an atom, whatever the funds', () => {
    fc.assert(
      fc.property(request, ({ amounts, amount, subtractFee, rate }) => {
        const funds = fundsOf(coin, amounts);
        const quote = { rate, source: 'test', at: 0 };
        const wish = { funds, destination: 'them', amount, subtractFee, changeAddress: 'us', quote };
        const plan = tryPlan(coin, wish);
        if (plan instanceof InsufficientFunds) {
          expect(plan.available).toBe(total(funds));
          expect(plan.needed).toBeGreaterThan(plan.available);
          return;
        }
        if (plan instanceof UnsendableAmount) return;
        expect(total(plan.inputs)).toBe(plan.amount + plan.fee + (plan.change?.amount ?? 0n));
        expect(new Set(plan.inputs.map((fund) => fund.ref.index)).size).toBe(plan.inputs.length);
        expect(plan.amount).toBeGreaterThanOrEqual(COIN_FORMATS[coin].dust);
        expect(plan.change?.amount ?? COIN_FORMATS[coin].dust).toBeGreaterThanOrEqual(
          COIN_FORMATS[coin].dust,
        );
        expect(plan.feeRate).toBeGreaterThanOrEqual(rate);
        if (subtractFee) expect(plan.amount).toBeLessThan(amount);
        else expect(plan.amount).toBe(amount);
      }),
      { numRuns: 300 },
    );
  });

  it('replace a transaction only by one with the same payment and a higher fee', () => {
    fc.assert(
      fc.property(
        request,
        fc.array(fc.bigInt(1n, 10n ** 18n), { maxLength: 3 }),
        fc.bigInt(1n, 10n ** 14n),
        ({ amounts, amount, rate }, spare, newRate) => {
          const quote = { rate, source: 'test', at: 0 };
          const all = fundsOf(coin, [...amounts, ...spare]);
          const funds = all.slice(0, amounts.length);
          const wish = { funds, destination: 'them', amount, subtractFee: false, changeAddress: 'us', quote };
          const previous = tryPlan(coin, wish);
          if (previous instanceof Error) return;
          const next = { ...quote, rate: newRate };
          const bump = planReplacement(coin, { previous, funds: all, changeAddress: 'us', quote: next });
          if (bump === null) return;
          expect(bump).toMatchObject({ destination: 'them', amount });
          expect(bump.fee).toBeGreaterThan(previous.fee);
          expect(bump.feeRate).toBeGreaterThan(previous.feeRate);
          expect(total(bump.inputs)).toBe(bump.amount + bump.fee + (bump.change?.amount ?? 0n));
          const used = new Set(bump.inputs.map((fund) => fund.ref.index));
          expect(used.size).toBe(bump.inputs.length);
          for (const fund of previous.inputs) expect(used.has(fund.ref.index)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});
