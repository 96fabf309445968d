import { isUtxoCoin } from '../../domain/coins.ts';
import { invalidField } from '../../domain/errors.ts';
import { proposeWatchAccount, type WatchAccount } from '../../store/ledger/watch-accounts.ts';
import {
  allListedAddresses,
  insertProposedAddresses,
  listTotals,
  type ListedAddress,
} from '../../store/ledger/watch-lists.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { newId } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { LISTS_COUNT_MAX, LISTS_MAX, readList, requireUnusedList } from './read-list.ts';
import { viewWatch, type WatchView } from './view-watch.ts';
import { openOwnWallet, type OpenedWallet, type WatchDeps, type WatchRef } from './watch-deps.ts';

/** Addresses of another wallet, as the owner entered them. */
export interface ListInput extends WatchRef {
  readonly addresses: readonly string[];
  readonly descriptor?: string | undefined;
  readonly xpub?: string | undefined;
}

/**
 * Stores a list of addresses of another wallet and shows its first ones. It has no effect before it is confirmed. It
 * adds to the lists of the coin that the shop uses.
 * @throws {AppError} MERCHANT_NOT_FOUND, FORBIDDEN, COIN_UNAVAILABLE; VALIDATION_INVALID naming the indexes
 */
export async function proposeList(
  deps: WatchDeps,
  input: ListInput,
  storeResult: StoreResult<WatchView> = storeNoResult,
): Promise<WatchView> {
  const { coin, addresses, descriptor, xpub } = input;
  if (isUtxoCoin(coin))
    throw invalidField('addresses', `cannot be listed for ${coin}: give its descriptor or xpub`);
  if (descriptor !== undefined || xpub !== undefined)
    throw invalidField('addresses', 'cannot be given together with descriptor or xpub');
  // Checking thousands of addresses takes seconds: not in the transaction.
  const { adapter } = await openOwnWallet(deps.db, deps, input);
  const listed = await readList(adapter, deps.findListedProblem, addresses);
  return deps.db.transaction(async (tx) => {
    const opened = await openOwnWallet(tx, deps, input);
    // A change of the mode in between changes the network.
    if (opened.adapter !== adapter)
      throw invalidField('coin', 'is in another mode now: send the list again', 'invalid_state');
    await requireUnusedList(tx, deps, opened.wallet, { adapter, listed });
    await requireRoom(tx, opened.wallet, listed.length);
    const account = await store(tx, deps, opened, listed);
    const view = await viewWatch(tx, deps, account);
    await storeResult(tx, view);
    return view;
  });
}

async function requireRoom(tx: Tx, wallet: OpenedWallet['wallet'], count: number): Promise<void> {
  const { lists, free } = await listTotals(tx, wallet);
  if (free + count > LISTS_MAX)
    throw invalidField('addresses', `would make more than ${LISTS_MAX} unused addresses in all`, 'too_big');
  if (lists >= LISTS_COUNT_MAX)
    throw invalidField('addresses', `would be more than ${LISTS_COUNT_MAX} lists`, 'too_big');
}

async function store(
  tx: Tx,
  { clock }: WatchDeps,
  { wallet }: OpenedWallet,
  listed: readonly ListedAddress[],
): Promise<WatchAccount> {
  const { coin, mode, merchantId } = wallet;
  const now = clock.now();
  const account = await proposeWatchAccount(tx, {
    id: newId('wat_'),
    coin,
    mode,
    merchantId,
    descriptor: '',
    firstReceive: listed[0]?.watchKey ?? '',
    firstChange: '',
    nextReceive: 0,
    listSize: listed.length,
    createdAt: now,
    updatedAt: now,
  });
  await insertProposedAddresses(tx, account, listed);
  return account;
}

/** Repeats the comparison for a list that was proposed some time ago. @throws {AppError} VALIDATION_INVALID */
export async function requireUnusedProposal(
  tx: Tx,
  deps: WatchDeps,
  { wallet, adapter }: OpenedWallet,
  { number, listSize }: WatchAccount,
): Promise<void> {
  const listed = await allListedAddresses(tx, number, listSize ?? 0);
  await requireRoom(tx, wallet, listed.length);
  await requireUnusedList(tx, deps, wallet, { adapter, listed });
}
