import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SendPlan } from '../../../src/domain/chain.ts';
import { COINS, MODES } from '../../../src/domain/coins.ts';
import { readPlan, writePlan } from '../../../src/usecases/wallet/lifecycle/stored-plan.ts';

/** Up to more wei than exist, so that a detour through a float would be seen. */
const atoms = fc.bigInt({ min: 0n, max: 10n ** 30n });
const index = fc.nat(2 ** 31 - 1);

const plans: fc.Arbitrary<SendPlan> = fc.record({
  inputs: fc.array(
    fc.record({
      ref: fc.record({ txid: fc.string(), index }),
      amount: atoms,
      address: fc.string(),
      keyPath: fc.record({
        coin: fc.constantFrom(...COINS),
        mode: fc.constantFrom(...MODES),
        account: index,
        branch: fc.constantFrom(0 as const, 1 as const),
        index,
      }),
    }),
    { maxLength: 5 },
  ),
  destination: fc.string(),
  amount: atoms,
  outputs: fc.array(fc.record({ destination: fc.string(), amount: atoms }), { minLength: 2, maxLength: 5 }),
  fee: atoms,
  change: fc.option(fc.record({ address: fc.string(), amount: atoms })),
  feeRate: atoms,
});

test('readPlan returns exactly what writePlan stored', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      expect(readPlan(writePlan(plan))).toEqual(plan);
    }),
  );
});

test('readPlan rejects a plan with a rounded amount', () => {
  expect(() =>
    readPlan('{"inputs":[],"destination":"a","amount":1e21,"fee":"0","change":null,"feeRate":"1"}'),
  ).toThrow(/amount/);
});
