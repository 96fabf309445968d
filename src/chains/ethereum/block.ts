import {
  outputKey,
  type Debit,
  type Holding,
  type ChainBlock,
  type ChainIndex,
  type OpenAccount,
  type OutputRef,
} from '../../domain/chain.ts';
import type { Logger } from '../../domain/ports.ts';
import { eachInParallel, inPieces } from '../in-parallel.ts';
import { openAccounts } from '../open-accounts.ts';
import { AccountBook } from './account-book.ts';
import { enterBalances, type Shortfalls, type Standings } from './balances.ts';
import { isInternal } from './found-balance.ts';
import { nonceRef } from './nonce-ref.ts';
import type { Block, BlockTransaction, Receipt } from './node-answers.ts';
import type { NodeClient } from './node-client.ts';
import { rawTransaction } from './raw-transaction.ts';
import type { InternalTransfer, Tracer } from './traces.ts';

export interface BlockReaderDeps {
  readonly client: NodeClient;
  readonly index: ChainIndex;
  readonly tracer: Tracer;
  readonly logger: Logger;
  readonly now: () => number;
  /** Lives as long as the daemon. */
  readonly shortfalls: Shortfalls;
}

/** How long the balance of a payment's address is looked at in every block after the payment's time; then by turns. */
const OPEN_FOR_MS = 7 * 24 * 3_600_000;
/** Balances in one request, and accounts in one look into the ledger. */
const ACCOUNTS_AT_ONCE = 100;

/**
 * One block reduced to our accounts: transfers of its transactions whatever their calldata,
 * internal transfers as far as the node traces, and whatever else the balances at this very block
 * show, of open addresses and of those whose turn it is: addresses are watched for ever. Holds one
 * block at a time. Logs are not read: once every transfer has one (EIP-7708) they may stand in for traces,
 * never beside them, since both name the same money.
 */
export async function readBlock(deps: BlockReaderDeps, height: number): Promise<ChainBlock | null> {
  const block = await deps.client.blockAt(height);
  if (block === null) return null;
  const { traced, standings } = await tracedAndStanding(deps, block);
  const internal = traced ?? [];
  const watched = await deps.index.watched(mentioned(block, internal));
  const senders = block.transactions.map(({ from }) => from).filter((from) => watched.has(from));
  const book = new AccountBook(await holdings(deps.index, standings, senders));
  await enterTransactions(deps, block, { book, watched, internal });
  const disproved = await enterBalances(deps, block, { book, standings });
  const { credits } = book;
  const debits = [...book.debits, ...(await usedNonces(deps.index, block))];
  const replaces = await replacedBy(deps.index, book, { block, isTraced: traced !== null });
  const { hash, parentHash, timestamp } = block;
  return { height, hash, parentHash, timeMs: timestamp * 1000, credits, debits, replaces, disproved };
}

/** What its traces and its balances show of a block; once one of the two fails, nothing more is asked. */
async function tracedAndStanding(
  deps: BlockReaderDeps,
  block: Block,
): Promise<{ traced: readonly InternalTransfer[] | null; standings: readonly Standings[] }> {
  const stopping = new AbortController();
  const looking = standingsAt(deps, block, stopping.signal);
  try {
    const [traced, standings] = await Promise.all([deps.tracer.transfers(block), looking]);
    return { traced, standings };
  } finally {
    stopping.abort();
  }
}

/** The accounts looked at in this block, and what they hold after it: read from the ledger while the node is asked. */
async function standingsAt(
  deps: BlockReaderDeps,
  block: Block,
  signal: AbortSignal,
): Promise<readonly Standings[]> {
  const pieces = inPieces(looked(deps, block.number), ACCOUNTS_AT_ONCE);
  return eachInParallel(pieces, async (accounts) => {
    signal.throwIfAborted();
    const keys = accounts.map(({ watchKey }) => watchKey);
    return { accounts, balances: await deps.client.balances(keys, block.hash) };
  });
}

/** Accounts whose balance is looked at in this block, each once: the open ones, then those whose turn it is. */
async function* looked(
  { index, now }: BlockReaderDeps,
  height: number,
): AsyncGenerator<readonly OpenAccount[], void> {
  const turn = new Map((await index.turn(height)).map((key) => [key.watchKey, key]));
  for await (const accounts of openAccounts(index, now() - OPEN_FOR_MS)) {
    accounts.forEach(({ watchKey }) => turn.delete(watchKey));
    yield accounts;
  }
  const held = await index.holdings([...turn.keys()]);
  yield [...turn.values()].map((key) => ({
    ...key,
    held: held.get(key.watchKey) ?? [],
    isAwaited: false,
  }));
}

