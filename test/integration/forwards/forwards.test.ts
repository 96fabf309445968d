/** Forwards to cold storage on the simulated chains. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FeeQuote } from '../../../src/domain/chain.ts';
import { NO_STORED_LIMITS } from '../../../src/domain/send/limit-change.ts';
import { NO_LIMITS } from '../../../src/domain/send/spending-limits.ts';
import { putLimits } from '../../../src/store/sends/wallet-limits.ts';
import { findForward, useForwardIndex } from '../../../src/store/sends/wallet-forwards.ts';
import { dropPendingForward, editForward, endForward } from '../../../src/usecases/forwards/edit-forward.ts';
import { readPendingForward, undoForward } from '../../../src/usecases/forwards/undo-forward.ts';
import { freezeByOperator, unfreezeByOperator } from '../../../src/usecases/wallet/freeze-wallet.ts';
import { markRestored } from '../../../src/usecases/wallet/lifecycle/mark-restored.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';
import { COLD_KEY, ForwardWorld } from './forward-world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const BTC = 10n ** 8n;

let sim: SimulatedWorld;
let forwards: ForwardWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld();
  forwards = new ForwardWorld(sim.world);
});
afterEach(async () => sim.close());

/** One coin is worth 100 dollars. */
const rates = {
  quote: (coin: string, currency: string) => ({ coin, currency, rate: '100', sources: ['test'], at: 0 }),
  ensure: async () => undefined,
};

const usd = (minor: bigint) => ({ minor, currency: 'USD' });

const ref = (coin: 'BTC' | 'LTC' = 'BTC') => ({
  userId: sim.world.merchant.userId,
  merchantId: sim.world.merchant.id,
  coin,
});
async function wrong(where: object): Promise<void> {
  const input = { ...ref(), threshold: '0.1', ...where };
  await expect(editForward(forwards.deps(), input)).rejects.toMatchObject({ code: 'VALIDATION_INVALID' });
}
const fees = async (): Promise<bigint> =>
  (await forwards.made()).reduce((sum, { fee }) => sum + BigInt(fee), 0n);
const audit = async () =>
  (await sim.world.db.selectFrom('audit_log').select(['action', 'result']).orderBy('id').execute()).map(
    ({ action, result }) => `${action}: ${result}`,
  );

