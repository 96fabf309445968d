import { setTimeout as sleep } from 'node:timers/promises';
import type { BalanceReading, AccountFunds } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { watchKeysAfter } from '../../store/ledger/addresses.ts';
import { findCursor, rememberedBlocks } from '../../store/chain/chain-cursors.ts';
import { balancesAt } from '../../store/ledger/holdings.ts';
import { POLL_MS, type Difference, type ReconcileDeps, type Reconciliation } from './reconciliation.ts';

/** Accounts compared at one block: one request on most nodes. */
const PAGE = 100;
/** Pause before accounts that differ are queried again, where that may help. */
const AGAIN_MS = 1_000;

export type AccountChain = ChainId & { readonly funds: Pick<AccountFunds, 'balancesAt'> };

interface Page {
  readonly height: number;
  readonly ledger: bigint;
  readonly differences: readonly Difference[];
}

/**
 * Compares what the ledger says each account holds (credited less sent, moved and paid in fees) with
 * its balance on the chain, a page of accounts at one block each.
 * @throws {ChainError} when the node does not answer.
 */
export async function compareAccounts(deps: ReconcileDeps, adapter: AccountChain): Promise<Reconciliation> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  const differences: Difference[] = [];
  let [height, ledger, subjects, after] = [0, 0n, 0, 0];
  for (;;) {
    const keys = await watchKeysAfter(deps.db, chain, after, PAGE);
    const page = await comparePage(
      deps,
      adapter,
      keys.map(({ watchKey }) => watchKey),
    );
    if (page === null) {
      return { kind: 'unknown', reason: "the ledger is not on the node's chain: is the daemon running?" };
    }
    height = Math.max(height, page.height);
    ledger += page.ledger;
    subjects += keys.length;
    differences.push(...page.differences);
    after = keys.at(-1)?.position ?? after;
    if (keys.length < PAGE) break;
  }
  return { kind: 'compared', height, ledger, subjects, isComplete: true, differences };
}

/** Null when the ledger does not reach the node's block in time. */
async function comparePage(
  deps: ReconcileDeps,
  adapter: AccountChain,
  keys: readonly string[],
): Promise<Page | null> {
  const deadline = deps.clock.now() + deps.patienceMs;
  const first = await compareOnce(deps, adapter, keys, deadline);
  if (first === null) return null;
  let { differences } = first;
  let isFinal = first.isExact;
  while (differences.length > 0 && !isFinal && deps.clock.now() < deadline) {
    await sleep(AGAIN_MS, undefined, { signal: deps.signal });
    const again = await compareOnce(
      deps,
      adapter,
      differences.map(({ subject }) => subject),
      deadline,
    );
    if (again === null) return null;
    ({ differences, isExact: isFinal } = again);
  }
  return { ...first, differences };
}

async function compareOnce(
  deps: ReconcileDeps,
  adapter: AccountChain,
  keys: readonly string[],
  deadline: number,
): Promise<(Page & { readonly isExact: boolean }) | null> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  for (;;) {
    const cursor = await findCursor(deps.db, chain);
    const reading = cursor === undefined ? null : await adapter.funds.balancesAt(keys, cursor);
    const ledgerBalances = reading === null ? null : await ledgerAt(deps, chain, { keys, reading, deadline });
    if (reading !== null && ledgerBalances !== null) {
      const ledger = [...ledgerBalances.values()].reduce((sum, amount) => sum + amount, 0n);
      const differences = keys.flatMap((subject): Difference[] => {
        const [ours, theirs] = [ledgerBalances.get(subject) ?? 0n, reading.balances.get(subject) ?? 0n];
        return ours === theirs ? [] : [{ subject, ledger: ours, chain: theirs }];
      });
      return { height: reading.height, ledger, differences, isExact: reading.hash !== null };
    }
    if (deps.clock.now() >= deadline) return null;
    await sleep(POLL_MS, undefined, { signal: deps.signal });
  }
}

/** Ledger balances at the height of a reading; null when the ledger has not reached, or has left, that block. */
async function ledgerAt(
  deps: ReconcileDeps,
  chain: ChainId,
  at: { readonly keys: readonly string[]; readonly reading: BalanceReading; readonly deadline: number },
): Promise<Map<string, bigint> | null> {
  const { height, hash } = at.reading;
  for (;;) {
    const balances = await deps.db.read(async (tx) => {
      const cursor = await findCursor(tx, chain);
      if (cursor === undefined || cursor.height < height) return null;
      const [block] = hash === null ? [] : await rememberedBlocks(tx, chain, height, 1);
      if (hash !== null && block?.hash !== hash) return 'left' as const;
      return balancesAt(tx, chain, at.keys, height);
    });
    if (balances === 'left') return null;
    if (balances !== null || deps.clock.now() >= at.deadline) return balances;
    await sleep(POLL_MS, undefined, { signal: deps.signal });
  }
}
