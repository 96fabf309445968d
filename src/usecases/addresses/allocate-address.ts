import { isUtxoCoin, type ChainId, type Coin } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import { type AddressDeriver, type KeyPath, watchedAccount } from '../../domain/keys.ts';
import type { Clock } from '../../domain/ports.ts';
import { fromStoredIndex, toStoredIndex } from '../../store/ledger/address-index.ts';
import { recordAddressTip } from '../../store/ledger/address-tips.ts';
import {
  insertAddresses,
  allocateAddressIndexes,
  findWatched,
  type AddressBranch,
  type StoredAddress,
} from '../../store/ledger/addresses.ts';
import {
  startedWatchAccounts,
  takeWatchIndex,
  type WatchAccount,
} from '../../store/ledger/watch-accounts.ts';
import { isKeyListed, takeListedAddress } from '../../store/ledger/watch-lists.ts';
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
 * @throws {AppError} COIN_UNAVAILABLE at the end of a list
 */
export async function allocateAddress(
  tx: Tx,
  deps: AllocateAddressDeps,
  input: AllocateAddressInput,
  watched?: WatchAccount,
): Promise<StoredAddress> {
  const { coin } = input;
  const place =
    watched === undefined
      ? (await takeOwnPlaces(tx, deps, input, [coin]))[0]
      : await takeFreePlace(tx, deps, [watched], input);
  if (place === undefined) throw noneLeft(coin);
  const [row] = await storeAddresses(tx, deps, input, [place]);
  if (row === undefined) throw new Error(`no ${coin} address was stored`);
  return row;
}

/**
 * Like allocateAddress, for one address on the same branch of each of these coins; in no particular order. Payments get
 * those of the watched accounts that the shop uses, and never one of the till where a list has come to its end.
 * @throws {AppError} COIN_UNAVAILABLE
 */
export async function allocateAddresses(
  tx: Tx,
  deps: AllocateAddressDeps,
  input: Omit<AllocateAddressInput, 'coin'>,
  coins: readonly Coin[],
): Promise<StoredAddress[]> {
  const { merchantId, mode, purpose } = input;
  const now = deps.clock.now();
  const started = purpose === 'payment' ? await startedWatchAccounts(tx, { merchantId, mode, now }) : [];
  const isWatched = (coin: Coin): boolean => started.some((account) => account.coin === coin);
  const own = coins.filter((coin) => !isWatched(coin));
  const places = await takeOwnPlaces(tx, deps, input, own);
  for (const coin of coins.filter(isWatched)) {
    const accounts = started.filter((account) => account.coin === coin);
    const latest = accounts.slice(-1);
    const isList = latest.every(({ listSize }) => listSize !== null);
    const place = await takeFreePlace(tx, deps, isList ? accounts : latest, input);
    if (place === undefined) throw noneLeft(coin);
    places.push(place);
  }
  return storeAddresses(tx, deps, input, places);
}

/** Why a coin is not offered although its node is in sync. */
export function noneLeft(coin: Coin): AppError {
  const message = `${coin}: every address of the list that new orders are paid to was given out; the owner has to add more`;
  return new AppError('COIN_UNAVAILABLE', message);
}

/**
 * The next places of the wallet tree. Orders get none that is on a list of another shop, which nothing compares with the
 * future addresses of every wallet: an order of that shop may get it.
 */
async function takeOwnPlaces(
  tx: Tx,
  deps: AllocateAddressDeps,
  input: Omit<AllocateAddressInput, 'coin'>,
  coins: readonly Coin[],
): Promise<Place[]> {
  const { account, mode, branch, purpose } = input;
  const places: Place[] = [];
  let missing = coins;
  for (let round = 0; missing.length > 0; round += 1) {
    if (round >= SHARED_MAX)
      throw new Error(`lists have ${SHARED_MAX} addresses in a row of account ${account}`);
    const listed: Coin[] = [];
    for (const { coin, index } of await allocateAddressIndexes(tx, input, missing)) {
      const chain = { coin, mode };
      const address = deps.deriver.address({ ...chain, account, branch, index });
      const mayBeListed = purpose === 'payment' && !isUtxoCoin(coin);
      if (mayBeListed && (await isKeyListed(tx, chain, deps.toWatchKey(chain, address)))) listed.push(coin);
      else places.push({ coin, index, address });
    }
    missing = listed;
  }
  return places;
}

/** Addresses in a row that another account may have: accounts with the same keys in another order share some. */
const SHARED_MAX = 1_000;

/**
 * The next place of the first of these accounts that has one, whose address nothing on this server uses: its money would
 * be credited twice. Undefined at the end of the lists.
 */
async function takeFreePlace(
  tx: Tx,
  deps: AllocateAddressDeps,
  accounts: readonly WatchAccount[],
  { branch, paymentId }: Pick<AllocateAddressInput, 'branch' | 'paymentId'>,
): Promise<Place | undefined> {
  let skipped = 0;
  for (const watched of accounts) {
    for (; skipped < SHARED_MAX; skipped += 1) {
      const place = await takeNextPlace(tx, deps, watched, { branch, paymentId });
      if (place === undefined) break;
      const key = deps.toWatchKey(watched, place.address);
      if ((await findWatched(tx, watched, [key])).length === 0) return place;
    }
  }
  if (skipped < SHARED_MAX) return undefined;
  throw new Error(
    `another wallet uses ${SHARED_MAX} addresses in a row of watched account ${accounts[0]?.id}`,
  );
}

async function takeNextPlace(
  tx: Tx,
  { clock, deriver }: Pick<AllocateAddressDeps, 'clock' | 'deriver'>,
  watched: WatchAccount,
  { branch, paymentId }: Pick<AllocateAddressInput, 'branch' | 'paymentId'>,
): Promise<Place | undefined> {
  const { coin, number, listSize } = watched;
  if (listSize === null) {
    const index = await takeWatchIndex(tx, number, branch);
    return { coin, watched, index, address: deriver.address(watchPath(watched, branch, index)) };
  }
  const row = await takeListedAddress(tx, number, { now: clock.now(), paymentId });
  if (row === undefined) return undefined;
  const address = deriver.address(watchPath(watched, branch, row.idx, row.address));
  return { coin, watched, index: row.idx, address };
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
  readonly address: string;
}

async function storeAddresses(
  tx: Tx,
  deps: AllocateAddressDeps,
  { merchantId, mode, branch, purpose, paymentId }: Omit<AllocateAddressInput, 'coin'>,
  places: readonly Place[],
): Promise<StoredAddress[]> {
  if (!tx.isTransaction) throw new Error('addresses must be allocated in a transaction');
  const createdAt = deps.clock.now();
  const rows = places.map(({ coin, index, watched, address }) => ({
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
  }));
  const stored = await insertAddresses(tx, rows);
  for (const { id, coin } of stored.filter(({ idx }) => fromStoredIndex(idx).number !== null))
    if (purpose === 'payment' && isUtxoCoin(coin)) await recordAddressTip(tx, { coin, mode }, id);
  return stored;
}

/** The path of an address of a watched account. @param listed the address, where the account is a list */
export function watchPath(
  { number, coin, mode, descriptor, listSize }: WatchAccount,
  branch: 0 | 1,
  index: number,
  listed?: string,
): KeyPath {
  const path = { coin, mode, account: watchedAccount(number), branch, index };
  if (listSize === null) return { ...path, descriptor };
  if (listed === undefined) throw new RangeError('an address of a list is stored, not derived');
  return { ...path, listed };
}
