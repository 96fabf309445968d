import { type BlockRef, ChainError, type OpenAccount, type OutputRef } from '../../../domain/chain.ts';
import type { Logger } from '../../../domain/ports.ts';
import { type AccountLedger, REMAINDER_INDEX, sumOutputs } from './account-ledger.ts';
import { STATES_KEPT } from './balance-reads.ts';
import { finalBlock } from '../blocks/final-block.ts';
import { blockBefore } from '../rpc/headers.ts';
import {
  EARLIER_INDEX,
  BALANCE_CREDIT_INDEX,
  balanceCreditTxid,
  isBalanceCreditAbove,
  parseBalanceCreditTxid,
} from './balance-credit.ts';
import type { Block } from '../rpc/node-answers.ts';
import type { BalanceAnswer, NodeClient } from '../rpc/node-client.ts';
import type { Shortfalls } from './shortfalls.ts';

/** Depth at which a block counts as final where the node does not report finality. */
const FINAL_AFTER = 64;

interface Deps {
  readonly client: NodeClient;
  readonly logger: Logger;
  readonly shortfalls: Shortfalls;
  /** Whether an account's balance was read in an earlier block. */
  readonly wasRead: (watchKey: string) => boolean;
  /** Whether it was read while the account waited for money. */
  readonly wasReadAwaited: (watchKey: string) => boolean;
  /** How many mined transactions of an account the ledger knows; each write-off counts as one. */
  readonly outgoing: (watchKey: string) => Promise<number | undefined>;
}

/** Accounts with the ledger's holdings before a block and, in the same order, the balances read after it. */
interface AccountReadings {
  readonly accounts: readonly OpenAccount[];
  readonly balances: readonly BalanceAnswer[];
}

interface Books {
  readonly book: AccountLedger;
  readonly readings: AccountReadings;
}

export interface Entered {
  /** Accounts whose balance and book differed. */
  readonly differing: ReadonlySet<string>;
  /**
   * Those of them with money that may have arrived before their address was issued, and accounts with a shortfall
   * that was not confirmed or is seen at a block too old for its state to be reliable.
   */
  readonly undecided: ReadonlySet<string>;
  /** Credits from earlier balances that this one disproves. */
  readonly disproved: readonly OutputRef[];
}

/**
 * Compares the accounts' balances at this block with the book and credits the difference. Where the node
 * keeps no state of the block, a later one shows the same difference. A credit from an earlier balance that
 * this one disproves never existed, because no transaction of the account spent that money.
 */
export async function creditFromBalances(deps: Deps, block: Block, books: Books): Promise<Entered> {
  const { book } = books;
  const disproved: OutputRef[] = [];
  const undecided = new Set<string>();
  const differing = differences(books, deps.shortfalls);
  let isDoubtful = differing.some(({ found }) => found < 0n) && (await isOld(deps.client, block));
  for (const { account, found } of differing) {
    const { watchKey } = account;
    // One unconfirmed balance makes all of them doubtful, because they came in one answer.
    isDoubtful ||=
      found < 0n && !(await isSameWhenReread(deps, block, watchKey, book.balance(watchKey) + found));
    if (found < 0n && isDoubtful) {
      undecided.add(watchKey);
      continue;
    }
    const txid = balanceCreditTxid({ height: block.number, blockHash: block.hash, watchKey });
    if (found < 0n) {
      disproved.push(
        ...(await enterShortfall(deps, book, { watchKey, txid, height: block.number, lacking: -found })),
      );
      continue;
    }
    // A read while it waited for money counts before any block time: the clock here may be ahead of the chain's.
    const earlier = await balanceBeforeUse(deps, block, account, found);
    if (earlier === null) {
      undecided.add(watchKey);
      continue;
    }
    if (earlier > 0n) book.keep(watchKey, { txid, index: EARLIER_INDEX }, earlier);
    if (found > earlier) {
      book.receive({
        ref: { txid, index: BALANCE_CREDIT_INDEX },
        watchKey,
        amount: found - earlier,
        raw: null,
      });
    }
  }
  const differingKeys = new Set(differing.map(({ account }) => account.watchKey));
  return { differing: differingKeys, undecided, disproved };
}

/**
 * Whether a block is too deep for nodes to keep its state: some then answer zero for every account. A real shortfall
 * shows in a later block as well.
 */
async function isOld(client: NodeClient, block: Block): Promise<boolean> {
  try {
    return (await client.tip()).number - block.number >= STATES_KEPT;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return true;
  }
}

/** Whether a balance is the same when read alone, because one wrong answer must not revoke money. */
async function isSameWhenReread(
  { client, logger }: Deps,
  block: Block,
  watchKey: string,
  balance: bigint,
): Promise<boolean> {
  try {
    return (await client.balanceAlone(watchKey, block.hash)) === balance;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    logger.warn(
      { coin: 'ETH', account: watchKey, error: error.message },
      'on-chain balance below the ledger could not be verified; will retry with the next block',
    );
    return false;
  }
}

/** The accounts whose balance and book differ, and by how much; ends the shortfalls of all others. */
function differences(
  { book, readings: { accounts, balances } }: Books,
  shortfalls: Shortfalls,
): readonly { readonly account: OpenAccount; readonly found: bigint }[] {
  const differing: { account: OpenAccount; found: bigint }[] = [];
  for (const [at, balance] of balances.entries()) {
    const account = accounts[at];
    if (account === undefined || typeof balance !== 'bigint') continue;
    const found = balance - book.balance(account.watchKey);
    if (found >= 0n) shortfalls.over(account.watchKey);
    if (found !== 0n) differing.push({ account, found });
  }
  return differing;
}

