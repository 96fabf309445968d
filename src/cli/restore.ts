import { restoreBackup } from '../backup/restore-backup.ts';
import { watchKeys } from '../chains/registry.ts';
import {
  countOf,
  parseCall,
  readSecret,
  runCommand,
  tell,
  TOOL_LOGGER,
  toolConfig,
  UsageError,
  warn,
} from './command.ts';

const USAGE = `Puts a backup into an empty data directory. Stop the old daemon first: never run both.

  scripts/restore FILE [--data-dir DIR] [--passphrase-file FILE|-] [--look-ahead N]

The passphrase is the one configured for the daemon (TILLD_KEYRING_PASSPHRASE_FILE), else that of
--passphrase-file, else it is asked for. Use the same TILLD_CONFIG and TILLD_NETWORK as before.
--look-ahead (1000): for each merchant, coin and branch so many addresses beyond the backup are watched
and not given out again. It must be more than the payments a merchant took since the backup.`;

const MAX_LOOK_AHEAD = 100_000;

await runCommand(USAGE, async (args) => {
  const { values, positionals } = parseCall({
    args,
    options: {
      'data-dir': { type: 'string' },
      'passphrase-file': { type: 'string' },
      'look-ahead': { type: 'string', default: '1000' },
    },
    allowPositionals: true,
  });
  const [source, ...more] = positionals;
  if (source === undefined || more.length > 0) throw new UsageError('name one backup file');
  const config = toolConfig(values['data-dir']);
  const lookAhead = countOf('look-ahead', values['look-ahead'], 1, MAX_LOOK_AHEAD);
  const configured = config.keyring.passphrase?.reveal() ?? null;
  const passphrase =
    configured ?? (await readSecret(values['passphrase-file'], 'Passphrase: ', '--passphrase-file'));
  const liveNetwork = config.network ?? 'mainnet';
  const { createdAt, recovered } = await restoreBackup({
    source,
    dataDir: config.dataDir,
    passphrase,
    keepPassphrase: configured === null,
    cost: config.keyring.argon2,
    liveNetwork,
    lookAhead,
    watchKeyOf: watchKeys(liveNetwork),
    clock: { now: () => Date.now() },
    logger: TOOL_LOGGER,
  });
  tell(
    `${config.dataDir} holds the backup of ${createdAt.toISOString()}; ${recovered} more addresses are watched`,
  );
  warn(`Start the daemon with this data directory: it reads the chains on from where the backup stood.
Sends ordered after the backup are on the chain but not in this database: look there before you repeat one.`);
  return 0;
});
