import type { ChainAdapter } from '../../domain/chain.ts';
import { isUtxoCoin } from '../../domain/coins.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import type { WatchAccountKeys } from '../../domain/keys.ts';
import { findWatched } from '../../store/ledger/addresses.ts';
import {
  findSameAccount,
  proposeWatchAccount,
  updateWatchAccount,
  type WatchAccount,
} from '../../store/ledger/watch-accounts.ts';
import { nextForwardIndex } from '../../store/sends/wallet-forwards.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { newId } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { firstAddresses, openAccount, viewWatch, type WatchView } from './view-watch.ts';
import { openOwnWallet, type OpenedWallet, type WatchDeps, type WatchRef } from './watch-deps.ts';

/** Addresses of each branch that must be unknown to this server. */
const COMPARED = 20;

/** An account to watch, as the owner entered it. */
export interface WatchInput extends WatchRef {
  readonly descriptor?: string | undefined;
  readonly xpub?: string | undefined;
  /** The branch below the xpub. */
  readonly path?: string | undefined;
}

/**
 * Reads an account of another wallet and shows its first addresses. It has no effect before it is confirmed. The answer
 * to an account that the shop watched before is that account.
 * @throws {AppError} MERCHANT_NOT_FOUND, FORBIDDEN, COIN_UNAVAILABLE; VALIDATION_INVALID, which never repeats the input
 */
export async function proposeWatch(
  deps: WatchDeps,
  input: WatchInput,
  storeResult: StoreResult<WatchView> = storeNoResult,
): Promise<WatchView> {
  return deps.db.transaction(async (tx) => {
    const { wallet, adapter } = await openOwnWallet(tx, deps, input);
    if (!isUtxoCoin(wallet.coin))
      throw invalidField(
        'addresses',
        `is required: ${wallet.coin} is watched by a list of addresses`,
        'required',
      );
    const { field, keys } = readInput(deps, adapter, input);
    const known = await findKnown(tx, deps, { wallet, adapter }, { field, keys });
    const account = known ?? (await propose(tx, deps, { wallet, adapter }, keys));
    const view = await viewWatch(tx, deps, account);
    await storeResult(tx, view);
    return view;
  });
}

interface Read {
  readonly field: 'descriptor' | 'xpub';
  readonly keys: WatchAccountKeys;
}

function readInput(deps: WatchDeps, adapter: ChainAdapter, input: WatchInput): Read {
  const { descriptor, xpub, path } = input;
  const field = descriptor === undefined ? 'xpub' : 'descriptor';
  const text = descriptor ?? xpub;
  if (text === undefined) throw invalidField('descriptor', 'or xpub is required', 'required');
  if (descriptor !== undefined && xpub !== undefined)
    throw invalidField('xpub', 'cannot be given together with descriptor');
  if (descriptor !== undefined && path !== undefined)
    throw invalidField('path', 'is for an xpub: a descriptor contains its path');
  if (xpub?.includes('(') === true) throw invalidField('xpub', 'is a descriptor: enter it as descriptor');
  const keys = deps.readWatchAccount(adapter, text, path);
  if ('problem' in keys) throw invalidField(field, keys.problem);
  const problem = adapter.validateAddress(keys.address(0, 0));
  if (problem !== null) throw invalidField(field, `leads to an address that ${problem}`);
  return { field, keys };
}

/**
 * The same account of this shop. Two wallets must never give out the same address, because its money would be credited
 * to the wrong order.
 * @throws {AppError} VALIDATION_INVALID for one of another shop, or of the till itself
 */
async function findKnown(
  tx: Tx,
  deps: WatchDeps,
  { wallet, adapter }: OpenedWallet,
  { field, keys }: Read,
): Promise<WatchAccount | null> {
  const firstKeys = [keys.address(0, 0), keys.address(1, 0)].map((address) => adapter.watchKey(address));
  const same = await findSameAccount(tx, wallet, firstKeys);
  if (same !== undefined && same.merchantId === wallet.merchantId) {
    if (!isSameAccount(keys, openAccount(deps, same)))
      throw invalidField(field, 'is an account that this shop watches already, with its branches exchanged');
    // It may have key origins now, which signers need; those that it had are not lost.
    const descriptor = keys.descriptor.includes('[') ? keys.descriptor : same.descriptor;
    await updateWatchAccount(tx, same.number, { descriptor, updatedAt: deps.clock.now() });
    return { ...same, descriptor };
  }
  const shown = ([0, 1] as const).flatMap((branch) => firstAddresses(keys, branch, 0, COMPARED));
  const known = await findWatched(
    tx,
    wallet,
    shown.map((address) => adapter.watchKey(address)),
  );
  if (same !== undefined || known.length > 0)
    throw invalidField(
      field,
      'belongs to a wallet of this server, or to an account that another shop of it watches',
    );
  return null;
}

function isSameAccount(a: WatchAccountKeys, b: WatchAccountKeys): boolean {
  return ([0, 1] as const).every((branch) =>
    firstAddresses(a, branch, 0, COMPARED).every((address, index) => address === b.address(branch, index)),
  );
}

async function propose(
  tx: Tx,
  deps: WatchDeps,
  { wallet, adapter }: OpenedWallet,
  keys: WatchAccountKeys,
): Promise<WatchAccount> {
  const now = deps.clock.now();
  return proposeWatchAccount(tx, {
    id: newId('wat_'),
    coin: wallet.coin,
    mode: wallet.mode,
    merchantId: wallet.merchantId,
    listSize: null,
    descriptor: keys.descriptor,
    firstReceive: adapter.watchKey(keys.address(0, 0)),
    firstChange: adapter.watchKey(keys.address(1, 0)),
    nextReceive: await nextForwardIndex(tx, wallet, keys.receiveDescriptor),
    createdAt: now,
    updatedAt: now,
  });
}

/** Repeats the comparison for an account that was proposed some time ago. @throws {AppError} VALIDATION_INVALID */
export async function requireUnknown(
  tx: Tx,
  deps: WatchDeps,
  opened: OpenedWallet,
  account: WatchAccount,
): Promise<void> {
  const known = await findKnown(tx, deps, opened, { field: 'descriptor', keys: openAccount(deps, account) });
  if (known !== null && known.number !== account.number)
    throw new AppError('INVALID_STATE', 'this shop watches the same account already');
}
