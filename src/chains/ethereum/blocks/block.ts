import {
  outputKey,
  type Debit,
  type Holding,
  type ChainBlock,
  type ChainIndex,
  type OpenAccount,
  type OpenKey,
  type OutputRef,
} from '../../../domain/chain.ts';
import type { Logger } from '../../../domain/ports.ts';
import { openAccounts } from '../../shared/open-accounts.ts';
import { AccountLedger } from '../accounts/account-ledger.ts';
import type { BalanceRotation, Candidates } from '../accounts/balance-rotation.ts';
import { creditFromBalances } from '../accounts/balances.ts';
import { isInternal, parseBalanceCreditTxid } from '../accounts/balance-credit.ts';
import { nonceRef } from '../sends/nonce-ref.ts';
import type { Block } from '../rpc/node-answers.ts';
import type { UnreadBlocks } from './unread-blocks.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { applyTransactions } from './enter-transactions.ts';
import type { InternalTransfer } from './internal-transfers.ts';
import type { Shortfalls } from '../accounts/shortfalls.ts';
import type { Tracer } from './traces.ts';

/** Money that is currently in no block. */
type Unsettled = Awaited<ReturnType<ChainIndex['unsettled']>>[number];

export interface BlockReaderDeps {
  readonly client: NodeClient;
  readonly index: ChainIndex;
  readonly tracer: Tracer;
  readonly logger: Logger;
  readonly now: () => number;
  /** Both have one instance per daemon. */
  readonly shortfalls: Shortfalls;
  readonly turns: BalanceRotation;
  readonly unread: UnreadBlocks;
}

/** How long after its time a payment's address stays eligible for a balance check in any block; then in rotation. */
const OPEN_FOR_MS = 7 * 24 * 3_600_000;
/** Deadline for the balances of a block; unanswered ones are read with later blocks. */
const BALANCES_WITHIN_MS = 4_000;

/**
 * Reduces one block to our accounts: the transfers of its transactions with any calldata, internal transfers
 * where the node traces, and differences of balances at this block where a change may have gone unnoticed,
 * because addresses are watched for ever. Balances come last and block nothing: unread ones are checked with
 * later blocks. Holds one block at a time. Logs are not read: once every transfer emits one (EIP-7708) they
 * may replace traces, never add to them, since both report the same money.
 */
export async function readBlock(deps: BlockReaderDeps, height: number): Promise<ChainBlock | null> {
  const block = await deps.client.blockAt(height);
  if (block === null) return null;
  const traced = await deps.tracer.transfers(block);
  const isTraced = traced !== null;
  const internal = traced ?? [];
  const watched = await deps.index.watched(mentioned(block, internal));
  const senders = block.transactions.map(({ from }) => from).filter((from) => watched.has(from));
  const unsettled = await deps.index.unsettled();
  const candidates = await balanceCheckCandidates(deps, block.number, unsettled);
  const book = new AccountLedger(await holdings(deps.index, candidates, senders));
  const unreadable = [
    ...(block.unreadable ?? []),
    ...(await applyTransactions(deps, block, { book, watched, internal })),
  ];
  await deps.unread.setAside(block, unreadable);
  // An unreadable transaction may have moved money: the balances show that, as without traces.
  const isWhole = isTraced && unreadable.length === 0;
  const disproved = await readBalances(deps, block, { book, candidates, isTraced: isWhole });
  const { credits } = book;
  const debits = [...book.debits, ...(await usedNonces(deps.index, block, unsettled))];
  const replaces = replacedBy(unsettled, book, { block, isTraced });
  const { hash, parentHash, timestamp } = block;
  return { height, hash, parentHash, timeMs: timestamp * 1000, credits, debits, replaces, disproved };
}

/** Reads the balances due in this block and compares them with the book. */
async function readBalances(
  { client, index, turns, logger, shortfalls }: BlockReaderDeps,
  block: Block,
  at: { readonly book: AccountLedger; readonly candidates: Candidates; readonly isTraced: boolean },
): Promise<readonly OutputRef[]> {
  const { book, candidates, isTraced } = at;
  const chosen = turns.choose(block, candidates, { isTraced, perCall: client.balancesPerCall() });
  const keys = chosen.map(({ watchKey }) => watchKey);
  const readings =
    keys.length === 0
      ? { answers: [], failure: null }
      : await client.balances(keys, block.hash, AbortSignal.timeout(BALANCES_WITHIN_MS));
  const ofAccounts = { accounts: chosen, balances: readings.answers };
  const wasRead = (key: string): boolean => turns.readAt(key) !== null;
  const deps = {
    client,
    logger,
    shortfalls,
    wasRead,
    wasReadAwaited: (key: string) => turns.wasReadAwaited(key),
    outgoing: async (key: string) => index.outgoing?.(key),
  };
  const entered = await creditFromBalances(deps, block, { book, readings: ofAccounts });
  turns.done(block, chosen, readings, entered);
  return entered.disproved;
}

