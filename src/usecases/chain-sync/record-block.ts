import type { BlockRef, ChainBlock, ChainBlockHeader, Credit } from '../../domain/chain.ts';
import type { BlockTimes } from '../../domain/block-times.ts';
import type { ChainId } from '../../domain/coins.ts';
import { expectedConfirmations } from '../../domain/confirmations.ts';
import { advanceCursor, findCursor, forgetBlocksBelow } from '../../store/chain/chain-cursors.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { paymentsWithMoneyAbove } from '../../store/payments/payments-with-money.ts';
import {
  forgetDeadTransactions,
  forgetTransactionsBetween,
  recordConflicts,
} from '../../store/ledger/raw-transactions.ts';
import { forgetSettledInputs } from '../../store/ledger/unconfirmed-inputs.ts';
import { applyFacts, recordObservations, type SeenCredit } from '../payments/index.ts';
import { groupByTransaction, recordMovements } from '../accounting/index.ts';
import { confirmSends } from '../wallet/index.ts';
import type { ObserveDeps } from './observe-deps.ts';
import {
  conflictedTransactions,
  findDisproved,
  findMinedAgain,
  findReplaced,
  listUnconfirmedOutputs,
} from './find-double-spends.ts';

/** Deepest confirmation count that a protocol rule requires (coinbase maturity), with a margin. */
const PROTOCOL_DEPTH = 200;
/** Depth at which the bytes of a payer's transaction are deleted. */
const BURIED = 2_016;
/** Age at which the bytes of a replaced or dropped transaction are deleted. */
const DEAD_MS = 30 * 24 * 3_600_000;
/** Blocks between two clean-ups of old bytes and blocks. */
const FORGET_EVERY = 144;

/** Bounds on the arrival time of money first seen in a block. */
export interface Arrival {
  /** Earliest arrival of money not seen before, ms; null where unknown, or where the block itself dates it. */
  readonly cameAfter: number | null;
  readonly blockTimes: BlockTimes;
}

/**
 * Records one block in one transaction: its credits, its spends, the confirmations it adds and the cursor. Returns
 * false, recording nothing, when it must be read again: it is not the child of the cursor's block, or addresses were
 * added since it was read. For a block without relevance only the cursor is written, without waiting for the disk:
 * after a power failure it is read again.
 * @param below consecutive irrelevant blocks between the cursor and the block
 */
export async function recordBlock(
  deps: ObserveDeps,
  chain: ChainId,
  block: ChainBlock,
  arrivalBounds: Arrival,
  below: readonly ChainBlockHeader[] = [],
): Promise<boolean> {
  if ((await deps.extendLookAhead?.(chain, block.credits)) === true) return false;
  const transaction = (await concernsNobody(deps, chain, block)) ? 'relaxedTransaction' : 'transaction';
  const recorded = await deps.db[transaction](async (tx) =>
    write(tx, deps, chain, { block, arrivalBounds, below }),
  );
  if (recorded) deps.wakeWebhooks();
  return recorded;
}

/** Whether it has no credits and debits, and no payment waits for its confirmation. */
async function concernsNobody(deps: ObserveDeps, chain: ChainId, block: ChainBlock): Promise<boolean> {
  const { credits, debits, replaces = [], disproved = [] } = block;
  if ([credits, debits, replaces, disproved].some((list) => list.length > 0)) return false;
  const cursor = await findCursor(deps.db, chain);
  if (cursor === undefined) return false;
  const gathering = await gatheringConfirmations(deps.db, deps, chain, cursor.height);
  return gathering.length === 0;
}

