import { type ChainBlockHeader, ChainError } from '../../../domain/chain.ts';
import type { NodeClient } from './node-client.ts';
import type { NodeHeader } from './node-answers.ts';

const NO_PARENT = '0'.repeat(64);

/**
 * The highest block of the best chain whose time is at or before `timeMs` (at least block 0).
 * Block times are not monotonic, but the median of eleven is, and every block is later than
 * the median before it: past the first median above `timeMs` no block can qualify.
 */
export async function blockBefore(client: NodeClient, timeMs: number): Promise<ChainBlockHeader> {
  const tip = await client.tip();
  let low = 0;
  let high = tip.height;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { mediantime } = await headerAt(client, middle);
    if (mediantime * 1000 > timeMs) high = middle;
    else low = middle + 1;
  }
  let header = await headerAt(client, low);
  while (header.height > 0 && header.time * 1000 > timeMs) header = await headerAt(client, header.height - 1);
  return {
    height: header.height,
    hash: header.hash,
    parentHash: header.previousblockhash ?? NO_PARENT,
    timeMs: header.time * 1000,
  };
}

async function headerAt(client: NodeClient, height: number): Promise<NodeHeader> {
  const hash = await client.getBlockHash(height);
  if (hash === null) throw new ChainError('unavailable', `block ${height} left the chain during the search`);
  return client.getBlockHeader(hash);
}
