import { afterEach, beforeEach, expect, test } from 'vitest';
import { setFrozen } from '../../../src/store/ledger/frozen-outputs.ts';
import { merchantsWithManyOutputs, spendableFunds } from '../../../src/store/ledger/spendable.ts';
import { consolidateRound } from '../../../src/usecases/wallet/sweep/consolidate-rounds.ts';
import type { BumpSendsDeps } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';
import { outputFunds } from '../../_helpers/output-funds.ts';

const MANY = 210;

let sim: SimulatedWorld;
let deps: BumpSendsDeps;
beforeEach(async () => {
  sim = await openSimulatedWorld({ consolidateBelowRate: 10n ** 9n });
  await sim.fund('BTC', ...Array.from({ length: MANY }, () => 1_000_000n));
  const funds = outputFunds(
    () => {
      throw new Error('nothing is scanned here');
    },
    (rate) => (rate * 68n) / 1000n,
  );
  const adapter = { ...sim.world.adapter('BTC'), funds };
  deps = { ...sim.world.deps, chains: { get: () => adapter } };
});
afterEach(async () => sim.close());

const round = async () => consolidateRound(deps, sim.world.chain('BTC'));

async function inputsOfSends(): Promise<number[]> {
  const rows = await sim.world.db.selectFrom('send_versions').select('planJson').execute();
  return rows.map((row) => (JSON.parse(row.planJson) as { inputs: unknown[] }).inputs.length);
}

test('consolidateRound merges hundreds of outputs into one output, and only once', async () => {
  await round();
  await sim.mine('BTC');
  await round();
  expect(await inputsOfSends()).toEqual([MANY]);
});

test('consolidateRound ignores frozen outputs, so that no fee is paid to merge the few others', async () => {
  const wallet = { ...sim.world.chain('BTC'), merchantId: sim.world.merchant.id };
  const funds = await spendableFunds(sim.world.db, wallet);
  await sim.world.db.transaction(async (tx) => {
    for (const { ref } of funds.slice(0, MANY - 5))
      await setFrozen(tx, wallet, { ref, frozen: true, now: 1 });
  });
  const many = { from: 6, limit: 5 };
  expect(await merchantsWithManyOutputs(sim.world.db, wallet, many)).toEqual([]);
  await round();
  expect(await inputsOfSends()).toEqual([]);
});
