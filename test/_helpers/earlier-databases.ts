/** Databases of earlier versions, filled by their own code: see test/fixtures/make-database.ts. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import type { PaymentJson, SendJson } from './api-client.ts';
import { normaliseSql } from './schema-sql.ts';

export const EARLIER_FOLDER = 'test/fixtures/databases';
/** One for each version that was released with another schema, and the present one. */
export const EARLIER_DATABASES: readonly string[] = readdirSync(EARLIER_FOLDER).toSorted();

export interface EarlierDatabase {
  readonly files: Readonly<Record<string, string>>;
  readonly statements: readonly string[];
  readonly expected: {
    readonly secretKey: string;
    readonly publicKey: string;
    readonly payments: readonly PaymentJson[];
    readonly sends: readonly SendJson[];
    readonly balances: Readonly<Record<string, string>>;
  };
}

/** Lays the data directory of an earlier version out again. */
export function layOut(name: string, dir: string, webhookPort = 9): EarlierDatabase {
  const packed = gunzipSync(readFileSync(join(EARLIER_FOLDER, name))).toString('utf8');
  const fixture = JSON.parse(packed.replaceAll('__WEBHOOK_PORT__', String(webhookPort))) as EarlierDatabase;
  for (const [file, content] of Object.entries(fixture.files)) {
    writeFileSync(join(dir, file), Buffer.from(content, 'base64'), { mode: 0o600 });
  }
  const db = new Sqlite(join(dir, 'tilld.sqlite'));
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('foreign_keys = OFF');
  db.transaction(() => fixture.statements.forEach((statement) => db.exec(statement)))();
  db.close();
  return fixture;
}

/** Reads a database that is not open here. */
export function reading<T>(file: string, read: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(file, { readonly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

/** Everything in the schema, in an order of its own and without layout. */
export const schemaOf = (file: string): string[] =>
  reading(file, (db) => {
    const all = db.prepare(`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL`).pluck().all() as string[];
    return all.map(normaliseSql).toSorted();
  });

/** Integrity of pages and references: `['ok']` when it is sound. */
export const integrity = (file: string): unknown[] =>
  reading(file, (db) => [
    db.pragma('integrity_check', { simple: true }),
    ...(db.pragma('foreign_key_check') as []),
  ]);
