import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Network } from '../domain/coins.ts';
import type { AddressDeriver } from '../domain/keys.ts';
import type { Clock } from '../domain/ports.ts';
import { merchantAddresses } from '../store/ledger/addresses.ts';
import type { Db } from '../store/sqlite/database.ts';
import { noteCopyUnchecked } from '../replica/copy-mark.ts';
import { noteCopy, readEpochOf } from '../replica/epoch.ts';
import { readSqliteMeta, sqliteProblems } from '../store/sqlite/files.ts';
import { skipAccounts } from '../store/merchants/merchants.ts';
import { skipSeqs } from '../store/webhooks/events.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import { noteRestored } from '../usecases/settlement/note-restored.ts';
import { openGapLimit } from '../usecases/wallet/gap-limit.ts';
import { createWallet } from '../wallet/derivation.ts';
import { openKeyring, type KeyringCost } from '../wallet/keyring.ts';
import { BackupError } from './backup-error.ts';
import { openArchive } from './sealed-archive.ts';
import { fillDataDir } from './stage.ts';

/** Account numbers to skip: merchants created after the backup may have had them. */
const SKIPPED_ACCOUNTS = 100;

export interface RestoreBackupOptions {
  readonly source: string;
  readonly dataDir: string;
  readonly passphrase: string;
  /** Whether the passphrase is stored in the data directory, because none is configured. */
  readonly keepPassphrase: boolean;
  readonly cost: KeyringCost;
  readonly liveNetwork: Network;
  /**
   * Puts a newer state of the database in place of the backup's, of which then only the keyring is used. The daemon
   * checks that file while it serves: a shop is not to stay closed for the minutes that a large one takes.
   */
  readonly newerDatabase?: ((path: string) => Promise<void>) | undefined;
  /** Addresses per merchant, coin and branch that may have been issued after the backup. */
  readonly lookAhead: number;
  readonly clock: Clock;
}

/**
 * Restores a backup into an empty data directory, all or nothing, after everything in it was checked; a newer database
 * from a replica only as far as its keyring and network.
 * The next start reads the chains on from the backup's cursors. Addresses that may have been issued
 * since are reserved: never issued again, and watched by that start.
 * @returns when the backup was made, how many addresses are reserved, and whether its daemon had a replica, so
 * that this one has to take over first.
 * @throws {BackupError} {KeyringError}
 */
export async function restoreBackup(
  options: RestoreBackupOptions,
): Promise<{ createdAt: Date; recovered: number; mustTakeOver: boolean }> {
  const { source, dataDir, passphrase, cost, liveNetwork } = options;
  return fillDataDir(dataDir, async (stage) => {
    const isKeyringOnly = options.newerDatabase !== undefined;
    const { createdAt } = await openArchive({ source, dir: stage, passphrase, isKeyringOnly });
    const file = join(stage, 'tilld.sqlite');
    if (options.newerDatabase === undefined) {
      const problems = sqliteProblems(file);
      if (problems.length > 0)
        throw new BackupError(`the database in ${source} is damaged: ${problems.join('; ')}`);
    } else await options.newerDatabase(file);
    const { keyring } = await openKeyring({ dataDir: stage, passphrase, argon2: cost, mayCreate: false });
    try {
      if (readSqliteMeta(file, 'keyring_fingerprint') !== keyring.fingerprint) {
        throw new BackupError(`the keyring in ${source} does not belong to its database`);
      }
      const deriver = createWallet({ keyring, liveNetwork });
      const recovered = await lookAhead(options, deriver, file);
      if (options.keepPassphrase) {
        await writeFile(join(stage, 'keyring-passphrase'), `${passphrase}\n`, { mode: 0o600, flag: 'wx' });
      }
      return { createdAt, recovered, mustTakeOver: readEpochOf(file) !== null };
    } finally {
      keyring.wipe();
    }
  });
}

async function lookAhead(
  options: RestoreBackupOptions,
  deriver: AddressDeriver,
  file: string,
): Promise<number> {
  const { clock } = options;
  const database = await openDatabase(file);
  try {
    const { db } = database;
    await assertSameNetwork(db, deriver, options.liveNetwork);
    await db.transaction(async (tx) => {
      await skipAccounts(tx, SKIPPED_ACCOUNTS);
      await skipSeqs(tx);
    });
    const recovered = await openGapLimit({ db, clock }, options.lookAhead);
    await noteRestored(db, clock);
    await noteCopy(db);
    if (options.newerDatabase !== undefined) await noteCopyUnchecked(db);
    return recovered;
  } finally {
    await database.close();
  }
}

/** Refuses another network: watching its addresses would be useless. */
async function assertSameNetwork(db: Db, deriver: AddressDeriver, network: Network): Promise<void> {
  for (const row of await merchantAddresses(db)) {
    const { account, coin, mode, branch, idx: index, address } = row;
    if (deriver.address({ coin, mode, account, branch, index }) === address) continue;
    throw new BackupError(
      `the backup belongs to another network than ${network}: set TILLD_NETWORK to the one it was made with`,
    );
  }
}
