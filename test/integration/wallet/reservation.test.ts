import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { spendableChange } from '../../../src/usecases/wallet/lifecycle/ancestry.ts';
import { spendableFunds } from '../../../src/store/ledger/spendable.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { sendCoins } from '../../../src/usecases/wallet/send/send-coins.ts';
import { readPlan } from '../../../src/usecases/wallet/lifecycle/stored-plan.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

/** Things that happen to a wallet; several of a group happen at the same time. */
type Step =
  | { readonly kind: 'send'; readonly percent: number; readonly subtractFee: boolean; readonly key: number }
  | { readonly kind: 'fund'; readonly amount: bigint }
  | { readonly kind: 'advance' | 'mine' | 'drop' | 'steal' | 'reorg' | 'dear' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      percent: fc.integer({ min: 1, max: 100 }),
      subtractFee: fc.boolean(),
      key: fc.nat(6),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('fund' as const), amount: fc.bigInt(20_000n, 10n ** 9n) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('advance', 'mine', 'drop', 'steal', 'reorg', 'dear' as const),
    }),
  },
);

const answers = fc.constantFrom('accepted', 'lost', 'never', 'refused');

test('concurrent sends never reserve an output twice and never create or lose an atom', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 7 }),
      fc.infiniteStream(answers),
      async (groups, line) => {
        const sim = await openSimulatedWorld();
        try {
          sim.line.broadcast = async (_transaction, forward) => {
            const answer = String(line.next().value);
            if (answer === 'refused') return { kind: 'rejected', reason: 'no' };
            if (answer === 'never') return { kind: 'unknown', reason: 'no answer' };
            const result = await forward();
            return answer === 'lost' ? { kind: 'unknown', reason: 'no answer' } : result;
          };
          await sim.fund('BTC', 10n ** 8n, 3n * 10n ** 8n);
          for (const group of groups) {
            await Promise.all(group.map(async (one) => perform(sim, one)));
            await sim.world.sync('BTC');
            await check(sim);
          }
        } finally {
          await sim.close();
        }
      },
    ),
    { numRuns: 25 },
  );
});

async function perform(sim: SimulatedWorld, one: Step): Promise<void> {
  const { world } = sim;
  const chain = world.chain('BTC');
  const control = sim.control('BTC');
  const unconfirmed = async () => {
    const sends = await world.db
      .selectFrom('sends')
      .select('txid')
      .where('status', '=', 'broadcast')
      .execute();
    return sends[0]?.txid ?? undefined;
  };
  switch (one.kind) {
    case 'send': {
      const amount = (Number(await world.balance('BTC')) * one.percent) / 100;
      const destination = world.deps.deriver.address({ ...chain, account: 9, branch: 0, index: one.key });
      const order = {
        merchant: world.merchant,
        destination,
        amount: amount.toFixed(8),
        coin: 'BTC' as const,
      };
      const idempotencyKey = one.key === 0 ? null : `key-${one.key}`;
      await sendCoins(world.deps, { ...order, subtractFee: one.subtractFee, idempotencyKey }).catch(expected);
      return;
    }
    case 'fund':
      await control.pay([{ address: world.address('BTC'), amount: one.amount }]);
      return;
    case 'advance':
      world.clock.advance(700_000);
      await advanceSends(world.deps, chain);
      return;
    case 'dear':
      world.clock.advance(world.deps.policy.bumpAfterMs);
      sim.line.quote = { rate: (sim.line.quote?.rate ?? 5_000n) * 2n, source: 'test', at: 0 };
      await bumpSends(world.deps, chain);
      return;
    case 'mine':
      await control.mine(1);
      return;
    case 'reorg':
      await control.reorg({ depth: 1, fate: 'dropped' }).catch(simulatorRefused);
      return;
    case 'drop':
    case 'steal': {
      const txid = await unconfirmed();
      if (txid === undefined) return;
      await (one.kind === 'drop' ? control.drop(txid) : control.replace(txid)).catch(simulatorRefused);
      return;
    }
    default:
      throw new Error('unknown step');
  }
}

function expected(error: unknown): void {
  const codes = ['INSUFFICIENT_BALANCE', 'VALIDATION_INVALID', 'SEND_REJECTED', 'IDEMPOTENCY_MISMATCH'];
  if (error instanceof AppError && codes.includes(error.code)) return;
  throw error;
}

function simulatorRefused(error: unknown): void {
  if (error instanceof Error && error.name === 'SimulatorRefusal') return;
  throw error;
}

async function check(sim: SimulatedWorld): Promise<void> {
  const { db } = sim.world;
  const sends = await db.selectFrom('sends').selectAll().execute();
  const versions = await db.selectFrom('send_versions').selectAll().execute();
  const outputs = await db.selectFrom('outputs').selectAll().execute();
  const byKey = new Map(outputs.map((output) => [`${output.txid}:${output.vout}`, output]));
  const claimed = new Map<string, string>();
  for (const version of versions) {
    const plan = readPlan(version.planJson);
    const inputs = plan.inputs.reduce((sum, { amount }) => sum + amount, 0n);
    expect(inputs).toBe(plan.amount + plan.fee + (plan.change?.amount ?? 0n));
    const send = sends.find(({ id }) => id === version.sendId);
    if (send?.purpose === 'send') expect(send.amount).toBe(plan.amount.toString());
    if (send?.status !== 'signed' && send?.status !== 'broadcast') continue;
    for (const { ref } of plan.inputs) {
      const key = `${ref.txid}:${ref.index}`;
      // Every coin of an open send is held by that send and by no other.
      expect([undefined, send.id]).toContain(claimed.get(key));
      claimed.set(key, send.id);
      expect(byKey.get(key)?.sendId).toBe(send.id);
    }
  }
  // The funds offered to the next send are not reserved, and they add up to the balance.
  const wallet = { ...sim.world.chain('BTC'), merchantId: sim.world.merchant.id };
  const funds = [...(await spendableFunds(db, wallet)), ...(await spendableChange(db, wallet)).funds];
  for (const { ref } of funds) expect(claimed.has(`${ref.txid}:${ref.index}`)).toBe(false);
  const sum = funds.reduce((total, { amount }) => total + amount, 0n);
  expect(parseCoinAmount(await sim.world.balance('BTC'), 'BTC')).toBe(sum);
}
