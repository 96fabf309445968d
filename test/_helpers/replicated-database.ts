/** A database of its own with a replica by Litestream, for tests of what follows that: no daemon, and quick. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { readGenerations, whileReplicating, type ReplicaTarget } from '../../src/replica/litestream.ts';
import { eventually } from './poll.ts';
import type { ReplicaPlace } from './replica-places.ts';

export function targetOf({ url, env }: ReplicaPlace): ReplicaTarget {
  const { href } = new URL(url.startsWith('/') ? `file://${url}` : url);
  return {
    url: { reveal: () => href },
    sshKeyFile: env['TILLD_REPLICA_SSH_KEY_FILE'] ?? null,
    knownHostsFile: env['TILLD_REPLICA_KNOWN_HOSTS_FILE'] ?? null,
    s3Endpoint: env['TILLD_REPLICA_S3_ENDPOINT'] ?? null,
    s3Region: null,
  };
}

const ROW_BYTES = 100_000;

export class ReplicatedDatabase {
  readonly target: ReplicaTarget;
  readonly #dir = mkdtempSync(join(tmpdir(), 'till-replicated-'));
  readonly #sqlite: Sqlite.Database;

  constructor(target: ReplicaTarget) {
    this.target = target;
    this.#sqlite = new Sqlite(this.path);
    this.#sqlite.pragma('journal_mode = WAL');
    // As the daemon beside a replica: checkpoints are Litestream's.
    this.#sqlite.pragma('wal_autocheckpoint = 0');
    this.#sqlite.pragma('synchronous = NORMAL');
    this.#sqlite.exec('CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)');
    this.#sqlite.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, place INTEGER NOT NULL, bytes BLOB NOT NULL)');
    this.write(1);
  }

  get path(): string {
    return join(this.#dir, 'first.sqlite');
  }

  /** Adds rows and changes earlier ones, each in a transaction. */
  write(rows: number): void {
    const insert = this.#sqlite.prepare('INSERT INTO t (place, bytes) VALUES (abs(random()) % 1000, ?)');
    const change = this.#sqlite.prepare('UPDATE t SET bytes = ? WHERE id = 1 + abs(random()) % ?');
    for (let n = 0; n < rows; n += 1) {
      const { lastInsertRowid } = insert.run(randomBytes(ROW_BYTES));
      change.run(randomBytes(ROW_BYTES), Number(lastInsertRowid));
    }
  }

  /** Writes the log into the file behind Litestream's back, so that a new generation begins. */
  checkpoint(): void {
    this.#sqlite.pragma('wal_checkpoint(TRUNCATE)');
  }

  /** Litestream runs during the work, and the replica holds a snapshot before it begins. */
  async replicating<T>(work: () => Promise<T>, epoch = 1): Promise<T> {
    const before = (await readGenerations(this.target, epoch)).found.map(({ name }) => name);
    return whileReplicating(this.target, { epoch, databasePath: this.path }, async () => {
      await eventually(
        'the replica holds the database',
        () => readGenerations(this.target, epoch),
        ({ found }) => found.length > 0 && (before.length === 0 || found.length >= before.length),
        60_000,
      );
      return work();
    });
  }

  close(): void {
    this.#sqlite.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

export function sha256Of(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

export function rowsIn(path: string): number {
  const sqlite = new Sqlite(path, { readonly: true });
  try {
    return sqlite.prepare<unknown[], number>('SELECT count(*) FROM t').pluck().get() ?? 0;
  } finally {
    sqlite.close();
  }
}
