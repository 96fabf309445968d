import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ChainError, type ChainBlock } from '../../../src/domain/chain.ts';
import { advanceCursor, findCursor } from '../../../src/store/chain-cursors.ts';
import { inTransaction } from '../../../src/store/database.ts';
import { flushAsideOf } from '../../../src/store/runners.ts';
import { recordBlock } from '../../../src/usecases/chain/record-block.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';

const CHAIN = { coin: 'BTC', mode: 'live' } as const;
const START = { height: 7, hash: 'aa'.repeat(32) };

let world: PaymentWorld;
let woken = 0;

beforeEach(async () => {
  world = await openPaymentWorld();
  woken = 0;
  const header = { ...START, parentHash: '00'.repeat(32), timeMs: world.now() };
  await inTransaction(world.wallet.db, async (tx) => advanceCursor(tx, CHAIN, header, world.now()));
});

afterEach(async () => world.close());

/** A block that pays an order in full, and is still being proven. */
async function paying(proof: Promise<void>) {
  // As with a thread's: its error is handled even where nobody has come for it yet.
  proof.catch(() => undefined);
  const payment = await world.order({ amount: '50.00' });
  const block: ChainBlock = {
    height: START.height + 1,
    hash: 'bb'.repeat(32),
    parentHash: START.hash,
    timeMs: world.now(),
    credits: [
      {
        ref: { txid: 'cc'.repeat(32), index: 0 },
        watchKey: addressOf(payment, 'BTC'),
        amount: 50_000_000n,
        maturity: 1,
        raw: null,
      },
    ],
    debits: [],
    proof: async () => proof,
  };
  return { payment, block };
}

async function record(block: ChainBlock): Promise<boolean> {
  const deps = { ...world.deps, wakeWebhooks: () => void (woken += 1) };
  return recordBlock(deps, CHAIN, block, null);
}

it('a block is committed once it is proven, and not before', async () => {
  const proof = Promise.withResolvers<void>();
  const { payment, block } = await paying(proof.promise);
  let isOver = false;
  const recording = record(block).then((recorded) => {
    isOver = true;
    return recorded;
  });
  // Many times what recording takes: the proof is all that is missing.
  for (let turns = 0; turns < 200; turns += 1) await new Promise((resolve) => void setImmediate(resolve));
  expect(isOver).toBe(false);
  expect(await findCursor(world.wallet.db, CHAIN)).toEqual(START);
  expect(woken).toBe(0);
  proof.resolve();
  expect(await recording).toBe(true);
  expect(await findCursor(world.wallet.db, CHAIN)).toEqual({ height: block.height, hash: block.hash });
  expect((await world.payment(payment)).status).toBe('confirming');
  expect(woken).toBe(1);
});

it('what was written of a block that proves to be another is taken back, and the block is read again', async () => {
  const forgery = new ChainError('bad_answer', 'the transactions do not match its merkle root');
  const { payment, block } = await paying(Promise.reject(forgery));
  await expect(record(block)).rejects.toBe(forgery);
  expect(await findCursor(world.wallet.db, CHAIN)).toEqual(START);
  const unpaid = await world.payment(payment);
  expect(unpaid).toMatchObject({ status: 'pending', transactions: [] });
  expect(await world.eventsOf(payment)).toEqual(['created']);
  expect(woken).toBe(0);
  const { proof: _failed, ...honest } = block;
  expect(await record({ ...honest, credits: [] })).toBe(true);
  expect((await world.payment(payment)).status).toBe('pending');
});

it('hears of the forgery even where what it says cannot be written', async () => {
  const proof = Promise.withResolvers<void>();
  const forgery = new ChainError('bad_answer', 'the transactions do not match its merkle root');
  const { block } = await paying(proof.promise);
  const [credit] = block.credits;
  // An amount that no database takes: writing fails long before the proof does.
  const absurd = { ...block, credits: credit === undefined ? [] : [{ ...credit, maturity: Number.NaN }] };
  const recording = record(absurd);
  const refused = expect(recording).rejects.toBe(forgery);
  proof.reject(forgery);
  await refused;
  expect(await findCursor(world.wallet.db, CHAIN)).toEqual(START);
});

it('the disk is flushed beside the event loop for a block that concerns nobody, and never for one that somebody waits for', async () => {
  const aside = flushAsideOf(world.wallet.db);
  if (aside === null) throw new Error('the database is in memory');
  const flush = vi.spyOn(aside, 'flush');
  const { payment, block } = await paying(Promise.resolve());
  const empty = (height: number, parent: ChainBlock | typeof START): ChainBlock => ({
    ...block,
    height,
    hash: String(height).padStart(64, '0'),
    parentHash: parent.hash,
    credits: [],
  });
  const nobodys = empty(START.height + 1, START);
  expect(await record(nobodys)).toBe(true);
  expect(flush).toHaveBeenCalledTimes(1);
  const paid = { ...block, height: nobodys.height + 1, parentHash: nobodys.hash };
  expect(await record(paid)).toBe(true);
  // It adds a confirmation to the payment in the block before.
  expect(await record(empty(paid.height + 1, paid))).toBe(true);
  expect(flush).toHaveBeenCalledTimes(1);
  expect((await world.payment(payment)).transactions).toMatchObject([{ confirmations: 2 }]);
});
