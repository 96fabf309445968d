import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { STANDBY_FOLDER } from '../replica/standby/take-standby.ts';
import { standBy } from '../replica/standby/stand-by.ts';
import { lockDataDir } from '../store/sqlite/data-dir.ts';
import { parseCall, runCommand, tell, toolConfig, UsageError } from './command.ts';

const USAGE = `Keeps a copy of the database ready on a second machine, so that scripts/restore has seconds left to do
instead of the minutes that a large database takes.

  scripts/standby [--data-dir DIR]

Follows the replica at TILLD_REPLICA_URL in DATA_DIR/standby until it is stopped; start it again whenever it
ends. It neither serves nor signs, and needs no passphrase. Stop it before scripts/restore --from-replica.`;

await runCommand(USAGE, async (args) => {
  const { values } = parseCall({ args, options: { 'data-dir': { type: 'string' } } });
  const { replica, dataDir } = toolConfig(values['data-dir']);
  if (replica === null) throw new UsageError('TILLD_REPLICA_URL is not set: what is there to follow?');
  if (existsSync(join(dataDir, 'tilld.sqlite')))
    throw new UsageError(
      `${dataDir} holds a database already: this is for a machine that is to take over later`,
    );
  const dir = join(dataDir, STANDBY_FOLDER);
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort());
  const lock = lockDataDir(dir);
  try {
    await standBy({ target: replica, dir, signal: stopping.signal, tell });
  } finally {
    lock.release();
  }
  return 0;
});
