/** Where the daemons are: on PATH, or where `scripts/nodes install` put them. */
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { DAEMONS, type NodeCoin } from './coins.ts';

/** The cache that install.sh fills; both read the same variables. */
function cacheDirectory(): string {
  const chosen = process.env.TILLD_NODES_DIR;
  if (chosen !== undefined && chosen !== '') return chosen;
  const cacheHome = process.env.XDG_CACHE_HOME;
  const base = cacheHome === undefined || cacheHome === '' ? join(homedir(), '.cache') : cacheHome;
  return join(base, 'tilld-nodes');
}

/** Path of the daemon of a coin, or null when it is not installed. */
export function findDaemon(coin: NodeCoin): string | null {
  const { daemon, folder } = DAEMONS[coin];
  const directories = (process.env.PATH ?? '').split(delimiter).filter((part) => part !== '');
  const candidates = [
    ...directories.map((directory) => join(directory, daemon)),
    join(cacheDirectory(), folder, 'bin', daemon),
  ];
  return candidates.find(isExecutableFile) ?? null;
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const announced = new Set<NodeCoin>();

/**
 * Whether tests against this coin's real node can run: `describe.skipIf(!requireNode('BTC'))`.
 * In CI a missing node is a failure; elsewhere one loud line says what to install.
 */
export function requireNode(coin: NodeCoin): boolean {
  if (findDaemon(coin) !== null) return true;
  const { daemon, howToInstall } = DAEMONS[coin];
  const message = `${daemon} is not installed: ${howToInstall}`;
  if (process.env.CI === 'true') throw new Error(message);
  if (!announced.has(coin)) {
    announced.add(coin);
    process.stderr.write(`\n*** SKIPPING every ${coin} node test: ${message} ***\n`);
  }
  return false;
}
