import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { EARLIER_DATABASES, layOut, reading } from '../../_helpers/earlier-databases.ts';

const BEFORE_BUDGETS = EARLIER_DATABASES.filter((name) => name < '0038');
const NEWEST = '0033-listed-deliveries.json.gz';

interface Row {
  readonly id: string;
  readonly max_fee: string | null;
  readonly dearest: string;
}

const ROWS = `SELECT id, max_fee,
  (SELECT max(CAST(fee AS INTEGER)) FROM send_versions WHERE send_id = sends.id) AS dearest
  FROM sends WHERE EXISTS (SELECT 1 FROM send_versions WHERE send_id = sends.id)`;

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-budgets-'));
  path = join(dir, 'tilld.sqlite');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const rows = () => reading(path, (db) => db.prepare<[], Row>(ROWS).all());

/** Brings a fixture up to date, after a look at its rows or a change of them. */
async function upgraded(
  name: string,
  before: (db: Sqlite.Database) => unknown = () => undefined,
): Promise<ReadonlyMap<string, Row>> {
  layOut(name, dir);
  const db = new Sqlite(path);
  db.pragma('foreign_keys = OFF');
  before(db);
  db.close();
  await (await openDatabase(path)).close();
  return new Map(rows().map((row) => [row.id, row]));
}

/** The fixture's send of a coin in a status. */
function sendOf(coin: string, status: string): string {
  const found = reading(path, (db) =>
    db.prepare('SELECT id FROM sends WHERE coin = ? AND status = ?').pluck().get(coin, status),
  );
  return String(found);
}

describe.each(BEFORE_BUDGETS)('sends of the database after %s', (name) => {
  it('get a fee budget that covers every signed version and every limit that their request set', async () => {
    const ordered = new Map<string, string | null>();
    const after = await upgraded(name, (db) => {
      if (name < '0006') return;
      for (const { id, max_fee: limit } of db.prepare<[], Row>(ROWS).all()) ordered.set(id, limit);
    });
    expect(after.size).toBeGreaterThan(0);
    for (const { id, max_fee: budget, dearest } of after.values()) {
      expect(BigInt(budget ?? -1)).toBeGreaterThanOrEqual(BigInt(dearest));
      expect(BigInt(budget ?? -1)).toBeGreaterThanOrEqual(BigInt(ordered.get(id) ?? 0));
    }
  });
});

describe('sends in flight at the upgrade', () => {
  it('keep the fee budget of their request, or else get the default share of their amount', async () => {
    const after = await upgraded(NEWEST);
    expect(after.get(sendOf('BTC', 'broadcast'))?.max_fee).toBe('100000');
    expect(after.get(sendOf('ETH', 'broadcast'))?.max_fee).toBe('100000000000000');
    expect(after.get(sendOf('SOL', 'signed'))?.max_fee).toBe('1000000');
  });

  it('keep their fee as the budget within the wallet, and get a twentieth of the amount on Ethereum and Solana', async () => {
    const after = await upgraded(NEWEST, (db) =>
      db.exec(`UPDATE sends SET purpose = 'sweep', max_fee = NULL`),
    );
    expect(after.get(sendOf('BTC', 'broadcast'))?.max_fee).toBe('8460');
    expect(after.get(sendOf('ETH', 'broadcast'))?.max_fee).toBe('50000000000000');
    expect(after.get(sendOf('SOL', 'signed'))?.max_fee).toBe('500000');
  });

  it('get the refunded amount as their fee budget when a refund claim created them', async () => {
    const claim = `INSERT INTO refunds (send_id, payment_id, coin, amount, created_at, link_id)
      SELECT sends.id, payments.id, sends.coin, '9000', 0, 'rfl_x'
      FROM sends, payments WHERE sends.coin = 'BTC' AND sends.status = 'broadcast' LIMIT 1`;
    const after = await upgraded(NEWEST, (db) => db.exec(`UPDATE sends SET max_fee = NULL; ${claim}`));
    expect(after.get(sendOf('BTC', 'broadcast'))?.max_fee).toBe('9000');
  });
});

describe('the database schema of sends', () => {
  const version = `INSERT INTO send_versions (send_id, version, coin, mode, txid, raw, fee, fee_rate, plan_json, created_at)
    SELECT send_id, 99, coin, mode, 'other', raw, @fee, fee_rate, plan_json, created_at
    FROM send_versions WHERE send_id = @id LIMIT 1`;

  it('rejects a version above the fee budget and a budget below a version, whatever program writes them', async () => {
    await upgraded(NEWEST);
    const id = sendOf('BTC', 'broadcast');
    const db = new Sqlite(path);
    const insert = db.prepare(version);
    expect(() => insert.run({ id, fee: '100001' })).toThrow(/costs more than the fee budget/);
    // Longer than what fits 64 bits.
    expect(() => insert.run({ id, fee: '9'.repeat(30) })).toThrow(/costs more than the fee budget/);
    const lower = db.prepare(`UPDATE sends SET max_fee = '8459' WHERE id = ?`);
    expect(() => lower.run(id)).toThrow(/below a version/);
    expect(insert.run({ id, fee: '100000' }).changes).toBe(1);
    db.close();
  });
});
