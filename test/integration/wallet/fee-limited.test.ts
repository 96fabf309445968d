import { afterEach, beforeEach, expect, test } from 'vitest';
import { sendFamilies } from '../../../src/metrics/ledger-families.ts';
import { findConditions } from '../../../src/usecases/notices/find-conditions.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { estimateFee } from '../../../src/usecases/wallet/send/estimate-fee.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { listWalletTransactions } from '../../../src/usecases/wallet/list-wallet-transactions.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const HOUR_MS = 3_600_000;
const LIMIT = '0.00001';
const no = () => false;

let sim: SimulatedWorld;
let warnings: string[];

beforeEach(async () => {
  sim = await openSimulatedWorld();
  warnings = [];
  await sim.fund('BTC', ONE.BTC);
});
afterEach(async () => sim.close());

const chain = () => sim.world.chain('BTC');

/** What the daemon does with stuck sends in some hours, at a rate per 1,000 vB. */
async function hours(count: number, rate: bigint): Promise<void> {
  const { deps } = sim.world;
  const logger = { ...deps.logger, warn: (_fields: object, message: string) => void warnings.push(message) };
  sim.line.quote = { rate, source: 'test', at: 0 };
  for (let hour = 0; hour < count; hour += 1) {
    sim.world.clock.advance(HOUR_MS);
    await bumpSends({ ...deps, logger }, chain());
  }
}

async function reasons(): Promise<string[]> {
  const { db, clock } = sim.world;
  const quiet = {
    chains: () => [],
    isBackupTooOld: no,
    isReplicaBehind: no,
    isCertificateEnding: no,
    areRatesUnsure: no,
  };
  return (await findConditions({ db, clock, ...quiet })).map(({ reason }) => reason);
}

async function waitingSeconds(): Promise<unknown> {
  const { deps } = sim.world;
  const families = sendFamilies({ ...deps, chains: async () => [chain()] as never });
  const family = families.find(({ name }) => name === 'tilld_send_oldest_fee_limited_age_seconds');
  return (await family?.read())?.[0]?.[1];
}

test('a fee bump above the fee budget waits, sets feeLimited on the send, is logged once, and raises an alarm after a day', async () => {
  const sent = await sim.send('BTC', '0.5', { maxFee: LIMIT });
  await hours(3, 500_000n);
  expect(await sim.status(sent.id)).toMatchObject({ maxFee: LIMIT, feeLimited: true });
  const { transactions } = await listWalletTransactions(sim.world.deps, {
    merchant: sim.world.merchant,
    page: 1,
    limit: 10,
    direction: 'out',
  });
  expect(transactions).toMatchObject([{ id: sent.id, maxFee: LIMIT, feeLimited: true }]);
  expect(warnings.filter((message) => message.startsWith('fee budget (maxFee) is below'))).toHaveLength(1);
  expect(await reasons()).not.toContain('fee_limited');
  await hours(24, 500_000n);
  expect(await reasons()).toContain('fee_limited');
  expect(await waitingSeconds()).toBeGreaterThan(24 * 3_600);
  await sim.mine('BTC');
  expect(await sim.status(sent.id)).toMatchObject({ status: 'confirmed', feeLimited: false });
  expect(await reasons()).toEqual([]);
});

test('a waiting fee bump is made once fees fall, or when the merchant sets a higher maxFee', async () => {
  const sent = await sim.send('BTC', '0.5', { maxFee: LIMIT });
  await hours(3, 500_000n);
  await hours(1, 7_000n);
  expect(await sim.status(sent.id)).toMatchObject({ feeLimited: false });
  await hours(1, 500_000n);
  expect(await sim.status(sent.id)).toMatchObject({ feeLimited: true });
  const named = { merchantId: sim.world.merchant.id, sendId: sent.id };
  await expect(bumpSend(sim.world.deps, { ...named, feeRate: '500' })).rejects.toMatchObject({
    code: 'FEE_ABOVE_LIMIT',
  });
  await expect(bumpSend(sim.world.deps, { ...named, maxFee: '0.000001' })).rejects.toMatchObject({
    code: 'VALIDATION_INVALID',
    details: [{ field: 'maxFee' }],
  });
  const raised = await bumpSend(sim.world.deps, { ...named, maxFee: '0.002', feeRate: '500' });
  expect(raised).toMatchObject({ maxFee: '0.002', feeLimited: false });
  await hours(24, 500_000n);
  expect(await sim.status(sent.id)).toMatchObject({ fee: raised.fee, feeLimited: false });
});

test('a send without maxFee accepts the fee at its creation, and no fee bump exceeds its budget', async () => {
  sim.line.quote = { rate: 100_000n, minimum: 1_000n, source: 'test', at: 0 };
  const { fee, maxFee } = await estimateFee(sim.world.deps, sim.order('BTC', '0.0005'));
  // More than the share of the amount, 0.00005.
  expect([fee, maxFee]).toEqual(['0.000141', '0.000141']);
  const sent = await sim.send('BTC', '0.0005');
  expect(sent).toMatchObject({ fee, maxFee });
  await hours(3, 500_000n);
  expect(await sim.status(sent.id)).toMatchObject({ fee, feeLimited: true });
});

test('a small send may always pay the minimum relay fee', async () => {
  sim.line.quote = { rate: 2_000n, minimum: 2_000n, source: 'test', at: 0 };
  const small = await sim.send('BTC', '0.00001');
  expect(small).toMatchObject({ fee: '0.00000282', maxFee: '0.00000282' });
});
