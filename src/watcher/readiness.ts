import type { Db } from '../store/database.ts';
import { readMeta } from '../store/meta.ts';
import type { ChainHealth } from './chain-follower.ts';

export interface ReadinessReport {
  readonly ready: boolean;
  readonly database: 'ok' | 'failing';
  readonly chains: Readonly<Record<string, ChainHealth>>;
}

/** What /readyz tells: ready when the database answers and every configured chain is followed to its tip. */
export async function readReadiness(db: Db, watcher: { health(): ChainHealth[] }): Promise<ReadinessReport> {
  const database = await readMeta(db, 'keyring_fingerprint').then(
    (value) => (value === null ? ('failing' as const) : ('ok' as const)),
    () => 'failing' as const,
  );
  const chains = Object.fromEntries(
    watcher
      .health()
      .map((health) => [`${health.coin}${health.mode === 'sandbox' ? '-sandbox' : ''}`, health]),
  );
  const following = Object.values(chains).every((health) => health.state === 'following');
  return { ready: database === 'ok' && following, database, chains };
}
