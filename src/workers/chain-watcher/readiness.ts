import type { Db } from '../../store/sqlite/database.ts';
import { readMeta } from '../../store/meta.ts';
import type { WatchedChain } from './chain-warnings.ts';

export interface ReadinessReport {
  readonly ready: boolean;
  /** `ok`, or the reason why it is not. */
  readonly database: string;
  readonly chains: Readonly<Record<string, WatchedChain>>;
  /** Further warnings for the operator. */
  readonly warnings: readonly string[];
}

/**
 * Reads the state for /readyz: ready if the database can be read and written and every configured chain is
 * followed to its tip. Warnings do not make it unready; operators read them.
 */
export async function readReadiness(
  db: Db,
  read: () => Promise<readonly WatchedChain[]>,
  warnings: () => readonly string[] = () => [],
): Promise<ReadinessReport> {
  const fingerprint = await readMeta(db, 'keyring_fingerprint').catch(() => null);
  const health = fingerprint === null ? null : await read().catch(() => null);
  const database = health === null ? 'failing' : (db.database.writeTrouble ?? 'ok');
  const chains = Object.fromEntries(
    (health ?? []).map((chain) => [`${chain.coin}${chain.mode === 'sandbox' ? '-sandbox' : ''}`, chain]),
  );
  const following = Object.values(chains).every(({ state }) => state === 'following');
  return { ready: database === 'ok' && following, database, chains, warnings: warnings() };
}
