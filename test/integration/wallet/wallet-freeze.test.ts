import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import {
  insertMinedVersion,
  insertSendVersion,
  listVersions,
} from '../../../src/store/sends/send-versions.ts';
import { findSend, insertMinedSend, insertSend } from '../../../src/store/sends/sends.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { failReverted } from '../../../src/usecases/wallet/lifecycle/fail-reverted.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { fillNonceGaps } from '../../../src/usecases/wallet/lifecycle/fill-nonce-gaps.ts';
import { prepareSends } from '../../../src/usecases/wallet/lifecycle/prepare-sends.ts';
import { releaseQueued } from '../../../src/usecases/wallet/lifecycle/release-queued.ts';
import {
  freezeByOperator,
  freezeWallet,
  getFreeze,
  unfreezeByOperator,
  unfreezeWallet,
} from '../../../src/usecases/wallet/freeze-wallet.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { cancelSend } from '../../../src/usecases/wallet/send/cancel-send.ts';
import { sendCoins } from '../../../src/usecases/wallet/send/send-coins.ts';
import { consolidateRound } from '../../../src/usecases/wallet/sweep/consolidate-rounds.ts';
import { consolidate } from '../../../src/usecases/wallet/sweep/consolidate.ts';
import { consolidateAccounts } from '../../../src/usecases/wallet/sweep/consolidate-accounts.ts';
import { createSweepBackoff } from '../../../src/usecases/wallet/sweep/sweep-backoff.ts';
import { sweepDeposits } from '../../../src/usecases/wallet/sweep/sweep-deposits.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const COINS = ['BTC', 'ETH', 'SOL'] as const;
const MINUTE_MS = 60_000;
let sim: SimulatedWorld;

beforeEach(async () => {
  sim = await openSimulatedWorld({ consolidateBelowRate: 10n ** 9n });
});
afterEach(async () => sim.close());

const actor = () => ({ kind: 'user', id: sim.world.merchant.userId, role: 'owner' }) as const;
const freeze = async (reason: string | null = null) =>
  freezeWallet(sim.world.deps, { merchantId: sim.world.merchant.id, actor: actor(), reason });
const unfreeze = async () =>
  unfreezeWallet(sim.world.deps, { userId: sim.world.merchant.userId, merchantId: sim.world.merchant.id });
const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'OK',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

/** What was signed so far, cancellations apart: the only thing that may grow while a wallet is frozen. */
async function signed(): Promise<string[]> {
  const rows = await sim.world.db
    .selectFrom('send_versions')
    .select(['sendId', 'version'])
    .where('cancels', '=', false)
    .orderBy('sendId')
    .orderBy('version')
    .execute();
  return rows.map(({ sendId, version }) => `${sendId}/${version}`);
}

async function loops(): Promise<void> {
  const { deps } = sim.world;
  for (const coin of COINS) {
    const chain = sim.world.chain(coin);
    const memory = createSweepBackoff(deps.clock);
    await failReverted({ ...deps, confirmations: () => ({ base: 1, tiers: [] }) }, chain);
    await advanceSends(deps, chain);
    await prepareSends(deps, chain);
    await bumpSends(deps, chain);
    await releaseQueued(deps, chain);
    await consolidateRound(deps, chain);
    await fillNonceGaps(deps, chain, memory);
    await sweepDeposits(deps, chain, memory);
    await consolidateAccounts(deps, chain, memory);
  }
}

