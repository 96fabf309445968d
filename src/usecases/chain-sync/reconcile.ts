import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import {
  ChainError,
  outputKey,
  type BlockRef,
  type ChainAdapter,
  type OutputFunds,
  type OutputRef,
  type UnspentScan,
} from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { watchedKeys } from '../../store/ledger/addresses.ts';
import { rememberedBlocks } from '../../store/chain/chain-cursors.ts';
import { countLookAhead } from '../../store/ledger/look-ahead.ts';
import { unspentAt } from '../../store/ledger/holdings.ts';
import { writeUnreconciled } from '../../store/chain/reconciliations.ts';
import { compareAccounts } from './reconcile-accounts.ts';
import {
  POLL_MS,
  reportComparison,
  type Difference,
  type ReconcileDeps,
  type Reconciliation,
} from './reconciliation.ts';

type Reconciled = Pick<ChainAdapter, 'coin' | 'mode' | 'tip' | 'funds'>;

/**
 * Compares the ledger with the chain itself for our addresses: unspent outputs, or the balance of each account.
 * Differences are logged and counted; nothing is changed. If the node does not answer, the result is unknown.
 * @returns null where there is nothing to compare with (the simulator).
 */
export async function reconcile(deps: ReconcileDeps, adapter: Reconciled): Promise<Reconciliation | null> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  const result = await compare(deps, adapter).catch((error: unknown): Reconciliation => {
    if (!(error instanceof ChainError)) throw error;
    return { kind: 'unknown', reason: error.message };
  });
  if (result === null) return null;
  if (result.kind === 'unknown') {
    const { reason } = result;
    deps.logger.warn({ ...chain, reason }, 'reconciliation with the chain not possible; will retry');
    await writeUnreconciled(deps.db, { ...chain, at: deps.clock.now(), reason });
  } else {
    await reportComparison(deps, chain, result);
  }
  return result;
}

async function compare(deps: ReconcileDeps, adapter: Reconciled): Promise<Reconciliation | null> {
  const { coin, mode, funds } = adapter;
  if (funds === undefined) return null;
  const unwatched = mode === 'live' ? ((await countLookAhead(deps.db)).get(coin) ?? 0) : 0;
  // Without this, outputs of addresses that become watched during the scan would be missing from it.
  if (unwatched > 0) {
    const reason = `${unwatched} addresses reserved by the restore are not watched yet: is the daemon running?`;
    return { kind: 'unknown', reason };
  }
  if (funds.model === 'accounts') return compareAccounts(deps, { coin, mode, funds });
  return compareOutputs(deps, adapter, funds);
}

async function compareOutputs(
  deps: ReconcileDeps,
  adapter: Reconciled,
  funds: OutputFunds,
): Promise<Reconciliation> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  const before = await adapter.tip();
  const known: OutputRef[] = [];
  for await (const batch of unspentAt(deps.db, chain, before.height))
    for (const { txid, vout } of batch) known.push({ txid, index: vout });
  const scan = await funds.scanUnspent({ watchKeys: await watchedKeys(deps.db, chain), known });
  const { height } = scan.tip;
  const ledger = await ledgerAt(deps, chain, scan.tip);
  if (ledger === null) {
    return {
      kind: 'unknown',
      reason: `the ledger has not reached the node's block ${height}: is the daemon running?`,
    };
  }
  const { isComplete } = scan;
  const { differences, total } = await findDifferences(ledger, scan);
  return { kind: 'compared', height, ledger: total, subjects: ledger.size, isComplete, differences };
}

/** The ledger's unspent outputs as of a block; null when it does not reach that block in time. */
async function ledgerAt(
  deps: ReconcileDeps,
  chain: ChainId,
  at: BlockRef,
): Promise<Map<string, bigint> | null> {
  const deadline = deps.clock.now() + deps.patienceMs;
  for (;;) {
    const ledger = await deps.db.read(async (tx) => {
      const [block] = await rememberedBlocks(tx, chain, at.height, 1);
      if (block?.height !== at.height || block.hash !== at.hash) return null;
      const unspent = new Map<string, bigint>();
      for await (const batch of unspentAt(tx, chain, at.height))
        for (const { txid, vout, amount } of batch)
          unspent.set(outputKey({ txid, index: vout }), BigInt(amount));
      return unspent;
    });
    if (ledger !== null || deps.clock.now() >= deadline) return ledger;
    await sleep(POLL_MS, undefined, { signal: deps.signal });
  }
}

/** Compared outputs after which other work continues: some milliseconds. */
const COMPARED_AT_ONCE = 5_000;

async function findDifferences(
  ledger: ReadonlyMap<string, bigint>,
  scan: UnspentScan,
): Promise<{ readonly differences: readonly Difference[]; readonly total: bigint }> {
  let compared = 0;
  const pause = async (): Promise<void> => {
    compared += 1;
    if (compared % COMPARED_AT_ONCE === 0) await setImmediate();
  };
  const chain = new Map<string, bigint>();
  const differences: Difference[] = [];
  for (const { ref, amount } of scan.outputs) {
    const key = outputKey(ref);
    chain.set(key, amount);
    if (scan.isComplete && !ledger.has(key)) differences.push({ subject: key, ledger: null, chain: amount });
    await pause();
  }
  let total = 0n;
  for (const [subject, amount] of ledger) {
    total += amount;
    const chainAmount = chain.get(subject) ?? null;
    if (chainAmount !== amount) differences.push({ subject, ledger: amount, chain: chainAmount });
    await pause();
  }
  return { differences, total };
}
