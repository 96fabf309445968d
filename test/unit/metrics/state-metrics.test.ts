import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StateMetricsDeps } from '../../../src/metrics/metric-family.ts';
import { registerStateMetrics } from '../../../src/metrics/state-metrics.ts';
import { writeReconciliation, writeUnreconciled } from '../../../src/store/chain/reconciliations.ts';
import { ALL_WALLETS, deleteFreeze, insertFreeze } from '../../../src/store/sends/wallet-freezes.ts';
import type { Database } from '../../../src/store/sqlite/database.ts';
import { databaseOfRowsAlone } from '../../_helpers/rows-alone.ts';

const NOW = 1_750_000_000_000;

let db: Database;
let dataDir: string;

beforeEach(async () => {
  db = await databaseOfRowsAlone();
  dataDir = mkdtempSync(join(tmpdir(), 'till-metrics-'));
});
afterEach(async () => {
  await db.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The samples of one metric, as Prometheus reads them. */
async function samples(name: string, parts: Partial<StateMetricsDeps> = {}): Promise<string[]> {
  const registry = new Registry();
  registerStateMetrics(registry, {
    db,
    clock: { now: () => NOW },
    rates: {
      quote: () => {
        throw new Error('no rate');
      },
      sourceAges: () => [],
      problems: () => [],
    },
    olderDatabase: { isSet: () => false },
    replica: null,
    certificate: null,
    log: null,
    updates: null,
    dataDir,
    liveCoins: ['BTC'],
    chains: async () => [],
    uncredited: () => [],
    version: '1.2.3',
    ...parts,
  });
  const text = await registry.getSingleMetricAsString(name);
  registry.clear();
  return text
    .split('\n')
    .filter((line) => line.startsWith(name))
    .map((line) => line.slice(name.length));
}

describe('registerStateMetrics', () => {
  it('exports no sample of a certificate, replica, backup or rate that does not exist', async () => {
    for (const name of [
      'tilld_tls_certificate_end_timestamp_seconds',
      'tilld_tls_certificate_ending',
      'tilld_replica_epoch',
      'tilld_replica_lag_seconds',
      'tilld_last_backup_timestamp_seconds',
      'tilld_rate_age_seconds',
      'tilld_update_available',
      'tilld_reconcile_timestamp_seconds',
    ])
      expect(await samples(name), name).toEqual([]);
  });

  it('exports no lag of a replica that was never seen, so that TilldReplicaUnseen can fire', async () => {
    const replica = { status: () => ({ epoch: 3, lagSeconds: null }) };
    expect(await samples('tilld_replica_epoch', { replica })).toEqual([' 3']);
    expect(await samples('tilld_replica_lag_seconds', { replica })).toEqual([]);
  });

  it('exports the expiry of a certificate, and whether its renewal is overdue', async () => {
    const certificate = { endsAt: NOW + 86_400_000, isEnding: () => true };
    const end = await samples('tilld_tls_certificate_end_timestamp_seconds', { certificate });
    expect(end).toEqual([` ${NOW / 1000 + 86_400}`]);
    expect(await samples('tilld_tls_certificate_ending', { certificate })).toEqual([' 1']);
  });

  it('exports the time of the last backup', async () => {
    const file = join(dataDir, 'last-backup');
    writeFileSync(file, '');
    utimesSync(file, NOW / 1000, NOW / 1000);
    expect(await samples('tilld_last_backup_timestamp_seconds')).toEqual([` ${NOW / 1000}`]);
  });

  it('counts frozen shops separately from a freeze of the whole daemon', async () => {
    expect(await samples('tilld_wallets_frozen')).toEqual(['{scope="all"} 0', '{scope="shop"} 0']);
    for (const subject of ['mer_1', 'mer_2', ALL_WALLETS])
      await db.transaction(async (tx) =>
        insertFreeze(tx, { subject, frozenAt: NOW, frozenBy: 'Secret key', reason: null }),
      );
    expect(await samples('tilld_wallets_frozen')).toEqual(['{scope="all"} 1', '{scope="shop"} 2']);
    await db.transaction(async (tx) => deleteFreeze(tx, ALL_WALLETS, NOW));
    expect(await samples('tilld_wallets_frozen')).toEqual(['{scope="all"} 0', '{scope="shop"} 2']);
  });

  it('exports no age of reconciliation for a coin that is no longer configured', async () => {
    for (const coin of ['BTC', 'LTC'] as const) {
      await writeReconciliation(db, { coin, mode: 'live', at: NOW, height: 1, differences: 2 });
      await writeUnreconciled(db, { coin, mode: 'live', at: NOW, reason: 'no node' });
    }
    const chain = {
      coin: 'BTC',
      mode: 'live',
      state: 'following',
      height: 1,
      lag: 0,
      lastSeenAt: NOW,
    } as const;
    const rest = { unexplainedAccounts: null, unread: { count: 0 }, warnings: [], alarms: [] };
    const chains = async () => [{ ...chain, ...rest }];
    const labels = '{coin="BTC",mode="live"}';
    expect(await samples('tilld_reconcile_timestamp_seconds', { chains })).toEqual([
      `${labels} ${NOW / 1000}`,
    ]);
    expect(await samples('tilld_reconcile_differences', { chains })).toEqual([`${labels} 2`]);
    expect(await samples('tilld_reconcile_unknown', { chains })).toEqual([`${labels} 1`]);
  });
});