describe('freezeWallet', () => {
  it('causes every send, refund and bump to be refused, and none is stored', async () => {
    await sim.fund('BTC', 10n ** 8n, 10n ** 8n, 10n ** 8n);
    const { id: sendId } = await sim.send('BTC', '0.1');
    await freeze('a key was stolen');
    const before = await signed();
    const { merchant, deps } = sim.world;
    const orders = [
      sendCoins(deps, sim.order('BTC', '0.1')),
      consolidate(deps, { merchant, coin: 'BTC' }),
      bumpSend(deps, { merchantId: merchant.id, sendId, feeRate: '50' }),
    ];
    expect(await Promise.all(orders.map(codeOf))).toEqual([
      'WALLET_FROZEN',
      'WALLET_FROZEN',
      'WALLET_FROZEN',
    ]);
    expect(await signed()).toEqual(before);
    await expect(sendCoins(deps, sim.order('BTC', '0.1'))).rejects.toThrow(
      /^the wallet is frozen since .+ \(a key was stolen\)/,
    );
  });

  it('lets a repeated request read the send that was signed before the freeze', async () => {
    await sim.fund('BTC', 10n ** 8n);
    const first = await sim.send('BTC', '0.1', { idempotencyKey: 'payout-1' });
    await freeze();
    expect((await sim.send('BTC', '0.1', { idempotencyKey: 'payout-1' })).id).toBe(first.id);
  });

  it('does not stop sends that a node had before: they are rebroadcast, confirmed, and can be cancelled', async () => {
    await sim.fund('BTC', 10n ** 8n, 10n ** 8n);
    sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'no answer' });
    const kept = await sim.send('BTC', '0.1');
    const stolen = await sim.send('BTC', '0.2');
    await freeze();
    sim.line.broadcast = null;
    sim.world.clock.advance(MINUTE_MS);
    await loops();
    const { merchant, deps } = sim.world;
    await cancelSend(deps, { merchantId: merchant.id, sendId: stolen.id });
    await sim.mine('BTC', 8);
    await loops();
    expect((await sim.status(kept.id)).status).toBe('confirmed');
    expect((await sim.status(stolen.id)).status).toBe('failed');
  });

  it('stops signed sends that no node has had until the unfreeze, but not their cancellation', async () => {
    await sim.fund('BTC', 10n ** 8n, 10n ** 8n);
    const { db, deps, merchant, clock } = sim.world;
    sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'no answer' });
    const { id: kept } = await sim.send('BTC', '0.1');
    const { id: stolen } = await sim.send('BTC', '0.2');
    // As after a process that ended between storing the bytes and broadcasting them.
    await db.updateTable('sends').set({ broadcasts: 0 }).execute();
    await freeze();
    sim.line.broadcast = null;
    clock.advance(60 * MINUTE_MS);
    await advanceSends(deps, sim.world.chain('BTC'), { resume: true });
    await loops();
    expect([await findSend(db, kept), await findSend(db, stolen)]).toMatchObject([
      { broadcasts: 0, status: 'signed' },
      { broadcasts: 0, status: 'signed' },
    ]);
    sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'no answer' });
    await cancelSend(deps, { merchantId: merchant.id, sendId: stolen });
    sim.line.broadcast = null;
    clock.advance(60 * MINUTE_MS);
    await loops();
    expect((await findSend(db, stolen))?.version).toBe(2);
    expect(await findSend(db, kept)).toMatchObject({ broadcasts: 0, status: 'signed' });
    await unfreeze();
    await loops();
    expect(await findSend(db, kept)).toMatchObject({ status: 'broadcast' });
    await sim.mine('BTC', 8);
    await loops();
    expect((await sim.status(kept)).status).toBe('confirmed');
    expect((await sim.status(stolen)).status).toBe('failed');
  });

  it('refuses a cancellation that raises maxFee, and allows one within the current limit', async () => {
    await sim.fund('BTC', 10n ** 8n);
    const { id: sendId, maxFee } = await sim.send('BTC', '0.1');
    await freeze();
    const { merchant, deps, db } = sim.world;
    const cancel = async (fees: { feeRate?: string; maxFee?: string }) =>
      cancelSend(deps, { merchantId: merchant.id, sendId, ...fees });
    await expect(cancel({ feeRate: '900000', maxFee: '1' })).rejects.toMatchObject({
      code: 'WALLET_FROZEN',
      message: expect.stringMatching(/^maxFee cannot be raised: the wallet is frozen since/) as string,
    });
    expect(await codeOf(cancel({ feeRate: '900000' }))).toBe('FEE_ABOVE_LIMIT');
    expect(await findSend(db, sendId)).toMatchObject({ maxFee: parseCoinAmount(maxFee, 'BTC').toString() });
    expect(await listVersions(db, sendId)).toHaveLength(1);
    expect(await codeOf(cancel({ maxFee }))).toBe('OK');
    expect((await listVersions(db, sendId)).at(-1)).toMatchObject({ cancels: true });
  });

  it('applies to every wallet when the operator freezes all, until the operator unfreezes them', async () => {
    await sim.fund('BTC', 10n ** 8n);
    expect(await freezeByOperator(sim.world.deps, { merchantId: null, reason: null })).toBe(true);
    expect(await freezeByOperator(sim.world.deps, { merchantId: null, reason: null })).toBe(false);
    expect(await codeOf(sendCoins(sim.world.deps, sim.order('BTC', '0.1')))).toBe('WALLET_FROZEN');
    expect(await unfreeze()).toMatchObject({ frozen: true, byOperator: true });
    expect(await codeOf(sendCoins(sim.world.deps, sim.order('BTC', '0.1')))).toBe('WALLET_FROZEN');
    expect(await unfreezeByOperator(sim.world.deps, null)).toBe(true);
    expect(await codeOf(sendCoins(sim.world.deps, sim.order('BTC', '0.1')))).toBe('OK');
  });

  it('keeps time, user and reason of the first freeze', async () => {
    const first = await freeze('first');
    sim.world.clock.advance(MINUTE_MS);
    expect(await freeze('second')).toEqual(first);
    expect(await getFreeze(sim.world.db, sim.world.merchant.id)).toMatchObject({
      frozen: true,
      reason: 'first',
      frozenBy: expect.stringContaining('@') as string,
    });
    expect(await unfreeze()).toMatchObject({ frozen: false, frozenAt: null });
  });

  it('can be undone only by the owner', async () => {
    await freeze();
    const stranger = { userId: 'usr_someone', merchantId: sim.world.merchant.id };
    expect(await codeOf(unfreezeWallet(sim.world.deps, stranger))).toBe('MERCHANT_NOT_FOUND');
    expect((await getFreeze(sim.world.db, sim.world.merchant.id)).frozen).toBe(true);
  });
});

