import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { confirmationPolicies, createLiveAdapters, mempoolCacheFile, toChains } from '../app/chains.ts';
import type { Config } from '../config/config.ts';
import { COINS, type Coin } from '../domain/coins.ts';
import { AppError } from '../domain/errors.ts';
import { lockDataDir } from '../store/sqlite/data-dir.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import {
  requestOnlineRescan,
  rescanChain,
  type RescanStart,
  skipBlocks,
} from '../usecases/chain-sync/index.ts';
import { findReread } from '../store/chain/reread-requests.ts';
import {
  parseCount,
  parseDay,
  parseCall,
  runCommand,
  printLine,
  TOOL_LOGGER,
  UsageError,
  warn,
  withProgress,
} from './command.ts';
import { daemonData } from './daemon-data.ts';

const USAGE = `Makes the daemon read a chain again, or continue after blocks that the node has pruned. Stop the daemon first.

  tillctl rescan COIN --from HEIGHT|DATE [--data-dir DIR]
  tillctl rescan COIN --skip-to HEIGHT [--data-dir DIR]
  tillctl rescan COIN --from HEIGHT --online [--data-dir DIR]

COIN is BTC, LTC, ETH or SOL (HEIGHT is a slot then); DATE such as 2026-01-31. For a fork deeper than 2,016
blocks, a node that was reset, or blocks that were read by a faulty program. A payment confirmed above that
block is unconfirmed until the next start has read it again; nothing is credited twice. If it is killed,
either everything was changed or nothing.

--skip-to continues at a block that the node still has. /readyz names the gap (alarm pruned) until the daemon has reconciled it: with
the node's unspent outputs (BTC, LTC), which are credited as of their blocks, or with balances (ETH, SOL).

--online (BTC, LTC) leaves the daemon running: it rescans those blocks in the background and adds the credits that the ledger lacks;
balances stay meanwhile, nothing is reversed. Logged when finished; resumed after a restart of the daemon.`;

const MAX_HEIGHT = 2 ** 40;
const PROGRESS_EVERY_MS = 1_000;

await runCommand(USAGE, async (args) => {
  const { values, positionals } = parseCall({
    args,
    options: {
      'data-dir': { type: 'string' },
      from: { type: 'string' },
      'skip-to': { type: 'string' },
      online: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const coin = COINS.find((candidate) => candidate === positionals[0]?.toUpperCase());
  if (coin === undefined || positionals.length !== 1) throw new UsageError(`name one of ${COINS.join(', ')}`);
  const start = parseStart(values.from, values['skip-to']);
  const { config, file } = await daemonData(values['data-dir']);
  if (values.online) {
    await online(config, { coin, file, start });
    return 0;
  }
  const lock = lockDataDir(config.dataDir);
  try {
    await rm(mempoolCacheFile(config, coin), { force: true });
    await rescan(config, { coin, file, start });
  } finally {
    lock.release();
  }
  return 0;
});

/** Requests a rescan from the running daemon, and waits until it is done. */
async function online(
  config: Config,
  { coin, file, start }: { readonly coin: Coin; readonly file: string; readonly start: RescanStart | SkipTo },
): Promise<void> {
  if (!('height' in start)) throw new UsageError('--online requires --from with a height');
  const database = await openDatabase(file, { mayMigrate: false });
  const { db } = database;
  const adapters = createLiveAdapters({ config, db, clock: { now: () => Date.now() }, logger: TOOL_LOGGER });
  try {
    const adapter = adapters.find((each) => each.coin === coin);
    if (adapter === undefined) throw new UsageError(`no ${coin} node is configured (TILLD_${coin}_RPC_URL)`);
    const { from, to } = await requestOnlineRescan(db, adapter, start.height);
    printLine(`${coin}: the daemon is asked to read blocks ${from} to ${to} again`);
    for (;;) {
      await sleep(PROGRESS_EVERY_MS);
      const open = await findReread(db, adapter);
      if (open === undefined) break;
      warn(`${coin}: at ${open.next} of ${to}`);
    }
    printLine(`${coin}: blocks ${from} to ${to} were read again`);
  } finally {
    await Promise.all(adapters.map(async (adapter) => adapter.close()));
    await database.close();
  }
}

async function rescan(
  config: Config,
  { coin, file, start }: { readonly coin: Coin; readonly file: string; readonly start: RescanStart | SkipTo },
): Promise<void> {
  const database = await openDatabase(file, { mayMigrate: false });
  const { db } = database;
  const clock = { now: () => Date.now() };
  const logger = { ...TOOL_LOGGER, warn: () => undefined };
  const adapters = createLiveAdapters({ config, db, clock, logger });
  try {
    const adapter = adapters.find((each) => each.coin === coin);
    if (adapter === undefined) throw new UsageError(`no ${coin} node is configured (TILLD_${coin}_RPC_URL)`);
    const deps = {
      db,
      clock,
      logger,
      chains: toChains(adapters),
      baseUrl: config.http.baseUrl,
      confirmations: confirmationPolicies(config),
      // Reversals need no price; late money is priced by the daemon.
      rates: { quote: noRate },
      onPaymentChanged: () => undefined,
      wakeWebhooks: () => undefined,
    };
    if ('skipTo' in start) {
      const { gap, now } = await skipBlocks(deps, adapter, start.skipTo);
      printLine(
        `${coin}: the next start of the daemon reads from height ${now.height + 1} on; blocks ${gap.from} to ${gap.to} are a gap until they are reconciled`,
      );
      return;
    }
    const { before, now } = await withProgress(`${coin}: taking back blocks`, async () =>
      rescanChain(deps, adapter, start),
    );
    printLine(
      `${coin}: the next start of the daemon reads from height ${now.height + 1} on again (it stood at ${before.height})`,
    );
  } finally {
    await Promise.all(adapters.map(async (adapter) => adapter.close()));
    await database.close();
  }
}

function noRate(): never {
  throw new AppError('RATE_UNAVAILABLE', 'no price here');
}

interface SkipTo {
  readonly skipTo: number;
}

function parseStart(from: string | undefined, skipTo: string | undefined): RescanStart | SkipTo {
  if (from !== undefined && skipTo !== undefined)
    throw new UsageError('--from and --skip-to exclude each other');
  if (skipTo !== undefined) return { skipTo: parseCount('skip-to', skipTo, 0, MAX_HEIGHT) };
  if (from === undefined)
    throw new UsageError('--from (a height or date) or --skip-to (a height) is required');
  if (/^\d+$/.test(from)) return { height: parseCount('from', from, 0, MAX_HEIGHT) };
  return { timeMs: parseDay('from', from) };
}
