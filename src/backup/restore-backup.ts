import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Argon2Cost } from '../domain/argon2-cost.ts';
import type { Network } from '../domain/coins.ts';
import type { AddressDeriver } from '../domain/keys.ts';
import type { Clock } from '../domain/ports.ts';
import { merchantAddresses } from '../store/ledger/addresses.ts';
import type { Db } from '../store/sqlite/database.ts';
import { markCopyUnchecked } from '../replica/copy-checked.ts';
import { markAsCopy, readStoredEpoch } from '../replica/epoch.ts';
import { readSqliteMeta, sqliteProblems } from '../store/sqlite/files.ts';
import { skipAccounts } from '../store/merchants/merchants.ts';
import { skipSeqs } from '../store/webhooks/events.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import { markRestored } from '../usecases/wallet/index.ts';
import { allRevocations } from '../store/revocations.ts';
import {
  type Applied,
  applyRevocations,
  auditOperatorEverywhere,
  suspendShops,
} from '../usecases/accounts/index.ts';
import { reserveGapLimit } from '../usecases/addresses/index.ts';
import { createWallet } from '../wallet/derivation.ts';
import { openKeyring, type Keyring } from '../wallet/keyring.ts';
import { createSecretBox } from '../wallet/secret-box.ts';
import { BackupError } from './backup-error.ts';
import { readRevocations, revocationPath, writeRevocations } from './revocation-file.ts';
import { decryptArchive } from './encrypted-archive.ts';
import { fillDataDir } from './stage.ts';

/** Account numbers to skip: merchants created after the backup may have had them. */
const SKIPPED_ACCOUNTS = 100;

export interface RestoreBackupOptions {
  readonly source: string;
  readonly dataDir: string;
  readonly passphrase: string;
  /** Whether the passphrase is stored in the data directory, because none is configured. */
  readonly keepPassphrase: boolean;
  readonly cost: Argon2Cost;
  readonly liveNetwork: Network;
  /**
   * Restores a newer state of the database instead of the backup's; only its keyring is then used.
   * The daemon checks that file while it serves, because the check of a large one takes minutes.
   */
  readonly newerDatabase?: ((path: string) => Promise<void>) | undefined;
  /**
   * The list of revocations of the old data directory; `none` if the operator confirms that nothing was
   * revoked since. Without either, shops are suspended.
   */
  readonly revocations: { readonly file: string } | 'none' | null;
  /** Addresses per merchant, coin and branch that may have been issued after the backup. */
  readonly lookAhead: number;
  readonly clock: Clock;
  /** Receives each step, because one may take minutes. */
  readonly onStep?: (step: string) => void;
}

/**
 * Restores a backup into an empty data directory, all or nothing, after complete verification; for a newer
 * database from a replica only the keyring and the network are verified. The next start reads the chains from
 * the backup's cursors on. Addresses that may have been issued since are reserved: never issued again, and
 * watched by that start.
 * @returns when the backup was made, how many addresses are reserved, the revocations since (null: unknown,
 * so that shops are suspended), and whether its daemon had a replica, so that this one has to take over
 * first.
 * @throws {BackupError} {KeyringError}
 */
export async function restoreBackup(
  options: RestoreBackupOptions,
): Promise<{ createdAt: Date; recovered: number; revoked: Applied | null; mustTakeOver: boolean }> {
  const { source, dataDir, passphrase, cost, liveNetwork } = options;
  return fillDataDir(dataDir, async (stage) => {
    const isKeyringOnly = options.newerDatabase !== undefined;
    options.onStep?.('decrypting the backup');
    const { createdAt } = await decryptArchive({ source, dir: stage, passphrase, isKeyringOnly });
    const file = join(stage, 'tilld.sqlite');
    if (options.newerDatabase === undefined) {
      options.onStep?.('checking the database');
      const problems = sqliteProblems(file);
      if (problems.length > 0)
        throw new BackupError(`the database in ${source} is damaged: ${problems.join('; ')}`);
    } else {
      options.onStep?.('reading the replica');
      await options.newerDatabase(file);
    }
    options.onStep?.('reserving addresses');
    const { keyring } = await openKeyring({ dataDir: stage, passphrase, argon2: cost, mayCreate: false });
    try {
      if (readSqliteMeta(file, 'keyring_fingerprint') !== keyring.fingerprint) {
        throw new BackupError(`the keyring in ${source} does not belong to its database`);
      }
      const deriver = createWallet({ keyring, liveNetwork });
      const { recovered, revoked } = await lookAhead(options, { deriver, keyring, stage }, file);
      if (options.keepPassphrase) {
        await writeFile(join(stage, 'keyring-passphrase'), `${passphrase}\n`, { mode: 0o600, flag: 'wx' });
      }
      return { createdAt, recovered, revoked, mustTakeOver: readStoredEpoch(file) !== null };
    } finally {
      keyring.wipe();
    }
  });
}

async function lookAhead(
  options: RestoreBackupOptions,
  { deriver, keyring, stage }: { deriver: AddressDeriver; keyring: Keyring; stage: string },
  file: string,
): Promise<{ recovered: number; revoked: Applied | null }> {
  const { clock } = options;
  const database = await openDatabase(file);
  try {
    const { db } = database;
    await assertSameNetwork(db, deriver, options.liveNetwork);
    await db.transaction(async (tx) => {
      await skipAccounts(tx, SKIPPED_ACCOUNTS);
      await skipSeqs(tx);
    });
    const revoked = await revokeAgain(db, options, { keyring, stage });
    await auditOperatorEverywhere(db, { secretBox: createSecretBox(keyring), clock }, 'scripts/restore');
    const recovered = await reserveGapLimit({ db, clock }, options.lookAhead);
    await markRestored(db, clock);
    await markAsCopy(db);
    if (options.newerDatabase !== undefined) await markCopyUnchecked(db);
    return { recovered, revoked };
  } finally {
    await database.close();
  }
}

/** @returns the revocations since the copy; null if unknown. @throws {BackupError} for a damaged list. */
async function revokeAgain(
  db: Db,
  { revocations, clock }: RestoreBackupOptions,
  { keyring, stage }: { keyring: Keyring; stage: string },
): Promise<Applied | null> {
  let applied: Applied | null = { counts: new Map(), unknownKinds: [] };
  if (revocations === null) {
    await db.transaction(async (tx) => suspendShops(tx, clock.now()));
    applied = null;
  } else if (revocations !== 'none') {
    const list = readRevocations(revocations.file);
    if (list === null) throw new BackupError(`${revocations.file} does not exist`);
    applied = await applyRevocations({ db, secretBox: createSecretBox(keyring) }, list, clock.now());
  }
  writeRevocations(revocationPath(stage, keyring.fingerprint), await allRevocations(db));
  return applied;
}

/** Rejects another network, whose addresses cannot be watched. */
async function assertSameNetwork(db: Db, deriver: AddressDeriver, network: Network): Promise<void> {
  for (const row of await merchantAddresses(db)) {
    const { account, coin, mode, branch, idx: index, address } = row;
    if (deriver.address({ coin, mode, account, branch, index }) === address) continue;
    throw new BackupError(
      `the backup is of another network than ${network}: set TILLD_NETWORK to its network`,
    );
  }
}
