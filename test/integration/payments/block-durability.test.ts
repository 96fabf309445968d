import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ChainBlock } from '../../../src/domain/chain.ts';
import { advanceCursor } from '../../../src/store/chain/chain-cursors.ts';
import { recordBlock } from '../../../src/usecases/chain-sync/record-block.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';

const CHAIN = { coin: 'BTC', mode: 'live' } as const;
const START = { height: 7, hash: 'aa'.repeat(32) };

let world: PaymentWorld;

beforeEach(async () => {
  world = await openPaymentWorld();
  const header = { ...START, parentHash: '00'.repeat(32), timeMs: world.now() };
  await world.wallet.db.transaction(async (tx) => advanceCursor(tx, CHAIN, header, world.now()));
});

afterEach(async () => world.close());

/** A block that pays an order in full. */
async function paying() {
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
  };
  return { payment, block };
}

async function record(block: ChainBlock): Promise<boolean> {
  return recordBlock(world.deps, CHAIN, block, { cameAfter: null, blockTimes: 'rough' });
}

it('recordBlock waits for a flush to disk only when the block contains a payment', async () => {
  const relaxed = vi.spyOn(world.wallet.db.database, 'relaxedTransaction');
  const { payment, block } = await paying();
  const empty = (height: number, parent: ChainBlock | typeof START): ChainBlock => ({
    ...block,
    height,
    hash: String(height).padStart(64, '0'),
    parentHash: parent.hash,
    credits: [],
  });
  const nobodys = empty(START.height + 1, START);
  expect(await record(nobodys)).toBe(true);
  expect(relaxed).toHaveBeenCalledTimes(1);
  const paid = { ...block, height: nobodys.height + 1, parentHash: nobodys.hash };
  expect(await record(paid)).toBe(true);
  // It adds a confirmation to the payment in the block before.
  expect(await record(empty(paid.height + 1, paid))).toBe(true);
  expect(relaxed).toHaveBeenCalledTimes(1);
  expect((await world.payment(payment)).transactions).toMatchObject([{ confirmations: 2 }]);
});
