import { restoreBackup } from '../backup/restore-backup.ts';
import type { Config } from '../config/config.ts';
import { Secret } from '../config/secret.ts';
import { replicaUrl } from '../config/values.ts';
import type { ReplicaTarget } from '../replica/litestream.ts';
import { restoreNewest } from '../replica/restore-newest.ts';
import type { Applied } from '../usecases/accounts/index.ts';
import {
  parseCount,
  parseCall,
  readSecret,
  runCommand,
  printLine,
  toolConfig,
  UsageError,
  warn,
} from './command.ts';

const USAGE = `Puts a backup into an empty data directory. Stop the old daemon first: never run both.

  tillctl restore FILE [--from-replica URL [--skip GENERATION]] [--revocations FILE | --nothing-revoked]
                  [--data-dir DIR] [--passphrase-file FILE|-] [--look-ahead N]

The passphrase is the one configured for the daemon (TILLD_KEYRING_PASSPHRASE_FILE), else that of
--passphrase-file, else you are asked for it. Use the same TILLD_CONFIG and TILLD_NETWORK as before.
--from-replica: the database comes from the replica at URL (as in TILLD_REPLICA_URL), and only the keyring
from the backup, which may be of any age. tillctl promote then takes over. The daemon checks the whole
file while it serves. --skip: ignores this generation of the replica, which cannot be restored, and uses an older one.
--revocations: the file revocations.* of the old data directory. Revocations since the copy (keys, members, passkeys,
passwords, sessions) are applied again. --nothing-revoked: confirms that nothing was. Without either, all users are signed
out, and secret keys, keys with wallet:send and members are suspended until the owner of each shop confirms them.
--look-ahead (1000): for each merchant, coin and branch so many addresses beyond the backup are watched
and not issued again. It must be more than the payments that a merchant accepted since the backup.`;

const MAX_LOOK_AHEAD = 100_000;

await runCommand(USAGE, async (args) => {
  const { values, positionals } = parseCall({
    args,
    options: {
      'data-dir': { type: 'string' },
      'from-replica': { type: 'string' },
      skip: { type: 'string', multiple: true, default: [] },
      revocations: { type: 'string' },
      'nothing-revoked': { type: 'boolean', default: false },
      'passphrase-file': { type: 'string' },
      'look-ahead': { type: 'string', default: '1000' },
    },
    allowPositionals: true,
  });
  const [source, ...more] = positionals;
  if (source === undefined || more.length > 0) throw new UsageError('name one backup file');
  const config = toolConfig(values['data-dir']);
  const lookAhead = parseCount('look-ahead', values['look-ahead'], 1, MAX_LOOK_AHEAD);
  const replica = values['from-replica'];
  const newerDatabase = replica === undefined ? undefined : fromReplica(config, replica, values.skip);
  const configured = config.keyring.passphrase?.reveal() ?? null;
  const passphrase =
    configured ?? (await readSecret(values['passphrase-file'], 'Passphrase: ', '--passphrase-file'));
  const liveNetwork = config.network ?? 'mainnet';
  const file = values.revocations;
  if (file !== undefined && values['nothing-revoked'])
    throw new UsageError('--revocations and --nothing-revoked exclude each other');
  const word = values['nothing-revoked'] ? 'none' : null;
  const { createdAt, recovered, revoked, mustTakeOver } = await restoreBackup({
    source,
    newerDatabase,
    dataDir: config.dataDir,
    passphrase,
    keepPassphrase: configured === null,
    cost: config.keyring.argon2,
    liveNetwork,
    revocations: file === undefined ? word : { file },
    lookAhead,
    clock: { now: () => Date.now() },
    onStep: warn,
  });
  const what =
    replica === undefined ? `the backup of ${createdAt.toISOString()}` : 'the newest state of the replica';
  printLine(
    `${config.dataDir} holds ${what}; ${recovered} more addresses are reserved, and watched by the next start`,
  );
  tellRevoked(revoked, file !== undefined);
  if (mustTakeOver) warn('Take over with tillctl promote first.');
  warn(`Start the daemon with this data directory: it reads the chains on from where the copy stood.
Sends ordered after it are on the chain but not in this database: look there before you repeat one.
Wallets with limits send nothing without an approval until their owner confirms the limits.`);
  return 0;
});

function tellRevoked(revoked: Applied | null, isListed: boolean): void {
  if (revoked === null) {
    warn(`Revocations since this copy are unknown. All users are signed out; secret keys, keys with wallet:send
and members are suspended until the owner of each shop confirms them: in the dashboard, by POST /merchant/keys/confirm,
or by tillctl users confirm-keys EMAIL. Passwords are those of the copy: set new ones where they were changed since.`);
    return;
  }
  if (!isListed) return;
  const counts = [...revoked.counts].map(([kind, count]) => `${kind} ${count}`);
  printLine(
    `Revoked again: ${counts.length === 0 ? 'nothing was left of what the list names' : counts.join(', ')}.`,
  );
  if (revoked.unknownKinds.length > 0)
    warn(`The list has revocations that only a newer release knows (${revoked.unknownKinds.join(', ')}): all users are
signed out; secret keys, keys with wallet:send and members are suspended until the owner of each shop confirms them.`);
}

/** Restores the newest database of the replica. @throws {UsageError} for an invalid URL */
function fromReplica(
  config: Config,
  place: string,
  skipped: readonly string[],
): (path: string) => Promise<void> {
  const url = replicaUrl().safeParse(place);
  if (!url.success)
    throw new UsageError(`--from-replica ${url.error.issues.map(({ message }) => message).join()}`);
  const configured = config.replica ?? { s3Endpoint: null, s3Region: null };
  const target: ReplicaTarget = { ...configured, url: new Secret(url.data.href) };
  return async (path) => {
    const { epoch, highest } = await restoreNewest(target, path, skipped);
    if (epoch < highest)
      warn(`This is the database of epoch ${epoch}. Epoch ${highest} has begun, too: what its machine took and sent
is not in it.`);
  };
}
