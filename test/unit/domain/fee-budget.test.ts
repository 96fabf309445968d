import { describe, expect, it } from 'vitest';
import { consolidationBudget, orderBudget, sweepBudget } from '../../../src/domain/send/fee-budget.ts';

const plan = { fee: 500n, feeRate: 1_000n };

describe('fee budgets when the configured share of the amount is zero', () => {
  const policy = { maxFeeShareBps: 0 };

  it('allow a sweep to cost a twentieth of the deposit', () => {
    expect(sweepBudget(100_000n, policy)).toBe(5_000n);
  });

  it('allow a consolidation at its starting rate to cost a twentieth of the outputs', () => {
    expect(consolidationBudget(plan, { moved: 100_000n, startsBelow: 2_000n, policy })).toBe(1_000n);
    expect(consolidationBudget(plan, { moved: 10_000n, startsBelow: 2_000n, policy })).toBe(500n);
  });

  it('limit a send without maxFee to the fee at its creation', () => {
    expect(orderBudget({ amount: 100_000n }, plan, { quote: {}, policy })).toBe(500n);
  });
});
