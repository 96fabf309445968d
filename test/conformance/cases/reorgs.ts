import { describe, expect, it } from 'vitest';
import type { ChainWorld } from '../harness.ts';
import { blockAt, creditsFrom, essence, openShop, unconfirmedCredit } from '../observe.ts';

const DEPTHS = [1, 2, 3, 4, 5, 6];

/** A payment `depth` blocks deep, as observed before the reorganisation. */
async function confirmedPayment(world: ChainWorld, depth: number) {
  const shop = openShop(world);
  const txid = await world.pay([{ address: shop.address, amount: world.amount }]);
  const { raw } = await unconfirmedCredit(shop.adapter, txid);
  await world.mine(1);
  const { height } = await shop.adapter.tip();
  const block = await blockAt(shop.adapter, height);
  expect(block.credits.map((credit) => credit.ref.txid)).toEqual([txid]);
  if (depth > 1) await world.mine(depth - 1);
  const fork = await blockAt(shop.adapter, height - 1);
  return { ...shop, txid, raw, block, fork, oldTip: await shop.adapter.tip() };
}

async function expectNewBranch(payment: Awaited<ReturnType<typeof confirmedPayment>>): Promise<void> {
  const { adapter, fork, block, oldTip } = payment;
  expect(await adapter.hashAt(fork.height)).toBe(fork.hash);
  expect(await adapter.hashAt(block.height)).not.toBe(block.hash);
  expect((await adapter.tip()).height).toBeGreaterThan(oldTip.height);
  expect((await blockAt(adapter, block.height)).parentHash).toBe(fork.hash);
}

export function reorgCases(world: () => ChainWorld): void {
  describe.each(DEPTHS)('a reorg of depth %i', (depth) => {
    it('moves a payment to its new block', async () => {
      const payment = await confirmedPayment(world(), depth);
      const { adapter, txid, block } = payment;
      await world().reorg({ depth, fate: 'moved', txid });
      await expectNewBranch(payment);
      const credits = await creditsFrom(adapter, block.height);
      expect(credits.map(essence)).toEqual(block.credits.map(essence));
      expect((await adapter.unconfirmed()).has(txid)).toBe(false);
    });

    it('removes a dropped payment, without claiming that it can never return', async () => {
      const payment = await confirmedPayment(world(), depth);
      const { adapter, txid, raw, block } = payment;
      await world().reorg({ depth, fate: 'dropped', txid });
      await expectNewBranch(payment);
      expect(await creditsFrom(adapter, block.height)).toEqual([]);
      expect((await adapter.unconfirmed()).has(txid)).toBe(false);
      expect(['absent', 'unknown']).toContain((await adapter.recheck([{ txid, raw: null }])).get(txid));
      if (raw === null) return;
      expect((await adapter.recheck([{ txid, raw }])).get(txid)).toBe('present');
      expect((await unconfirmedCredit(adapter, txid)).amount).toBe(world().amount);
      await world().mine(1);
    });

    it('proves that a payment with a double spend on the new branch is gone', async () => {
      const payment = await confirmedPayment(world(), depth);
      const { adapter, txid, raw, block } = payment;
      await world().reorg({ depth, fate: 'replaced', txid });
      await expectNewBranch(payment);
      expect(await creditsFrom(adapter, block.height)).toEqual([]);
      const view = await adapter.unconfirmed();
      expect(view.has(txid)).toBe(false);
      expect(view.credits).toEqual([]);
      expect((await adapter.recheck([{ txid, raw }])).get(txid)).toBe('gone');
    });
  });

  it('a reorg leaves payments below the fork unchanged', async () => {
    const payment = await confirmedPayment(world(), 3);
    const later = await world().pay([{ address: payment.address, amount: world().amount }]);
    await world().mine(1);
    await world().reorg({ depth: 1, fate: 'moved', txid: later });
    expect(await payment.adapter.hashAt(payment.block.height)).toBe(payment.block.hash);
    const credits = await creditsFrom(payment.adapter, payment.block.height);
    expect(credits.map((credit) => credit.ref.txid)).toEqual([payment.txid, later]);
  });
}
