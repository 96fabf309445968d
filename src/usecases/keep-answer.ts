import type { Tx } from '../store/sqlite/database.ts';

/**
 * Keeps what a request made in the transaction that stores it, for the answer to a repeat under the same
 * Idempotency-Key: a crash after the commit must neither make it twice nor lose a secret that is shown once.
 */
export type KeepMade<T> = (tx: Tx, made: T) => Promise<void>;

/** For what no request asked for. */
export const keepNothing = async (): Promise<void> => undefined;
