import { join } from 'node:path';
import { createBackup } from '../backup/create-backup.ts';
import { isFile } from '../backup/files.ts';
import { loadOrCreatePassphrase } from '../wallet/passphrase.ts';
import { parseCall, runCommand, printLine, toolConfig, UsageError, warn, withProgress } from './command.ts';

const USAGE = `Backs up database and keyring, while the daemon runs or not, into one encrypted file.

  tillctl backup [FILE|FOLDER] [--data-dir DIR]

FOLDER gets a file named after the time; without either it is DATA_DIR/backups. The file is encrypted
with the keyring's passphrase, verified after writing, and never replaces another one. Copy it to
another machine, and keep the passphrase somewhere else than the file.`;

await runCommand(USAGE, async (args) => {
  const { values, positionals } = parseCall({
    args,
    options: { 'data-dir': { type: 'string' } },
    allowPositionals: true,
  });
  if (positionals.length > 1) throw new UsageError('backup accepts at most one file or folder');
  const { dataDir, keyring } = toolConfig(values['data-dir']);
  const { passphrase, isKept } = await readPassphrase(dataDir, keyring.passphrase?.reveal() ?? null);
  const make = async () =>
    createBackup({
      dataDir,
      target: positionals[0] ?? `${join(dataDir, 'backups')}/`,
      passphrase,
      cost: keyring.argon2,
      now: new Date(),
    });
  // The daemon runs this command, too, and reports its standard error as the reason of a failure.
  const { path, bytes } = await (process.stderr.isTTY ? withProgress('backing up', make) : make());
  if (isKept) {
    warn(
      `WARNING: the passphrase was generated and lies in ${join(dataDir, 'keyring-passphrase')} only, and is NOT in the backup.
Without it the backup is worthless: copy that file to a safe place, apart from the backups.`,
    );
  }
  printLine(`${path} (${bytes} bytes, verified)`);
  return 0;
});

/** Never creates a keyring: without one there is nothing to back up. */
async function readPassphrase(
  dataDir: string,
  configured: string | null,
): Promise<{ passphrase: string; isKept: boolean }> {
  if (!(await isFile(join(dataDir, 'keyring.json')))) {
    throw new UsageError(
      `${dataDir} has no keyring.json: nothing to back up (set TILLD_DATA_DIR or --data-dir)`,
    );
  }
  const { passphrase, origin } = await loadOrCreatePassphrase({ dataDir, configured });
  return { passphrase, isKept: origin !== 'configured' };
}
