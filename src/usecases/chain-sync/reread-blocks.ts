import type { ChainAdapter, ChainBlock } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { findCursor, rememberedBlocks } from '../../store/chain/chain-cursors.ts';
import { endReread, findReread, writeReread, type RereadRequest } from '../../store/chain/reread-requests.ts';
import { groupByTransaction, recordMovements } from '../accounting/index.ts';
import { confirmSends } from '../wallet/index.ts';
import type { ObserveDeps } from './observe-deps.ts';
import { recordObservations } from '../payments/index.ts';

/** Blocks read per call, so that a request does not delay a stop. */
const BLOCKS_PER_CALL = 100;

/**
 * Rereads blocks without moving the cursor, on request: missing outputs are recorded as of their block, known
 * ones stay as they are. Each block is one transaction with the progress of the request. For UTXO chains; on
 * account chains the balances show missing money at every block.
 * @returns true when nothing is left to do
 * @throws {ChainError} when the node does not answer: the request stays.
 */
export async function rereadBlocks(
  deps: ObserveDeps,
  adapter: Pick<ChainAdapter, 'coin' | 'mode' | 'blockAt'>,
  signal?: AbortSignal,
): Promise<boolean> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  for (let count = 0; count < BLOCKS_PER_CALL; count += 1) {
    const request = await findReread(deps.db, chain);
    if (request === undefined) return true;
    if (signal?.aborted === true) return false;
    const block = await adapter.blockAt(request.next);
    if (block === null || !(await reread(deps, chain, { request, block }))) return false;
  }
  return false;
}

/** False when the block is not on the ledger's chain, because a reorg is in progress. */
async function reread(
  deps: ObserveDeps,
  chain: ChainId,
  { request, block }: { readonly request: RereadRequest; readonly block: ChainBlock },
): Promise<boolean> {
  const isDone = await deps.db.transaction(async (tx) => {
    const cursor = await findCursor(tx, chain);
    const { height, hash } = block;
    if (cursor === undefined || cursor.height < height) return null;
    const [known] = await rememberedBlocks(tx, chain, height, 1);
    if (known?.height === height && known.hash !== hash) return null;
    const now = deps.clock.now();
    const { timeMs: minedAt } = block;
    const seen = block.credits.map((credit) => ({ credit, seenAt: Math.min(now, minedAt), minedAt }));
    const sighting = { kind: 'block' as const, height, hash, tip: cursor.height };
    await recordObservations(tx, deps, chain, { seen, gone: [] }, sighting);
    await confirmSends(tx, deps, chain, { spends: block.debits, height });
    await recordMovements(tx, deps, chain, groupByTransaction(block));
    if (height >= request.to) await endReread(tx, chain);
    else await writeReread(tx, chain, { ...request, next: height + 1 });
    return height >= request.to;
  });
  if (isDone === null) return false;
  deps.wakeWebhooks();
  if (isDone)
    deps.logger.info({ ...chain, from: request.from, to: request.to }, 'online rescan of blocks finished');
  return true;
}
