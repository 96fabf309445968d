import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ChainError,
  UnsendableAmount,
  type ChainAdapter,
  type FeeQuote,
  type SendIntent,
  type SendPlan,
} from '../../../src/domain/chain.ts';
import type { Coin } from '../../../src/domain/coins.ts';
import type { Db } from '../../../src/store/sqlite/database.ts';
import { DEFAULT_SEND_POLICY } from '../../../src/domain/send/policy.ts';
import { settledDeposits } from '../../../src/store/ledger/deposits.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { failedSweeps } from '../../../src/store/sends/open-sends.ts';
import { fillNonceGaps } from '../../../src/usecases/wallet/lifecycle/fill-nonce-gaps.ts';
import { consolidateAccounts } from '../../../src/usecases/wallet/sweep/consolidate-accounts.ts';
import { InFlightSends } from '../../../src/usecases/wallet/lifecycle/in-flight-sends.ts';
import { sweepDeposits, type SweepDepositsDeps } from '../../../src/usecases/wallet/sweep/sweep-deposits.ts';
import { createSweepBackoff } from '../../../src/usecases/wallet/sweep/sweep-backoff.ts';
import { SweepLoop } from '../../../src/workers/chain-watcher/sweep-loop.ts';
import { MERCHANT_COLUMNS, OUTPUT_COLUMNS } from '../../_helpers/columns.ts';
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
  await sql`insert into merchants ${MERCHANT_COLUMNS} values ('m', 'u', 1, 'Shop', null, 'm', 't', null, null, 's', null, null,
    0, 60, 50, 'accept', 1, 1)`.execute(db);
  for (const [at, coin] of (['ETH', 'SOL'] as const).entries()) {
    await sql`insert into chain_cursors values (${coin}, 'live', 9, 'h', null, null, 1)`.execute(db);
    for (let deposit = 1; deposit <= DEPOSITS; deposit += 1) {
      const id = at * DEPOSITS + deposit;
      const name = `a${id}`;
      await sql`insert into addresses values (${id}, 'm', ${coin}, 'live', 0, ${deposit}, ${name}, ${name},
        'payment', 'p', 1)`.execute(db);
      await sql`insert into outputs ${OUTPUT_COLUMNS} values (${id}, ${coin}, 'live', ${`t${id}`}, 0, ${id}, 'm', 'p', '9', 'confirmed', 5,
        'b', 1, 1, 0, null, null, null, null, 1, 1, 1)`.execute(db);
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
    policy: DEFAULT_SEND_POLICY,
    deriver: { address: () => 'wallet' },
    confirmations: () => ({ base: 1, tiers: [] }),
  } as unknown as SweepDepositsDeps;
}

const busy = async (): Promise<FeeQuote> => Promise.reject(new ChainError('unavailable', 'busy'));

