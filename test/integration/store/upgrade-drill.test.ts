/** What an operator goes through with an upgrade: working on the earlier version's database, and all that can interrupt it. */
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allMigrations, type Migrations } from '../../../src/store/schema/migrate.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import type { ApiClient, PaymentJson } from '../../_helpers/api-client.ts';
import { backUp, restoreBeside } from '../../_helpers/backups.ts';
import { EARLIER_DATABASES, integrity, layOut, reading, schemaOf } from '../../_helpers/earlier-databases.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till, TillProcess } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const MIGRATIONS = await allMigrations();
const OLDEST = EARLIER_DATABASES[0] ?? '';
/** Each is a page that a merchant's own programs read. */
const LISTS = [
  '/payment/list',
  '/payment/export',
  '/payment/month-report',
  '/payment/refund-links',
  '/merchant/customer/list',
  '/merchant/product/list',
  '/merchant/link/list',
  '/merchant/events',
  '/merchant/volume',
  '/merchant/webhook-logs',
  '/merchant/webhook/deliveries',
  '/merchant/webhook/endpoint/list',
  '/merchant/wallet/balances',
  '/merchant/wallet/transactions',
  '/merchant/wallet/outputs?coin=BTC',
  '/merchant/wallet/addresses',
];

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-drill-'));
  path = join(dir, 'tilld.sqlite');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const applied = (file: string): string[] =>
  reading(file, (db) =>
    db.prepare('SELECT name FROM kysely_migration ORDER BY name').pluck().all(),
  ) as string[];

/** Every row of every table, so that nothing of an upgrade that was undone is left. */
const content = (file: string): unknown =>
  reading(file, (db) => {
    const names = db
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
      )
      .pluck()
      .all() as string[];
    return names.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).safeIntegers().all()]);
  });

/** The migrations that the version which wrote this database had. */
const migrationsOf = (file: string): Migrations => {
  const known = new Set(applied(file));
  return Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => known.has(name)));
};

async function freshSchema(): Promise<string[]> {
  const fresh = join(dir, 'fresh.sqlite');
  await (await openDatabase(fresh)).close();
  return schemaOf(fresh);
}

/** Sells something for Bitcoin of the sandbox. */
async function sell(
  api: ApiClient,
  { publicKey, secretKey }: { publicKey: string; secretKey: string },
): Promise<string> {
  const customerId = reading(path, (db) =>
    db.prepare('SELECT customer_id FROM payments WHERE customer_id IS NOT NULL LIMIT 1').pluck().get(),
  );
  const { id } = await api.must<PaymentJson>('POST', '/payment/create', {
    token: publicKey,
    body: { amount: '100', currency: 'USD', customerId, orderId: 'after-the-upgrade' },
  });
  await api.must('POST', '/sandbox/payment/simulate', {
    token: secretKey,
    body: { paymentId: id, scenario: 'exact', coin: 'BTC' },
  });
  return id;
}

describe.each(EARLIER_DATABASES)('the database after %s', (name) => {
  it('supports lists, a sale with its webhook, a backup and a restore after the upgrade', async () => {
    await using sink = await WebhookSink.start();
    const { expected } = layOut(name, dir, Number(new URL(sink.url).port));
    await using till = await Till.start({}, {}, dir);
    await till.ready();
    for (const list of LISTS) {
      const { status } = await fetch(till.api.baseUrl + list, {
        headers: { authorization: `Bearer ${expected.secretKey}` },
      });
      expect([list, status]).toEqual([list, 200]);
    }
    const sold = await sell(till.api, expected);
    await eventually(
      'the sale and its webhook',
      () => sink.types(sold),
      (types) => types.includes('payment.completed'),
      60_000,
    );
    const restored = await restoreBeside(await backUp(dir, join(dir, 'after.backup')), dir);
    await till.down();
    await using second = await Till.start({}, {}, restored);
    const kept = await second.api.must<PaymentJson>('GET', `/payment/get?paymentId=${sold}`, {
      token: expected.secretKey,
    });
    expect(kept.status).toBe('completed');
  });
});

/** Opens a database as a start does, and is killed right after this migration. */
const KILLED_AFTER = `
  import { allMigrations } from './src/store/schema/migrate.ts';
  import { openDatabase } from './src/store/sqlite/open.ts';
  const [path, last] = process.argv.slice(1);
  const MIGRATIONS = await allMigrations();
  const dying = { ...MIGRATIONS, [last]: { up: async (db) => {
    await MIGRATIONS[last].up(db);
    process.kill(process.pid, 'SIGKILL');
  } } };
  await openDatabase(path, { migrations: dying });`;

