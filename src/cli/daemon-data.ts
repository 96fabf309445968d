import { join } from 'node:path';
import { createLiveAdapters } from '../app/chains.ts';
import { isFile } from '../backup/files.ts';
import type { Config } from '../config/config.ts';
import type { ChainAdapter } from '../domain/chain.ts';
import type { Clock } from '../domain/ports.ts';
import type { Db } from '../store/sqlite/database.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import { parseCall, TOOL_LOGGER, toolConfig, UsageError } from './command.ts';

/** The daemon's configuration and its database. @throws {UsageError} if there is none. */
export async function daemonData(
  dataDir: string | undefined,
): Promise<{ readonly config: Config; readonly file: string }> {
  const config = toolConfig(dataDir);
  const file = join(config.dataDir, 'tilld.sqlite');
  if (!(await isFile(file)))
    throw new UsageError(`${file} does not exist (set TILLD_DATA_DIR or --data-dir)`);
  return { config, file };
}

/**
 * Runs a check for each coin while the daemon may run, with --data-dir as the only option.
 * @returns the exit code: 1 if a check fails.
 */
export async function checkCoins(
  args: string[],
  isFine: (deps: { readonly db: Db; readonly clock: Clock }, adapter: ChainAdapter) => Promise<boolean>,
): Promise<number> {
  const { values } = parseCall({ args, options: { 'data-dir': { type: 'string' } } });
  const { config, file } = await daemonData(values['data-dir']);
  const { db } = await openDatabase(file, { mayMigrate: false });
  const clock = { now: () => Date.now() };
  const adapters = createLiveAdapters({ config, db, clock, logger: TOOL_LOGGER });
  try {
    if (adapters.length === 0) throw new UsageError('no node is configured (TILLD_BTC_RPC_URL and so on)');
    let areFine = true;
    for (const adapter of adapters) if (!(await isFine({ db, clock }, adapter))) areFine = false;
    return areFine ? 0 : 1;
  } finally {
    await Promise.all(adapters.map(async (adapter) => adapter.close()));
    await db.close();
  }
}