async function failSweep(lane: string, coin: Coin, at: number): Promise<void> {
  const rest = {
    subtractFee: true,
    ordered: '9',
    amount: '9',
    fee: '1',
    maxFee: '1',
    version: 1,
    nonce: 0,
    broadcasts: 1,
  } as const;
  const nothing = { height: null, error: 'no', idempotencyKey: null, nextBroadcastAt: null } as const;
  const told = { announcedTxid: null, confirmedTxid: null, createdAt: at, updatedAt: at } as const;
  const id = `snd_${lane}_${at}`;
  const row = {
    id,
    merchantId: 'm',
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

test('sweeps of other coins are not delayed by a node that is slow to return its fee rate', async () => {
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

test('sweeps of other deposits are not delayed by a deposit or a merchant with errors', async () => {
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
  const memory = createSweepBackoff(deps.clock);
  await sweepDeposits(deps, live('ETH'), memory);
  expect(new Set(asked)).toEqual(new Set(Array.from({ length: DEPOSITS }, (_, at) => `a${at + 1}`)));
  expect(errors).toHaveLength(DEPOSITS);
  await consolidateAccounts(deps, live('SOL'), memory);
  expect(errors.at(-1)).toMatchObject({ coin: 'SOL', merchantId: 'm' });
  const open = { ...live('ETH'), purpose: 'send', status: 'broadcast', nonce: 1 } as const;
  await failSweep('a1', 'ETH', 1);
  await failSweep('a1', 'ETH', 2);
  await db.updateTable('sends').set(open).where('createdAt', '=', 2).execute();
  await fillNonceGaps(deps, live('ETH'), memory);
  expect(errors.at(-1)).toMatchObject({ coin: 'ETH', address: 'a1', nonce: 0 });
});

/** Larger deposits than the others, more than a round takes. */
async function addLarge(count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, at) => `large${at}`);
  for (const [at, name] of names.entries()) {
    const id = 1_000 + at;
    await sql`insert into addresses values (${id}, 'm', 'ETH', 'live', 0, ${id}, ${name}, ${name},
      'payment', 'p', 1)`.execute(db);
    await sql`insert into outputs ${OUTPUT_COLUMNS} values (${id}, 'ETH', 'live', ${`t${id}`}, 0, ${id}, 'm', 'p', '99', 'confirmed', 5,
      'b', 1, 1, 0, null, null, null, null, 1, 1, 1)`.execute(db);
  }
  return names;
}

/** Rounds in a row with one memory: who was asked about in each, and what was logged. */
function rounds(feeQuote: (from: string | undefined) => Promise<FeeQuote>) {
  let asked: (string | undefined)[] = [];
  const lines: unknown[] = [];
  const quote = async (intent?: SendIntent): Promise<FeeQuote> => {
    asked.push(intent?.from);
    return feeQuote(intent?.from);
  };
  const adapter = { ...new ScriptedChain(1).adapter('ETH'), feeQuote: quote };
  const clock = new TestClock();
  const note = (fields: object, message: string) => void lines.push({ ...fields, message });
  const deps = { ...depsOf(() => adapter), clock, logger: { ...silent, warn: note, error: note } };
  const memory = createSweepBackoff(clock);
  const takeAsked = () => {
    const taken = asked;
    asked = [];
    return taken;
  };
  const round = async () => {
    await sweepDeposits(deps, live('ETH'), memory);
    return takeAsked();
  };
  return { clock, lines, deps, memory, takeAsked, round };
}

test('sweeps are attempted for every deposit although the largest ones cannot be swept, and each failure is logged once', async () => {
  const large = await addLarge(25);
  const { clock, lines, round } = rounds(async () => Promise.reject(new UnsendableAmount('refused')));
  const first = await round();
  expect(first).toHaveLength(20);
  expect(large).toEqual(expect.arrayContaining(first));
  const second = await round();
  expect(new Set([...first, ...second]).size).toBe(25 + DEPOSITS);
  expect(await round()).toEqual([]);
  expect(lines).toHaveLength(25 + DEPOSITS);
  clock.advance(60_000);
  const again = await round();
  expect(again).toEqual(first);
  expect(await round()).toEqual(second);
  // The rest is doubled, and ends.
  clock.advance(60_000);
  expect(await round()).toEqual([]);
  for (let hour = 0; hour < 24; hour += 1) {
    clock.advance(3_600_000);
    const asked = [...(await round()), ...(await round())];
    expect(new Set(asked).size).toBe(25 + DEPOSITS);
  }
  expect(lines).toHaveLength(25 + DEPOSITS);
});

test('sweeps of failed deposits are retried although new deposits would fill a whole round', async () => {
  const large = await addLarge(20);
  const { clock, round } = rounds(async () => Promise.reject(new UnsendableAmount('refused')));
  expect(new Set(await round())).toEqual(new Set(large));
  await sql`delete from outputs where amount = '9'`.execute(db);
  clock.advance(60_000);
  for (let id = 2_000; id < 2_030; id += 1) {
    await sql`insert into addresses values (${id}, 'm', 'ETH', 'live', 0, ${id}, ${`n${id}`}, ${`n${id}`},
      'payment', 'p', 1)`.execute(db);
    await sql`insert into outputs ${OUTPUT_COLUMNS} values (${id}, 'ETH', 'live', ${`t${id}`}, 0, ${id}, 'm', 'p', '5', 'confirmed', 5,
      'b', 1, 1, 0, null, null, null, null, 1, 1, 1)`.execute(db);
  }
  const asked = await round();
  expect(asked).toHaveLength(20);
  expect(asked.filter((address) => address?.startsWith('n'))).toHaveLength(15);
  expect(asked.filter((address) => address?.startsWith('large'))).toHaveLength(5);
});

test('sweeps reach all other deposits although the node never answers for one deposit', async () => {
  const [poison] = await addLarge(1);
  const { clock, lines, round } = rounds(async (from) =>
    Promise.reject(from === poison ? new ChainError('bad_answer', 'odd') : new UnsendableAmount('refused')),
  );
  expect(await round()).toEqual([poison]);
  const second = await round();
  expect(second).toHaveLength(DEPOSITS + 1);
  expect(second.at(-1)).toBe(poison);
  clock.advance(60_000);
  expect(new Set(await round()).size).toBe(DEPOSITS + 1);
  expect(lines.filter((line) => JSON.stringify(line).includes('odd'))).toHaveLength(1);
});

test('a node outage is logged once, whatever deposits it affects, and again when it recurs', async () => {
  let isDown = true;
  const { clock, lines, round } = rounds(async () =>
    Promise.reject(isDown ? new ChainError('unavailable', 'down') : new UnsendableAmount('refused')),
  );
  for (let at = 0; at < 5; at += 1) expect(await round()).toHaveLength(1);
  expect(lines).toMatchObject([{ coin: 'ETH', error: 'down' }]);
  isDown = false;
  clock.advance(60_000);
  expect(await round()).toHaveLength(DEPOSITS);
  isDown = true;
  clock.advance(3_600_000);
  expect(await round()).toHaveLength(1);
  expect(lines.filter((line) => JSON.stringify(line).includes('down'))).toHaveLength(2);
});

test('sweeps for a merchant and a nonce gap that fail are retried with backoff, and logged once', async () => {
  const { clock, lines, deps, memory, takeAsked } = rounds(async () =>
    Promise.reject(new UnsendableAmount('refused')),
  );
  await failSweep('a1', 'ETH', 1);
  await failSweep('a1', 'ETH', 2);
  const open = { ...live('ETH'), purpose: 'send', status: 'broadcast', nonce: 1 } as const;
  await db.updateTable('sends').set(open).where('createdAt', '=', 2).execute();
  const both = async () => {
    await fillNonceGaps(deps, live('ETH'), memory);
    await consolidateAccounts(deps, live('SOL'), memory);
    return takeAsked().length;
  };
  expect(await both()).toBe(2);
  expect(await both()).toBe(0);
  clock.advance(60_000);
  expect(await both()).toBe(2);
  clock.advance(60_000);
  expect(await both()).toBe(0);
  clock.advance(60_000);
  expect(await both()).toBe(2);
  expect(lines).toHaveLength(2);
});

test('sweeps close every nonce gap in turn, however many other gaps the node does not know', async () => {
  const lanes = await addLarge(25);
  const open = { ...live('ETH'), purpose: 'send', status: 'broadcast', nonce: 1 } as const;
  for (const lane of lanes) for (const at of [1, 2]) await failSweep(lane, 'ETH', at);
  await db.updateTable('sends').set(open).where('createdAt', '=', 2).execute();
  const { clock, deps, memory, takeAsked, lines } = rounds(async () => ({ rate: 1n, source: 'test', at: 0 }));
  // It counts from a higher index: the lower ones are in use.
  const elsewhere = { account: { chainId: 1, nonce: 7, gasLimit: 1n } } as SendPlan;
  const adapter = { ...deps.chains.get('ETH', 'live'), planSend: () => elsewhere } as ChainAdapter;
  const world = { ...deps, chains: { get: () => adapter }, inFlight: new InFlightSends() };
  await fillNonceGaps(world, live('ETH'), memory);
  expect(takeAsked()).toHaveLength(20);
  await fillNonceGaps(world, live('ETH'), memory);
  expect(takeAsked()).toHaveLength(5);
  await fillNonceGaps(world, live('ETH'), memory);
  expect(takeAsked()).toEqual([]);
  clock.advance(60_000);
  await fillNonceGaps(world, live('ETH'), memory);
  expect(takeAsked()).toHaveLength(20);
  expect(lines).toEqual([]);
});

test('sweeps are retried immediately after the clock was set back, although the last failure lies in the future', async () => {
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