describe('runForwards', () => {
  it('sends what is above the threshold to a fresh address each time, and what is kept stays', async () => {
    await forwards.rule('BTC', { to: COLD_KEY, keep: '0.5', threshold: '1' });
    const { addresses } = await forwards.view('BTC');
    await sim.fund('BTC', BTC);
    await forwards.run();
    expect(await forwards.made()).toEqual([]);
    expect((await forwards.view('BTC')).status).toBe('below_threshold');
    await sim.fund('BTC', BTC);
    await forwards.run();
    const [first] = await forwards.made();
    expect(first).toMatchObject({ destination: addresses[0], ordered: '150000000', reason: 'forward' });
    expect(BigInt(first?.amount ?? 0) + BigInt(first?.fee ?? 0)).toBe(150_000_000n);
    expect(await sim.world.balance('BTC')).toBe('0.5');
    await forwards.run();
    expect((await forwards.view('BTC')).status).toBe('in_flight');
    await sim.mine('BTC');
    await sim.fund('BTC', 2n * BTC);
    await forwards.run();
    expect((await forwards.view('BTC')).status).toBe('interval');
    sim.world.clock.advance(60 * MINUTE_MS);
    await forwards.run();
    const made = await forwards.made();
    expect(made.map(({ destination }) => destination)).toEqual(addresses.slice(0, 2));
    expect((await forwards.view('BTC')).nextIndex).toBe(2);
    expect(await audit()).toEqual([
      'forward destination took effect: OK',
      'forward made: OK',
      'forward made: OK',
    ]);
  });

  it.each(['BTC', 'LTC', 'ETH', 'SOL'] as const)('forwards %s to one address', async (coin) => {
    const to = sim.stranger(coin);
    await forwards.rule(coin, { to, threshold: '0.5' });
    await sim.fund(coin, coin === 'ETH' ? 10n ** 18n : coin === 'SOL' ? 10n ** 9n : BTC);
    await forwards.run();
    const [send] = await forwards.made();
    expect(send).toMatchObject({ destination: to, subtractFee: true });
    expect(await sim.world.balance(coin)).toBe('0');
  });

  it('waits while the fee is above its share, and pays within it once fees fall', async () => {
    await forwards.rule('BTC', { to: COLD_KEY, threshold: '0.001' });
    await sim.fund('BTC', 1_000_000n);
    const quote = await sim.world.adapter('BTC').feeQuote();
    const at = (rate: bigint): FeeQuote => ({ ...quote, rate });
    sim.line.quote = at(100_000n);
    await forwards.run();
    expect(await forwards.view('BTC')).toMatchObject({ status: 'fee_above_share', gap: 0 });
    expect((await forwards.view('BTC')).problem).toContain('is above the limit of 0.0001 BTC');
    sim.line.quote = at(20_000n);
    await forwards.run();
    const [send] = await forwards.made();
    expect(BigInt(send?.fee ?? 0)).toBeLessThanOrEqual(10_000n);
    expect(send?.maxFee).toBe('10000');
    expect(await audit()).toEqual([
      'forward not made: fee_above_share',
      'forward destination took effect: OK',
      'forward made: OK',
    ]);
  });

  it('makes nothing of a frozen wallet, above a limit, or without a node, and says why', async () => {
    await forwards.rule('BTC', { to: COLD_KEY, threshold: '0.1' });
    await sim.fund('BTC', BTC);
    const { db, clock, merchant, deps } = sim.world;
    await freezeByOperator(deps, { merchantId: merchant.id, reason: null });
    await forwards.run();
    expect((await forwards.view('BTC')).status).toBe('frozen');
    await unfreezeByOperator(deps, merchant.id);
    const perSend = { minor: 1n, currency: 'USD' };
    const put = async (limits: object) =>
      db.transaction(async (tx) =>
        putLimits(tx, {
          merchantId: merchant.id,
          limits: { ...NO_STORED_LIMITS, limits: { ...NO_LIMITS, ...limits } },
          now: clock.now(),
        }),
      );
    await put({ perSend });
    await forwards.run();
    expect((await forwards.view('BTC')).status).toBe('rate_unavailable');
    forwards.change = { rates };
    await forwards.run();
    expect((await forwards.view('BTC')).status).toBe('above_limit');
    expect(await db.selectFrom('send_approvals').select('id').execute()).toEqual([]);
    await put({});
    forwards.change = { chains: { get: () => null } };
    await forwards.run();
    forwards.change = {};
    expect((await forwards.view('BTC')).status).toBe('node_unavailable');
    expect(await forwards.made()).toEqual([]);
    expect((await forwards.view('BTC')).nextIndex).toBe(0);
    await forwards.run();
    expect(await forwards.made()).toHaveLength(1);
  });

  it('sends at most what the limits leave, counts as other sends do, and goes on the next day', async () => {
    const { db, clock, merchant } = sim.world;
    forwards.change = { rates };
    await forwards.rule('BTC', { to: COLD_KEY, threshold: '0.1' });
    await sim.fund('BTC', 3n * BTC);
    // The day of the shop begins.
    clock.advance(DAY_MS - (clock.now() % DAY_MS));
    const limits = { ...NO_LIMITS, perSend: usd(8_000n), perDay: usd(12_500n) };
    await db.transaction(async (tx) =>
      putLimits(tx, {
        merchantId: merchant.id,
        limits: { ...NO_STORED_LIMITS, limits },
        now: clock.now(),
      }),
    );
    const again = async () => {
      await forwards.run();
      await sim.mine('BTC');
      clock.advance(60 * MINUTE_MS);
    };
    // Of 300 dollars, 80 by the limit per send, then 45 by that of the day, give or take a fee that is not forwarded.
    await again();
    await again();
    const amounts = async () => (await forwards.made()).map(({ ordered }) => BigInt(ordered));
    const [first = 0n, second = 0n, ...more] = await amounts();
    expect([first, more]).toEqual([80_000_000n, []]);
    expect(second).toBeGreaterThanOrEqual(45_000_000n);
    expect(second).toBeLessThan(45_000_000n + (await fees()));
    await again();
    expect(await amounts()).toHaveLength(2);
    const { status, problem } = await forwards.view('BTC');
    expect(status).toBe('above_limit');
    expect(problem).toContain('above the limit per day');
    expect(await db.selectFrom('send_approvals').select('id').execute()).toEqual([]);
    clock.advance(DAY_MS);
    await again();
    expect((await amounts())[2]).toBe(80_000_000n);
    expect((await forwards.view('BTC')).problem).toBeNull();
  });

  it('makes one forward by rounds at once, and none again after a crash at its broadcast', async () => {
    await forwards.rule('BTC', { to: COLD_KEY, threshold: '0.1' });
    await sim.fund('BTC', BTC, BTC, BTC);
    sim.line.broadcast = async () => {
      throw new Error('killed');
    };
    await Promise.all([forwards.run(), forwards.run(), forwards.run()]);
    sim.line.broadcast = null;
    sim.world.restart();
    await forwards.run();
    await sim.fund('BTC', BTC);
    sim.world.clock.advance(DAY_MS);
    await forwards.run();
    expect(await forwards.made()).toHaveLength(1);
    expect((await forwards.view('BTC')).status).toBe('in_flight');
  });

  it('is stopped by the restore of an older copy, and skips addresses that may be used since', async () => {
    await forwards.rule('BTC', { to: COLD_KEY, threshold: '0.1' });
    await sim.fund('BTC', BTC);
    await forwards.run();
    await sim.mine('BTC');
    await editForward(forwards.deps(), { ...ref(), destination: sim.stranger('BTC') });
    await markRestored(sim.world.db, sim.world.clock);
    await sim.fund('BTC', BTC);
    sim.world.clock.advance(2 * DAY_MS);
    await forwards.run();
    expect(await forwards.view('BTC')).toMatchObject({
      status: 'restored',
      active: false,
      pending: null,
      nextIndex: 11,
    });
    expect(await forwards.made()).toHaveLength(1);
    await forwards.rule('BTC', { active: true });
    await forwards.run();
    expect((await forwards.made()).map(({ destination }) => destination)).toHaveLength(2);
  });

  it('never uses an address of a descriptor twice, also after the rule was deleted and made again', async () => {
    await forwards.rule('BTC', { to: COLD_KEY, threshold: '0.1' });
    await sim.fund('BTC', BTC);
    await forwards.run();
    await endForward(forwards.deps(), ref());
    const { descriptor } = await forwards.rule('BTC', { to: COLD_KEY, threshold: '0.1' });
    expect(descriptor).toBeNull();
    expect((await forwards.view('BTC')).nextIndex).toBe(1);
    const used = { descriptor: (await forwards.view('BTC')).descriptor ?? '', index: 0 };
    await expect(
      sim.world.db.transaction(async (tx) => useForwardIndex(tx, sim.world.chain('BTC'), used)),
    ).rejects.toThrow('used once');
  });
});

