import { sql } from 'kysely';
import type { ChainId } from '../../domain/coins.ts';
import { type KeyPath, watchedAccount } from '../../domain/keys.ts';

/**
 * Addresses of the wallet tree and of watched accounts share the table `addresses`: the index of one of watched
 * account n is stored as n × 2³¹ + index. Indexes of the wallet tree are below 2³¹ (BIP-32).
 */
const PER_ACCOUNT = 2 ** 31;

/** @param number the watched account; null: the wallet tree */
export function toStoredIndex(number: number | null, index: number): number {
  return number === null ? index : number * PER_ACCOUNT + index;
}

/** The watched account of a stored index, and the index in it. */
export function fromStoredIndex(idx: number): { readonly number: number | null; readonly index: number } {
  if (idx < PER_ACCOUNT) return { number: null, index: idx };
  return { number: Math.floor(idx / PER_ACCOUNT), index: idx % PER_ACCOUNT };
}

/** Marks an address of a watched account (see OpenKey). */
export function foreign(idx: number): { readonly isForeign?: true } {
  return idx < PER_ACCOUNT ? {} : { isForeign: true };
}

/** The stored indexes of a watched account: from the first, below the last. */
export function storedIndexes(number: number): { readonly from: number; readonly below: number } {
  return { from: number * PER_ACCOUNT, below: (number + 1) * PER_ACCOUNT };
}

/** A condition on `outputs`: on an address of the wallet tree, so that the till can sign for it. */
export const isOwn = sql<boolean>`outputs.watch_only = 0`;

/** A selection from `addresses`: whether it is one of a watched account. */
export const isWatchOnly = sql<boolean>`addresses.idx >= ${sql.lit(PER_ACCOUNT)}`.as('watchOnly');

/** @param row `account`: that of the merchant in the wallet tree */
export function toKeyPath(
  { coin, mode }: ChainId,
  row: { readonly account: number; readonly branch: 0 | 1; readonly idx: number },
): KeyPath {
  const { number, index } = fromStoredIndex(row.idx);
  const account = number === null ? row.account : watchedAccount(number);
  return { coin, mode, account, branch: row.branch, index };
}
