/** Chain reorganizations of a chosen depth, with a chosen fate for the transactions in them. */
import type { NodeHandle } from './node-handle.ts';

export interface ReorgOptions {
  /** How many blocks are replaced; 1 by default. */
  readonly depth?: number;
  /** How much longer the new chain is; 1 by default, so that it wins. */
  readonly extra?: number;
  /**
   * What becomes of the transactions of the replaced blocks: `moved` (default) into a block of
   * the new chain, or left in the `mempool` with the new chain empty.
   */
  readonly transactions?: 'moved' | 'mempool';
  /** Into which block of the new chain moved transactions go: 0 (default) is the first. */
  readonly moveInto?: number;
  /** Payments of the miner that vanish: the new chain holds a double-spend of each. */
  readonly drop?: readonly string[];
  /** Raw transactions for the first block of the new chain, such as conflicts built by hand. */
  readonly replaceWith?: readonly string[];
}

export interface ReorgResult {
  /** The last block that both chains share. */
  readonly forkHeight: number;
  /** Hashes of the replaced blocks and of the new ones, both from the fork upwards. */
  readonly disconnected: readonly string[];
  readonly connected: readonly string[];
  /** Transactions mined again in the new chain. */
  readonly moved: readonly string[];
  /** Each dropped transaction with the double-spend that took its place. */
  readonly dropped: readonly { readonly txid: string; readonly replacedBy: string }[];
}

interface ReplacedTx {
  txid: string;
  parents: string[];
}

/** Invalidates the last blocks and mines a longer chain in their place. */
export async function reorganize(node: NodeHandle, options: ReorgOptions): Promise<ReorgResult> {
  const { depth = 1, extra = 1, drop = [], replaceWith = [], moveInto = 0 } = options;
  const length = depth + extra;
  if (depth < 1 || extra < 1) throw new Error('depth and extra start at 1');
  if (moveInto < 0 || moveInto >= length) throw new Error('moveInto is outside the new chain');
  const { height } = await node.tip();
  if (height < depth) throw new Error(`the chain has only ${height} blocks`);
  const forkHeight = height - depth;
  const { hashes: disconnected, transactions } = await replacedBlocks(node, forkHeight, height);
  // One that builds on another of them vanishes with that one.
  const dropped = new Set(drop);
  const spent = transactions.filter(({ parents }) => parents.some((parent) => dropped.has(parent)));
  const orphans = new Set(spent.map(({ txid }) => txid));
  const roots = drop.filter((txid) => !orphans.has(txid));
  const conflicts = await Promise.all(
    roots.map(async (txid) =>
      node.conflictOf(txid, {
        newAddress: await node.newAddress(),
      }),
    ),
  );
  const [oldest = ''] = disconnected;
  await node.rpc('invalidateblock', [oldest]);
  try {
    const moved = options.transactions === 'mempool' ? [] : await survivors(node, transactions, drop);
    // A double-spend may spend from what is moved: it comes after that then.
    const kept = new Set(moved);
    const buildsOnMoved = (txid: string): boolean =>
      transactions.some((each) => each.txid === txid && each.parents.some((parent) => kept.has(parent)));
    const rawOf = (isLater: boolean): string[] =>
      conflicts.filter((_, at) => buildsOnMoved(roots[at] ?? '') === isLater).map(({ rawTx }) => rawTx);
    const connected = await mineChain(node, {
      length,
      first: [...replaceWith, ...rawOf(false)],
      moved: [...moved, ...rawOf(true)],
      moveInto,
    });
    return {
      forkHeight,
      disconnected,
      connected,
      moved,
      dropped: roots.map((txid, index) => ({ txid, replacedBy: conflicts[index]?.txid ?? '' })),
    };
  } catch (error) {
    await node.rpc('reconsiderblock', [oldest]);
    throw error;
  }
}

async function mineChain(
  node: NodeHandle,
  plan: { length: number; first: readonly string[]; moved: readonly string[]; moveInto: number },
): Promise<string[]> {
  const connected: string[] = [];
  for (let index = 0; index < plan.length; index += 1) {
    const contents = index === 0 ? [...plan.first] : [];
    if (index === plan.moveInto) contents.push(...plan.moved);
    connected.push(await node.mineOnly(contents));
  }
  return connected;
}

/** The blocks above the fork and, in order, what they hold besides coinbases and HogEx. */
async function replacedBlocks(
  node: NodeHandle,
  forkHeight: number,
  tipHeight: number,
): Promise<{ hashes: string[]; transactions: ReplacedTx[] }> {
  const hashes: string[] = [];
  const transactions: ReplacedTx[] = [];
  for (let height = forkHeight + 1; height <= tipHeight; height += 1) {
    const hash = await node.blockHash(height);
    const block = await node.rpc<{
      tx: { txid: string; vin: { txid?: string; coinbase?: string }[] }[];
    }>('getblock', [hash, 2]);
    hashes.push(hash);
    for (const { txid, vin } of block.tx.slice(1)) {
      transactions.push({ txid, parents: vin.flatMap((input) => input.txid ?? []) });
    }
  }
  return { hashes, transactions };
}

/** Those that can be mined again: back in the mempool, and not built on a dropped one. */
async function survivors(
  node: NodeHandle,
  transactions: readonly ReplacedTx[],
  drop: readonly string[],
): Promise<string[]> {
  const gone = new Set(drop);
  const mempool = new Set(await node.getMempool());
  const kept: string[] = [];
  for (const { txid, parents } of transactions) {
    if (gone.has(txid) || parents.some((parent) => gone.has(parent))) gone.add(txid);
    else if (mempool.has(txid)) kept.push(txid);
  }
  return kept;
}
