import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { sendFamilies } from '../../../src/metrics/ledger-families.ts';
import { feeLimitedSends } from '../../../src/store/notices/conditions.ts';
import { findSend, listParts } from '../../../src/store/sends/sends.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { estimateFee } from '../../../src/usecases/wallet/send/estimate-fee.ts';
import { sendCoins, type SendCoinsInput } from '../../../src/usecases/wallet/send/send-coins.ts';
import type { SendView } from '../../../src/usecases/wallet/send/send-view.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { prepareSends } from '../../../src/usecases/wallet/lifecycle/prepare-sends.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const EACH = 1_000_000n;
const HOUR_MS = 3_600_000;
let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld({}, { mostInputs: 20 });
});
afterEach(async () => sim.close());

const atoms = (text: string) => parseCoinAmount(text, 'BTC');
const show = (amount: bigint) => formatCoinAmount(amount, 'BTC');
const chain = () => sim.world.chain('BTC');

async function crowd(count: number): Promise<void> {
  await sim.fund('BTC', ...Array.from({ length: count }, () => EACH));
}
async function place(amount: string, more: Partial<SendCoinsInput> = {}): Promise<SendView> {
  return sendCoins(sim.world.deps, sim.order('BTC', amount, more));
}
async function estimated(amount: string): Promise<bigint> {
  return atoms((await estimateFee(sim.world.deps, sim.order('BTC', amount))).fee);
}
async function step(): Promise<void> {
  const { deps } = sim.world;
  sim.world.clock.advance(deps.policy.retryMaxMs);
  await advanceSends(deps, chain());
  await prepareSends(deps, chain());
}
async function rounds(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    await step();
    await sim.mine('BTC');
  }
}
async function multiply(times: bigint, { minimum = false } = {}): Promise<void> {
  sim.line.quote = null;
  const quote = await sim.world.adapter('BTC').feeQuote();
  const rate = quote.rate * times;
  sim.line.quote = { ...quote, rate, ...(minimum ? { minimum: rate } : {}) };
}
async function bump(sendId: string, maxFee: string): Promise<SendView> {
  return bumpSend(sim.world.deps, { merchantId: sim.world.merchant.id, sendId, maxFee });
}
/** A send by parts that is signed, and in no block yet. */
async function signed(amount: string): Promise<SendView> {
  const { id } = await place(amount);
  for (let at = 0; at < 10 && (await sim.status(id)).status === 'preparing'; at += 1) {
    await step();
    if ((await sim.status(id)).status === 'preparing') await sim.mine('BTC');
  }
  return sim.status(id);
}

