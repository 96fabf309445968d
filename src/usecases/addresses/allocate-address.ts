import type { ChainId, Coin } from '../../domain/coins.ts';
import { type AddressDeriver, type KeyPath, watchedAccount } from '../../domain/keys.ts';
import type { Clock } from '../../domain/ports.ts';
import { toStoredIndex } from '../../store/ledger/address-index.ts';
import {
  insertAddresses,
  allocateAddressIndexes,
  findWatched,
  type AddressBranch,
  type StoredAddress,
} from '../../store/ledger/addresses.ts';
import { activeWatchAccounts, takeWatchIndex, type WatchAccount } from '../../store/ledger/watch-accounts.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';

export interface AllocateAddressDeps {
  readonly deriver: AddressDeriver;
  /** The key under which a chain finds payments to an address (ChainAdapter.watchKey). */
  readonly toWatchKey: (chain: ChainId, address: string) => string;
  readonly clock: Clock;
}

export interface AllocateAddressInput extends AddressBranch {
  /** The merchant's account number in the wallet tree. */
  readonly account: number;
  readonly purpose: StoredAddress['purpose'];
  /** The payment it receives money for; null for wallet and change addresses. */
  readonly paymentId: string | null;
}

/**
 * Issues the next address of a branch and starts watching it, inside the caller's transaction, so that it
 * exists exactly when its purpose exists. Pure derivation, without a call to the node.
 * @param watched the watched account that it belongs to; absent: the wallet tree
 */
export async function allocateAddress(
  tx: Tx,
  deps: AllocateAddressDeps,
  input: AllocateAddressInput,
  watched?: WatchAccount,
): Promise<StoredAddress> {
  const { coin } = input;
  const index =
    watched === undefined
      ? (await allocateAddressIndexes(tx, input, [coin]))[0]?.index
      : await takeFreeWatchIndex(tx, deps, watched, input.branch);
  if (index === undefined) throw new Error(`no ${coin} address was stored`);
  const [row] = await storeAddresses(tx, deps, input, [{ coin, index, watched }]);
  if (row === undefined) throw new Error(`no ${coin} address was stored`);
  return row;
}

/**
 * Like allocateAddress, for one address on the same branch of each of these coins; in no particular order. Payments get
 * those of the watched accounts that the shop uses.
 */
export async function allocateAddresses(
  tx: Tx,
  deps: AllocateAddressDeps,
  input: Omit<AllocateAddressInput, 'coin'>,
  coins: readonly Coin[],
): Promise<StoredAddress[]> {
  const { merchantId, mode, branch, purpose } = input;
  const now = deps.clock.now();
  const accounts =
    purpose === 'payment' ? await activeWatchAccounts(tx, { merchantId, mode, now }) : new Map<Coin, never>();
  const own = coins.filter((coin) => !accounts.has(coin));
  const places: Place[] = [...(await allocateAddressIndexes(tx, { merchantId, mode, branch }, own))];
  for (const coin of coins) {
    const watched = accounts.get(coin);
    if (watched === undefined) continue;
    places.push({ coin, watched, index: await takeFreeWatchIndex(tx, deps, watched, branch) });
  }
  return storeAddresses(tx, deps, input, places);
}

/** Addresses in a row that another account may have: accounts with the same keys in another order share some. */
const SHARED_MAX = 1_000;

/** The next index of a branch whose address nothing on this server uses: its money would be credited twice. */
async function takeFreeWatchIndex(
  tx: Tx,
  { deriver, toWatchKey }: Pick<AllocateAddressDeps, 'deriver' | 'toWatchKey'>,
  watched: WatchAccount,
  branch: 0 | 1,
): Promise<number> {
  for (let skipped = 0; skipped < SHARED_MAX; skipped += 1) {
    const index = await takeWatchIndex(tx, watched.number, branch);
    const key = toWatchKey(watched, deriver.address(watchPath(watched, branch, index)));
    if ((await findWatched(tx, watched, [key])).length === 0) return index;
  }
  throw new Error(`another wallet uses ${SHARED_MAX} addresses in a row of watched account ${watched.id}`);
}

/** The index that the next address of a branch gets, without taking it. */
export async function nextFreeWatchIndex(
  db: Db,
  { deriver, toWatchKey }: Pick<AllocateAddressDeps, 'deriver' | 'toWatchKey'>,
  watched: WatchAccount,
  branch: 0 | 1,
): Promise<number> {
  const first = branch === 0 ? watched.nextReceive : watched.nextChange;
  for (let index = first; index < first + SHARED_MAX; index += 1) {
    const key = toWatchKey(watched, deriver.address(watchPath(watched, branch, index)));
    if ((await findWatched(db, watched, [key])).length === 0) return index;
  }
  throw new Error(`another wallet uses ${SHARED_MAX} addresses in a row of watched account ${watched.id}`);
}

interface Place {
  readonly coin: Coin;
  readonly index: number;
  readonly watched?: WatchAccount | undefined;
}

async function storeAddresses(
  tx: Tx,
  deps: AllocateAddressDeps,
  { merchantId, account, mode, branch, purpose, paymentId }: Omit<AllocateAddressInput, 'coin'>,
  places: readonly Place[],
): Promise<StoredAddress[]> {
  if (!tx.isTransaction) throw new Error('addresses must be allocated in a transaction');
  const createdAt = deps.clock.now();
  const rows = places.map(({ coin, index, watched }) => {
    const path = { coin, mode, account, branch, index };
    const address = deps.deriver.address(watched === undefined ? path : watchPath(watched, branch, index));
    return {
      merchantId,
      coin,
      mode,
      branch,
      idx: toStoredIndex(watched?.number ?? null, index),
      address,
      watchKey: deps.toWatchKey({ coin, mode }, address),
      purpose,
      paymentId,
      createdAt,
    };
  });
  return insertAddresses(tx, rows);
}

/** The path of an address of a watched account. */
export function watchPath(
  { number, coin, mode, descriptor }: WatchAccount,
  branch: 0 | 1,
  index: number,
): KeyPath {
  return { coin, mode, account: watchedAccount(number), branch, index, descriptor };
}
