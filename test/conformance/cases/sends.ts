import { describe, expect, it } from 'vitest';
import {
  InsufficientFunds,
  UnsendableAmount,
  type Fund,
  type SendPlan,
  type SendRequest,
} from '../../../src/domain/chain.ts';
import type { ChainWorld } from '../harness.ts';
import { bare, blockAt, byRef, earn, openShop, sign, watchNew, type Shop } from '../observe.ts';

async function request(
  world: ChainWorld,
  shop: Shop,
  funds: readonly Fund[],
  wish: Partial<SendRequest> = {},
): Promise<SendRequest> {
  const { destination = await world.strangerAddress(), amount = world.amount } = wish;
  const isAccounts = world.isAccounts === true;
  return {
    funds,
    destination,
    amount,
    subtractFee: false,
    changeAddress: isAccounts ? shop.address : watchNew(world, shop).address,
    quote: await shop.adapter.feeQuote({ from: shop.address, destination, amount }),
    ...wish,
  };
}

function total(funds: readonly Fund[]): bigint {
  return funds.reduce((sum, fund) => sum + fund.amount, 0n);
}

function expectBalanced(plan: SendPlan): void {
  expect(total(plan.inputs)).toBe(plan.amount + plan.fee + (plan.change?.amount ?? 0n));
  expect(plan.fee).toBeGreaterThan(0n);
}

