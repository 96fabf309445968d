import {
  outputKey,
  type ChainIndex,
  type Debit,
  type UnconfirmedCredit,
  type UnconfirmedView,
} from '../../../domain/chain.ts';
import { nonceRef } from '../sends/nonce-ref.ts';
import type { BlockTransaction } from '../rpc/node-answers.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { rawTransaction } from '../sends/raw-transaction.ts';

export interface PendingView {
  readonly view: UnconfirmedView;
  /** Transactions of the view by sender and nonce (see nonceRef): of two with the same nonce only one can be mined. */
  readonly byNonce: ReadonlyMap<string, string>;
}

/**
 * Reads the node's pending block. Some nodes have none, or return the latest block instead: payments are then
 * seen only once mined.
 */
export async function readPending(client: NodeClient, index: ChainIndex): Promise<PendingView> {
  const { tip: latest, pending } = await client.latestAndPending();
  const isNext = pending !== null && pending.hash !== latest.hash && isAfter(pending, latest);
  const transactions = isNext ? pending.transactions : [];
  const tip =
    isNext && pending.parentHash !== latest.hash
      ? { height: (pending.number ?? 0) - 1, hash: pending.parentHash }
      : { height: latest.number, hash: latest.hash };
  const known = new Set(transactions.map(({ hash }) => hash));
  const keys = transactions.flatMap(({ from, to }) => [from, to ?? '']);
  const watched = await index.watched([...new Set(keys)]);
  const view: UnconfirmedView = {
    tip,
    credits: deriveCredits(transactions, watched),
    debits: await deriveDebits(transactions, watched, index),
    has: (txid) => known.has(txid),
  };
  return { view, byNonce: new Map(transactions.map((each) => [outputKey(nonceRef(each)), each.hash])) };
}

/** Whether the pending block builds on the latest block, or on one that arrived between the two answers. */
function isAfter(
  pending: { readonly parentHash: string; readonly number?: number | null | undefined },
  latest: { readonly number: number; readonly hash: string },
): boolean {
  return pending.parentHash === latest.hash || (pending.number ?? 0) > latest.number + 1;
}

function deriveCredits(
  transactions: readonly BlockTransaction[],
  watched: ReadonlySet<string>,
): UnconfirmedCredit[] {
  return transactions
    .filter(({ to, value }) => watched.has(to ?? '') && value > 0n)
    .map((transaction) => ({
      ref: { txid: transaction.hash, index: 0 },
      watchKey: transaction.to ?? '',
      amount: transaction.value,
      maturity: 1,
      raw: rawTransaction(transaction),
      nodeTimeMs: null,
      inputs: [nonceRef(transaction)],
    }));
}

/** An account's first pending transaction spends its whole balance; later ones spend the remainder. */
async function deriveDebits(
  transactions: readonly BlockTransaction[],
  watched: ReadonlySet<string>,
  index: ChainIndex,
): Promise<Debit[]> {
  const first = new Map<string, string>();
  for (const { from, hash } of transactions) {
    if (watched.has(from) && !first.has(from)) first.set(from, hash);
  }
  const holdings = await index.holdings([...first.keys()]);
  return [...first].flatMap(([account, byTxid]) =>
    (holdings.get(account) ?? []).map(({ ref }) => ({ ref, byTxid })),
  );
}
