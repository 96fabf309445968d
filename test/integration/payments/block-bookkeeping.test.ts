import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ChainBlock, ChainBlockHeader } from '../../../src/domain/chain.ts';
import { advanceCursor, REMEMBERED_BLOCKS } from '../../../src/store/chain/chain-cursors.ts';
import { recordBlock } from '../../../src/usecases/chain-sync/record-block.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';

const CHAIN = { coin: 'BTC', mode: 'live' } as const;
/** How often what is too old is forgotten, blocks. */
const INTERVAL = 144;

let world: PaymentWorld;

beforeEach(async () => {
  world = await openPaymentWorld();
});

afterEach(async () => world.close());

function header(height: number): ChainBlockHeader {
  return { height, hash: `hash ${height}`, parentHash: `hash ${height - 1}`, timeMs: world.now() };
}

/** Reads the blocks above a height up to another, in which nothing is. */
async function read(after: number, upTo: number): Promise<void> {
  const below = Array.from({ length: upTo - after - 1 }, (_, at) => header(after + 1 + at));
  const block: ChainBlock = { ...header(upTo), credits: [], debits: [] };
  expect(await recordBlock(world.deps, CHAIN, block, { cameAfter: null, blockTimes: 'rough' }, below)).toBe(
    true,
  );
}

async function remembered(): Promise<{ oldest: number; count: number }> {
  return world.wallet.db
    .selectFrom('chain_blocks')
    .select((eb) => [eb.fn.min('height').as('oldest'), eb.fn.countAll<number>().as('count')])
    .where('coin', '=', 'BTC')
    .executeTakeFirstOrThrow();
}

it('recordBlock stores block hashes deep enough for every supported reorg, and few beyond', async () => {
  const start = 10 * INTERVAL;
  await world.wallet.db.transaction(async (tx) => advanceCursor(tx, CHAIN, header(start), world.now()));
  const enough = start + 15 * INTERVAL;
  await read(start, enough);
  expect(await remembered()).toEqual({ oldest: enough - REMEMBERED_BLOCKS + 1, count: REMEMBERED_BLOCKS });
  for (let height = enough + 1; height < enough + INTERVAL; height += 1) {
    await read(height - 1, height);
    expect((await remembered()).count).toBeLessThan(REMEMBERED_BLOCKS + INTERVAL);
  }
  // Nothing is forgotten too early, and what was kept longer goes with the next interval.
  expect((await remembered()).oldest).toBe(enough - REMEMBERED_BLOCKS + 1);
  await read(enough + INTERVAL - 1, enough + INTERVAL);
  expect(await remembered()).toEqual({
    oldest: enough + INTERVAL - REMEMBERED_BLOCKS + 1,
    count: REMEMBERED_BLOCKS,
  });
});

it('a payment event contains the same payment as a read of the payment, after any sequence of changes', async () => {
  const payment = await world.order({ amount: '70.00' });
  const address = addressOf(payment, 'BTC');
  const part = (letter: string, index: number) => creditTo(address, 10_000_000n, letter.repeat(64), index);
  const shown: number[] = [];
  const look = async () => {
    await world.poll();
    shown.push(await shownAsRead(payment.id));
  };
  await world.poll();
  // Told in another order than the ledger's, and some of it taken back.
  world.chains.BTC.unconfirmed = [unconfirmed(part('f', 1)), unconfirmed(part('e', 3))];
  await look();
  world.chains.BTC.unconfirmed = [];
  world.chains.BTC.mine(world.now(), [part('f', 1), part('d', 2), part('d', 0), part('a', 5)]);
  world.chains.BTC.fates.set('e'.repeat(64), 'gone');
  await look();
  world.advance(60_000);
  world.chains.BTC.mine(world.now(), [part('c', 7), part('b', 0), part('c', 2)]);
  await look();
  world.chains.BTC.mine(world.now());
  await look();
  // Each poll reported something.
  expect(new Set(shown).size).toBe(shown.length);
  expect((await world.payment(payment)).status).toBe('completed');
});

/** @returns the place of the newest event among those of the payment */
async function shownAsRead(paymentId: string): Promise<number> {
  const event = await world.wallet.db
    .selectFrom('events')
    .select(['bodyJson', 'sequence'])
    .where('paymentId', '=', paymentId)
    .orderBy('sequence', 'desc')
    .executeTakeFirstOrThrow();
  const { data } = JSON.parse(event.bodyJson ?? 'null') as { data: { payment: unknown } };
  const view = await world.payment({ id: paymentId });
  expect(data.payment).toEqual(JSON.parse(JSON.stringify(view)));
  return event.sequence;
}
