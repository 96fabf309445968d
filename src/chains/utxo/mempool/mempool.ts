import {
  type Ancestor,
  type BlockRef,
  ChainError,
  type ChainIndex,
  type Debit,
  type OutputRef,
  outputKey,
  type UnconfirmedCredit,
  type UnconfirmedView,
} from '../../../domain/chain.ts';
import type { UnreadTransactions } from '../../shared/unread-transactions.ts';
import { unconfirmedAncestors, spentOutpoints, scanMempoolTransaction } from './ancestors.ts';
import { type Matches, type MatchTransaction, matchTransactions } from '../blocks/match.ts';
import type { NodeClient } from '../rpc/node-client.ts';

/** Transactions read and matched at a time: bounds memory when the whole mempool is new. */
const CHUNK = 512;
const TIP_ATTEMPTS = 5;

export interface MempoolDeps {
  readonly client: NodeClient;
  readonly index: ChainIndex;
  readonly mweb: boolean;
  readonly unread: UnreadTransactions;
}

export interface Mempool {
  /** See ChainAdapter.unconfirmed. Calls run one after another. */
  view(): Promise<UnconfirmedView>;
}

/**
 * The relevant part of the node's mempool. Each transaction is read once; afterwards only its id is
 * remembered while the node has it, and its credits if any.
 */
export function createMempool({ client, index, mweb, unread }: MempoolDeps): Mempool {
  const memory = new MempoolMemory();
  const tipAt = tipLookup(client);
  let last: Promise<unknown> = Promise.resolve();

  async function readView(): Promise<UnconfirmedView> {
    let hasNews = false;
    let partial: { readonly best: string; readonly present: ReadonlySet<string> } | null = null;
    for (let attempt = 0; attempt < TIP_ATTEMPTS; attempt += 1) {
      const { bestBefore, txids, bestAfter } = await client.mempool();
      const present = new Set(txids);
      memory.forgetAbsent(present);
      for (const { txid } of unread.list()) if (!present.has(txid)) unread.forget(txid);
      const news = txids.filter((txid) => !memory.knows(txid) && !unread.isResting(txid));
      hasNews ||= news.length > 0;
      let isRead = true;
      for (let start = 0; start < news.length; start += CHUNK)
        isRead = (await learn(news.slice(start, start + CHUNK), present)) && isRead;
      // A block arrived between the two reads, so the list may belong to either tip.
      if (bestBefore !== bestAfter) continue;
      if (isRead) return { ...memory.view(await tipAt(bestBefore), present), hasNews };
      // Mined or evicted since it was listed, or missing at another backend: the next list decides.
      partial = { best: bestBefore, present };
    }
    if (partial === null)
      throw new ChainError('unavailable', 'the tip moved during every reading of the mempool');
    return { ...memory.view(await tipAt(partial.best), partial.present), hasNews, isPartial: true };
  }

  /** Returns whether all of them could be read. */
  async function learn(txids: readonly string[], present: ReadonlySet<string>): Promise<boolean> {
    const raws = await client.mempoolTransactions(txids);
    const transactions = new Map<string, MatchTransaction>();
    for (const [position, txid] of txids.entries()) {
      const raw = raws[position] ?? null;
      const transaction = raw === null ? null : await readable(txid, raw);
      if (transaction !== null) transactions.set(txid, transaction);
      if (transaction !== null && unread.has(txid)) await unread.resolved(txid);
    }
    const matches = await matchTransactions([...transactions.values()], index, memory.ownOutputs());
    const { found, left } = await sightings({ client, mweb, present }, transactions, matches);
    for (const txid of left) transactions.delete(txid);
    memory.learn([...transactions.keys()], matches, found);
    return left.length === 0 && raws.length === txids.length && raws.every((raw) => raw !== null);
  }

  /** Null for an unreadable transaction: it must not affect the others. */
  async function readable(txid: string, raw: string | ChainError): Promise<MatchTransaction | null> {
    try {
      if (raw instanceof ChainError) throw raw;
      return scanMempoolTransaction(txid, raw, mweb);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      const isUnknownVersion = error.kind === 'unknown_version';
      const about = { txid, height: null, watchKey: null };
      await unread.failed({ ...about, reason: error.message, isUnknownVersion });
      return null;
    }
  }

  return {
    view() {
      const next = last.then(readView);
      last = next.catch(() => undefined);
      return next;
    },
  };
}

