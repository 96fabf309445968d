import { createLiveAdapters } from '../../app/chains.ts';
import type { Config } from '../../config/config.ts';
import type { ChainAdapter } from '../../domain/chain.ts';
import { openDatabase } from '../../store/sqlite/open.ts';
import type { Finding } from './files.ts';

const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Whether each configured node responds, serves the right network, and is in sync. */
export async function checkNodes(config: Config): Promise<Finding[]> {
  // The daemon's own database is not needed, and does not exist before the first start.
  const database = await openDatabase(':memory:');
  const { db } = database;
  const adapters = createLiveAdapters({ config, db, clock: { now: () => Date.now() }, logger: SILENT });
  try {
    if (adapters.length > 0) return await Promise.all(adapters.map(checkNode));
    const isMainnet = config.network === 'mainnet';
    const detail = 'none is configured: only the sandbox works';
    return [{ check: 'nodes', result: isMainnet ? 'failed' : 'ok', detail }];
  } finally {
    await Promise.all(adapters.map(async (adapter) => adapter.close()));
    await database.close();
  }
}

async function checkNode(adapter: ChainAdapter): Promise<Finding> {
  const check = `node ${adapter.coin}`;
  try {
    const { version, tip, headersHeight, syncing, warnings } = await adapter.status();
    const at = `${version}, height ${tip.height}`;
    if (syncing) return { check, result: 'warning', detail: `${at} of ${headersHeight}, syncing` };
    if (warnings !== null) return { check, result: 'warning', detail: `${at}; ${warnings}` };
    return { check, result: 'ok', detail: at };
  } catch (error) {
    return { check, result: 'failed', detail: error instanceof Error ? error.message : String(error) };
  }
}
