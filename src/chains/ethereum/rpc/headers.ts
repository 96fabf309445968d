import type { ChainBlockHeader } from '../../../domain/chain.ts';
import { ChainError } from '../../../domain/chain.ts';
import type { Header } from './node-answers.ts';
import type { NodeClient } from './node-client.ts';

/**
 * The highest block at or above a height whose time is at or before `timeMs`, else the block at that height.
 * Binary search works because block times only increase.
 */
export async function blockBefore(
  client: NodeClient,
  timeMs: number,
  fromHeight = 0,
): Promise<ChainBlockHeader> {
  const tip = await client.tip();
  if (toTimeMs(tip) <= timeMs) return toBlockHeader(tip);
  let low = await required(client, fromHeight);
  let above = tip.number;
  while (above - low.number > 1) {
    const middle = await required(client, Math.floor((low.number + above) / 2));
    if (toTimeMs(middle) <= timeMs) low = middle;
    else above = middle.number;
  }
  return toBlockHeader(low);
}

async function required(client: NodeClient, height: number): Promise<Header> {
  const header = await client.headerAt(height);
  if (header === null) throw new ChainError('unavailable', `the node has no block ${height} any more`);
  return header;
}

function toTimeMs({ timestamp }: Header): number {
  return timestamp * 1000;
}

function toBlockHeader(header: Header): ChainBlockHeader {
  const { number, hash, parentHash } = header;
  return { height: number, hash, parentHash, timeMs: toTimeMs(header) };
}
