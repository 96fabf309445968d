import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { restoreBackup } from '../backup/restore-backup.ts';
import type { Config } from '../config/config.ts';
import { isoTime } from '../domain/iso-time.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import { rowCounts } from '../store/operations/row-counts.ts';
import { loadOrCreatePassphrase } from '../wallet/passphrase.ts';
import { parseCall, printLine, runCommand, toolConfig, UsageError, warn } from './command.ts';

const USAGE = `Restores a backup into a temporary folder, checks it completely, and removes it again.

  tillctl restore-test [FILE] [--work-dir DIR] [--data-dir DIR]

Without FILE it is the newest one of the folder for backups. Needs room for the database in the data directory, or in
--work-dir. Run it while the daemon runs: nothing is changed. tillctl status shows when it last passed.`;

await runCommand(USAGE, async (args) => {
  const { values, positionals } = parseCall({
    args,
    options: { 'data-dir': { type: 'string' }, 'work-dir': { type: 'string' } },
    allowPositionals: true,
  });
  if (positionals.length > 1) throw new UsageError('restore-test accepts at most one file');
  const config = toolConfig(values['data-dir']);
  const source = positionals[0] ?? (await newestBackup(config));
  warn(`Restoring ${source}`);
  const work = await mkdtemp(join(values['work-dir'] ?? config.dataDir, 'restore-test-'));
  try {
    await restoreInto(config, { source, work });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  await writeFile(join(config.dataDir, 'last-restore-test'), `${isoTime(Date.now())}\n`, { mode: 0o600 });
  printLine(`${source} can be restored`);
  return 0;
});

async function restoreInto(
  config: Config,
  { source, work }: { readonly source: string; readonly work: string },
): Promise<void> {
  const configured = config.keyring.passphrase?.reveal() ?? null;
  const { passphrase } = await loadOrCreatePassphrase({ dataDir: config.dataDir, configured });
  const { createdAt } = await restoreBackup({
    source,
    dataDir: work,
    passphrase,
    keepPassphrase: false,
    cost: config.keyring.argon2,
    liveNetwork: config.network ?? 'mainnet',
    revocations: 'none',
    lookAhead: 1,
    clock: { now: () => Date.now() },
    onStep: warn,
  });
  const database = await openDatabase(join(work, 'tilld.sqlite'));
  try {
    const counts = Object.entries(await rowCounts(database.db)).map(([table, count]) => `${table} ${count}`);
    printLine(`made ${isoTime(createdAt.getTime())}: ${counts.join(', ')}`);
  } finally {
    await database.close();
  }
}

async function newestBackup({ backup }: Config): Promise<string> {
  const names = await readdir(backup.folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.backup')).map((name) => join(backup.folder, name));
  const dated = await Promise.all(files.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })));
  const newest = dated.toSorted((a, b) => b.at - a.at)[0];
  if (newest === undefined) throw new UsageError(`${backup.folder} has no backup: name a file`);
  return newest.path;
}
