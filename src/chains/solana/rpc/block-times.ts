import { ChainError } from '../../../domain/chain.ts';
import type { BlockHeader, NodeClient } from './node-client.ts';

/** A header whose time is known, or bounded by a neighbour's. */
export type DatedHeader = BlockHeader & { readonly timeMs: number };

/** Slots searched for a block with a time: less than a minute of them. */
const SEARCHED_SLOTS = 128;
/** Blocks read in one search. */
const MAX_READ = 32;

/**
 * Dates a block without a time by the last earlier block that has one. The block did not exist at that time,
 * so missing history is never dated too late.
 * @throws {ChainError} bad_answer when no block near it has a time
 */
export async function datedBefore(client: NodeClient, header: BlockHeader): Promise<DatedHeader> {
  if (hasTime(header)) return header;
  const slots = await client.blocks(Math.max(0, header.slot - SEARCHED_SLOTS), header.slot - 1);
  const timeMs = await firstTime(client, slots.toReversed());
  if (timeMs !== null) return { ...header, timeMs };
  throw new ChainError(
    'bad_answer',
    `getBlock: no blockTime at slot ${header.slot} and the blocks before it`,
  );
}

/**
 * Dates a block with a payment but without a time: by the next block that has one, else by `now`. The payment
 * had arrived by then; arrival in time must be proven, not assumed.
 */
export async function datedAfter(client: NodeClient, header: BlockHeader, now: number): Promise<DatedHeader> {
  if (hasTime(header)) return header;
  const slots = await client.blocks(header.slot + 1, header.slot + SEARCHED_SLOTS);
  return { ...header, timeMs: (await firstTime(client, slots)) ?? now };
}

function hasTime(header: BlockHeader): header is DatedHeader {
  return header.timeMs !== null;
}

async function firstTime(client: NodeClient, slots: readonly number[]): Promise<number | null> {
  for (const slot of slots.slice(0, MAX_READ)) {
    const timeMs = (await client.block(slot, 'none'))?.timeMs ?? null;
    if (timeMs !== null) return timeMs;
  }
  return null;
}
