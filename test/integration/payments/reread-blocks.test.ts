import { afterEach, beforeEach, expect, it } from 'vitest';
import { findReread } from '../../../src/store/chain/reread-requests.ts';
import { requestOnlineRescan } from '../../../src/usecases/chain-sync/request-online-rescan.ts';
import { rereadBlocks } from '../../../src/usecases/chain-sync/reread-blocks.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import type { ChainAdapter } from '../../../src/domain/chain.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo } from '../../_helpers/scripted-chain.ts';
import { outputFunds } from '../../_helpers/output-funds.ts';

const DUE = 50_000_000n;
let world: PaymentWorld;
let payment: PaymentView;
beforeEach(async () => {
  world = await openPaymentWorld();
  await world.poll();
  payment = await world.order({ allowed: ['BTC'] });
  world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), DUE)]);
  for (let block = 0; block < 4; block += 1) world.chains.BTC.mine(world.now());
  await world.poll('BTC');
});
afterEach(async () => world.close());

function adapter(): ChainAdapter {
  const tip = { height: world.chains.BTC.tip.height, hash: world.chains.BTC.tip.hash };
  const scanUnspent = async () => ({ tip, outputs: [], isComplete: true });
  return { ...world.chains.BTC.adapter('BTC'), funds: outputFunds(scanUnspent) };
}

it('rereadBlocks credits money that the ledger lacks and changes nothing else, while new blocks are read', async () => {
  const other = await world.order({ allowed: ['BTC'] });
  const { db } = world.deps;
  await db.deleteFrom('outputs').where('paymentId', '=', payment.id).execute();
  await db.updateTable('payments').set({ status: 'pending' }).where('id', '=', payment.id).execute();
  await requestOnlineRescan(db, adapter(), 1);
  await world.poll('BTC');
  expect(await rereadBlocks(world.deps, adapter())).toBe(true);
  const found = await world.payment(payment);
  expect(found).toMatchObject({ status: 'completed', exception: null });
  expect(found.options.BTC).toMatchObject({ received: '0.5', confirmations: 5 });
  expect((await world.payment(other)).status).toBe('pending');
});

it('rereadBlocks emits no event again for money that is already credited', async () => {
  const before = await world.eventsOf(payment);
  await requestOnlineRescan(world.deps.db, adapter(), 1);
  expect(await rereadBlocks(world.deps, adapter())).toBe(true);
  expect(await world.eventsOf(payment)).toEqual(before);
});

it('rereadBlocks resumes at its position after a stop, and refuses a second request meanwhile', async () => {
  await requestOnlineRescan(world.deps.db, adapter(), 1);
  const stop = new AbortController();
  let reads = 0;
  const slow = {
    ...adapter(),
    blockAt: async (height: number) => {
      reads += 1;
      if (reads === 2) stop.abort();
      return adapter().blockAt(height);
    },
  };
  expect(await rereadBlocks(world.deps, slow, stop.signal)).toBe(false);
  expect(await findReread(world.deps.db, adapter())).toMatchObject({ from: 1, next: 3, to: 5 });
  await expect(requestOnlineRescan(world.deps.db, adapter(), 1)).rejects.toThrow('are already being reread');
  expect(await rereadBlocks(world.deps, slow)).toBe(true);
  expect(await findReread(world.deps.db, adapter())).toBeUndefined();
});