describe('a changed destination', () => {
  it('takes effect after the delay, and the previous one applies until then', async () => {
    const cold = sim.stranger('BTC', 1);
    const other = sim.stranger('BTC', 2);
    await forwards.rule('BTC', { to: cold, threshold: '0.1', intervalMinutes: 1 });
    await forwards.run();
    const changed = await editForward(forwards.deps(), { ...ref(), destination: other });
    expect(changed).toMatchObject({ destination: cold, pending: { destination: other } });
    await sim.fund('BTC', BTC);
    sim.world.clock.advance(DAY_MS - 1);
    await forwards.run();
    await sim.mine('BTC');
    await sim.fund('BTC', BTC);
    sim.world.clock.advance(MINUTE_MS);
    await forwards.run();
    expect((await forwards.made()).map(({ destination }) => destination)).toEqual([cold, other]);
    expect(await audit()).toContain('forward destination took effect: OK');
  });

  it('is dropped by the owner, and by the link of the mail, which works for that change alone', async () => {
    const cold = sim.stranger('BTC', 1);
    await forwards.rule('BTC', { to: cold, threshold: '0.1' });
    await forwards.run();
    const deps = forwards.deps();
    const change = async (index: number) =>
      editForward(deps, { ...ref(), destination: sim.stranger('BTC', index) });
    await change(2);
    expect(await dropPendingForward(deps, ref())).toMatchObject({ destination: cold, pending: null });
    await change(3);
    const rule = await findForward(sim.world.db, { ...sim.world.chain('BTC'), merchantId: ref().merchantId });
    const link = JSON.stringify(['forward-undo', rule?.id, rule?.pending?.id]);
    expect(await readPendingForward(deps, link)).toMatchObject({ coin: 'BTC' });
    await undoForward(deps, link);
    expect(await forwards.view('BTC')).toMatchObject({ destination: cold, pending: null });
    await change(3);
    await expect(undoForward(deps, link)).rejects.toMatchObject({ code: 'VALIDATION_INVALID' });
    expect((await forwards.view('BTC')).pending).not.toBeNull();
    const notices = await sim.world.db.selectFrom('notices').select('reason').orderBy('reason').execute();
    expect(notices.map(({ reason }) => reason)).toEqual([
      'forward_pending',
      'forward_pending',
      'forward_pending',
      'forward_pending',
      'forward_undone',
      'forward_undone',
    ]);
    expect(await audit()).toContain('forward change undone: OK');
  });

  it('is refused where it leads back to this wallet, to another network or to no spendable address', async () => {
    await sim.fund('BTC', BTC);
    await wrong({ destination: sim.world.address('BTC') });
    await wrong({ destination: sim.stranger('LTC') });
    await wrong({ descriptor: 'wpkh(x)' });
    await wrong({ descriptor: COLD_KEY, destination: sim.stranger('BTC') });
    await wrong({});
    await wrong({ destination: sim.stranger('BTC'), threshold: undefined });
    await wrong({ destination: sim.stranger('BTC'), threshold: '0.000001' });
    await wrong({ destination: sim.stranger('BTC'), keep: '-1' });
  });
});
