import type { BlockRef, ChainAdapter } from '../../domain/chain.ts';
import { advanceCursor, findCursor } from '../../store/chain-cursors.ts';
import { inTransaction } from '../../store/database.ts';
import { oldestAddressTime } from '../../store/oldest-address.ts';
import type { ObserveDeps } from './observe-deps.ts';

/** Block times may run two hours ahead of the truth (Bitcoin consensus), so start that much earlier. */
const CLOCK_MARGIN_MS = 2 * 3_600_000;

/**
 * The place from which a chain is scanned. On first contact that is a block older than the oldest
 * address we ever gave out, so that payments made while the node was unreachable are found.
 */
export async function startCursor(deps: ObserveDeps, adapter: ChainAdapter): Promise<BlockRef> {
  const chain = { coin: adapter.coin, mode: adapter.mode };
  const known = await findCursor(deps.db, chain);
  if (known !== undefined) return known;
  const oldest = (await oldestAddressTime(deps.db, chain)) ?? deps.clock.now();
  const block = await adapter.blockBefore(oldest - CLOCK_MARGIN_MS);
  await inTransaction(deps.db, async (tx) => {
    if ((await findCursor(tx, chain)) !== undefined) return;
    await advanceCursor(tx, chain, block, deps.clock.now());
  });
  deps.logger.info({ ...chain, height: block.height, hash: block.hash }, 'scanning starts here');
  return (await findCursor(deps.db, chain)) ?? block;
}
