import { describe, expect, it } from 'vitest';
import { consolidationBudget, orderBudget, sweepBudget } from '../../../src/domain/send/fee-budget.ts';

const plan = { fee: 500n, feeRate: 1_000n };

describe('fee budgets with a share of zero', () => {
  const policy = { maxFeeShareBps: 0 };

  it('let a deposit be swept for a twentieth of it', () => {
    expect(sweepBudget(100_000n, policy)).toBe(5_000n);
  });

  it('let outputs be consolidated at the rate that starts it, within a twentieth of them', () => {
    expect(consolidationBudget(plan, { moved: 100_000n, startsBelow: 2_000n, policy })).toBe(1_000n);
    expect(consolidationBudget(plan, { moved: 10_000n, startsBelow: 2_000n, policy })).toBe(500n);
  });

  it('leave an order without maxFee the fee at which it was ordered', () => {
    expect(orderBudget({ amount: 100_000n }, plan, { quote: {}, policy })).toBe(500n);
  });
});
