import { expect } from 'vitest';
import type {
  ChainAdapter,
  ChainBlock,
  Credit,
  Debit,
  Fund,
  SendPlan,
  StoredTransaction,
  UnconfirmedCredit,
} from '../../src/domain/chain.ts';
import type { ChainWorld } from './harness.ts';
import { MemoryIndex } from './memory-index.ts';
import type { OwnedAddress } from './own-keys.ts';

/** What one test works with: an index of its own, an adapter on it and one watched address. */
export interface Shop {
  readonly index: MemoryIndex;
  readonly adapter: ChainAdapter;
  readonly owned: OwnedAddress;
  readonly address: string;
}

export function openShop(world: ChainWorld): Shop {
  const index = new MemoryIndex();
  const adapter = world.createAdapter(index);
  const owned = world.newAddress();
  index.watch(adapter.watchKey(owned.address));
  return { index, adapter, owned, address: owned.address };
}

export function watchNew(world: ChainWorld, { index, adapter }: Shop): OwnedAddress {
  const owned = world.newAddress();
  index.watch(adapter.watchKey(owned.address));
  return owned;
}

export async function blockAt(adapter: ChainAdapter, height: number): Promise<ChainBlock> {
  const block = await adapter.blockAt(height);
  if (block === null) throw new Error(`no block at ${height}`);
  return block;
}

/** Blocks from a height to the tip, each proven to follow the one before. */
export async function follow(adapter: ChainAdapter, fromHeight: number): Promise<ChainBlock[]> {
  const tip = await adapter.tip();
  const blocks: ChainBlock[] = [];
  for (let height = fromHeight; height <= tip.height; height += 1) {
    const block = await blockAt(adapter, height);
    const parent = blocks.at(-1) ?? { hash: await adapter.hashAt(height - 1) };
    expect(block.parentHash).toBe(parent.hash);
    blocks.push(block);
  }
  return blocks;
}

export async function creditsFrom(adapter: ChainAdapter, fromHeight: number): Promise<Credit[]> {
  return (await follow(adapter, fromHeight)).flatMap((block) => block.credits);
}

/** A credit as far as it is the same before and after it is mined. */
export function essence({ ref, watchKey, amount }: Credit): Pick<Credit, 'ref' | 'watchKey' | 'amount'> {
  return { ref, watchKey, amount };
}

export function byIndex(a: Credit, b: Credit): number {
  return a.ref.index - b.ref.index;
}

/** The one unconfirmed credit of a transaction. */
export async function unconfirmedCredit(adapter: ChainAdapter, txid: string): Promise<UnconfirmedCredit> {
  const credits = (await adapter.unconfirmed()).credits.filter((credit) => credit.ref.txid === txid);
  expect(credits).toHaveLength(1);
  return credits[0]!;
}

/** Money in the shop's hands: paid to fresh addresses, mined and recorded. */
export async function earn(world: ChainWorld, shop: Shop, amounts: readonly bigint[]): Promise<Fund[]> {
  const owned = amounts.map(() => (world.isAccounts === true ? shop.owned : watchNew(world, shop)));
  const txid = await world.pay(
    owned.map(({ address }, position) => ({ address, amount: amounts[position]! })),
  );
  await world.mine(1);
  const block = await blockAt(shop.adapter, (await shop.adapter.tip()).height);
  const credits = block.credits.filter((credit) => credit.ref.txid === txid).sort(byIndex);
  expect(credits).toHaveLength(amounts.length);
  shop.index.record(credits);
  return owned.map(({ address, keyPath }, position) => {
    const paid = credits.filter(({ watchKey }) => watchKey === shop.adapter.watchKey(address));
    const credit = paid.length > 1 ? paid[position] : paid[0];
    if (credit === undefined) throw new Error(`${address} was not paid`);
    return { ref: credit.ref, amount: credit.amount, address, keyPath };
  });
}

export async function sign(world: ChainWorld, shop: Shop, plan: SendPlan): Promise<StoredTransaction> {
  return shop.adapter.signSend(plan, world.keys);
}

/** A debit without what only the chain's own block can add. */
export function bare({ ref, byTxid }: Debit): Debit {
  return { ref, byTxid };
}

export function byRef(a: Pick<Debit, 'ref'>, b: Pick<Debit, 'ref'>): number {
  return a.ref.txid.localeCompare(b.ref.txid) || a.ref.index - b.ref.index;
}
