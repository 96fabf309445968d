import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { layOut, reading } from '../../_helpers/earlier-databases.ts';

const BEFORE = '0048-revocations.json.gz';
type Row = Record<string, string | number | null>;

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-shared-'));
  path = join(dir, 'tilld.sqlite');
  layOut(BEFORE, dir);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function insert(db: Sqlite.Database, table: string, row: Row): void {
  const names = Object.keys(row);
  const values = names.map((name) => `@${name}`).join(', ');
  db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${values})`).run(row);
}

/** A BTC send like one of the fixture, with a version for each fee. */
function addSend(db: Sqlite.Database, id: string, fees: readonly string[], change: Row = {}): void {
  const like = db.prepare<[], Row>(`SELECT * FROM sends WHERE coin = 'BTC' AND version = 1 LIMIT 1`).get();
  const version = db.prepare<[], Row>(`SELECT * FROM send_versions WHERE coin = 'BTC' LIMIT 1`).get();
  const { rowid: _, ...columns } = like ?? {};
  const own = { id, idempotency_key: null, draws_on: null, part_of: null, height: null, txid: `${id}-1` };
  insert(db, 'sends', { ...columns, ...own, version: fees.length, fee: fees[0] ?? '0', ...change });
  fees.forEach((fee, at) => {
    const number = { send_id: id, version: at + 1, txid: `${id}-${at + 1}`, fee };
    insert(db, 'send_versions', { ...version, ...number });
  });
}

async function upgraded(before: (db: Sqlite.Database) => void): Promise<ReadonlyMap<string, Row>> {
  const db = new Sqlite(path);
  db.pragma('foreign_keys = OFF');
  before(db);
  db.close();
  await (await openDatabase(path)).close();
  const rows = reading(path, (opened) =>
    opened.prepare<[], Row>('SELECT id, max_fee, draws_on, draws_on_version FROM sends').all(),
  );
  return new Map(rows.map((row) => [String(row['id']), row]));
}

const read = () => reading(path, (db) => db.prepare('SELECT id, max_fee FROM sends ORDER BY id').all());
const OPEN = { status: 'broadcast', purpose: 'sweep' };

describe('sends of a database from before shared fee budgets', () => {
  it('keep their separate fee budgets when none spends an output of another', async () => {
    const before = read();
    const after = await upgraded(() => undefined);
    expect(read()).toEqual(before);
    expect([...after.values()].every((row) => row['draws_on'] === null)).toBe(true);
  });

  it('share one fee budget with their consolidations, which covers all signed versions', async () => {
    const after = await upgraded((db) => {
      const parts = { parts: 2, parts_confirmed: 2, parts_fee: '500' };
      addSend(db, 'whole', ['900'], { status: 'broadcast', max_fee: '1000', ...parts });
      addSend(db, 'one', ['300', '700'], { ...OPEN, max_fee: '700', part_of: 'whole' });
      addSend(db, 'two', ['200'], { ...OPEN, max_fee: '200', part_of: 'whole' });
      addSend(db, 'dead', ['200'], { ...OPEN, max_fee: '200', part_of: 'whole', status: 'failed' });
      const preparing = { status: 'preparing', max_fee: '5000', parts: 3, parts_fee: '100', txid: null };
      addSend(db, 'unsigned', [], preparing);
      addSend(db, 'early', ['100'], { ...OPEN, max_fee: '400', part_of: 'unsigned' });
    });
    expect(after.get('whole')).toMatchObject({ max_fee: '1800', draws_on: null });
    expect(after.get('one')).toMatchObject({ max_fee: '700', draws_on: 'whole', draws_on_version: null });
    expect(after.get('unsigned')).toMatchObject({ max_fee: '5000' });
    expect(after.get('early')).toMatchObject({ max_fee: '400', draws_on: 'unsigned' });
  });

  it('share the fee budget of the first send of their chain, also a child in flight without a recorded parent', async () => {
    const after = await upgraded((db) => {
      addSend(db, 'parent', ['300'], { status: 'broadcast', max_fee: '1000' });
      addSend(db, 'child', ['400'], { ...OPEN, max_fee: '600', draws_on: 'parent' });
      addSend(db, 'grandchild', ['100'], { ...OPEN, max_fee: '200', draws_on: 'child' });
      addSend(db, 'other', ['300'], { status: 'broadcast', max_fee: '350' });
      addSend(db, 'unnoted', ['400'], { ...OPEN, max_fee: '400' });
      const output = db.prepare<[], Row>(`SELECT * FROM outputs WHERE coin = 'BTC' LIMIT 1`).get();
      const change = { seq: null, txid: 'other-1', vout: 1, state: 'unconfirmed', spent_by: null };
      insert(db, 'outputs', { ...output, ...change, height: null, payment_id: null, send_id: 'unnoted' });
    });
    const drawing = { draws_on: 'parent', draws_on_version: 1 };
    expect(after.get('child')).toMatchObject({ max_fee: '600', ...drawing });
    expect(after.get('grandchild')).toMatchObject({ max_fee: '200', ...drawing });
    expect(after.get('parent')).toMatchObject({ max_fee: '1000' });
    expect(after.get('unnoted')).toMatchObject({ draws_on: 'other', draws_on_version: 1 });
    expect(after.get('other')).toMatchObject({ max_fee: '700' });
  });

  it('cannot get a version above the shared fee budget, nor a lower budget, whatever program writes them', async () => {
    await upgraded((db) => {
      const parts = { parts: 1, parts_fee: '500' };
      addSend(db, 'whole', ['900'], { status: 'broadcast', max_fee: '1000', ...parts });
      addSend(db, 'one', ['500'], { ...OPEN, max_fee: '9000', part_of: 'whole' });
    });
    const db = new Sqlite(path);
    const version = db.prepare<[], Row>(`SELECT * FROM send_versions WHERE send_id = 'one'`).get();
    const raised = { ...version, version: 2, txid: 'raised' };
    expect(() => insert(db, 'send_versions', { ...raised, fee: '601' })).toThrow(
      /budget that its send shares/,
    );
    insert(db, 'send_versions', { ...raised, fee: '600' });
    expect(() => db.exec(`UPDATE sends SET max_fee = '1499' WHERE id = 'whole'`)).toThrow(/signed within it/);
    db.exec(`UPDATE sends SET max_fee = '1500' WHERE id = 'whole'`);
    db.close();
  });
});
