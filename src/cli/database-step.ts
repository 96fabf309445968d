import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { freshDirectory } from '../backup/files.ts';
import { decryptArchive } from '../backup/encrypted-archive.ts';
import type { Config } from '../config/config.ts';
import { markAsCopy } from '../replica/epoch.ts';
import { summarizeCreatedSince } from '../store/operations/created-since.ts';
import { lockDataDir } from '../store/sqlite/data-dir.ts';
import {
  appliedMigrations,
  checkpointSqlite,
  copySqlite,
  readSqliteMeta,
  sqliteProblems,
  tableSizes,
} from '../store/sqlite/files.ts';
import { migrateCopy, openDatabase } from '../store/sqlite/open.ts';
import { FIRST_SEQ, skipSeqs } from '../store/webhooks/events.ts';
import { markRestored } from '../usecases/wallet/index.ts';
import { loadOrCreatePassphrase } from '../wallet/passphrase.ts';
import { printLine, runCommand, UsageError } from './command.ts';
import { daemonData } from './daemon-data.ts';

const USAGE = `Steps of tillctl update and tillctl rollback, for these commands only.

  tillctl database-step copy | try | keep MIGRATION | written-since MIGRATION | put-back MIGRATION
                        | made-since MS MIGRATION | rewind MIGRATION BACKUP`;

/**
 * Tables that grow whenever the daemon accepts, tells or signs anything. What only the chains cause without it is read
 * again from them.
 */
const PROMISES = [
  'users',
  'merchants',
  'customers',
  'payments',
  'refunds',
  'refund_links',
  'addresses',
  'events',
  'sends',
  'send_versions',
  'audit_log',
];

/** Room for the copy, for the one that a migration keeps, and for the backup. */
const COPIES = 3;

interface Place {
  readonly config: Config;
  readonly file: string;
  readonly work: string;
}

type Step = (place: Place, args: readonly string[]) => object | Promise<object>;

