import { type BlockRef, type ChainAdapter, ChainError } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { possibleFinalities, type FinalHeights, type Finality } from '../../domain/confirmations.ts';
import {
  finalHeights,
  findCursor,
  rememberedBlocks,
  setFinalHeights,
} from '../../store/chain/chain-cursors.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { paymentsAwaiting } from '../../store/payments/awaited-finality.ts';
import { applyFacts } from '../payments/index.ts';
import type { FinalityCache } from './finality-cache.ts';
import type { ObserveDeps } from './observe-deps.ts';

/**
 * Asks the node which blocks are safe or finalized, and settles the payments that wait for finality. The
 * answer counts only for blocks already recorded on the chain of the ledger. A lower height (another backend, or one
 * just started) is ignored; only a reorg lowers the recorded one. Sends no request while no payment waits for finality.
 * @param earlier kept from round to round
 * @throws {ChainError} when the node does not say, or names a block of another chain.
 */
export async function recordFinality(
  deps: ObserveDeps,
  adapter: ChainAdapter,
  earlier: FinalityCache,
): Promise<void> {
  if (adapter.finality === undefined) return;
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  const policy = possibleFinalities(deps.confirmations(chain.coin, chain.mode));
  const wanted = [...new Set([...policy, ...(await earlier.awaited(deps, chain))])];
  if (wanted.length === 0) return;
  const named = await adapter.finality.finalBlocks(wanted);
  const strays = await deps.db.transaction(async (tx) => storeFinality(tx, deps, chain, named));
  deps.wakeWebhooks();
  const [stray] = strays;
  if (stray === undefined) return;
  const { finality, block } = stray;
  throw new ChainError(
    'bad_answer',
    `the node reports block ${block.height} ${block.hash} as ${finality}, but it is not on the chain that it returned`,
  );
}

interface Stray {
  readonly finality: Finality;
  readonly block: BlockRef;
}

async function storeFinality(
  tx: Tx,
  deps: ObserveDeps,
  chain: ChainId,
  named: ReadonlyMap<Finality, BlockRef>,
): Promise<Stray[]> {
  const cursor = await findCursor(tx, chain);
  if (cursor === undefined) return [];
  const before = await finalHeights(tx, chain);
  const strays: Stray[] = [];
  let after: FinalHeights = before;
  for (const [finality, block] of named) {
    // Above the cursor: handled in a later round, once read.
    if (block.height > cursor.height) continue;
    const [recorded] = await rememberedBlocks(tx, chain, block.height, 1);
    // Older than the first block that we ever read, so it contains nothing of ours.
    if (recorded?.height !== block.height) continue;
    if (recorded.hash !== block.hash) strays.push({ finality, block });
    else if (block.height > (before[finality] ?? -1)) after = { ...after, [finality]: block.height };
  }
  if (after === before) return strays;
  const { coin } = chain;
  const { height } = cursor;
  for (const paymentId of await paymentsAwaiting(tx, chain, { before, after })) {
    const fact = { type: 'tip' as const, coin, height, final: after };
    await applyFacts(tx, deps, paymentId, [fact]);
  }
  await setFinalHeights(tx, chain, after);
  return strays;
}
