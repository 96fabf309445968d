import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld({ maxVersions: 50 });
  await sim.fund('BTC', 4n * ONE.BTC);
});
afterEach(async () => sim.close());

const atoms = (text: string) => parseCoinAmount(text, 'BTC');

/** What the network takes for all sends, each at what it shows. */
async function spentOnFees(): Promise<bigint> {
  const rows = await sim.world.db.selectFrom('sends').select('fee').execute();
  return rows.reduce((sum, { fee }) => sum + BigInt(fee), 0n);
}

async function rounds(count: number): Promise<void> {
  const { deps } = sim.world;
  const chain = sim.world.chain('BTC');
  for (let round = 0; round < count; round += 1) {
    sim.world.clock.advance(deps.policy.bumpAfterMs);
    const rate = (sim.line.quote?.rate ?? 20_000n) * 2n;
    sim.line.quote = { rate, source: 'test', at: 0 };
    await bumpSends(deps, chain);
    await advanceSends(deps, chain);
    await sim.world.sync('BTC');
  }
}

/** A node that takes no replacements: what spends an input of something it has is refused. */
function takeNoReplacements(except: (txid: string) => boolean = () => false): void {
  const seen = new Map<string, string>();
  sim.line.broadcast = async ({ txid }, send) => {
    const version = await sim.world.db
      .selectFrom('send_versions')
      .select(['sendId', 'version'])
      .where('txid', '=', txid)
      .executeTakeFirstOrThrow();
    const first = seen.get(version.sendId) ?? txid;
    seen.set(version.sendId, first);
    return first === txid || except(version.sendId)
      ? send()
      : { kind: 'unknown', reason: 'txn-mempool-conflict' };
  };
}

test('fee bumps of a CPFP child stay within the fee budget of the parent', async () => {
  let parent = '';
  takeNoReplacements((sendId) => sendId !== parent);
  const maxFee = '0.0005';
  const sent = await sim.send('BTC', '0.5', { maxFee });
  parent = sent.id;
  await rounds(10);
  const sends = await sim.world.db.selectFrom('sends').selectAll().execute();
  expect(sends.map(({ purpose }) => purpose)).toContain('sweep');
  expect(await spentOnFees()).toBeLessThanOrEqual(atoms(maxFee));
});

test('fee bumps of a chain of CPFP children stay within the fee budget of the first send', async () => {
  takeNoReplacements();
  const maxFee = '0.0005';
  await sim.send('BTC', '0.5', { maxFee });
  await rounds(12);
  expect(await spentOnFees()).toBeLessThanOrEqual(atoms(maxFee));
});

test("a fee bump of a send that spends another send's change (CPFP) stays within the sum of both sends' maxFee", async () => {
  await sim.send('BTC', '0.5', { maxFee: '0.0003' });
  await sim.send('BTC', '0.5', { maxFee: '0.0002' });
  await rounds(10);
  expect(await spentOnFees()).toBeLessThanOrEqual(atoms('0.0005'));
  expect(await sim.world.db.selectFrom('send_versions').select('txid').execute()).not.toHaveLength(2);
});

test("a manual fee bump of a send whose change another send spends stays within the sum of both sends' maxFee", async () => {
  const parent = await sim.send('BTC', '0.5', { maxFee: '0.0003' });
  await sim.send('BTC', '0.5', { maxFee: '0.0002' });
  const merchantId = sim.world.merchant.id;
  for (let time = 0; time < 10; time += 1) {
    sim.line.quote = { rate: 20_000n * 2n ** BigInt(time), source: 'test', at: 0 };
    await bumpSend(sim.world.deps, { merchantId, sendId: parent.id }).catch(() => undefined);
  }
  expect(await spentOnFees()).toBeLessThanOrEqual(atoms('0.0005'));
});
