import { confirmationPolicies, createLiveAdapters, chainsOf } from '../app-chains.ts';
import type { Config } from '../config/config.ts';
import { COINS, type Coin } from '../domain/coins.ts';
import { AppError } from '../domain/errors.ts';
import { lockDataDir } from '../store/data-dir.ts';
import { openDatabase } from '../store/open.ts';
import { rescanChain, type RescanStart } from '../usecases/chain/rescan-chain.ts';
import { countOf, dayOf, parseCall, runCommand, tell, TOOL_LOGGER, UsageError } from './command.ts';
import { daemonData } from './daemon-data.ts';

const USAGE = `Makes the daemon read a chain again. Stop it first.

  scripts/rescan COIN --from HEIGHT|DATE [--data-dir DIR]

COIN is BTC, LTC, ETH or SOL (HEIGHT is a slot then); DATE such as 2026-01-31. For a fork deeper than 2,016
blocks, a node that was reset, or blocks that were read by a faulty program. What was confirmed above that
block is unconfirmed until the next start has read it again; nothing is credited twice. Killed at any moment
it has done all of it or nothing.`;

const MAX_HEIGHT = 2 ** 40;

await runCommand(USAGE, async (args) => {
  const { values, positionals } = parseCall({
    args,
    options: { 'data-dir': { type: 'string' }, from: { type: 'string' } },
    allowPositionals: true,
  });
  const coin = COINS.find((candidate) => candidate === positionals[0]?.toUpperCase());
  if (coin === undefined || positionals.length !== 1) throw new UsageError(`name one of ${COINS.join(', ')}`);
  const start = startOf(values.from);
  const { config, file } = await daemonData(values['data-dir']);
  const lock = lockDataDir(config.dataDir);
  try {
    await rescan(config, { coin, file, start });
  } finally {
    lock.release();
  }
  return 0;
});

async function rescan(
  config: Config,
  { coin, file, start }: { readonly coin: Coin; readonly file: string; readonly start: RescanStart },
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
      chains: chainsOf(adapters),
      baseUrl: config.http.baseUrl,
      confirmations: confirmationPolicies(config),
      // No price is needed to take money back; what comes late is priced by the daemon.
      rates: { quote: noRate },
      tellPaymentNews: () => undefined,
      wakeWebhooks: () => undefined,
    };
    const { before, now } = await rescanChain(deps, adapter, start);
    tell(
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

function startOf(from: string | undefined): RescanStart {
  if (from === undefined) throw new UsageError('say --from which height or date');
  if (/^\d+$/.test(from)) return { height: countOf('from', from, 0, MAX_HEIGHT) };
  return { timeMs: dayOf('from', from) };
}
