import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UTXO_COINS } from '../../../../src/domain/coins.ts';
import { planSend } from '../../../../src/chains/utxo/sends/plan-send.ts';
import { InsufficientFunds, outputKey, UnsendableAmount, type Fund } from '../../../../src/domain/chain.ts';
import { distinctAncestors, deficitAt, packageRate } from '../../../../src/domain/send/package-fee.ts';

const coin = UTXO_COINS.BTC;
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const keyPath = { coin: 'BTC', mode: 'live', account: 0, branch: 1, index: 0 } as const;

function fundOf(at: number, amount: bigint): Fund {
  return {
    ref: { txid: (at + 1).toString(16).padStart(64, '0'), index: 0 },
    amount,
    address: ADDRESS,
    keyPath,
  };
}

const parent = fc.record({
  amount: fc.bigInt(300n, 10n ** 8n),
  isConfirmed: fc.boolean(),
  fee: fc.bigInt(100n, 50_000n),
  size: fc.bigInt(100n, 20_000n),
});

describe('planSend with unconfirmed change', () => {
  it('creates and loses no atom, spends no output twice, and pays the missing fee of unconfirmed ancestors', () => {
    fc.assert(
      fc.property(
        fc.array(parent, { minLength: 1, maxLength: 8 }),
        fc.bigInt(300n, 10n ** 8n),
        fc.bigInt(1_000n, 200_000n),
        fc.boolean(),
        (parents, amount, rate, subtractFee) => {
          const funds = parents.map((each, at) => fundOf(at, each.amount));
          const ancestry = new Map(
            parents.flatMap(({ isConfirmed, fee, size }, at) => {
              const { ref } = funds[at] as Fund;
              return isConfirmed ? [] : [[outputKey(ref), [{ txid: ref.txid, fee, size }]] as const];
            }),
          );
          const quote = { rate, source: 'test', at: 0 };
          const wish = {
            funds,
            ancestry,
            destination: ADDRESS,
            changeAddress: ADDRESS,
            amount,
            subtractFee,
            quote,
          };
          try {
            const plan = planSend(coin, 'regtest', wish);
            const keys = plan.inputs.map(({ ref }) => outputKey(ref));
            expect(new Set(keys).size).toBe(keys.length);
            const inputs = plan.inputs.reduce((sum, fund) => sum + fund.amount, 0n);
            expect(plan.amount + plan.fee + (plan.change?.amount ?? 0n)).toBe(inputs);
            const deficit = deficitAt(rate, distinctAncestors(plan.inputs, ancestry));
            const size = (plan.fee * 1000n) / plan.feeRate;
            expect(plan.fee * 1000n).toBeGreaterThanOrEqual((size - 1n) * rate + deficit * 1000n);
            expect(packageRate(plan, distinctAncestors(plan.inputs, ancestry))).toBeGreaterThanOrEqual(
              (rate * 98n) / 100n,
            );
          } catch (error) {
            if (error instanceof InsufficientFunds || error instanceof UnsendableAmount) return;
            throw error;
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
