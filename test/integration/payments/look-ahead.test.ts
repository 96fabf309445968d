import { afterEach, beforeEach, expect, it } from 'vitest';
import { ChainError, type ChainAdapter } from '../../../src/domain/chain.ts';
import { countLookAhead } from '../../../src/store/ledger/look-ahead.ts';
import { reconcile } from '../../../src/usecases/chain-sync/reconcile.ts';
import { reserveGapLimit } from '../../../src/usecases/addresses/gap-limit.ts';
import { watchLookAhead } from '../../../src/usecases/addresses/watch-look-ahead.ts';
import { ChainFollower } from '../../../src/workers/chain-watcher/chain-follower.ts';
import { LookAhead } from '../../../src/workers/chain-watcher/look-ahead.ts';
import { outputFunds } from '../../_helpers/output-funds.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { creditTo } from '../../_helpers/scripted-chain.ts';

const LTC = { coin: 'LTC', mode: 'live' } as const;
const GAP = 100;
let world: PaymentWorld;
beforeEach(async () => {
  world = await openPaymentWorld();
});
afterEach(async () => world.close());

/** Address of a receiving branch, as the lost machine may have given it out. */
async function derived(index: number): Promise<string> {
  const { account } = await world.wallet.db
    .selectFrom('merchants')
    .select('account')
    .executeTakeFirstOrThrow();
  return world.deps.deriver.address({ ...LTC, account, branch: 0, index });
}

async function nextIndex(): Promise<number> {
  const row = await world.wallet.db
    .selectFrom('address_counters')
    .select('nextIndex')
    .where('coin', '=', 'LTC')
    .where('mode', '=', 'live')
    .where('branch', '=', 0)
    .executeTakeFirstOrThrow();
  return row.nextIndex;
}

async function recovered(): Promise<number[]> {
  const rows = await world.wallet.db
    .selectFrom('addresses')
    .select('idx')
    .where('coin', '=', 'LTC')
    .where('branch', '=', 0)
    .where('purpose', '=', 'recovered')
    .orderBy('idx')
    .execute();
  return rows.map(({ idx }) => idx);
}

function followerBeside(lookAhead: LookAhead, adapter = world.chains.LTC.adapter('LTC')): ChainFollower {
  const deps = { ...world.deps, lookAheadLeft: (chain: typeof LTC) => lookAhead.left(chain) };
  return new ChainFollower(deps as typeof world.deps, adapter, {
    pollIntervalMs: 1,
    maxBackoffMs: 1,
    statusEveryMs: 1,
  });
}

it('look-ahead addresses within the gap limit, reserved by a restore, are watched but never issued, also after a crash', async () => {
  const first = await nextIndex();
  await reserveGapLimit(world.deps, GAP);
  const reserved = Array.from({ length: GAP }, (_, at) => first + at);
  const payment = await world.order({ allowed: ['LTC'] });
  expect(addressOf(payment, 'LTC')).toBe(await derived(first + GAP));
  expect(await recovered()).toEqual([]);

  // Coin by coin: some of the first one's before the process died.
  await watchLookAhead(world.deps);
  const left = await countLookAhead(world.wallet.db);
  expect(left.get('BTC')).toBe(2 * GAP - 64);
  const lookAhead = await LookAhead.open(world.deps);
  expect(lookAhead.left({ coin: 'BTC', mode: 'live' })).toBe(2 * GAP - 64);
  expect(lookAhead.left({ coin: 'BTC', mode: 'sandbox' })).toBe(0);
  lookAhead.start();
  await eventually(
    'all are watched',
    () => lookAhead.left(LTC),
    (count) => count === 0,
  );
  await lookAhead.stop();
  expect(await recovered()).toEqual(reserved);
  expect((await countLookAhead(world.wallet.db)).size).toBe(0);
});

it('two restores in a row reserve two ranges of look-ahead addresses, and both are watched', async () => {
  const first = await nextIndex();
  await reserveGapLimit(world.deps, 3);
  await reserveGapLimit(world.deps, 3);
  while (await watchLookAhead(world.deps));
  expect(await recovered()).toEqual([0, 1, 2, 3, 4, 5].map((at) => first + at));
});

it('no block is read and no payment expires before the look-ahead addresses are watched', async () => {
  const payment = await world.order({ allowed: ['LTC'] });
  const lost = await derived(await nextIndex());
  await reserveGapLimit(world.deps, GAP);
  const lookAhead = await LookAhead.open(world.deps);
  const follower = followerBeside(lookAhead);
  world.chains.LTC.mine(world.now(), [creditTo(lost, 7n)]);
  world.advance(24 * 60 * MINUTE);
  world.chains.LTC.mine(world.now());
  expect(await follower.round()).toBe(false);
  expect(follower.seenThrough()).toBe(null);
  expect(follower.health()).toMatchObject({
    state: 'behind',
    nodeWarnings: expect.stringContaining('before the restore'),
  });
  expect((await world.payment(payment)).status).toBe('pending');
  const before = await world.wallet.db.selectFrom('outputs').selectAll().execute();
  expect(before).toEqual([]);

  lookAhead.start();
  await eventually(
    'all are watched',
    () => lookAhead.left(LTC),
    (count) => count === 0,
  );
  await lookAhead.stop();
  while (await follower.round());
  expect(follower.health()).toMatchObject({ state: 'following', nodeWarnings: null });
  const [output] = await world.wallet.db.selectFrom('outputs').selectAll().execute();
  expect(output).toMatchObject({ amount: '7', paymentId: null });
});

it('the chain is not read from a pruned node after a restore, because its missing blocks may pay look-ahead addresses', async () => {
  const pruneHeight = 2;
  while (world.chains.LTC.tip.height < 4) world.chains.LTC.mine(world.now());
  const whole = world.chains.LTC.adapter('LTC');
  const pruned: ChainAdapter = {
    ...whole,
    status: async () => ({ ...(await whole.status()), pruneHeight }),
    blockAt: async (height) => {
      if (height < pruneHeight) throw new ChainError('pruned', `the node pruned block ${height}`);
      return whole.blockAt(height);
    },
  };
  await reserveGapLimit(world.deps, 3);
  const lookAhead = await LookAhead.open(world.deps);
  const follower = followerBeside(lookAhead, pruned);
  expect(await follower.round()).toBe(false);
  while (await watchLookAhead(world.deps));
  await expect(followerBeside(await LookAhead.open(world.deps), pruned).round()).rejects.toThrow('pruned');
});

it('ledger and chain are not compared before the look-ahead addresses are watched', async () => {
  const lost = creditTo(await derived(await nextIndex()), 7n);
  await reserveGapLimit(world.deps, 3);
  const { height } = world.chains.LTC.mine(world.now(), [lost]);
  // The daemon watches them and reads the block while the node scans.
  const scanUnspent = outputFunds(async ({ watchKeys }) => {
    while (await watchLookAhead(world.deps));
    const follower = followerBeside(await LookAhead.open(world.deps));
    while (await follower.round());
    const found = { ref: lost.ref, watchKey: lost.watchKey, amount: lost.amount, height };
    const outputs = watchKeys.includes(lost.watchKey) ? [found] : [];
    return { tip: world.chains.LTC.tip, isComplete: true, outputs };
  });
  const adapter = { ...world.chains.LTC.adapter('LTC'), funds: scanUnspent };
  const compare = () => reconcile({ ...world.deps, db: world.wallet.db, patienceMs: 0 }, adapter);
  expect(await compare()).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('reserved') });
  while (await watchLookAhead(world.deps));
  expect(await compare()).toMatchObject({ kind: 'compared', ledger: 7n, differences: [] });
});
