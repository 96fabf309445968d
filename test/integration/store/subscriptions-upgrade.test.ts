/** Shops and products of earlier databases: the upgrade gives them the settings of subscriptions and the new interval. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { EARLIER_DATABASES, integrity, layOut, reading } from '../../_helpers/earlier-databases.ts';

const PRODUCTS = 'SELECT * FROM products ORDER BY id';

it('an upgrade keeps products, allows quarterly prices, and gives shops the default settings of subscriptions', async () => {
  for (const name of EARLIER_DATABASES) {
    const dir = mkdtempSync(join(tmpdir(), 'tilld-subscriptions-'));
    try {
      layOut(name, dir, 9);
      const path = join(dir, 'tilld.sqlite');
      const before = reading(path, (db) => db.prepare(PRODUCTS).all());
      await (await openDatabase(path)).close();
      const [after, settings] = reading(path, (db) => [
        db.prepare(PRODUCTS).all(),
        db.prepare('SELECT DISTINCT invoice_lead_days, grace_days, excess_to_credit FROM merchants').all(),
      ]);
      expect([name, after.length, after]).toEqual([name, before.length, before]);
      expect(settings).toEqual([{ invoice_lead_days: 7, grace_days: 7, excess_to_credit: 1 }]);
      const db = new Sqlite(path);
      db.exec(`UPDATE products SET recurring = 1, recurring_interval = 'quarterly'`);
      expect(db.pragma('foreign_key_check')).toEqual([]);
      db.close();
      expect(integrity(path)).toEqual(['ok']);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
});