describe('the database of a frozen wallet', () => {
  it('rejects rows of sends and versions, unless a block contains them or they cancel', async () => {
    await sim.fund('BTC', 10n ** 8n);
    const { id } = await sim.send('BTC', '0.1');
    const { db } = sim.world;
    const row = await findSend(db, id);
    const [version] = await listVersions(db, id);
    if (row === undefined || version === undefined) throw new Error('no send was stored');
    await freeze();
    const next = { ...version, version: 2, txid: 'f'.repeat(64) };
    const another = { ...row, id: 'snd_another', idempotencyKey: null };
    const { clock, deps } = sim.world;
    const leaving = {
      creator: null,
      watchKeys: [''],
      rates: deps.rates,
      freeFee: 0n,
      feeShareBps: deps.policy.maxFeeShareBps,
      provenDepth: deps.policy.surplusDepth,
      now: clock.now(),
    };
    const rejected = new Error('rejected');
    const tried = async (
      work: (tx: Parameters<Parameters<typeof db.transaction>[0]>[0]) => Promise<unknown>,
    ) =>
      codeOf(
        db.transaction(async (tx) => {
          await work(tx);
          throw rejected;
        }),
      );
    expect(await tried(async (tx) => insertSend(tx, another, leaving))).toBe('WALLET_FROZEN');
    expect(await tried(async (tx) => insertSendVersion(tx, next))).toBe('WALLET_FROZEN');
    expect(await tried(async (tx) => insertSendVersion(tx, { ...next, cancels: true }))).toBe(
      String(rejected),
    );
    expect(await tried(async (tx) => insertMinedSend(tx, another))).toBe(String(rejected));
    expect(await tried(async (tx) => insertMinedVersion(tx, next))).toBe(String(rejected));
  });
});