async function killAfter(migration: string): Promise<void> {
  const args = ['--input-type=module', '--eval', KILLED_AFTER, path, migration];
  const ended = await promisify(execFile)(process.execPath, args).catch((error: unknown) => error);
  expect(ended).toMatchObject({ signal: 'SIGKILL' });
}

/** Lays the oldest database out. @returns its content, what its version knew, and the steps from there to this one */
function layOutOldest() {
  layOut(OLDEST, dir);
  const earlier = migrationsOf(path);
  const steps = Object.keys(MIGRATIONS)
    .filter((name) => !(name in earlier))
    .toSorted();
  return { before: content(path), earlier, steps };
}

/** What a process that dies leaves to the next one: the database and its write-ahead log, as they are in the file system. */
function copyAsLeft(step: string): string {
  const left = join(dir, `${step}.sqlite`);
  for (const end of ['', '-wal']) if (existsSync(path + end)) copyFileSync(path + end, left + end);
  return left;
}

describe('an upgrade that is killed', () => {
  it('leaves a database that the earlier version can open, after any step', async () => {
    const { before, earlier, steps } = layOutOldest();
    expect(steps.length).toBeGreaterThan(15);
    const left = new Map<string, string>();
    const watched = steps.map((step): [string, Migrations[string]] => [
      step,
      {
        up: async (db) => {
          await MIGRATIONS[step]?.up(db);
          left.set(step, copyAsLeft(step));
        },
      },
    ]);
    await (
      await openDatabase(path, { migrations: { ...MIGRATIONS, ...Object.fromEntries(watched) } })
    ).close();
    expect([...left.keys()]).toEqual(steps);
    for (const [step, file] of left) {
      await (await openDatabase(file, { migrations: earlier })).close();
      expect([step, integrity(file)]).toEqual([step, ['ok']]);
      expect([step, content(file)]).toEqual([step, before]);
    }
  });

  it('is completed at the next start, after its first, middle and last step', async () => {
    const { before, earlier, steps } = layOutOldest();
    for (const step of [steps[0], steps[Math.floor(steps.length / 2)], steps.at(-1)]) {
      await killAfter(step ?? '');
      expect([step, integrity(path)]).toEqual([step, ['ok']]);
      expect(content(path)).toEqual(before);
      await (await openDatabase(path, { migrations: earlier })).close();
    }
    await (await openDatabase(path)).close();
    expect(integrity(path)).toEqual(['ok']);
    expect(schemaOf(path)).toEqual(await freshSchema());
  });

  it('copies the earlier database again when it was killed during the copy', async () => {
    const { before, steps } = layOutOldest();
    const copy = `${path}.before-${steps[0]}`;
    writeFileSync(`${copy}.tmp`, readFileSync(path).subarray(0, 10_000));
    await (await openDatabase(path)).close();
    expect(existsSync(`${copy}.tmp`)).toBe(false);
    expect(content(copy)).toEqual(before);
  });
});

describe('an upgrade on a full disk', () => {
  it('reports the error, changes nothing, and is completed by the next start', async () => {
    const { before, earlier, steps } = layOutOldest();
    const [first = '', ...later] = steps;
    // As many pages as there are, from the first step on, so that a later step finds no more.
    const full: Migrations = {
      ...MIGRATIONS,
      [first]: {
        up: async (db) => {
          await MIGRATIONS[first]?.up(db);
          await sql`PRAGMA max_page_count = 1`.execute(db);
        },
      },
    };
    expect(later.length).toBeGreaterThan(1);
    await expect(openDatabase(path, { migrations: full })).rejects.toThrow(/disk is full.*free disk space/);
    expect(integrity(path)).toEqual(['ok']);
    expect(content(path)).toEqual(before);
    await (await openDatabase(path, { migrations: earlier })).close();
    await (await openDatabase(path)).close();
    expect(schemaOf(path)).toEqual(await freshSchema());
  });
});

describe('a database of a newer version', () => {
  it('is refused by this daemon with the reason, and is not changed', async () => {
    layOut(EARLIER_DATABASES.at(-1) ?? '', dir);
    await (await openDatabase(path)).close();
    const db = new Sqlite(path);
    db.exec(`INSERT INTO kysely_migration VALUES ('9999-later', '2031-01-01T00:00:00.000Z')`);
    db.close();
    const before = content(path);
    const till = await TillProcess.spawn({}, dir);
    expect(await till.ended()).toEqual({ code: 2 });
    expect(till.output).toContain(
      'the database was written by a newer tilld (it knows 9999-later): upgrade this program',
    );
    expect(content(path)).toEqual(before);
  });
});
