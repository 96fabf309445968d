/** The network fee of a send that was approved: never above the one that its approver saw. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_STORED_LIMITS } from '../../../src/domain/send/limit-change.ts';
import { NO_LIMITS } from '../../../src/domain/send/spending-limits.ts';
import { decideApproval, findApproval } from '../../../src/store/sends/send-approvals.ts';
import { putLimits } from '../../../src/store/sends/wallet-limits.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import {
  sendApproved,
  sendCoins,
  type SendCoinsInput,
} from '../../../src/usecases/wallet/send/send-coins.ts';
import type { SendView } from '../../../src/usecases/wallet/send/send-view.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld();
  const { world } = sim;
  const perSend = { minor: 100n, currency: 'USD' };
  const limits = { ...NO_STORED_LIMITS, limits: { ...NO_LIMITS, perSend } };
  const merchantId = world.merchant.id;
  await world.db.transaction(async (tx) => putLimits(tx, { merchantId, limits, now: world.clock.now() }));
  await sim.fund('BTC', ONE.BTC, ONE.BTC);
});
afterEach(async () => sim.close());

const rates = {
  quote: (coin: SendCoinsInput['coin'], currency: string) => ({
    coin,
    currency,
    rate: '100',
    sources: ['test'],
    at: 0,
  }),
  ensure: async () => undefined,
};
const deps = () => ({ ...sim.world.deps, rates });

/** Atoms per 1,000 vB. */
function setFeeRate(rate: bigint): void {
  sim.line.quote = { rate, minimum: 1_000n, source: 'test', at: 0 };
}

/** Two coins are worth 200 dollars; the limit is one. */
async function holdSend(amount: string, more: Partial<SendCoinsInput> = {}): Promise<SendView> {
  const view = await sendCoins(deps(), sim.order('BTC', amount, more));
  expect(view.status).toBe('pending_approval');
  return view;
}

async function approve({ id }: SendView): Promise<SendView> {
  const { world } = sim;
  const held = await findApproval(world.db, id);
  if (held === undefined) throw new Error(`no approval ${id}`);
  const now = world.clock.now();
  return sendApproved(deps(), {
    merchant: world.merchant,
    held,
    approve: async (tx) => {
      expect(await decideApproval(tx, id, { status: 'approved', decidedBy: null, now })).toBe(true);
    },
  });
}

describe('a send that waits for an approval', () => {
  it('is made within the maxFee that was shown when fees have risen since', async () => {
    setFeeRate(10_000n);
    const held = await holdSend('0.02');
    setFeeRate(100_000n);
    const sent = await approve(held);
    expect(sent).toMatchObject({ id: held.id, status: 'broadcast', maxFee: held.maxFee });
    expect(Number(sent.fee)).toBeGreaterThan(Number(held.fee));
    expect(Number(sent.fee)).toBeLessThanOrEqual(Number(held.maxFee));
  });

  it('waits on while the fee is above the maxFee that was shown, and is made once fees fall', async () => {
    setFeeRate(10_000n);
    const held = await holdSend('0.02');
    setFeeRate(5_000_000n);
    await expect(approve(held)).rejects.toMatchObject({ code: 'FEE_ABOVE_LIMIT' });
    expect(await sim.status(held.id)).toMatchObject({ status: 'pending_approval', maxFee: held.maxFee });
    setFeeRate(20_000n);
    expect(await approve(held)).toMatchObject({ status: 'broadcast', maxFee: held.maxFee });
  });
});

describe('a send that was approved', () => {
  it('gets no fee budget above the one that was shown, also within the usual share', async () => {
    setFeeRate(1_000n);
    const held = await holdSend('0.02', { maxFee: '0.00002' });
    const { id: sendId } = await approve(held);
    const ordered = { merchantId: sim.world.merchant.id, sendId };
    setFeeRate(50_000n);
    await expect(bumpSend(deps(), { ...ordered, maxFee: '0.001' })).rejects.toMatchObject({
      code: 'FEE_ABOVE_LIMIT',
    });
    setFeeRate(5_000n);
    expect(await bumpSend(deps(), ordered)).toMatchObject({ status: 'broadcast', maxFee: held.maxFee });
  });
});
