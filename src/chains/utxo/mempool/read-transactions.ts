import { ChainError, type ChainIndex } from '../../../domain/chain.ts';
import type { UnreadTransactions } from '../../shared/unread-transactions.ts';
import { type Matches, type MatchTransaction, matchTransactions } from '../blocks/match.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { type Present, scanMempoolTransaction, spentOutpoints, unconfirmedAncestors } from './ancestors.ts';
import type { KnownTransactions, SeenTransaction } from './known-transactions.ts';

export interface ReadDeps {
  readonly client: NodeClient;
  readonly index: ChainIndex;
  readonly mweb: boolean;
  readonly unread: UnreadTransactions;
}

/** Reads listed transactions into the memory; returns whether all of them could be read. */
export async function readTransactions(
  deps: ReadDeps,
  memory: KnownTransactions,
  txids: readonly string[],
): Promise<boolean> {
  const { client, index, mweb, unread } = deps;
  const raws = await client.mempoolTransactions(txids);
  const transactions = new Map<string, MatchTransaction>();
  for (const [position, txid] of txids.entries()) {
    const raw = raws[position] ?? null;
    const transaction = raw === null ? null : await readable(deps, txid, raw);
    if (transaction !== null) transactions.set(txid, transaction);
    if (transaction !== null && unread.has(txid)) await unread.resolved(txid);
  }
  const matches = await matchTransactions([...transactions.values()], index, memory.ownOutputs());
  const { found, left } = await sightings({ client, mweb, present: memory }, transactions, matches);
  for (const txid of left) transactions.delete(txid);
  memory.withhold(txids.filter((_txid, at) => (raws[at] ?? null) === null));
  memory.learn([...transactions.keys()], matches, found);
  return left.length === 0 && raws.length === txids.length && raws.every((raw) => raw !== null);
}

/** Null for an unreadable transaction: it must not affect the others. */
async function readable(
  { mweb, unread }: ReadDeps,
  txid: string,
  raw: string | ChainError,
): Promise<MatchTransaction | null> {
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

/**
 * Entry times of the relevant transactions, and which of them left the mempool since they were listed: if
 * they were dated by the current time, a payment that was mined in time would be late.
 */
async function sightings(
  from: { readonly client: NodeClient; readonly mweb: boolean; readonly present: Present },
  transactions: ReadonlyMap<string, MatchTransaction>,
  { credits, debits }: Matches,
): Promise<{ readonly found: readonly SeenTransaction[]; readonly left: readonly string[] }> {
  const paying = new Set(credits.map(({ ref }) => ref.txid));
  const relevant = [...new Set([...paying, ...debits.map(({ byTxid }) => byTxid)])];
  const times = await from.client.mempoolTimes(relevant);
  const found: SeenTransaction[] = [];
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
