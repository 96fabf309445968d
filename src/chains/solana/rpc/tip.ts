import { ChainError, type ChainBlockHeader } from '../../../domain/chain.ts';
import { datedBefore, type DatedHeader } from './block-times.ts';
import type { BlockHeader, NodeClient } from './node-client.ts';

/**
 * Blocks shown above the finalized one. The tip is never further ahead, so 32 confirmations, including the
 * block itself, always imply finality, regardless of voting.
 */
export const SHOWN_ABOVE_FINALIZED = 31;
/** Slots searched for a block below the highest one shown: a running cluster never skips more in a row. */
const SEARCHED_SLOTS = 256;

export interface Tip {
  readonly block: DatedHeader;
  /** The newest finalized slot. */
  readonly finalized: number;
}

/**
 * The newest visible confirmed block.
 * @param confirmed a confirmed slot of an earlier answer, which the tip does not exceed; null to request one
 * @throws {ChainError} unavailable when the node has none now.
 */
export async function readTip(client: NodeClient, confirmed: number | null = null): Promise<Tip> {
  const { shown, finalized } = await highestVisibleSlot(client, confirmed);
  const block = (await client.block(shown, 'none')) ?? (await newestBlock(client, shown - 1));
  if (block === null) throw new ChainError('unavailable', `the node has no block near slot ${shown}`);
  return { block: await datedBefore(client, block), finalized };
}

/** Highest slot that is shown as part of the chain. */
async function highestVisibleSlot(
  client: NodeClient,
  confirmed: number | null,
): Promise<{ shown: number; finalized: number }> {
  if (confirmed !== null) {
    const finalized = await client.slot('finalized');
    return { shown: Math.min(confirmed, finalized + SHOWN_ABOVE_FINALIZED), finalized };
  }
  const [finalized, newest] = await Promise.all([client.slot('finalized'), client.slot('confirmed')]);
  return { shown: Math.min(Math.max(newest, finalized), finalized + SHOWN_ABOVE_FINALIZED), finalized };
}

/** The newest listed block up to a slot, where the slot itself was skipped or is not returned yet. */
async function newestBlock(client: NodeClient, last: number): Promise<BlockHeader | null> {
  const slots = await client.blocks(Math.max(0, last + 1 - SEARCHED_SLOTS), last);
  const slot = slots.at(-1);
  return slot === undefined ? null : client.block(slot, 'none');
}

/** The highest block whose time is at or before `timeMs`, else the node's first block. */
export async function blockBefore(client: NodeClient, timeMs: number): Promise<ChainBlockHeader> {
  const tip = (await readTip(client)).block;
  if (tip.timeMs <= timeMs) return toBlockHeader(tip);
  let low = await requireBlock(client, await client.firstBlock());
  let above = tip.slot;
  while (above - low.slot > 1) {
    const middle = Math.floor((low.slot + above) / 2);
    const [slot] = await client.blocks(middle, Math.min(middle + SEARCHED_SLOTS, above - 1));
    if (slot === undefined) {
      above = middle;
      continue;
    }
    const block = await requireBlock(client, slot);
    if (block.timeMs <= timeMs) low = block;
    else above = middle;
  }
  return toBlockHeader(low);
}

async function requireBlock(client: NodeClient, slot: number): Promise<DatedHeader> {
  const block = await client.block(slot, 'none');
  if (block === null) throw new ChainError('unavailable', `the node has no block at slot ${slot}`);
  // The first block has no predecessor.
  return block.timeMs === null && slot === 0 ? { ...block, timeMs: 0 } : datedBefore(client, block);
}

/** Slots requested at first; doubled after each page without an available block, up to the maximum. */
const PAGE_SLOTS = 1_000;
const MAX_PAGE_SLOTS = 100_000;

/** Number of listed but unavailable blocks after which the search ends until the next round. */
const MAX_UNSHOWN = 20;

/**
 * The first available finalized block above a slot, whatever the size of the gap in the node's history. A
 * listed but unavailable block belongs to the gap. Null when there is none.
 * @throws {ChainError} unavailable when too many listed blocks are unavailable
 */
export async function finalAfter(client: NodeClient, slot: number): Promise<ChainBlockHeader | null> {
  const finalized = await client.slot('finalized');
  let pageSlots = PAGE_SLOTS;
  let unshown = 0;
  for (let first = slot + 1; first <= finalized;) {
    const last = Math.min(finalized, first + pageSlots - 1);
    for (const listed of await client.blocks(first, last)) {
      const block = await client.block(listed, 'none');
      if (block !== null) return toBlockHeader(await datedBefore(client, block));
      unshown += 1;
      if (unshown >= MAX_UNSHOWN)
        throw new ChainError(
          'unavailable',
          `the node lists block ${listed} and others but does not return them`,
        );
    }
    first = last + 1;
    pageSlots = Math.min(MAX_PAGE_SLOTS, 2 * pageSlots);
  }
  return null;
}

/**
 * Hash of the chain's block at a slot: its own, or the previous one if the slot was skipped. Null when the
 * node does not return it: "skipped" and "missing" are the same answer, and only the next block's parent
 * distinguishes them.
 */
export async function blockHashAt(client: NodeClient, slot: number, tip: number): Promise<string | null> {
  const own = await client.block(slot, 'none');
  if (own !== null) return own.hash;
  const [next] = slot < tip ? await client.blocks(slot + 1, Math.min(tip, slot + SEARCHED_SLOTS)) : [];
  const child = next === undefined ? null : await client.block(next, 'none');
  return child !== null && child.parentSlot < slot ? child.parentHash : null;
}

function toBlockHeader({ slot: height, hash, parentHash, timeMs }: DatedHeader): ChainBlockHeader {
  return { height, hash, parentHash, timeMs };
}
