import { describe, expect, it } from 'vitest';
import { ChainError, type ChainAdapter } from '../../../src/domain/chain.ts';
import type { ChainWorld, WireFaults } from '../harness.ts';
import { MemoryIndex } from '../memory-index.ts';
import { blockAt, byIndex, earn, essence, openShop, sign, unconfirmedCredit } from '../observe.ts';

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}

async function expectUnavailable(promise: Promise<unknown>): Promise<void> {
  const error = await errorOf(promise);
  expect(error).toBeInstanceOf(ChainError);
  expect(error).toMatchObject({ kind: 'unavailable' });
}

export function faultCases(world: () => ChainWorld): void {
  it('the adapter reports its node as unavailable during an outage, until the outage ends', async () => {
    const shop = openShop(world());
    const txid = await world().pay([{ address: shop.address, amount: world().amount }]);
    const before = await shop.adapter.tip();
    await world().outage.begin();
    try {
      await expectUnavailable(shop.adapter.tip());
      await expectUnavailable(shop.adapter.status());
      await expectUnavailable(shop.adapter.hashAt(before.height));
      await expectUnavailable(shop.adapter.blockAt(before.height));
      await expectUnavailable(shop.adapter.unconfirmed());
      await expectUnavailable(shop.adapter.blockBefore(Date.now()));
    } finally {
      await world().outage.end();
    }
    expect(await shop.adapter.tip()).toEqual(before);
    expect((await unconfirmedCredit(shop.adapter, txid)).amount).toBe(world().amount);
    await world().mine(1);
    const block = await blockAt(shop.adapter, before.height + 1);
    expect(block.credits.map((credit) => credit.ref.txid)).toEqual([txid]);
  });

  it('an outage does not affect functions that need no node, such as addresses, payment URIs and send plans', async () => {
    const shop = openShop(world());
    const quote = await shop.adapter.feeQuote();
    const funds = await earn(world(), shop, [2n * world().amount]);
    const destination = await world().strangerAddress();
    await world().outage.begin();
    try {
      const { address, adapter } = shop;
      expect(adapter.validateAddress(address)).toBeNull();
      expect(adapter.paymentUri({ address, amount: world().amount })).toContain(address);
      const request = { funds, destination, amount: world().amount, subtractFee: false, quote };
      const plan = adapter.planSend({ ...request, changeAddress: address });
      expect((await sign(world(), shop, plan)).txid).not.toBe('');
    } finally {
      await world().outage.end();
    }
  });

  it('a broadcast during an outage has an unknown outcome, and succeeds later', async () => {
    const shop = openShop(world());
    const funds = await earn(world(), shop, [2n * world().amount]);
    const plan = shop.adapter.planSend({
      funds,
      destination: await world().strangerAddress(),
      amount: world().amount,
      subtractFee: false,
      changeAddress: shop.address,
      quote: await shop.adapter.feeQuote(),
    });
    const signed = await sign(world(), shop, plan);
    await world().outage.begin();
    try {
      expect((await shop.adapter.broadcast(signed)).kind).toBe('unknown');
    } finally {
      await world().outage.end();
    }
    expect(await shop.adapter.broadcast(signed)).toEqual({ kind: 'accepted' });
    await world().mine(1);
  });
}

/** For families whose node sits at the other end of a wire. */
export function wireCases(world: () => ChainWorld): void {
  const wire = (): WireFaults => {
    const { wire } = world();
    if (wire === undefined) throw new Error('a wired harness has wire faults');
    return wire;
  };

  it('the adapter refuses a node of another network', async () => {
    const adapter = await wire().wrongChainAdapter(new MemoryIndex());
    const error = await errorOf(adapter.status());
    expect(error).toBeInstanceOf(ChainError);
    expect(error).toMatchObject({ kind: 'wrong_chain' });
  });

  it('the adapter reports a node that is behind its network', async () => {
    const { adapter } = openShop(world());
    const restore = await wire().fallBehind();
    try {
      const status = await adapter.status();
      expect(status.headersHeight).toBe(status.tip.height + 10);
      expect(status.syncing).toBe(true);
    } finally {
      restore();
    }
    expect((await adapter.status()).syncing).toBe(false);
  });

  describe.each(['reversed', 'duplicated'] as const)('with %s responses of the node', (how) => {
    it('the detected payments stay the same', async () => {
      const shop = openShop(world());
      for (const times of [1n, 2n, 3n, 4n]) {
        await world().pay([{ address: shop.address, amount: times * world().amount }]);
      }
      const expected = await unconfirmedCredits(world().createAdapter(shop.index));
      expect(expected).toHaveLength(4);
      const restore = await wire().scramble(how);
      try {
        expect(await unconfirmedCredits(world().createAdapter(shop.index))).toEqual(expected);
        await world().mine(1);
        const block = await blockAt(shop.adapter, (await shop.adapter.tip()).height);
        expect(sorted(block.credits.map(essence))).toEqual(expected);
      } finally {
        restore();
      }
    });
  });
}

async function unconfirmedCredits(adapter: ChainAdapter) {
  return sorted([...(await adapter.unconfirmed()).credits].sort(byIndex).map(essence));
}

function sorted<T extends { readonly ref: { readonly txid: string } }>(credits: readonly T[]): T[] {
  return [...credits].sort((a, b) => a.ref.txid.localeCompare(b.ref.txid));
}