/**
 * Entry times of the relevant transactions, and which of them left the mempool since they were listed: if
 * they were dated by the current time, a payment that was mined in time would be late.
 */
async function sightings(
  from: { readonly client: NodeClient; readonly mweb: boolean; readonly present: ReadonlySet<string> },
  transactions: ReadonlyMap<string, MatchTransaction>,
  { credits, debits }: Matches,
): Promise<{ readonly found: readonly Sighting[]; readonly left: readonly string[] }> {
  const paying = new Set(credits.map(({ ref }) => ref.txid));
  const relevant = [...new Set([...paying, ...debits.map(({ byTxid }) => byTxid)])];
  const times = await from.client.mempoolTimes(relevant);
  const found: Sighting[] = [];
  const left: string[] = [];
  for (const [at, txid] of relevant.entries()) {
    const time = times[at] ?? null;
    const inputs = spentOutpoints(transactions.get(txid));
    if (time === null) left.push(txid);
    else {
      const nodeTimeMs = time === 'unknown' ? null : time;
      const ancestors = paying.has(txid) ? await unconfirmedAncestors(inputs, from) : [];
      found.push({ txid, nodeTimeMs, inputs, ancestors });
    }
  }
  return { found, left };
}

/** Height by block hash; caches the last one. */
function tipLookup(client: NodeClient): (hash: string) => Promise<BlockRef> {
  let tip: BlockRef | null = null;
  return async (hash) => {
    if (tip?.hash !== hash) tip = { hash, height: (await client.header(hash)).height };
    return tip;
  };
}

interface Sighting {
  readonly txid: string;
  /** Null where the node does not return it. */
  readonly nodeTimeMs: number | null;
  readonly inputs: readonly OutputRef[];
  readonly ancestors: readonly Ancestor[];
}

interface Relevant {
  readonly credits: readonly UnconfirmedCredit[];
  readonly debits: readonly Debit[];
}

/** Cache of the mempool transactions read so far; never more than the node's mempool. */
class MempoolMemory {
  private readonly known = new Set<string>();
  private readonly relevant = new Map<string, Relevant>();

  knows(txid: string): boolean {
    return this.known.has(txid);
  }

  forgetAbsent(present: ReadonlySet<string>): void {
    for (const txid of this.known) {
      if (present.has(txid)) continue;
      this.known.delete(txid);
      this.relevant.delete(txid);
    }
  }

  /** Unconfirmed outputs that pay us, for children that spend them. */
  ownOutputs(): Set<string> {
    return new Set(
      [...this.relevant.values()].flatMap(({ credits }) => credits.map(({ ref }) => outputKey(ref))),
    );
  }

  learn(txids: readonly string[], matches: Matches, found: readonly Sighting[]): void {
    for (const { txid, nodeTimeMs, inputs, ancestors } of found) {
      const credits = matches.credits.filter(({ ref }) => ref.txid === txid);
      this.relevant.set(txid, {
        credits: credits.map((credit) => Object.assign({}, credit, { nodeTimeMs, inputs, ancestors })),
        debits: matches.debits.filter(({ byTxid }) => byTxid === txid),
      });
    }
    for (const txid of txids) this.known.add(txid);
  }

  view(tip: BlockRef, present: ReadonlySet<string>): UnconfirmedView {
    const all = [...this.relevant.values()];
    return {
      tip,
      credits: all.flatMap(({ credits }) => credits),
      debits: all.flatMap(({ debits }) => debits),
      has: (txid) => present.has(txid),
    };
  }
}
