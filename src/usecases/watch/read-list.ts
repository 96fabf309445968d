import { setImmediate } from 'node:timers/promises';
import type { ChainAdapter } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { AppError, invalidField, type FieldProblem } from '../../domain/errors.ts';
import type { FindListedProblem } from '../../domain/keys.ts';
import { nextAddressIndex } from '../../store/ledger/addresses.ts';
import { findClaimed, type ListedAddress } from '../../store/ledger/watch-lists.ts';
import { forwardDestinations } from '../../store/sends/wallet-forwards.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { WatchDeps } from './watch-deps.ts';

/** Most addresses of one list, and of the lists of a coin that are not given out. */
export const LIST_MAX = 10_000;
export const LISTS_MAX = 100_000;
/** Lists of a coin: each new order reads those in use. */
export const LISTS_COUNT_MAX = 500;
/** Problems that one answer names. */
const SHOWN_PROBLEMS = 20;
/** Addresses checked at a time, some milliseconds. */
const PIECE = 20;
/** Next addresses of the till itself that are compared. */
const COMPARED = 20;

/**
 * Checks the form and the checksum of each address of a list, and that it is listed once.
 * @throws {AppError} VALIDATION_INVALID naming the indexes
 */
export async function readList(
  adapter: ChainAdapter,
  findListedProblem: FindListedProblem,
  texts: readonly string[],
): Promise<ListedAddress[]> {
  if (texts.length === 0) throw invalidField('addresses', 'must not be empty', 'too_small');
  if (texts.length > LIST_MAX)
    throw invalidField('addresses', `must have at most ${LIST_MAX} entries`, 'too_big');
  const problems: FieldProblem[] = [];
  const listed: ListedAddress[] = [];
  const first = new Map<string, number>();
  for (const [index, text] of texts.entries()) {
    if (index % PIECE === 0) await setImmediate();
    const address = text.trim();
    const problem = adapter.validateAddress(address) ?? findListedProblem(adapter.coin, address);
    if (problem !== null) {
      problems.push(problemAt(index, problem));
      continue;
    }
    const watchKey = adapter.watchKey(address);
    const before = first.get(watchKey);
    if (before === undefined) first.set(watchKey, index);
    else problems.push(problemAt(index, `is the same address as addresses.${before}`, 'duplicate'));
    listed.push({ address, watchKey });
  }
  rejectList(problems);
  return listed;
}

/**
 * Refuses addresses that this server uses: those that it gave out or that belong to the till, those on a list of any of
 * its shops, and destinations of forwards. Their money would be credited to the wrong order.
 * @throws {AppError} VALIDATION_INVALID naming the indexes
 */
export async function requireUnusedList(
  db: Db,
  { deriver }: Pick<WatchDeps, 'deriver'>,
  wallet: ChainId & { readonly merchantId: string; readonly account: number },
  { adapter, listed }: { readonly adapter: ChainAdapter; readonly listed: readonly ListedAddress[] },
): Promise<void> {
  const claimed = await findClaimed(
    db,
    wallet,
    listed.map(({ watchKey }) => watchKey),
  );
  const next = await nextAddressIndex(db, { ...wallet, branch: 0 });
  const { coin, mode, account } = wallet;
  const own = Array.from({ length: COMPARED }, (_, at) =>
    adapter.watchKey(deriver.address({ coin, mode, account, branch: 0, index: next + at })),
  );
  const forwards = (await forwardDestinations(db, wallet)).map((address) => adapter.watchKey(address));
  const used = new Set([...own, ...forwards]);
  const problems = listed.flatMap(({ watchKey }, index) =>
    claimed.has(watchKey) || used.has(watchKey)
      ? [problemAt(index, 'is used by a wallet, a list or a forward of this server already', 'duplicate')]
      : [],
  );
  rejectList(problems);
}

function problemAt(index: number, message: string, code = 'invalid'): FieldProblem {
  return { field: `addresses.${index}`, code, message };
}

function rejectList(problems: readonly FieldProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  throw new AppError('VALIDATION_INVALID', `${first.field}: ${first.message}${more}`, {
    details: problems.slice(0, SHOWN_PROBLEMS),
  });
}
