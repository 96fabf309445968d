import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ChainError,
  UnsendableAmount,
  type ChainAdapter,
  type FeeQuote,
  type SendIntent,
} from '../../../src/domain/chain.ts';
import type { Coin } from '../../../src/domain/coins.ts';
import type { Db } from '../../../src/store/database.ts';
import { settledDeposits } from '../../../src/store/deposits.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/open.ts';
import { failedSweeps } from '../../../src/store/sends.ts';
import { closeGaps } from '../../../src/usecases/wallet/close-gaps.ts';
import { gatherDeposits } from '../../../src/usecases/wallet/gather-deposits.ts';
import { sweepDeposits, type SweepDepositsDeps } from '../../../src/usecases/wallet/sweep-deposits.ts';
import { SweepLoop } from '../../../src/watcher/sweep-loop.ts';
import { eventually } from '../../_helpers/poll.ts';
import { ScriptedChain } from '../../_helpers/scripted-chain.ts';
import { silent, TestClock } from '../../_helpers/wallet-world.ts';

const YEAR_MS = 365 * 24 * 3_600_000;
const DEPOSITS = 12;
const live = (coin: Coin) => ({ coin, mode: 'live' as const });
let store: OpenDatabase;
let db: Db;

/** A merchant with settled deposits, in ETH and SOL. */
beforeEach(async () => {
  store = await openDatabase(':memory:');
  ({ db } = store);
  await sql`pragma foreign_keys = off`.execute(db);
  await sql`insert into merchants values ('m', 'u', 1, 'Shop', null, 'm', 't', null, null, 's', null, null,
    0, 60, 50, 'accept', 1, 1)`.execute(db);
  for (const [at, coin] of (['ETH', 'SOL'] as const).entries()) {
    await sql`insert into chain_cursors values (${coin}, 'live', 9, 'h', null, null, 1)`.execute(db);
    for (let deposit = 1; deposit <= DEPOSITS; deposit += 1) {
      const id = at * DEPOSITS + deposit;
      const name = `a${id}`;
      await sql`insert into addresses values (${id}, 'm', ${coin}, 'live', 0, ${deposit}, ${name}, ${name},
        'payment', 'p', 1)`.execute(db);
      await sql`insert into outputs values (${id}, ${coin}, 'live', ${`t${id}`}, 0, ${id}, 'm', 'p', '9', 'confirmed', 5,
        'b', 1, 1, 0, null, null, null, null, 1, 1)`.execute(db);
    }
  }
});
afterEach(async () => store.close());

/** What the rounds use as long as no chain takes a send. */
function depsOf(get: (coin: Coin) => ChainAdapter | null): SweepDepositsDeps {
  return {
    db,
    clock: new TestClock(),
    logger: silent,
    chains: { get },
    deriver: { address: () => 'wallet' },
    confirmations: () => ({ base: 1, tiers: [] }),
  } as unknown as SweepDepositsDeps;
}

const busy = async (): Promise<FeeQuote> => Promise.reject(new ChainError('unavailable', 'busy'));

async function failSweep(lane: string, coin: Coin, at: number): Promise<void> {
  const rest = {
    subtract_fee: 1,
    ordered: '9',
    amount: '9',
    fee: '1',
    version: 1,
    nonce: 0,
    broadcasts: 1,
  } as const;
  const nothing = { height: null, error: 'no', idempotency_key: null, next_broadcast_at: null } as const;
  const told = { announced_txid: null, confirmed_txid: null, created_at: at, updated_at: at } as const;
  const id = `snd_${lane}_${at}`;
  const row = {
    id,
    merchant_id: 'm',
    ...live(coin),
    purpose: 'sweep',
    lane,
    destination: 'd',
    txid: id,
  } as const;
  await db
    .insertInto('sends')
    .values({ ...row, ...rest, ...nothing, ...told, status: 'failed' })
    .execute();
}

test('a node that is slow to tell its fees does not keep the deposits of other coins from being moved', async () => {
  const asked: Coin[] = [];
  const answer = Promise.withResolvers<never>();
  const slow = async (): Promise<FeeQuote> => answer.promise;
  const adapterOf = (coin: Coin): ChainAdapter => ({
    ...new ScriptedChain(1).adapter(coin),
    feeQuote: async () => {
      asked.push(coin);
      return coin === 'ETH' ? slow() : busy();
    },
  });
  const adapters = (['ETH', 'SOL'] as const).map(adapterOf);
  const deps = depsOf((coin) => adapters.find((each) => each.coin === coin) ?? null);
  const loop = new SweepLoop(deps, adapters, { intervalMs: 10, trusted: () => deps.chains });
  loop.start();
  await eventually(
    'both are asked, SOL again and again',
    () => asked.filter((coin) => coin === 'SOL').length,
    (rounds) => rounds > 2,
  );
  expect(asked.filter((coin) => coin === 'ETH')).toHaveLength(1);
  answer.reject(new ChainError('unavailable', 'timeout'));
  await loop.stop();
});

test('a deposit or a merchant that cannot be served does not keep those behind from being moved', async () => {
  const asked: (string | undefined)[] = [];
  const refused = async (intent?: SendIntent): Promise<FeeQuote> => {
    asked.push(intent?.from);
    throw new UnsendableAmount('the contract at the destination refuses this transfer');
  };
  const adapter = { ...new ScriptedChain(1).adapter('ETH'), feeQuote: refused };
  const errors: object[] = [];
  const deps = {
    ...depsOf(() => adapter),
    logger: { ...silent, error: (fields: object) => void errors.push(fields) },
  };
  await sweepDeposits(deps, live('ETH'));
  expect(new Set(asked)).toEqual(new Set(Array.from({ length: DEPOSITS }, (_, at) => `a${at + 1}`)));
  expect(errors).toHaveLength(DEPOSITS);
  await gatherDeposits(deps, live('SOL'));
  expect(errors.at(-1)).toMatchObject({ coin: 'SOL', merchantId: 'm' });
  const open = { ...live('ETH'), purpose: 'send', status: 'broadcast', nonce: 1 } as const;
  await failSweep('a1', 'ETH', 1);
  await failSweep('a1', 'ETH', 2);
  await db.updateTable('sends').set(open).where('created_at', '=', 2).execute();
  await closeGaps(deps, live('ETH'));
  expect(errors.at(-1)).toMatchObject({ coin: 'ETH', address: 'a1', nonce: 0 });
});

test('a sweep that failed by a clock since set back is not waited for until then', async () => {
  const now = 2 * YEAR_MS;
  const upTo = { height: 9, failedBefore: now - 3_600_000, now };
  const moved = async () => (await settledDeposits(db, live('ETH'), upTo)).length;
  await failSweep('a1', 'ETH', now - 1_000);
  expect(await moved()).toBe(DEPOSITS - 1);
  await failSweep('a2', 'ETH', now + YEAR_MS);
  expect(await moved()).toBe(DEPOSITS - 1);
  await failSweep('a13', 'SOL', now + YEAR_MS);
  const wallet = { ...live('SOL'), merchantId: 'm' };
  const failures = async () => failedSweeps(db, wallet, { since: now - 24 * 3_600_000, now });
  expect(await failures()).toEqual({ count: 0, lastAt: 0 });
  await failSweep('a14', 'SOL', now - 1_000);
  expect(await failures()).toEqual({ count: 1, lastAt: now - 1_000 });
});