const STEPS: Readonly<Record<string, Step>> = {
  copy: async ({ file, work, config }) => {
    const { bavail, bsize } = statfsSync(config.dataDir);
    const { size } = statSync(file);
    if (bavail * bsize < COPIES * size)
      throw new Error(
        `${config.dataDir} needs ${Math.ceil((COPIES * size) / 1e6)} MB of free space for the update`,
      );
    await freshDirectory(work);
    copySqlite(file, join(work, 'tilld.sqlite'));
    return {};
  },
  try: async ({ work }) => {
    const copy = join(work, 'tilld.sqlite');
    try {
      const [migration = null] = await migrateCopy(copy);
      const problems = sqliteProblems(copy);
      if (problems.length > 0) throw new Error(`the copy of the database is damaged: ${problems.join('; ')}`);
      await (await openDatabase(copy, { mayMigrate: false })).close();
      return { migration };
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  },
  keep: (place, [migration]) => {
    const copy = copyBefore(place, migration);
    // Run again after the new release has migrated, it must not replace the earlier copy.
    if (hasMigration(place.file, migration)) return {};
    rmSync(copy, { force: true });
    rmSync(`${copy}.tmp`, { force: true });
    copySqlite(place.file, `${copy}.tmp`);
    renameDurably(`${copy}.tmp`, copy, place.config.dataDir);
    return {};
  },
  'written-since': (place, [migration]) => {
    if (!hasMigration(place.file, migration)) return { changed: [] };
    const [before, after] = [copyBefore(place, migration), place.file].map((path) =>
      tableSizes(path, PROMISES),
    );
    const changed = PROMISES.filter((table) => before?.[table] !== after?.[table]);
    return { changed };
  },
  'put-back': async (place, [migration]) => {
    if (!hasMigration(place.file, migration)) return {};
    const copy = copyBefore(place, migration);
    await markCopy(copy);
    checkpointSqlite(place.file);
    renameDurably(copy, place.file, place.config.dataDir);
    return {};
  },
  'made-since': async ({ file }, [since = '', migration]) => {
    // A rollback that was killed has already restored the earlier database.
    if (!hasMigration(file, migration)) return { loss: null };
    const database = await openDatabase(file, { mayMigrate: false });
    try {
      return { loss: await summarizeCreatedSince(database.db, Number(since)) };
    } finally {
      await database.close();
    }
  },
  rewind,
};

await runCommand(USAGE, async (args) => {
  const [name = '', ...more] = args;
  const step = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
  if (step === undefined) throw new UsageError(`there is no step ${name}`);
  const { config, file } = await daemonData(undefined);
  const place = { config, file, work: join(config.dataDir, 'update.tmp') };
  // What changes the file itself runs while no daemon does.
  const lock = ['keep', 'put-back', 'rewind'].includes(name) ? lockDataDir(config.dataDir) : null;
  try {
    printLine(JSON.stringify(await step(place, more)));
    return 0;
  } finally {
    lock?.release();
  }
});

/**
 * Returns to the database from before an update, as this older release understands it. Sequence numbers of events are
 * skipped, and sends count as possibly paid since; addresses that were given out since, and revocations, are in files
 * next to the keyring, which the next start applies. The newer database is kept under another name.
 */
async function rewind(place: Place, [migration, backup = '']: readonly string[]): Promise<object> {
  const { file, work, config } = place;
  if (!hasMigration(file, migration)) return {};
  await freshDirectory(work);
  const restored = join(work, 'tilld.sqlite');
  const copy = copyBefore(place, migration);
  if (existsSync(copy)) copySqlite(copy, restored);
  else await decryptArchive({ source: backup, dir: work, passphrase: await loadPassphrase(config) });
  const fingerprint = 'keyring_fingerprint';
  if (readSqliteMeta(restored, fingerprint) !== readSqliteMeta(file, fingerprint))
    throw new Error('the database from before the update belongs to another keyring');
  const database = await openDatabase(restored, { mayMigrate: false });
  try {
    await database.db.transaction(async (tx) => skipSeqs(tx, readFirstSeq(file)));
    await markRestored(database.db, { now: () => Date.now() });
    await markAsCopy(database.db);
  } finally {
    await database.close();
  }
  checkpointSqlite(file);
  const newer = `${file}.rolled-back-${new Date().toISOString().replace(/[:.]/g, '')}`;
  linkSync(file, newer);
  renameDurably(restored, file, config.dataDir);
  rmSync(work, { recursive: true, force: true });
  return { newer };
}

/**
 * Numbers that a rollback has skipped before it was killed: the newer release may have been started on its database, and
 * have given them.
 */
function readFirstSeq(file: string): number {
  return Number(readSqliteMeta(file, FIRST_SEQ) ?? 0);
}

/** A replica has the newer database: its daemon must take over again. */
async function markCopy(copy: string): Promise<void> {
  const database = await openDatabase(copy, { mayMigrate: false });
  try {
    await markAsCopy(database.db);
  } finally {
    await database.close();
  }
}

async function loadPassphrase({ dataDir, keyring }: Config): Promise<string> {
  const configured = keyring.passphrase?.reveal() ?? null;
  return (await loadOrCreatePassphrase({ dataDir, configured })).passphrase;
}

function hasMigration(file: string, migration = ''): boolean {
  return appliedMigrations(file).includes(migration);
}

/** Path of the copy that a migrating start makes of the earlier database, or finds. */
function copyBefore({ file }: Place, migration = ''): string {
  if (!/^[\w-]+$/.test(migration)) throw new UsageError('name a migration');
  return `${file}.before-${migration}`;
}

function renameDurably(from: string, to: string, folder: string): void {
  for (const path of [from, folder]) {
    const handle = openSync(path, 'r');
    fsyncSync(handle);
    closeSync(handle);
  }
  renameSync(from, to);
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