describe('the fee budget of a send that first consolidates its inputs', () => {
  it('limits the sum of all its transactions when a bump sets maxFee', async () => {
    await crowd(60);
    const { id, fee } = await signed('0.5');
    const limit = atoms(fee) + 2_000n;
    await multiply(50n);
    expect((await bump(id, show(limit))).maxFee).toBe(show(limit));
    await sim.mine('BTC');
    const done = await sim.status(id);
    expect(done.status).toBe('confirmed');
    expect(atoms(done.fee)).toBeGreaterThan(atoms(fee));
    expect(atoms(done.fee)).toBeLessThanOrEqual(limit);
  });

  it('cannot be lowered below the fees of its signed transactions', async () => {
    await crowd(60);
    const { id, fee } = await signed('0.5');
    await expect(bump(id, show(atoms(fee) - 1n))).rejects.toMatchObject({
      code: 'VALIDATION_INVALID',
      message: expect.stringContaining(fee) as string,
    });
  });

  it('limits a consolidation that is bumped by its own id, and the error names the send', async () => {
    await crowd(60);
    const budget = (await estimated('0.5')) * 2n;
    const { id } = await place('0.5', { maxFee: show(budget) });
    await step();
    const [part] = await listParts(sim.world.db, id);
    await multiply(60n);
    await expect(bump(part?.id ?? '', '0.001')).rejects.toMatchObject({
      code: 'VALIDATION_INVALID',
      message: expect.stringContaining(id) as string,
    });
    await bumpSend(sim.world.deps, { merchantId: sim.world.merchant.id, sendId: part?.id ?? '' });
    sim.line.quote = null;
    await rounds(8);
    const done = await sim.status(id);
    expect(done.status).toBe('confirmed');
    expect(atoms(done.fee)).toBeLessThanOrEqual(budget);
  });

  it('limits consolidations that a reorg drops and the daemon bumps', async () => {
    await crowd(100);
    await sim.mine('BTC', 8);
    const budget = (await estimated('0.9')) * 3n;
    const { id } = await place('0.9', { maxFee: show(budget) });
    await rounds(1);
    await step();
    await sim.mine('BTC');
    await step();
    const parts = await listParts(sim.world.db, id);
    for (const part of parts.filter(({ status }) => status === 'broadcast'))
      await sim.control('BTC').drop(part.txid ?? '');
    const txids = parts.map(({ txid }) => txid ?? '');
    await sim.control('BTC').reorg({ depth: 3, fate: 'dropped', txids });
    await sim.world.sync('BTC');
    await advanceSends(sim.world.deps, chain());
    await multiply(40n);
    for (let at = 0; at < 6; at += 1) {
      sim.world.clock.advance(2 * HOUR_MS);
      await bumpSends(sim.world.deps, chain());
    }
    await advanceSends(sim.world.deps, chain());
    await sim.mine('BTC');
    const whole = await findSend(sim.world.db, id);
    expect(BigInt(whole?.partsFee ?? 0)).toBeGreaterThan(
      parts.reduce((sum, { fee }) => sum + BigInt(fee), 0n),
    );
    expect(BigInt(whole?.partsFee ?? 0)).toBeLessThanOrEqual(budget);
    sim.line.quote = null;
    await rounds(4);
    const done = await sim.status(id);
    expect(done.status).toBe('confirmed');
    expect(atoms(done.fee)).toBeLessThanOrEqual(budget);
  });

  it('can be raised during preparation, which then continues', async () => {
    await crowd(60);
    const { id } = await place('0.5', { maxFee: show(await estimated('0.5')) });
    await multiply(3n, { minimum: true });
    await step();
    expect(await sim.status(id)).toMatchObject({ status: 'preparing', feeLimited: true });
    expect(await bump(id, '0.01')).toMatchObject({ maxFee: '0.01', feeLimited: false, txHash: null });
    await prepareSends(sim.world.deps, chain());
    expect((await listParts(sim.world.db, id)).length).toBeGreaterThan(0);
    await rounds(6);
    expect(await sim.status(id)).toMatchObject({ status: 'confirmed', maxFee: '0.01' });
  });

  it('appears in the metrics, and after a day in an alarm, while the preparation waits for it', async () => {
    await crowd(60);
    const { id } = await place('0.5', { maxFee: show(await estimated('0.5')) });
    await multiply(3n, { minimum: true });
    await step();
    sim.world.clock.advance(25 * HOUR_MS);
    const families = sendFamilies({ ...sim.world.deps, chains: async () => [chain()] as never });
    const name = 'tilld_send_oldest_fee_limited_age_seconds';
    const samples = await families.find((family) => family.name === name)?.read();
    expect(samples).toEqual([[expect.anything(), (25 * HOUR_MS) / 1_000]]);
    const { clock, db } = sim.world;
    const limited = await feeLimitedSends(db, clock.now() - 24 * HOUR_MS, 10);
    expect(limited.map((each) => each.id)).toEqual([id]);
  });
});

describe('a fee bump of a send in preparation', () => {
  it('is refused without maxFee or feeRate, and applies a fee rate to transactions that are not signed yet', async () => {
    await crowd(60);
    const { id, fee } = await place('0.5', { maxFee: '0.01' });
    const named = { merchantId: sim.world.merchant.id, sendId: id };
    await expect(bumpSend(sim.world.deps, named)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await bumpSend(sim.world.deps, { ...named, feeRate: '20' });
    expect((await findSend(sim.world.db, id))?.orderedRate).toBe('20000');
    await rounds(6);
    const done = await sim.status(id);
    expect(done.status).toBe('confirmed');
    expect(atoms(done.fee)).toBeGreaterThan(atoms(fee));
  });
});