/**
 * Handles a shortfall. Money that only a balance revealed, in a block that is not final yet, is reversed. All
 * other money is real: no number of wrong answers may write it off, because the next correct one would credit
 * it again. It is written off only after repeated shortfalls and when a transaction explains it: by a final
 * block, the account has made one that the ledger does not know (in skipped blocks, or by a key used
 * elsewhere). Without that proof the operator has to decide.
 */
async function enterShortfall(
  deps: Deps,
  book: AccountLedger,
  at: { readonly watchKey: string; readonly txid: string; readonly height: number; readonly lacking: bigint },
): Promise<readonly OutputRef[]> {
  const { logger, shortfalls, client } = deps;
  const { watchKey, txid, height, lacking } = at;
  const final = await finalBlock(client);
  const above = final?.height ?? height - FINAL_AFTER;
  const { withdrawn, rest } = book.takeBack(watchKey, lacking, (ref) => isBalanceCreditAbove(ref, above));
  const account = { coin: 'ETH', account: watchKey, txid, lacking: `${lacking}` };
  if (rest === 0n) {
    shortfalls.over(watchKey);
    logger.warn(account, 'credit reversed: the on-chain balance no longer contains the money');
    return withdrawn;
  }
  const { checks, isLong } = shortfalls.seen(watchKey, height, rest);
  if (checks === 1)
    logger.warn(account, 'on-chain balance of an account is below the ledger; nothing is written off yet');
  if (!isLong || final === null || !(await isExplained(deps, watchKey, final))) return withdrawn;
  logger.error(
    account,
    'missing on-chain balance written off: the account sent a transaction that was not signed here',
  );
  book.spend({ watchKey, txid, cost: rest });
  shortfalls.over(watchKey);
  return withdrawn;
}

/**
 * Whether an account has made more transactions by a final block than the ledger knows; nonces never
 * decrease.
 */
async function isExplained(
  { client, logger, outgoing }: Deps,
  watchKey: string,
  final: BlockRef,
): Promise<boolean> {
  try {
    const nonce = await client.nonceAt(watchKey, final.hash);
    return nonce !== null && nonce > ((await outgoing(watchKey)) ?? nonce);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    logger.warn(
      { coin: 'ETH', account: watchKey, error: error.message },
      'nonce of an on-chain account unreadable; the check of its balance shortfall is postponed',
    );
    return false;
  }
}

/**
 * The part of found money that an address had before it was issued, in a restored wallet or as one of another wallet:
 * not a payment. Where no node can tell, an address of the till was new; money on one of another wallet counts as its
 * own. Null when the node does not answer now.
 */
async function balanceBeforeUse(
  deps: Deps,
  block: Block,
  account: OpenAccount,
  found: bigint,
): Promise<bigint | null> {
  const { watchKey, holdings } = account;
  const isForeign = account.isForeign === true;
  if (deps.wasReadAwaited(watchKey)) return 0n;
  try {
    const hash = await lastBlockBefore(deps, block, account);
    const untold = isForeign ? found : 0n;
    if (hash === null) return untold;
    const { answers, failure } = await deps.client.balances([watchKey], hash);
    if (failure !== null) throw failure;
    const [before] = answers;
    if (before === 'unreadable') return null;
    if (before === undefined || before === 'unknown') return untold;
    // Payments since were not part of that balance.
    const known = sumOutputs(isForeign ? holdings.filter(({ ref }) => isEarlier(ref)) : holdings);
    const earlier = before > known ? before - known : 0n;
    return earlier < found ? earlier : found;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    deps.logger.warn(
      { coin: 'ETH', account: watchKey, error: error.message },
      'reading a historical on-chain balance failed; will retry with the next block',
    );
    return null;
  }
}

/** Money of the account itself: it had it before, or it remained of its own transaction. */
function isEarlier({ txid, index }: OutputRef): boolean {
  return index === REMAINDER_INDEX || (index === EARLIER_INDEX && parseBalanceCreditTxid(txid) !== null);
}

/**
 * The last block before the address was issued; null where nodes need not keep the state of that block, and for one of
 * the till that was read since or is known to have received money since.
 * @throws {ChainError}
 */
async function lastBlockBefore(
  { client, wasRead }: Deps,
  block: Block,
  { watchKey, since, holdings, isForeign }: OpenAccount,
): Promise<string | null> {
  const parent = await client.headerAt(block.number - 1);
  if (parent === null || parent.hash !== block.parentHash) {
    throw new ChainError('unavailable', `the node does not show the block before ${block.number}`);
  }
  // Block times are whole seconds: the block may have been mined at any point of its second.
  if ((parent.timestamp + 1) * 1000 <= since) return parent.hash;
  if (isForeign !== true && (sumOutputs(holdings) > 0n || wasRead(watchKey))) return null;
  const lastSecond = since - 1000;
  const before = await blockBefore(client, lastSecond, Math.max(0, block.number - STATES_KEPT));
  return before.timeMs <= lastSecond ? before.hash : null;
}