export function sendCases(world: () => ChainWorld, expiring: boolean): void {
  it('a send pays exactly the amount to the destination, adds the fee, and debits the wallet', async () => {
    const shop = openShop(world());
    const funds = await earn(world(), shop, [2n * world().amount, 3n * world().amount]);
    const wish = await request(world(), shop, funds, { amount: 4n * world().amount });
    shop.index.watch(shop.adapter.watchKey(wish.destination));
    const plan = shop.adapter.planSend(wish);
    expect(plan.amount).toBe(wish.amount);
    expectBalanced(plan);
    const signed = await sign(world(), shop, plan);
    expect(await shop.adapter.broadcast(signed)).toEqual({ kind: 'accepted' });
    const view = await shop.adapter.unconfirmed();
    const spent = plan.inputs.map((fund) => ({ ref: fund.ref, byTxid: signed.txid }));
    expect(view.debits.map(bare).sort(byRef)).toEqual([...spent].sort(byRef));
    await world().mine(1);
    const block = await blockAt(shop.adapter, (await shop.adapter.tip()).height);
    expect(block.debits.map(bare).sort(byRef)).toEqual([...spent].sort(byRef));
    const received = block.credits.filter(
      (credit) => credit.watchKey === shop.adapter.watchKey(wish.destination),
    );
    expect(received.map((credit) => credit.amount)).toEqual([wish.amount]);
    expect(await world().feeOf(signed.txid)).toBe(plan.fee);
  });

  it('a send deducts the fee from the amount on request', async () => {
    const shop = openShop(world());
    const funds = await earn(world(), shop, [world().amount]);
    const wish = await request(world(), shop, funds, { amount: world().amount, subtractFee: true });
    const plan = shop.adapter.planSend(wish);
    expectBalanced(plan);
    expect(plan.change).toBeNull();
    expect(plan.amount + plan.fee).toBe(world().amount);
    const signed = await sign(world(), shop, plan);
    expect(await shop.adapter.broadcast(signed)).toEqual({ kind: 'accepted' });
    await world().mine(1);
    expect(await world().feeOf(signed.txid)).toBe(plan.fee);
  });

  it('a send returns the change to the wallet', async () => {
    const shop = openShop(world());
    const funds = await earn(world(), shop, [3n * world().amount]);
    const wish = await request(world(), shop, funds);
    const plan = shop.adapter.planSend(wish);
    expect(plan.change?.address).toBe(wish.changeAddress);
    await shop.adapter.broadcast(await sign(world(), shop, plan));
    await world().mine(1);
    const block = await blockAt(shop.adapter, (await shop.adapter.tip()).height);
    const change = block.credits.filter(
      (credit) => credit.watchKey === shop.adapter.watchKey(wish.changeAddress),
    );
    expect(change.map((credit) => credit.amount)).toEqual([plan.change?.amount]);
  });

  it('a send is signed to the same bytes for the same plan', async () => {
    const shop = openShop(world());
    const plan = shop.adapter.planSend(
      await request(world(), shop, await earn(world(), shop, [2n * world().amount])),
    );
    expect(await sign(world(), shop, plan)).toEqual(await sign(world(), shop, plan));
  });

  it('a send may be rebroadcast, before and after it is mined', async () => {
    const shop = openShop(world());
    const funds = await earn(world(), shop, [2n * world().amount]);
    const signed = await sign(world(), shop, shop.adapter.planSend(await request(world(), shop, funds)));
    expect(await shop.adapter.broadcast(signed)).toEqual({ kind: 'accepted' });
    expect(await shop.adapter.broadcast(signed)).toEqual({ kind: 'accepted' });
    await world().mine(1);
    expect(await shop.adapter.broadcast(signed)).toEqual({ kind: 'accepted' });
    const fates = await shop.adapter.recheck([signed]);
    expect(fates.get(signed.txid)).not.toBe('gone');
    expect((await shop.adapter.unconfirmed()).has(signed.txid)).toBe(false);
    const block = await blockAt(shop.adapter, (await shop.adapter.tip()).height);
    expect(block.debits.map((debit) => debit.byTxid)).toContain(signed.txid);
  });

  it('two sends never spend the same coins', async () => {
    const shop = openShop(world());
    const funds = await earn(world(), shop, [2n * world().amount]);
    const plans = [1, 2].map(async () => shop.adapter.planSend(await request(world(), shop, funds)));
    const [first, second] = await Promise.all(plans.map(async (plan) => sign(world(), shop, await plan)));
    expect(await shop.adapter.broadcast(first!)).toEqual({ kind: 'accepted' });
    expect((await shop.adapter.broadcast(second!)).kind).not.toBe('accepted');
    expect((await shop.adapter.unconfirmed()).has(second!.txid)).toBe(false);
    await world().mine(1);
    await world().expire?.();
    await world().finalize?.();
    expect((await shop.adapter.broadcast(second!)).kind).toBe('rejected');
    expect((await shop.adapter.recheck([second!])).get(second!.txid)).toBe('gone');
    const wish = await request(world(), shop, funds);
    const quote = { ...wish.quote, rate: wish.quote.rate * 5n };
    const dearer = await sign(world(), shop, shop.adapter.planSend({ ...wish, quote }));
    expect((await shop.adapter.broadcast(dearer)).kind).toBe('rejected');
  });

  it('a send is distinguished from other transactions that the node knows', async () => {
    const shop = openShop(world());
    const funds = await earn(world(), shop, [2n * world().amount]);
    const wishes = [await request(world(), shop, funds), await request(world(), shop, funds)];
    const [known, other] = await Promise.all(
      wishes.map(async (wish) => sign(world(), shop, shop.adapter.planSend(wish))),
    );
    await shop.adapter.broadcast(known!);
    const mixed = await shop.adapter.broadcast({ txid: known!.txid, raw: other!.raw });
    expect(mixed.kind).not.toBe('accepted');
    await world().mine(1);
  });

  it('a send that another key signed is refused', async () => {
    const shop = openShop(world());
    const [fund] = await earn(world(), shop, [2n * world().amount]);
    const thief = world().newAddress();
    const plan = shop.adapter.planSend(await request(world(), shop, [{ ...fund!, keyPath: thief.keyPath }]));
    let refused = false;
    try {
      refused = (await shop.adapter.broadcast(await sign(world(), shop, plan))).kind === 'rejected';
    } catch {
      // Refusing to sign what the key does not own is as good as the node refusing it.
      refused = true;
    }
    expect(refused).toBe(true);
  });

  it('a send whose bytes were changed is refused', async () => {
    const shop = openShop(world());
    const funds = await earn(world(), shop, [2n * world().amount]);
    const signed = await sign(world(), shop, shop.adapter.planSend(await request(world(), shop, funds)));
    const raw = (signed.raw ?? '').replace(/\d(?=\D*$)/, (digit) => ((Number(digit) + 1) % 10).toString());
    expect(raw).not.toBe(signed.raw);
    const result = await shop.adapter.broadcast({ txid: signed.txid, raw });
    expect(result.kind).not.toBe('accepted');
    expect((await shop.adapter.unconfirmed()).debits).toEqual([]);
  });

  it('a send of unconfirmed money appears in the unconfirmed transactions of the node', async () => {
    const shop = openShop(world());
    const funds = await earn(world(), shop, [3n * world().amount]);
    const wish = await request(world(), shop, funds, { destination: shop.address });
    const first = await sign(world(), shop, shop.adapter.planSend(wish));
    await shop.adapter.broadcast(first);
    const view = await shop.adapter.unconfirmed();
    const credit = view.credits.find(({ watchKey }) => watchKey === shop.adapter.watchKey(shop.address));
    expect(credit?.amount).toBe(world().amount);
    const next = await request(world(), shop, [{ ...shop.owned, ref: credit!.ref, amount: credit!.amount }], {
      amount: world().amount,
      subtractFee: true,
    });
    const second = await sign(world(), shop, shop.adapter.planSend(next));
    expect(await shop.adapter.broadcast(second)).toEqual({ kind: 'accepted' });
    await world().mine(1);
    // The index was never told of the first one: both are in this block.
    const block = await blockAt(shop.adapter, (await shop.adapter.tip()).height);
    expect(block.debits.map(bare)).toContainEqual({ ref: credit!.ref, byTxid: second.txid });
  });

  it('a send is refused with the available amount when the funds do not cover amount and fee', async () => {
    const shop = openShop(world());
    const funds = await earn(world(), shop, [world().amount]);
    const wish = await request(world(), shop, funds, { amount: world().amount });
    const attempt = () => shop.adapter.planSend(wish);
    expect(attempt).toThrow(InsufficientFunds);
    try {
      attempt();
    } catch (error) {
      expect((error as InsufficientFunds).available).toBe(world().amount);
      expect((error as InsufficientFunds).needed).toBeGreaterThan(world().amount);
    }
    expect(() => shop.adapter.planSend({ ...wish, funds: [] })).toThrow(InsufficientFunds);
  });

  it('a send below the dust limit of the network is refused', async () => {
    const shop = openShop(world());
    const funds = await earn(world(), shop, [world().amount]);
    const wish = await request(world(), shop, funds, { amount: 0n });
    expect(() => shop.adapter.planSend(wish)).toThrow(UnsendableAmount);
    expect(() => shop.adapter.planSend({ ...wish, amount: 1n, subtractFee: true })).toThrow(UnsendableAmount);
  });

  // Where signed bytes expire, a stuck send is signed again after the expiry and never replaced.
  if (!expiring) {
    describe('a stuck send', () => {
      it('is replaced at a higher fee from its change, for the same destination and amount', async () => {
        const shop = openShop(world());
        const funds = await earn(world(), shop, [3n * world().amount]);
        const wish = await request(world(), shop, funds);
        const previous = shop.adapter.planSend(wish);
        const stuck = await sign(world(), shop, previous);
        await shop.adapter.broadcast(stuck);
        const quote = { ...wish.quote, rate: wish.quote.rate * 3n };
        const bump = shop.adapter.planReplacement({
          previous,
          funds: [],
          changeAddress: wish.changeAddress,
          quote,
        });
        expect(bump).toMatchObject({ destination: previous.destination, amount: previous.amount });
        expectBalanced(bump!);
        expect(bump!.fee).toBeGreaterThan(previous.fee);
        expect(bump!.feeRate).toBeGreaterThan(previous.feeRate);
        const replacement = await sign(world(), shop, bump!);
        expect(await shop.adapter.broadcast(replacement)).toEqual({ kind: 'accepted' });
        const view = await shop.adapter.unconfirmed();
        expect([view.has(stuck.txid), view.has(replacement.txid)]).toEqual([false, true]);
        await world().mine(1);
        expect(await world().feeOf(replacement.txid)).toBe(bump!.fee);
        expect((await shop.adapter.recheck([stuck])).get(stuck.txid)).toBe('gone');
      });

      it('is not replaced when the network requires no higher fee', async () => {
        const shop = openShop(world());
        const funds = await earn(world(), shop, [3n * world().amount]);
        const wish = await request(world(), shop, funds);
        const previous = shop.adapter.planSend(wish);
        const quote = { ...wish.quote, rate: previous.feeRate };
        const { changeAddress } = wish;
        expect(shop.adapter.planReplacement({ previous, funds: [], changeAddress, quote })).toBeNull();
      });

      it('gets more inputs when its change does not cover the higher fee', async () => {
        const shop = openShop(world());
        const [spent, spare] = await earn(world(), shop, [world().amount, world().amount]);
        const wish = await request(world(), shop, [spent!], { subtractFee: true });
        const previous = shop.adapter.planSend(wish);
        await shop.adapter.broadcast(await sign(world(), shop, previous));
        const quote = { ...wish.quote, rate: wish.quote.rate * 3n };
        const ask = { previous, changeAddress: wish.changeAddress, quote };
        expect(shop.adapter.planReplacement({ ...ask, funds: [] })).toBeNull();
        const bump = shop.adapter.planReplacement({ ...ask, funds: [spare!] });
        expect(bump?.amount).toBe(previous.amount);
        expectBalanced(bump!);
        expect(await shop.adapter.broadcast(await sign(world(), shop, bump!))).toEqual({ kind: 'accepted' });
        await world().mine(1);
      });
    });
  }
}
