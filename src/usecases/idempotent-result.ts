import type { Tx } from '../store/sqlite/database.ts';

/**
 * Stores the result of a request, in the transaction that creates it, for the answer to a repeat with the
 * same Idempotency-Key: a crash after the commit must neither create it twice nor lose a secret that is shown
 * once.
 */
export type StoreResult<T> = (tx: Tx, made: T) => Promise<void>;

/** For objects created without a request. */
export const storeNoResult = async (): Promise<void> => undefined;