/** The accounts whose balance may be read in this block. */
async function balanceCheckCandidates(
  { index, now }: BlockReaderDeps,
  height: number,
  unsettled: readonly Unsettled[],
): Promise<Candidates> {
  const open: OpenAccount[] = [];
  for await (const accounts of openAccounts(index, now() - OPEN_FOR_MS)) {
    for (const account of accounts) open.push(account);
  }
  // Money whose block left the chain: only the account's balance shows whether it is still there.
  const lost = new Set(unsettled.filter(({ ref }) => isInternal(ref)).map(({ watchKey }) => watchKey));
  const turn = await index.turn(height);
  const wanted = new Set([...turn.map(({ watchKey }) => watchKey), ...lost]);
  const known = new Map(
    open.filter(({ watchKey }) => wanted.has(watchKey)).map((account) => [account.watchKey, account]),
  );
  const holdings = await index.holdings([...wanted].filter((key) => !known.has(key)));
  const toOpenAccount = (key: OpenKey): OpenAccount =>
    known.get(key.watchKey) ?? { ...key, holdings: holdings.get(key.watchKey) ?? [], isAwaited: false };
  const awaited = [...lost].map((watchKey) => ({
    ...toOpenAccount({ watchKey, since: 0 }),
    isAwaited: true,
  }));
  const others = awaited.length === 0 ? open : open.filter(({ watchKey }) => !lost.has(watchKey));
  return { open: [...others, ...awaited], turn: turn.map(toOpenAccount) };
}

/** The ledger's holdings before the block: of the accounts to check, and of those that send in it. */
async function holdings(
  index: ChainIndex,
  { open, turn }: Candidates,
  senders: readonly string[],
): Promise<Map<string, readonly Holding[]>> {
  const held = new Map<string, readonly Holding[]>();
  for (const account of [...open, ...turn]) {
    if (account.holdings.length > 0) held.set(account.watchKey, account.holdings);
  }
  const others = [...new Set(senders)].filter((sender) => !held.has(sender));
  for (const [sender, parts] of await index.holdings(others)) held.set(sender, parts);
  return held;
}

/**
 * Nonces used in this block that unconfirmed payments to us also need: those payments can no longer be mined.
 */
async function usedNonces(
  index: ChainIndex,
  block: Block,
  unsettled: readonly Unsettled[],
): Promise<Debit[]> {
  if (unsettled.length === 0) return [];
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

/**
 * Credits of orphaned blocks that this block disproves: it contains their transaction without them, or shows
 * the same internal money under another id. Two real transactions never move the same money, so one of the
 * ids must be a balance credit's.
 */
function replacedBy(
  unsettled: readonly Unsettled[],
  { credits }: AccountLedger,
  { block, isTraced }: { block: Block; isTraced: boolean },
): OutputRef[] {
  if (unsettled.length === 0) return [];
  const internal = credits.filter(({ ref, remainder }) => remainder !== true && isInternal(ref));
  const paid = new Set(internal.map(({ watchKey }) => watchKey));
  const paidUnnamed = new Set(internal.filter(({ ref }) => isUnnamed(ref)).map(({ watchKey }) => watchKey));
  const names = new Set(credits.map(({ ref }) => outputKey(ref)));
  const mined = new Set(block.transactions.map(({ hash }) => hash));
  return unsettled
    .filter(({ ref, watchKey }) => {
      const isReadAgain = mined.has(ref.txid) && (isTraced || ref.index === 0);
      const isShownAgain = isInternal(ref) && (isUnnamed(ref) ? paid : paidUnnamed).has(watchKey);
      return !names.has(outputKey(ref)) && (isReadAgain || isShownAgain);
    })
    .map(({ ref }) => ref);
}

/** Whether only a balance revealed the money: the transaction behind it is not known. */
function isUnnamed({ txid }: OutputRef): boolean {
  return parseBalanceCreditTxid(txid) !== null;
}
