/** Fees of moves within the wallet against its limits: a stolen key or a fee peak burns at most what they leave. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Coin } from '../../../src/domain/coins.ts';
import { NO_STORED_LIMITS } from '../../../src/domain/send/limit-change.ts';
import { NO_LIMITS } from '../../../src/domain/send/spending-limits.ts';
import { putLimits } from '../../../src/store/sends/wallet-limits.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { sendCoins } from '../../../src/usecases/wallet/send/send-coins.ts';
import { consolidate } from '../../../src/usecases/wallet/sweep/consolidate.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const DAY_MS = 86_400_000;
const FEE_ABOVE_LIMIT = { code: 'FEE_ABOVE_LIMIT' };

let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld();
  // The day of the shop begins.
  sim.world.clock.advance(DAY_MS - (sim.world.clock.now() % DAY_MS));
});
afterEach(async () => sim.close());

/** One coin is worth 100 dollars. */
const rates = {
  quote: (coin: Coin, currency: string) => ({ coin, currency, rate: '100', sources: ['test'], at: 0 }),
  ensure: async () => undefined,
};
const deps = () => ({ ...sim.world.deps, rates });

const usd = (amount: bigint | undefined) =>
  amount === undefined ? null : { minor: amount * 100n, currency: 'USD' };

async function limit(dollars: { readonly perSend?: bigint; readonly perDay?: bigint }): Promise<void> {
  const { db, clock, merchant } = sim.world;
  const limits = { ...NO_LIMITS, perSend: usd(dollars.perSend), perDay: usd(dollars.perDay) };
  await db.transaction(async (tx) =>
    putLimits(tx, {
      merchantId: merchant.id,
      limits: { ...NO_STORED_LIMITS, limits },
      now: clock.now(),
    }),
  );
}

/** Of two outputs of a coin. */
async function consolidateTwo(maxFee?: string) {
  await sim.fund('BTC', ONE.BTC, ONE.BTC);
  return consolidate(deps(), {
    merchant: sim.world.merchant,
    coin: 'BTC',
    ...(maxFee === undefined ? {} : { maxFee }),
  });
}

async function movesOf(coin: Coin) {
  return sim.world.db
    .selectFrom('sends')
    .select(['id', 'fee', 'maxFee', 'status'])
    .where('purpose', '=', 'sweep')
    .where('coin', '=', coin)
    .orderBy('createdAt')
    .execute();
}

describe('a consolidation', () => {
  it('gets at most the fee budget that the limit per day leaves, and its usual share comes on top', async () => {
    await limit({ perDay: 10n });
    // A tenth of the limit is free: eleven dollars are 0.11 BTC.
    expect(await consolidateTwo('0.5')).toMatchObject({ maxFee: '0.11' });
    const held = await sendCoins(deps(), sim.order('BTC', '0.001'));
    expect(held).toMatchObject({ status: 'pending_approval', approvalReasons: ['per_day'] });
    // In a block it counts with its fee.
    await sim.mine('BTC');
    expect(await sendCoins(deps(), sim.order('BTC', '0.09'))).toMatchObject({ status: 'broadcast' });
    expect((await consolidateTwo('0.5')).maxFee).toMatch(/^0\.01\d+|^0\.02/);
  });

  it('is not concerned by a wallet without limits, and by the limit per send like a send', async () => {
    expect(await consolidateTwo('0.5')).toMatchObject({ maxFee: '0.5' });
    await limit({ perSend: 3n });
    await sim.mine('BTC');
    expect(await consolidateTwo('0.5')).toMatchObject({ maxFee: '0.03' });
  });

  it('gets no higher budget by a fee bump than the limits leave', async () => {
    await limit({ perDay: 10n });
    const { sendId } = await consolidateTwo('0.001');
    const bump = { merchantId: sim.world.merchant.id, sendId };
    await expect(bumpSend(deps(), { ...bump, maxFee: '0.2' })).rejects.toMatchObject(FEE_ABOVE_LIMIT);
    const [move] = await movesOf('BTC');
    expect(move?.maxFee).toBe('100000');
  });

  it('waits while the value of its fee is unknown', async () => {
    await limit({ perDay: 10n });
    await sim.fund('BTC', ONE.BTC, ONE.BTC);
    const order = { merchant: sim.world.merchant, coin: 'BTC' } as const;
    await expect(consolidate(sim.world.deps, order)).rejects.toMatchObject(FEE_ABOVE_LIMIT);
  });
});