async function write(
  tx: Tx,
  deps: ObserveDeps,
  chain: ChainId,
  given: {
    readonly block: ChainBlock;
    readonly arrivalBounds: Arrival;
    readonly below: readonly ChainBlockHeader[];
  },
): Promise<boolean> {
  const { block, arrivalBounds, below } = given;
  const cursor = await findCursor(tx, chain);
  if (cursor === undefined) throw new Error(`${chain.coin} ${chain.mode} has no cursor yet`);
  if (!isInRow(cursor, [...below, block])) return false;
  const now = deps.clock.now();
  const seen = block.credits.map((credit) => seenIn(block, credit, arrivalBounds, now));
  const conflicted = await conflictedTransactions(tx, chain, block.debits);
  const gone = [
    ...(await listUnconfirmedOutputs(tx, chain, conflicted)),
    ...(await findReplaced(tx, chain, block.replaces ?? [])),
    ...(await findDisproved(tx, chain, block.disproved ?? [])),
    ...(await findMinedAgain(tx, chain, block.credits)),
  ];
  const { height, hash } = block;
  const updated = await recordObservations(tx, deps, chain, { seen, gone }, { kind: 'block', height, hash });
  await recordConflicts(tx, chain, [...conflicted], height);
  await countConfirmations(tx, deps, chain, { from: cursor.height, to: height, updated });
  await advanceCursor(tx, chain, block, now, below);
  // Must follow the cursor: the events count confirmations from it.
  await confirmSends(tx, deps, chain, { spends: block.debits, height });
  await recordMovements(tx, deps, chain, [...groupByTransaction(block), ...gone.map(({ txid }) => txid)]);
  await forgetSettledInputs(tx, chain);
  const entersInterval = Math.floor(height / FORGET_EVERY) > Math.floor(cursor.height / FORGET_EVERY);
  if (entersInterval) {
    await forgetBlocksBelow(tx, chain, height);
    await forgetOldBytes(tx, chain, { from: cursor.height, to: height, now });
  }
  return true;
}

/** Money found in a block that was mined during downtime was on time if the block was. */
function seenIn(
  block: ChainBlock,
  credit: Credit,
  { cameAfter, blockTimes }: Arrival,
  now: number,
): SeenCredit {
  const timeMs = credit.heldBy?.timeMs ?? block.timeMs;
  const seen = { credit, seenAt: Math.min(now, Math.max(timeMs, cameAfter ?? 0)), minedAt: timeMs };
  return blockTimes === 'exact' ? { ...seen, cameBefore: timeMs } : seen;
}

/** Whether each block is the child of the one before it, the first that of the cursor's block. */
function isInRow(cursor: BlockRef, blocks: readonly ChainBlockHeader[]): boolean {
  let last = cursor;
  for (const block of blocks) {
    if (block.parentHash !== last.hash || block.height <= last.height) return false;
    last = block;
  }
  return true;
}

/** Covers each block twice once it is deep, and transactions that never confirmed. */
async function forgetOldBytes(
  tx: Tx,
  chain: ChainId,
  at: { from: number; to: number; now: number },
): Promise<void> {
  const from = at.from - BURIED - 2 * FORGET_EVERY;
  await forgetTransactionsBetween(tx, chain, { from, below: at.to - BURIED });
  await forgetDeadTransactions(tx, chain, at.now - DEAD_MS);
}

/** Updates the other payments whose money still gathers confirmations; fully confirmed ones are left alone. */
async function countConfirmations(
  tx: Tx,
  deps: ObserveDeps,
  chain: ChainId,
  at: { readonly from: number; readonly to: number; readonly updated: ReadonlySet<string> },
): Promise<void> {
  const { from, to: height, updated } = at;
  for (const paymentId of await gatheringConfirmations(tx, deps, chain, from)) {
    if (updated.has(paymentId)) continue;
    await applyFacts(tx, deps, paymentId, [{ type: 'tip', coin: chain.coin, height }]);
  }
}

/** Payments with money in a block that is not yet as deep as required. */
async function gatheringConfirmations(
  db: Db,
  deps: ObserveDeps,
  chain: ChainId,
  tip: number,
): Promise<string[]> {
  const policy = deps.confirmations(chain.coin, chain.mode);
  const depth = Math.max(
    PROTOCOL_DEPTH,
    ...[policy.base, ...policy.tiers.map((tier) => tier.confirmations)].map(expectedConfirmations),
  );
  return paymentsWithMoneyAbove(db, chain, tip - depth, tip);
}
