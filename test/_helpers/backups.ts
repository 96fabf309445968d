/** What scripts/backup and scripts/restore do, in the test's own process, with the cheap settings of test tills. */
import { join } from 'node:path';
import { createBackup } from '../../src/backup/create-backup.ts';
import { restoreBackup } from '../../src/backup/restore-backup.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { loadOrCreatePassphrase } from '../../src/wallet/passphrase.ts';

const SETTINGS = { TILLD_CONFIG: 'test/_helpers/till.yaml' };
/** More addresses than any test gives out after its backup: each has to be derived and watched. */
const LOOK_AHEAD = 20;

/** Backs up a data directory with the passphrase that lies in it. @returns the file */
export async function backUp(dataDir: string, target: string): Promise<string> {
  const { passphrase } = await loadOrCreatePassphrase({ dataDir, configured: null });
  const { path } = await createBackup({ dataDir, target, passphrase, cost: cost(), now: new Date() });
  return path;
}

/** Restores a backup without revocations, with the passphrase of its source directory. */
export async function restoreBeside(source: string, from: string): Promise<string> {
  const { passphrase } = await loadOrCreatePassphrase({ dataDir: from, configured: null });
  const dataDir = join(from, 'restored');
  await restoreBackup({
    source,
    dataDir,
    passphrase,
    keepPassphrase: true,
    cost: cost(),
    liveNetwork: 'mainnet',
    revocations: 'none',
    lookAhead: LOOK_AHEAD,
    clock: { now: () => Date.now() },
  });
  return dataDir;
}

function cost() {
  return loadConfig({ env: SETTINGS, cwd: process.cwd() }).keyring.argon2;
}