/** What the ledger says that accounts hold before the block: those looked at, and those that send in it. */
async function holdings(
  index: ChainIndex,
  standings: readonly Standings[],
  senders: readonly string[],
): Promise<Map<string, readonly Holding[]>> {
  const held = new Map<string, readonly Holding[]>();
  for (const { accounts } of standings) {
    accounts.forEach((account) => {
      if (account.held.length > 0) held.set(account.watchKey, account.held);
    });
  }
  const others = [...new Set(senders)].filter((sender) => !held.has(sender));
  for (const [sender, parts] of await index.holdings(others)) held.set(sender, parts);
  return held;
}

/** Nonces that unconfirmed payments to us wanted as well: those can never be mined now. */
async function usedNonces(index: ChainIndex, block: Block): Promise<Debit[]> {
  const used = block.transactions.map((each) => ({ ref: nonceRef(each), byTxid: each.hash }));
  const wanted = await index.ownOutputs(used.map(({ ref }) => outputKey(ref)));
  return used.filter(({ ref }) => wanted.has(outputKey(ref)));
}

function mentioned(block: Block, internal: readonly InternalTransfer[]): string[] {
  const keys = new Set(internal.map(({ to }) => to));
  for (const { from, to } of block.transactions) {
    keys.add(from);
    if (to !== null && to !== undefined) keys.add(to);
  }
  return [...keys];
}

interface Entries {
  readonly book: AccountBook;
  readonly watched: ReadonlySet<string>;
  readonly internal: readonly InternalTransfer[];
}

/** In the order of the block, so that money that came and went in it adds up. */
async function enterTransactions(deps: BlockReaderDeps, block: Block, entries: Entries): Promise<void> {
  const { book, watched } = entries;
  const internal = entries.internal.filter(({ to }) => watched.has(to));
  const inside = new Set(internal.map(({ position }) => position));
  const relevant = block.transactions
    .map((transaction, position) => ({ transaction, position }))
    .filter(
      ({ transaction: { from, to, value }, position }) =>
        watched.has(from) || (watched.has(to ?? '') && value > 0n) || inside.has(position),
    );
  const receipts = await deps.client.receipts(
    relevant.map(({ transaction }) => transaction.hash),
    { height: block.number, hash: block.hash },
  );
  for (const [at, { transaction, position }] of relevant.entries()) {
    const receipt = receipts[at];
    if (receipt === undefined) throw new Error('a receipt is missing');
    const succeeded = receipt.status === 1;
    if (watched.has(transaction.from)) enterSpending(deps, book, transaction, receipt);
    if (!succeeded) continue;
    const { hash: txid, to, value } = transaction;
    const raw = rawTransaction(transaction);
    if (watched.has(to ?? '') && value > 0n) {
      book.receive({ ref: { txid, index: 0 }, watchKey: to ?? '', amount: value, raw });
    }
    for (const transfer of internal.filter((each) => each.position === position)) {
      const ref = { txid, index: transfer.index };
      book.receive({ ref, watchKey: transfer.to, amount: transfer.value, raw });
    }
  }
}

function enterSpending(
  deps: BlockReaderDeps,
  book: AccountBook,
  { hash: txid, from: watchKey, value }: BlockTransaction,
  receipt: Receipt,
): void {
  const succeeded = receipt.status === 1;
  const blobs = (receipt.blobGasUsed ?? 0n) * (receipt.blobGasPrice ?? 0n);
  const fee = receipt.gasUsed * receipt.effectiveGasPrice + blobs;
  const cost = succeeded ? value + fee : fee;
  const missing = book.spend({ watchKey, txid, cost, outcome: { fee, succeeded } });
  if (missing === 0n) return;
  deps.logger.warn(
    { coin: 'ETH', account: watchKey, txid, missing: missing.toString() },
    'an account spent more than it was known to hold',
  );
}

/**
 * Credits of blocks that left the chain which this block proves wrong: it holds their transaction
 * without them, or shows the same internal money under another name.
 */
async function replacedBy(
  index: ChainIndex,
  { credits }: AccountBook,
  { block, isTraced }: { block: Block; isTraced: boolean },
): Promise<OutputRef[]> {
  const unsettled = await index.unsettled();
  if (unsettled.length === 0) return [];
  const internal = credits.filter(({ ref, remainder }) => remainder !== true && isInternal(ref));
  const paid = new Set(internal.map(({ watchKey }) => watchKey));
  const names = new Set(credits.map(({ ref }) => outputKey(ref)));
  const mined = new Set(block.transactions.map(({ hash }) => hash));
  return unsettled
    .filter(({ ref, watchKey }) => {
      const isReadAgain = mined.has(ref.txid) && (isTraced || ref.index === 0);
      return !names.has(outputKey(ref)) && (isReadAgain || (paid.has(watchKey) && isInternal(ref)));
    })
    .map(({ ref }) => ref);
}
