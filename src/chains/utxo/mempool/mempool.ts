import { type BlockRef, ChainError, type UnconfirmedView } from '../../../domain/chain.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import type { MempoolCache } from './mempool-cache.ts';
import { KnownTransactions } from './known-transactions.ts';
import { readTransactions, type ReadDeps } from './read-transactions.ts';
import type { TxidList } from './scan-txids.ts';

/** Transactions read and matched at a time: bounds memory when the whole mempool is new. */
const CHUNK = 512;
const TIP_ATTEMPTS = 5;
/** How long one view reads new transactions before it returns what it has, ms. */
const READ_MS = 2_000;
/** Transactions read between two writes of the cache: a killed daemon reads at most these again. */
const SAVE_EVERY = 5_000;

export interface MempoolDeps extends ReadDeps {
  /** Absent: after a start every transaction is read again. */
  readonly cache?: MempoolCache | undefined;
  readonly readMs?: number | undefined;
}

export interface Mempool {
  /**
   * See ChainAdapter.unconfirmed. Calls run one after another. A large mempool takes several calls to read: each
   * view is usable for what it has, and the last one is whole.
   */
  view(): Promise<UnconfirmedView>;
  /** Saves what was read. */
  close(): Promise<void>;
}

/**
 * The relevant part of the node's mempool. Each transaction is read once; afterwards only its fingerprint is
 * remembered while the node has it, and its credits if any.
 */
export function createMempool(deps: MempoolDeps): Mempool {
  const { client, unread, cache, readMs = READ_MS } = deps;
  let memory: KnownTransactions | null = null;
  const tipAt = tipLookup(client);
  let last: Promise<unknown> = Promise.resolve();

  async function readView(): Promise<UnconfirmedView> {
    memory ??= new KnownTransactions(await cache?.load());
    const known = memory;
    const until = performance.now() + readMs;
    let hasNews = false;
    let partialAt: string | null = null;
    for (let attempt = 0; attempt < TIP_ATTEMPTS; attempt += 1) {
      const { bestBefore, txids, bestAfter } = await client.mempool();
      const list = await known.listed(txids);
      for (const { txid } of unread.list()) if (!known.has(txid)) unread.forget(txid);
      hasNews ||= list.added.length > 0;
      const { left, isRead } = await readNew(deps, { memory: known, list, until });
      // A block arrived between the two reads, so the list may belong to either tip.
      if (bestBefore !== bestAfter) continue;
      const view = { ...known.view(await tipAt(bestBefore)), hasNews };
      if (left > 0) return { ...view, isPartial: true, left };
      if (isRead) return view;
      // Mined or evicted since it was listed, or missing at another backend: the next list decides.
      partialAt = bestBefore;
    }
    if (partialAt === null)
      throw new ChainError('unavailable', 'the tip changed during every read of the mempool');
    return { ...known.view(await tipAt(partialAt)), hasNews, isPartial: true };
  }

  async function save(atLeast: number): Promise<void> {
    if (memory === null || memory.unsaved < atLeast) return;
    memory.unsaved = 0;
    await cache?.save(memory.hash, memory.table);
  }

  return {
    view() {
      const next = last.then(readView);
      last = next.then(async () => save(SAVE_EVERY)).catch(() => undefined);
      return next;
    },
    async close() {
      last = last.then(async () => save(1));
      await last;
    },
  };
}

/**
 * Reads unread transactions: new ones first, then those that earlier views left, and those last that the node withheld.
 * At least one chunk is read, however late it is.
 */
async function readNew(
  deps: ReadDeps,
  {
    memory,
    list,
    until,
  }: { readonly memory: KnownTransactions; readonly list: TxidList; readonly until: number },
): Promise<{ readonly left: number; readonly isRead: boolean }> {
  const { unread } = deps;
  const { added, backlog, withheld } = list;
  let isRead = true;
  let left = added.length + backlog.length + withheld.length;
  for (const span of [added, backlog, withheld]) {
    for (let start = 0; start < span.length; start += CHUNK) {
      const txids = span.take(start, start + CHUNK);
      const due = memory.listUnread(txids).filter((txid) => !unread.isResting(txid));
      if (due.length > 0) isRead = (await readTransactions(deps, memory, due)) && isRead;
      left -= txids.length;
      if (left > 0 && performance.now() >= until) return { left, isRead };
    }
  }
  return { left, isRead };
}

/** Height by block hash; caches the last one. */
function tipLookup(client: NodeClient): (hash: string) => Promise<BlockRef> {
  let tip: BlockRef | null = null;
  return async (hash) => {
    if (tip?.hash !== hash) tip = { hash, height: (await client.getBlockHeader(hash)).height };
    return tip;
  };
}
