import { type ChainBlock, ChainError, type ChainIndex, type WatchFilter } from '../../../domain/chain.ts';
import { type OpenBlock, openBlock } from './block.ts';
import type { UtxoCoin } from '../../../domain/coins/definition.ts';
import {
  COINBASE_MATURITY,
  findCredits,
  type MatchTransaction,
  matchTransactions,
  PEGOUT_MATURITY,
} from './match.ts';
import { prefilterBlock } from './prefilter-block.ts';
import type { NodeClient } from '../rpc/node-client.ts';

export interface BlockReaderDeps {
  readonly client: NodeClient;
  readonly coin: Pick<UtxoCoin, 'hasMweb'>;
  readonly index: ChainIndex;
}

const ONE_CONFIRMATION = 1;

/**
 * One block of the node's best chain, reduced to its relevant parts; null above the tip.
 * @throws {ChainError} `pruned` when the node no longer has it, naming the missing range.
 */
export async function readBlock(deps: BlockReaderDeps, height: number): Promise<ChainBlock | null> {
  const hash = await deps.client.getBlockHash(height);
  if (hash === null) return null;
  const raw = await deps.client.getBlock(hash);
  if (raw === null) throw await prunedError(deps.client, height);
  return reduceBlock(deps, height, openBlock({ hash, raw }));
}

/**
 * Reduces a block to its relevant parts.
 * @param known the index's watch filter, if already loaded
 */
export async function reduceBlock(
  { index, coin }: Pick<BlockReaderDeps, 'index' | 'coin'>,
  height: number,
  block: OpenBlock,
  known?: WatchFilter | null,
): Promise<ChainBlock> {
  const watchFilter = known === undefined ? ((await index.watchFilter?.()) ?? null) : known;
  const { candidates, maySpend, oddVersions } = readable(height, block, () =>
    prefilterBlock(block, coin.hasMweb, watchFilter),
  );
  const transactions = candidates.map(({ position, ...scanned }): MatchTransaction => {
    const isCoinbase = position === 0;
    const maturity = isCoinbase ? COINBASE_MATURITY : scanned.isHogEx ? PEGOUT_MATURITY : ONE_CONFIRMATION;
    return { bytes: block.bytes, scanned, maturity, relayable: !isCoinbase && !scanned.isHogEx };
  });
  const { credits, debits } = maySpend
    ? await matchTransactions(transactions, index, [], watchFilter)
    : { credits: await findCredits(transactions, index, watchFilter), debits: [] };
  const { hash, parentHash, timeMs } = block;
  return {
    height,
    hash,
    parentHash,
    timeMs,
    credits,
    debits,
    ...(oddVersions > 0 ? { oddVersions } : {}),
  };
}

/**
 * In a block, the end of a transaction is known only by parsing it, so one that cannot be parsed hides those
 * after it. Such a block is retried and never skipped, and the error says so.
 */
function readable<T>(height: number, { hash }: OpenBlock, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const remedy =
      error.kind === 'unknown_version' ? 'install a newer release' : 'if that lasts, use another node';
    throw new ChainError(
      error.kind,
      `block ${height} (${hash}) cannot be read and is retried; blocks after it wait: ${error.message}; ${remedy}`,
      { cause: error },
    );
  }
}

/** The `pruned` error, naming the missing range. */
export async function prunedError(client: NodeClient, height: number): Promise<ChainError> {
  const { pruneheight = height + 1 } = await client.chainInfo();
  const first = Math.max(height + 1, pruneheight);
  return new ChainError(
    'pruned',
    `the node pruned blocks ${height} to ${first - 1}: they are needed to find payments. Use a node that has them, or stop tilld and run tillctl rescan with --skip-to ${first}`,
  );
}
