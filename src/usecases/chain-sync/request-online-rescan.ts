import { ChainError, type ChainAdapter } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { findCursor } from '../../store/chain/chain-cursors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findReread, writeReread, type RereadRequest } from '../../store/chain/reread-requests.ts';

/**
 * Asks the running daemon to read a chain again from a height up to the cursor; see `rereadBlocks`.
 * @throws {ChainError} when the node no longer has the blocks
 */
export async function requestOnlineRescan(
  db: Db,
  adapter: ChainAdapter,
  from: number,
): Promise<RereadRequest> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  if (adapter.funds?.model !== 'outputs')
    throw new Error('on account chains the daemon compares balances continuously: stop it for a full rescan');
  const cursor = await findCursor(db, chain);
  if (cursor === undefined || cursor.height < from)
    throw new Error(`the chain is read up to ${cursor?.height ?? 'no block'}: no blocks to reread`);
  const { pruneHeight } = await adapter.status();
  if (from < pruneHeight)
    throw new ChainError('pruned', `the node has no blocks below ${pruneHeight}: start there`);
  const open = await findReread(db, chain);
  if (open !== undefined)
    throw new Error(`blocks ${open.from} to ${open.to} are already being reread: at ${open.next}`);
  const request = { from, to: cursor.height, next: from };
  await writeReread(db, chain, request);
  return request;
}
