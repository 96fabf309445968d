import { AppError } from '../../domain/errors.ts';
import { hasPaymentAddress } from '../../store/ledger/addresses.ts';
import {
  deleteList,
  endWatching,
  findWatchAccount,
  listWalletAccounts,
  updateWatchAccount,
  type WatchAccount,
} from '../../store/ledger/watch-accounts.ts';
import { claimListedAddresses } from '../../store/ledger/watch-lists.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { findOwnMerchant } from '../access/index.ts';
import { reserveUnknownAddresses } from '../addresses/index.ts';
import { newId } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { type ListHistory, moveUsedFirst, readListHistory } from './list-history.ts';
import { requireUnusedProposal } from './propose-list.ts';
import { requireUnknown } from './propose-watch.ts';
import { notifyOfWatch } from './record-watch.ts';
import { nextAddresses, viewWatch, type WatchView } from './view-watch.ts';
import { openOwnWallet, type WatchDeps, type WatchRef } from './watch-deps.ts';

/** The account whose addresses the owner has compared. */
export interface ConfirmWatchInput {
  readonly userId: string;
  readonly merchantId: string;
  readonly id: string;
}

/**
 * Lets new orders be paid to an account: at once where the shop never gave out an address of the coin and this is its
 * first account, otherwise after a delay, because a thief could redirect income. Repeating it changes nothing.
 * @throws {AppError} WATCH_NOT_FOUND, MERCHANT_NOT_FOUND, FORBIDDEN, COIN_UNAVAILABLE, VALIDATION_INVALID
 */
export async function confirmWatch(
  deps: WatchDeps,
  { userId, merchantId, id }: ConfirmWatchInput,
  storeResult: StoreResult<WatchView> = storeNoResult,
): Promise<WatchView> {
  // No network call inside the transaction.
  const history = await readListHistory(deps, { merchantId, id });
  return deps.db.transaction(async (tx) => {
    const account = await findWatchAccount(tx, id);
    if (account === undefined || account.merchantId !== merchantId) {
      await findOwnMerchant(tx, userId, merchantId);
      throw notFound();
    }
    const opened = await openOwnWallet(tx, deps, { userId, merchantId, coin: account.coin });
    if (opened.wallet.mode !== account.mode) throw notFound();
    if (account.listSize === null) await requireUnknown(tx, deps, opened, account);
    else if (account.confirmedAt === null) await requireUnusedProposal(tx, deps, opened, account);
    const before = await viewWatch(tx, deps, account);
    const isDone = before.state === 'active' || before.state === 'pending';
    const view = isDone ? before : await viewWatch(tx, deps, await start(tx, deps, account, history));
    await storeResult(tx, view);
    return view;
  });
}

async function start(
  tx: Tx,
  deps: WatchDeps,
  account: WatchAccount,
  history: ListHistory | null,
): Promise<WatchAccount> {
  const now = deps.clock.now();
  const { merchantId, coin, mode, number } = account;
  const others = (await listWalletAccounts(tx, account)).filter((other) => other.number !== number);
  // No order of the shop is paid elsewhere, and none was to be.
  const isFirst =
    !(await hasPaymentAddress(tx, account)) &&
    [account, ...others].every(({ confirmedAt }) => confirmedAt === null);
  for (const other of others) {
    // Only the newest change is pending; lists add to one another.
    if (account.listSize === null && other.startsAt !== null && other.startsAt > now)
      await updateWatchAccount(tx, other.number, { startsAt: null, pendingId: null, updatedAt: now });
  }
  const change = {
    confirmedAt: account.confirmedAt ?? now,
    pendingId: isFirst ? null : newId('wac_'),
    startsAt: isFirst ? now : now + deps.policy.forwardDelayMs,
    updatedAt: now,
  };
  await updateWatchAccount(tx, number, change);
  if (account.confirmedAt === null) {
    const skip = history && (await moveUsedFirst(tx, account, history));
    if (account.listSize !== null) await claimListedAddresses(tx, number, account.listSize);
    const known = history && { skip: skip ?? 0, isComplete: history.isComplete };
    await reserveUnknownAddresses(tx, deps, account, known);
  }
  const started = await findWatchAccount(tx, account.id);
  if (started === undefined) throw new Error(`watched account ${account.id} does not exist`);
  await notifyOfWatch(tx, deps, started, {
    reason: isFirst ? 'watch_changed' : 'watch_pending',
    address: (await nextAddresses(tx, deps, started, 1))[0] ?? '',
  });
  tx.afterCommit(() =>
    deps.logger.warn({ merchantId, coin, mode, watchId: account.id }, 'watched account confirmed'),
  );
  return started;
}

