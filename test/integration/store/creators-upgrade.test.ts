/** Rows of earlier databases: their creators come from the audit log; the others stay unknown. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Db } from '../../../src/store/sqlite/database.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { layOut } from '../../_helpers/earlier-databases.ts';

const BEFORE = '0048-revocations.json.gz';
const TABLES = ['payments', 'payment_links', 'webhook_endpoints', 'restricted_keys'] as const;
const MADE_BY = {
  payments: 'POST /payment/create',
  payment_links: 'POST /merchant/link/create',
  webhook_endpoints: 'POST /merchant/webhook/endpoint/create',
  restricted_keys: 'POST /merchant/keys/create',
} as const;
type Table = (typeof TABLES)[number];

interface Row {
  readonly id: string;
  readonly merchant_id: string;
  readonly created_at: number;
  readonly owner: string;
}

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-creators-'));
  path = join(dir, 'tilld.sqlite');
  layOut(BEFORE, dir);
  change((db) => db.exec('DELETE FROM audit_log'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function change<T>(write: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(path);
  try {
    return write(db);
  } finally {
    db.close();
  }
}

function first(table: Table): Row {
  const ofCatalog = table === 'payments' || table === 'payment_links' ? 'WHERE made.price_id IS NULL' : '';
  return change((db) =>
    db
      .prepare(
        `SELECT made.id, made.merchant_id, made.created_at, merchants.user_id AS owner FROM ${table} AS made
         JOIN merchants ON merchants.id = made.merchant_id ${ofCatalog} ORDER BY made.created_at, made.id LIMIT 1`,
      )
      .get(),
  ) as Row;
}

function note(of: Row, entry: { action: string; actor: string; afterMs?: number; result?: string }): void {
  change((db) =>
    db
      .prepare(
        `INSERT INTO audit_log (at, merchant_id, actor_kind, actor_id, actor_name, action, object_id, client_sealed, result)
         VALUES (?, ?, 'user', ?, '', ?, ?, '', ?)`,
      )
      .run(
        of.created_at + (entry.afterMs ?? -5),
        of.merchant_id,
        entry.actor,
        entry.action,
        of.id,
        entry.result ?? 'OK',
      ),
  );
}

async function upgraded<T>(read: (db: Db) => Promise<T>): Promise<T> {
  const database = await openDatabase(path);
  try {
    return await read(database.db);
  } finally {
    await database.close();
  }
}

const creators = async (table: Table) =>
  upgraded(async (db) =>
    db.selectFrom(table).select(['id', 'creatorKind as kind', 'creatorId as by']).execute(),
  );
const locked = async (table: 'payments' | 'payment_links', id: string) =>
  upgraded(async (db) =>
    db.selectFrom(table).select('priceLocked').where('id', '=', id).executeTakeFirstOrThrow(),
  );

it.each(TABLES)(
  'an upgrade takes the creator of %s from the audit log, and otherwise leaves it unknown',
  async (table) => {
    const row = first(table);
    note(row, { action: MADE_BY[table], actor: 'a member' });
    const rows = await creators(table);
    expect(rows.find(({ id }) => id === row.id)).toMatchObject({ kind: 'user', by: 'a member' });
    const others = rows.filter(({ id }) => id !== row.id);
    expect(others.filter(({ kind, by }) => kind !== null || by !== null)).toEqual([]);
  },
);

it('an upgrade does not record a user as creator whose create request was a repeat or was refused', async () => {
  const row = first('payments');
  note(row, { action: MADE_BY.payments, actor: 'a member', afterMs: 1 });
  note(row, { action: MADE_BY.payments, actor: 'a member', result: 'FORBIDDEN' });
  expect(await creators('payments')).toEqual(expect.arrayContaining([{ id: row.id, kind: null, by: null }]));
});

it.each(['payments', 'payment_links'] as const)(
  'an upgrade lets clerks change the prices of %s that members created and the owner did not change',
  async (table) => {
    const row = first(table);
    note(row, { action: MADE_BY[table], actor: 'a member' });
    expect(await locked(table, row.id)).toEqual({ priceLocked: false });
  },
);

it('an upgrade does not let clerks change prices set by the owner or by unknown users', async () => {
  const row = first('payments');
  expect(await locked('payments', row.id)).toEqual({ priceLocked: true });
});

it('an upgrade does not let clerks change a price that the owner changed later', async () => {
  const row = first('payments');
  note(row, { action: MADE_BY.payments, actor: 'a member' });
  note(row, { action: 'PATCH /payment/update', actor: row.owner, afterMs: 1_000 });
  expect(await locked('payments', row.id)).toEqual({ priceLocked: true });
});
