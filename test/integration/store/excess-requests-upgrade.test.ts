/** Shops and refund links of earlier databases: the upgrade lets payers request an excess, and knows no request yet. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { EARLIER_DATABASES, integrity, layOut, reading } from '../../_helpers/earlier-databases.ts';

const COUNT =
  'SELECT (SELECT count(*) FROM refund_links) AS links, (SELECT count(*) FROM merchants) AS shops';

it('an upgrade adds the setting for excess requests to every shop, and the requester to every refund link', async () => {
  for (const name of EARLIER_DATABASES) {
    const dir = mkdtempSync(join(tmpdir(), 'tilld-excess-'));
    try {
      layOut(name, dir, 9);
      const path = join(dir, 'tilld.sqlite');
      const hasLinks = reading(path, (db) =>
        db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'refund_links'`).get(),
      );
      const before = hasLinks === undefined ? undefined : reading(path, (db) => db.prepare(COUNT).get());
      await (await openDatabase(path)).close();
      const [after, shops, links] = reading(path, (db) => [
        db.prepare(COUNT).get(),
        db.prepare('SELECT DISTINCT payer_may_ask_excess AS may FROM merchants').all(),
        db.prepare(`SELECT count(*) AS count FROM refund_links WHERE requested_by <> 'merchant'`).get(),
      ]);
      if (before !== undefined) expect([name, after]).toEqual([name, before]);
      expect([name, shops, links]).toEqual([name, [{ may: 1 }], { count: 0 }]);
      const db = new Sqlite(path);
      expect(() => db.exec('UPDATE merchants SET payer_may_ask_excess = 2')).toThrow(/CHECK/);
      db.close();
      expect(integrity(path)).toEqual(['ok']);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
});
