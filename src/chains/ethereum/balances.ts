import type { OpenAccount, OutputRef } from '../../domain/chain.ts';
import type { Logger } from '../../domain/ports.ts';
import { type AccountBook, sumOf } from './account-book.ts';
import { EARLIER_INDEX, FOUND_INDEX, foundBalanceTxid, isFound } from './found-balance.ts';
import type { Block } from './node-answers.ts';
import type { BalanceAnswer, NodeClient } from './node-client.ts';

/** How often in a row an account must be seen to lack money before the ledger writes it off. */
const WRITE_OFF_AFTER = 10;
/** Accounts whose shortfall is remembered. */
const MAX_REMEMBERED = 10_000;

/** Accounts that held less than known when last looked at: how often in a row, and at which height last. */
export type Shortfalls = Map<string, { readonly looks: number; readonly height: number }>;

interface Deps {
  readonly client: NodeClient;
  readonly logger: Logger;
  readonly shortfalls: Shortfalls;
}

/** Accounts with what the ledger says that they held before a block, and their balances after it in the same order. */
export interface Standings {
  readonly accounts: readonly OpenAccount[];
  readonly balances: readonly BalanceAnswer[];
}

interface Books {
  readonly book: AccountBook;
  /** As they were before the block, each with its balance after it. */
  readonly standings: readonly Standings[];
}

/**
 * Holds the accounts' balances at this block against the book. Where the node keeps no state of the
 * block, a later one shows the same difference. Answers the credits that earlier balances had shown
 * and this one denies: no transaction of the account took that money, so it was never there.
 */
export async function enterBalances(deps: Deps, block: Block, books: Books): Promise<OutputRef[]> {
  const { book } = books;
  const disproved: OutputRef[] = [];
  for (const { account, found } of differences(books, deps.shortfalls)) {
    const { watchKey, since } = account;
    const txid = foundBalanceTxid({ height: block.number, blockHash: block.hash, watchKey });
    if (found < 0n) {
      disproved.push(
        ...enterShortfall(deps, book, { watchKey, txid, height: block.number, lacking: -found }),
      );
      continue;
    }
    const known = sumOf(account.held);
    const earlier = await heldBefore(deps.client, block, { watchKey, since, known, found });
    if (earlier > 0n) book.keep(watchKey, { txid, index: EARLIER_INDEX }, earlier);
    if (found > earlier) {
      book.receive({ ref: { txid, index: FOUND_INDEX }, watchKey, amount: found - earlier, raw: null });
    }
  }
  return disproved;
}

/** The accounts of which balance and book say different things, and by how much; of all others shortfalls are over. */
function differences(
  { book, standings }: Books,
  shortfalls: Shortfalls,
): { readonly account: OpenAccount; readonly found: bigint }[] {
  const differing: { account: OpenAccount; found: bigint }[] = [];
  for (const { accounts, balances } of standings) {
    // Ten thousand in each block, of nearly all of which there is nothing to say: nothing is made of them.
    for (let at = 0; at < accounts.length; at += 1) {
      const [account, balance] = [accounts[at], balances[at]];
      if (account === undefined || balance === undefined || balance === 'unknown') continue;
      const found = balance - book.balance(account.watchKey);
      if (found >= 0n && shortfalls.size > 0) shortfalls.delete(account.watchKey);
      if (found !== 0n) differing.push({ account, found });
    }
  }
  return differing;
}

/**
 * Money that only a balance showed goes as it came. Money that transactions brought is real: one
 * wrong answer must not write it off, or the next right one would credit it a second time.
 */
function enterShortfall(
  { logger, shortfalls }: Deps,
  book: AccountBook,
  at: { readonly watchKey: string; readonly txid: string; readonly height: number; readonly lacking: bigint },
): readonly OutputRef[] {
  const { watchKey, txid, height, lacking } = at;
  const { taken, rest } = book.takeBack(watchKey, lacking, isFound);
  const known = shortfalls.get(watchKey);
  const looks = known === undefined ? 1 : known.height === height ? known.looks : known.looks + 1;
  const account = { coin: 'ETH', account: watchKey, txid, lacking: `${lacking}`, looks };
  if (looks === 1 || taken.length > 0) logger.warn(account, 'an account holds less than known');
  if (rest === 0n) return taken;
  if (looks < WRITE_OFF_AFTER) {
    if (shortfalls.size >= MAX_REMEMBERED) shortfalls.clear();
    shortfalls.set(watchKey, { looks, height });
    return taken;
  }
  logger.error(account, 'an account still holds less than known: writing it off');
  book.spend({ watchKey, txid, cost: rest });
  return taken;
}

/** What an address held before it was given out (a restored wallet's) came from none of its payers. */
async function heldBefore(
  client: NodeClient,
  block: Block,
  about: { watchKey: string; since: number; known: bigint; found: bigint },
): Promise<bigint> {
  const parent = await client.headerAt(block.number - 1);
  // Block times are whole seconds: one may have been mined until the end of its second.
  const parentEndMs = ((parent?.timestamp ?? 0) + 1) * 1000;
  if (parent === null || parent.hash !== block.parentHash || parentEndMs > about.since) return 0n;
  const [before] = await client.balances([about.watchKey], parent.hash);
  if (before === undefined || before === 'unknown') return 0n;
  const earlier = before > about.known ? before - about.known : 0n;
  return earlier < about.found ? earlier : about.found;
}
