/** Many requests, expiries and restarts of the clock's day at once: what leaves without an approval is within the limits. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NO_STORED_LIMITS } from '../../../src/domain/send/limit-change.ts';
import { NO_LIMITS } from '../../../src/domain/send/spending-limits.ts';
import { putLimits } from '../../../src/store/sends/wallet-limits.ts';
import { expireApprovals } from '../../../src/usecases/approvals/expire-approvals.ts';
import { sendCoins } from '../../../src/usecases/wallet/send/send-coins.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const DAY_MS = 24 * 3_600_000;
const ATOMS_PER_SEND = 10n ** 6n;
let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld();
});
afterEach(async () => sim.close());

/** One coin is worth 100 dollars: each send of 0.01 is one dollar. */
const rates = {
  quote: (coin: 'BTC' | 'ETH' | 'LTC' | 'SOL', currency: string) => ({
    coin,
    currency,
    rate: '100',
    sources: ['test'],
    at: 0,
  }),
  ensure: async () => undefined,
};

it('50 concurrent sends stay within the daily limit exactly, and those above it are not signed', async () => {
  const { world } = sim;
  const merchantId = world.merchant.id;
  await sim.fund('BTC', ...Array.from({ length: 60 }, () => 10n ** 7n));
  const perDay = { minor: 700n, currency: 'USD' };
  const limits = { ...NO_STORED_LIMITS, limits: { ...NO_LIMITS, perDay } };
  await world.db.transaction(async (tx) => putLimits(tx, { merchantId, limits, now: world.clock.now() }));
  const deps = { ...world.deps, rates };
  const views = await Promise.all(
    Array.from({ length: 50 }, async (_, index) =>
      sendCoins(deps, { ...sim.order('BTC', '0.01'), idempotencyKey: `payout-${index}` }),
    ),
  );
  const held = views.filter(({ status }) => status === 'pending_approval');
  expect(held).toHaveLength(43);
  const sends = await world.db
    .selectFrom('sends')
    .select(['id', 'leaving'])
    .where('purpose', '=', 'send')
    .execute();
  expect(sends.map(({ leaving }) => BigInt(leaving ?? 0))).toEqual(
    Array.from({ length: 7 }, () => ATOMS_PER_SEND),
  );
  const versions = await world.db.selectFrom('send_versions').select('sendId').execute();
  expect(new Set(versions.map(({ sendId }) => sendId))).toEqual(new Set(sends.map(({ id }) => id)));
  // A repeat shows what waits, also on the next day, and after its time.
  world.clock.advance(DAY_MS);
  const [first] = held;
  const secretBox = { seal: (plain: string) => plain, open: (sealed: string) => sealed };
  await expireApprovals({ ...deps, secretBox });
  expect((await sim.status(first?.id ?? '')).status).toBe('expired');
});