/**
 * Returns to the till's own account for new orders, at once. Money on watched accounts stays there.
 * @returns whether one was used or about to be
 * @throws {AppError} MERCHANT_NOT_FOUND, FORBIDDEN, COIN_UNAVAILABLE
 */
export async function endWatch(
  deps: WatchDeps,
  ref: WatchRef,
  storeResult: StoreResult<{ readonly ended: boolean }> = storeNoResult,
): Promise<{ readonly ended: boolean }> {
  return deps.db.transaction(async (tx) => {
    const { wallet } = await openOwnWallet(tx, deps, ref);
    const [account] = (await listWalletAccounts(tx, wallet)).filter(({ startsAt }) => startsAt !== null);
    const result = { ended: account !== undefined };
    if (account !== undefined) {
      await endWatching(tx, wallet, deps.clock.now());
      await notifyOfWatch(tx, deps, account, { reason: 'watch_changed', address: '' });
      const { merchantId, coin, mode } = wallet;
      tx.afterCommit(() =>
        deps.logger.warn({ merchantId, coin, mode }, "new orders use the till's own account again"),
      );
    }
    await storeResult(tx, result);
    return result;
  });
}

/**
 * Drops an account that has not taken effect, for new orders. Repeating it changes nothing.
 * @throws {AppError} MERCHANT_NOT_FOUND, FORBIDDEN, COIN_UNAVAILABLE
 */
export async function dropPendingWatch(
  deps: WatchDeps,
  ref: WatchRef,
  storeResult: StoreResult<{ readonly dropped: boolean }> = storeNoResult,
): Promise<{ readonly dropped: boolean }> {
  return deps.db.transaction(async (tx) => {
    const { wallet } = await openOwnWallet(tx, deps, ref);
    const now = deps.clock.now();
    const pending = (await listWalletAccounts(tx, wallet)).filter(({ startsAt }) => (startsAt ?? 0) > now);
    for (const account of pending) await dropPending(tx, deps, account);
    const result = { dropped: pending.length > 0 };
    await storeResult(tx, result);
    return result;
  });
}

/** Drops a change that has not taken effect, and notifies the people of the shop. */
export async function dropPending(
  tx: Tx,
  deps: Pick<WatchDeps, 'clock' | 'logger'>,
  account: WatchAccount,
): Promise<void> {
  const { number, merchantId, coin, mode } = account;
  const change = { startsAt: null, pendingId: null, updatedAt: deps.clock.now() };
  if (isUnusedList(account)) await deleteList(tx, account);
  else await updateWatchAccount(tx, number, change);
  await notifyOfWatch(tx, deps, { ...account, ...change }, { reason: 'watch_undone', address: '' });
  tx.afterCommit(() => deps.logger.warn({ merchantId, coin, mode }, 'pending watched account dropped'));
}

/**
 * Whether a pending list never took effect: what a thief confirmed leaves no trace, and an owner can correct a list and
 * enter it again. One that was ended and confirmed again stays known: without it, another list would count as the first.
 */
function isUnusedList({ listSize, nextReceive, confirmedAt, updatedAt }: WatchAccount): boolean {
  return listSize !== null && nextReceive === 0 && confirmedAt === updatedAt;
}

function notFound(): AppError {
  return new AppError('WATCH_NOT_FOUND', 'no such account was proposed for this shop in its current mode');
}
