import type { BlockRef, ChainAdapter, ChainBlockHeader } from '../../domain/chain.ts';
import { advanceCursor, findCursor } from '../../store/chain/chain-cursors.ts';
import { oldestAddressTime, oldestPaymentAddressTime } from '../../store/ledger/oldest-address.ts';
import type { ObserveDeps } from './observe-deps.ts';

/** Block times may run two hours ahead of the truth (Bitcoin consensus), so start that much earlier. */
const CLOCK_MARGIN_MS = 2 * 3_600_000;

/**
 * The block from which a chain is scanned. On first contact it is older than our oldest address, so that
 * payments made while the node was unreachable are found. Where no payment was ever offered in the coin, a
 * pruned node is followed from its first block: the wallet addresses of merchants are as old as the shop,
 * even for coins that it never accepted.
 */
export async function startCursor(deps: ObserveDeps, adapter: ChainAdapter): Promise<BlockRef> {
  const chain = { coin: adapter.coin, mode: adapter.mode };
  const known = await findCursor(deps.db, chain);
  if (known !== undefined) return known;
  const block = await firstBlock(deps, adapter);
  await deps.db.transaction(async (tx) => {
    if ((await findCursor(tx, chain)) !== undefined) return;
    await advanceCursor(tx, chain, block, deps.clock.now());
  });
  deps.logger.info({ ...chain, height: block.height, hash: block.hash }, 'first scan of the chain started');
  return (await findCursor(deps.db, chain)) ?? block;
}

async function firstBlock(deps: ObserveDeps, adapter: ChainAdapter): Promise<ChainBlockHeader> {
  const chain = { coin: adapter.coin, mode: adapter.mode };
  const offered = await oldestPaymentAddressTime(deps.db, chain);
  const oldest = offered ?? (await oldestAddressTime(deps.db, chain)) ?? deps.clock.now();
  const block = await adapter.blockBefore(oldest - CLOCK_MARGIN_MS);
  if (offered !== null) return block;
  const { pruneHeight } = await adapter.status();
  const first = block.height + 1 < pruneHeight ? await adapter.blockAt(pruneHeight) : null;
  if (first === null) return block;
  deps.logger.warn(
    { ...chain, from: block.height + 1, to: first.height },
    'coin was never offered in a payment; the scan starts after the pruned blocks',
  );
  return first;
}