it('a wallet freeze among 50 concurrent sends prevents every signature after the freeze is stored', async () => {
  await sim.fund('BTC', ...Array.from({ length: 60 }, () => 10n ** 7n));
  const { deps } = sim.world;
  const results: string[] = [];
  let atFreeze: readonly string[] = [];
  const worker = async (): Promise<void> => {
    for (let order = 0; order < 5; order += 1) {
      results.push(await codeOf(sendCoins(deps, sim.order('BTC', '0.01'))));
      if (results.length !== 20) continue;
      await freeze();
      atFreeze = await signed();
    }
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  expect(results).toHaveLength(50);
  expect(new Set(results)).toEqual(new Set(['OK', 'WALLET_FROZEN']));
  expect(await signed()).toEqual(atFreeze);
  expect(atFreeze.length).toBeGreaterThan(19);
  expect(atFreeze).toHaveLength(results.filter((result) => result === 'OK').length);
});

type Step =
  'send' | 'bump' | 'cancel' | 'consolidate' | 'pay' | 'loops' | 'mine' | 'dear' | 'refuse' | 'flip';
const steps = fc.array(
  fc.constantFrom<Step>(
    'send',
    'bump',
    'cancel',
    'consolidate',
    'pay',
    'loops',
    'loops',
    'mine',
    'dear',
    'refuse',
    'flip',
    'flip',
  ),
  { minLength: 6, maxLength: 24 },
);

it('a frozen wallet signs nothing on any sequence of requests, send rounds, blocks and fees', async () => {
  let signedFrozen = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      await sim.close();
      sim = await openSimulatedWorld({ consolidateBelowRate: 10n ** 9n }, { mostInputs: 3 });
      const perform = createSteps();
      await sim.fund('BTC', ...Array.from({ length: 8 }, () => 10n ** 6n));
      await sim.fund('ETH', 10n ** 18n);
      await sim.fund('SOL', 10n ** 10n);
      for (const [index, step] of sequence.entries()) {
        const { frozen } = await getFreeze(sim.world.db, sim.world.merchant.id);
        const before = frozen ? await signed() : null;
        await perform(step, COINS[index % COINS.length] ?? 'BTC');
        if (before === null || step === 'flip') continue;
        expect(await signed()).toEqual(before);
        signedFrozen += 1;
      }
    }),
    { numRuns: 25 },
  );
  // The property says nothing if the wallet was never frozen.
  expect(signedFrozen).toBeGreaterThan(25);
});

async function ignore(work: Promise<unknown>): Promise<void> {
  expect(await codeOf(work)).not.toMatch(/^(Type|Reference|Range|Assertion)Error/);
}

function createSteps(): (step: Step, coin: (typeof COINS)[number]) => Promise<void> {
  const { deps, merchant, clock } = sim.world;
  const ids: string[] = [];
  return async (step, coin) => {
    const replace = { merchantId: merchant.id, sendId: ids.at(-1) ?? 'snd_none' };
    if (step === 'send') {
      const amount = coin === 'BTC' ? '0.06' : '0.1';
      await ignore(sendCoins(deps, sim.order(coin, amount)).then(({ id }) => ids.push(id)));
    }
    if (step === 'bump') await ignore(bumpSend(deps, replace));
    if (step === 'cancel') await ignore(cancelSend(deps, replace));
    if (step === 'consolidate') await ignore(consolidate(deps, { merchant, coin: 'BTC' }));
    if (step === 'loops') await loops();
    if (step === 'mine') await sim.mine(coin);
    if (step === 'pay') await sim.fund(coin, coin === 'BTC' ? 10n ** 6n : 10n ** 9n);
    if (step === 'dear') {
      clock.advance(60 * MINUTE_MS);
      sim.line.quote =
        sim.line.quote === null && coin === 'BTC' ? { rate: 40_000n, source: 'test', at: 0 } : null;
    }
    if (step === 'refuse') {
      const refused = { kind: 'rejected', reason: 'no' } as const;
      sim.line.broadcast = sim.line.broadcast === null ? async () => refused : null;
    }
    if (step !== 'flip') return;
    const { frozen } = await getFreeze(sim.world.db, merchant.id);
    await (frozen ? unfreeze() : freeze());
  };
}
