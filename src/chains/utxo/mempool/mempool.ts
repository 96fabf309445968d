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
import type { Clock, Logger } from '../../../domain/ports.ts';
import { ancestorsOf, inputsOf, scanMempoolTransaction } from './ancestors.ts';
import { type Matches, type MatchTransaction, matchTransactions } from '../blocks/match.ts';
import type { NodeClient } from '../rpc/node-client.ts';

/** Transactions read and matched at a time: bounds memory when the whole mempool is new. */
const CHUNK = 512;
const TIP_ATTEMPTS = 5;
/** Delay before an unreadable transaction is retried, in case the node's answer was at fault. */
const UNREADABLE_RETRY_MS = 600_000;

export interface MempoolDeps {
  readonly client: NodeClient;
  readonly index: ChainIndex;
  readonly mweb: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Mempool {
  /** See ChainAdapter.unconfirmed. Calls wait for one another. */
  view(): Promise<UnconfirmedView>;
}

/**
 * The node's mempool reduced to what concerns us. Each transaction is read once; afterwards only
 * its id is remembered for as long as the node holds it, and its credits when it has any.
 */
export function createMempool({ client, index, mweb, clock, logger }: MempoolDeps): Mempool {
  const memory = new MempoolMemory();
  const tipAt = tipLookup(client);
  let last: Promise<unknown> = Promise.resolve();

  async function takeView(): Promise<UnconfirmedView> {
    let partial: { readonly best: string; readonly present: ReadonlySet<string> } | null = null;
    for (let attempt = 0; attempt < TIP_ATTEMPTS; attempt += 1) {
      const { bestBefore, txids, bestAfter } = await client.mempool();
      const present = new Set(txids);
      memory.forgetAbsent(present);
      const now = clock.now();
      const news = txids.filter((txid) => !memory.knows(txid, now));
      let isRead = true;
      for (let start = 0; start < news.length; start += CHUNK)
        isRead = (await learn(news.slice(start, start + CHUNK), present)) && isRead;
      // A block arrived between the two readings: the list may belong to either tip.
      if (bestBefore !== bestAfter) continue;
      if (isRead) return memory.view(await tipAt(bestBefore), present);
      // Mined or evicted since it was listed, or missing at another backend: a new list will tell.
      partial = { best: bestBefore, present };
    }
    if (partial === null)
      throw new ChainError('unavailable', 'the tip moved during every reading of the mempool');
    return { ...memory.view(await tipAt(partial.best), partial.present), isPartial: true };
  }

  /** Returns whether all of them were read. */
  async function learn(txids: readonly string[], present: ReadonlySet<string>): Promise<boolean> {
    const raws = await client.mempoolTransactions(txids);
    const transactions = new Map<string, MatchTransaction>();
    for (const [position, txid] of txids.entries()) {
      const raw = raws[position] ?? null;
      const transaction = raw === null ? null : readable(txid, raw);
      if (transaction !== null) transactions.set(txid, transaction);
    }
    const matches = await matchTransactions([...transactions.values()], index, memory.ownOutputs());
    const { found, left } = await sightings({ client, mweb, present }, transactions, matches);
    for (const txid of left) transactions.delete(txid);
    memory.learn([...transactions.keys()], matches, found);
    return left.length === 0 && raws.length === txids.length && raws.every((raw) => raw !== null);
  }

  /** Null for an unreadable transaction: it must not hide the others. */
  function readable(txid: string, raw: string): MatchTransaction | null {
    try {
      return scanMempoolTransaction(txid, raw, mweb);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      if (memory.setAside(txid, clock.now() + UNREADABLE_RETRY_MS)) {
        logger.error({ txid, problem: error.message }, 'a mempool transaction cannot be read: left aside');
      }
      return null;
    }
  }

  return {
    view() {
      const next = last.then(takeView);
      last = next.catch(() => undefined);
      return next;
    },
  };
}

/**
 * Entry times of the transactions that concern us, and which of them left the mempool since they were listed: dated
 * by the current time, a payment that a block took in time would be late.
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
    const nodeTimeMs = times[at] ?? null;
    const inputs = inputsOf(transactions.get(txid));
    if (nodeTimeMs === null) left.push(txid);
    else {
      const ancestors = paying.has(txid) ? await ancestorsOf(inputs, from) : [];
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
  readonly nodeTimeMs: number;
  readonly inputs: readonly OutputRef[];
  readonly ancestors: readonly Ancestor[];
}

interface Relevant {
  readonly credits: readonly UnconfirmedCredit[];
  readonly debits: readonly Debit[];
}

/** Cache of the mempool transactions read so far; never more than the node itself holds. */
class MempoolMemory {
  private readonly known = new Set<string>();
  private readonly relevant = new Map<string, Relevant>();
  /** Unreadable transactions, with the time of the next retry. */
  private readonly aside = new Map<string, number>();

  knows(txid: string, now: number): boolean {
    return this.known.has(txid) || (this.aside.get(txid) ?? 0) > now;
  }

  /** Returns whether this is the first time. */
  setAside(txid: string, until: number): boolean {
    const isNew = !this.aside.has(txid);
    this.aside.set(txid, until);
    return isNew;
  }

  forgetAbsent(present: ReadonlySet<string>): void {
    for (const txid of this.aside.keys()) if (!present.has(txid)) this.aside.delete(txid);
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
