import { setTimeout as sleep } from 'node:timers/promises';
import { outputKey, type BlockRef, type ChainAdapter, type UnspentScan } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { watchedKeys } from '../../store/addresses.ts';
import { rememberedBlocks } from '../../store/chain-cursors.ts';
import { inTransaction, type Db } from '../../store/database.ts';
import { unspentAt } from '../../store/outputs.ts';
import { writeReconciliation } from '../../store/reconciliations.ts';

export interface ReconcileDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long the ledger may take to read the block at which the node answered. */
  readonly patienceMs: number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

/** An output about which ledger and chain disagree; amounts in atoms, null where there is none. */
export interface Difference {
  readonly output: string;
  readonly ledger: bigint | null;
  readonly chain: bigint | null;
}

export type Reconciliation =
  | {
      readonly kind: 'compared';
      readonly height: number;
      /** Unspent atoms by the ledger. */
      readonly ledger: bigint;
      readonly outputs: number;
      /** False: the node could be asked only about what the ledger knows. */
      readonly isComplete: boolean;
      readonly differences: readonly Difference[];
    }
  /** The ledger does not stand on the block at which the node answered. */
  | { readonly kind: 'postponed'; readonly reason: string };

const POLL_MS = 250;
/** Differences told one by one in the log. */
const MAX_TOLD = 100;

/**
 * Compares what the ledger holds unspent with what the node's own set of unspent outputs holds for our
 * addresses, both at one block. Differences are logged and counted; nothing is changed by them.
 * @returns null where the chain has no such set.
 * @throws {ChainError} when the node does not answer, or is busy with another scan.
 */
export async function reconcile(
  deps: ReconcileDeps,
  adapter: Pick<ChainAdapter, 'coin' | 'mode' | 'tip' | 'scanUnspent'>,
): Promise<Reconciliation | null> {
  if (adapter.scanUnspent === undefined) return null;
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  const before = await adapter.tip();
  const known = (await unspentAt(deps.db, chain, before.height)).map(({ txid, vout }) => ({
    txid,
    index: vout,
  }));
  const scan = await adapter.scanUnspent({ watchKeys: await watchedKeys(deps.db, chain), known });
  const ledger = await ledgerAt(deps, chain, scan.tip);
  if (ledger === null) {
    const reason = `the ledger does not stand on the node's block ${scan.tip.height}: is the daemon running?`;
    deps.logger.warn(
      { ...chain, tip: scan.tip },
      'reconciliation postponed: the chain moved or is not read yet',
    );
    return { kind: 'postponed', reason };
  }
  const differences = compare(ledger, scan);
  const total = [...ledger.values()].reduce((sum, amount) => sum + amount, 0n);
  await report(deps, chain, { differences, height: scan.tip.height, total });
  const { isComplete } = scan;
  const outputs = ledger.size;
  return { kind: 'compared', height: scan.tip.height, ledger: total, outputs, isComplete, differences };
}

/** What the ledger held unspent at a block; null when it does not come to stand on it in time. */
async function ledgerAt(
  deps: ReconcileDeps,
  chain: ChainId,
  at: BlockRef,
): Promise<Map<string, bigint> | null> {
  const deadline = deps.clock.now() + deps.patienceMs;
  for (;;) {
    const ledger = await inTransaction(deps.db, async (tx) => {
      const [block] = await rememberedBlocks(tx, chain, at.height, 1);
      if (block?.height !== at.height || block.hash !== at.hash) return null;
      const rows = await unspentAt(tx, chain, at.height);
      return new Map(rows.map((row) => [outputKey({ txid: row.txid, index: row.vout }), BigInt(row.amount)]));
    });
    if (ledger !== null || deps.clock.now() >= deadline) return ledger;
    await sleep(POLL_MS, undefined, { signal: deps.signal });
  }
}

function compare(ledger: ReadonlyMap<string, bigint>, scan: UnspentScan): Difference[] {
  const chain = new Map(scan.outputs.map(({ ref, amount }) => [outputKey(ref), amount]));
  const differences: Difference[] = [];
  for (const [output, amount] of ledger) {
    const found = chain.get(output) ?? null;
    if (found !== amount) differences.push({ output, ledger: amount, chain: found });
  }
  for (const [output, amount] of chain) {
    if (!ledger.has(output) && scan.isComplete) differences.push({ output, ledger: null, chain: amount });
  }
  return differences;
}

async function report(
  deps: ReconcileDeps,
  chain: ChainId,
  { differences, height, total }: { differences: readonly Difference[]; height: number; total: bigint },
): Promise<void> {
  for (const { output, ledger, chain: onChain } of differences.slice(0, MAX_TOLD)) {
    const amounts = { ledger: ledger?.toString() ?? null, onChain: onChain?.toString() ?? null };
    deps.logger.error({ ...chain, height, output, ...amounts }, 'ledger and chain disagree about an output');
  }
  deps.logger.info(
    { ...chain, height, ledger: total.toString(), differences: differences.length },
    'ledger compared with the chain',
  );
  const at = deps.clock.now();
  await writeReconciliation(deps.db, { ...chain, at, height, differences: differences.length });
}
