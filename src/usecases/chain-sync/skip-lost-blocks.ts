import {
  ChainError,
  type BlockRef,
  type ChainAdapter,
  type ChainBlock,
  type Holding,
} from '../../domain/chain.ts';
import { recordSkippedBlocks } from '../../store/chain/skipped-blocks.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { confirmedHoldings, unspentAbove } from '../../store/ledger/holdings.ts';
import type { ObserveDeps } from './observe-deps.ts';

/**
 * Finds where the scan resumes when the node has lost the cursor's block and some after it: the first block above the
 * cursor that is final. Null while the node has none, or where a chain has no finality.
 *
 * Money above the last block that the node still shows would gain confirmations across blocks that cannot be checked,
 * so each account with such money must hold at least its ledger balance in the final state. The skipped blocks are
 * recorded as a gap: money received in them is not in the ledger.
 * @param shared the newest recorded block that the node still shows
 * @throws {ChainError} `pruned` when an account holds less: only a node that has the blocks can tell why.
 */
export async function skipLostBlocks(
  deps: Pick<ObserveDeps, 'db' | 'clock' | 'logger'>,
  adapter: ChainAdapter,
  { cursor, shared }: { readonly cursor: BlockRef; readonly shared: BlockRef | null },
): Promise<ChainBlock | null> {
  const { coin, mode } = adapter;
  const next = (await adapter.sparse?.finalAfter(cursor.height)) ?? null;
  if (next === null) return null;
  const short = await accountsShort(deps.db, adapter, { cursor, above: shared?.height ?? 0 });
  if (short.length > 0) {
    throw new ChainError(
      'pruned',
      `the node has lost the blocks after ${shared?.height ?? 0}, and these accounts hold less than their ledger balance: ${short.join(', ')}. Use a node that has the blocks`,
    );
  }
  const gap = { afterHeight: shared?.height ?? 0, beforeHeight: next.height };
  await deps.db.transaction(async (tx) =>
    recordSkippedBlocks(tx, { coin, mode, ...gap, foundAt: deps.clock.now(), reason: 'lost' }),
  );
  deps.logger.error(
    { coin, mode, cursor, after: gap.afterHeight, before: gap.beforeHeight },
    'node lost blocks: existing credits stay, the scan continues after the gap, payments inside it are unknown',
  );
  return { ...next, parentHash: cursor.hash, credits: [], debits: [] };
}

/** Accounts with money above a height whose balance is below the ledger's, and that no send of ours draws on. */
async function accountsShort(
  db: Db,
  adapter: ChainAdapter,
  { cursor, above }: { readonly cursor: BlockRef; readonly above: number },
): Promise<string[]> {
  const outputs = await unspentAbove(db, adapter, above);
  const drawnOn = new Set(outputs.flatMap(({ watchKey, isReserved }) => (isReserved ? [watchKey] : [])));
  const accounts = [...new Set(outputs.map(({ watchKey }) => watchKey))].filter((key) => !drawnOn.has(key));
  if (accounts.length === 0 || adapter.funds?.model !== 'accounts') return [];
  const { balances } = await adapter.funds.balancesAt(accounts, cursor);
  const holdings = await confirmedHoldings(db, adapter, accounts);
  return accounts.filter((account) => (balances.get(account) ?? 0n) < total(holdings.get(account)));
}

function total(holdings: readonly Holding[] = []): bigint {
  return holdings.reduce((sum, { amount }) => sum + amount, 0n);
}
