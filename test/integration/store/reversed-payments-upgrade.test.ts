/** Payments of earlier databases whose money was reversed: the upgrade names them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { EARLIER_DATABASES, layOut, reading } from '../../_helpers/earlier-databases.ts';

const WITHOUT_MONEY = `SELECT payments.id FROM payments
  WHERE status IN ('pending', 'expired', 'cancelled', 'failed') AND superseded_by IS NULL
    AND (exception IS NULL OR exception = 'reversed')
    AND id IN (SELECT payment_id FROM outputs WHERE state = 'gone')
    AND id NOT IN (SELECT payment_id FROM outputs WHERE state <> 'gone' AND payment_id IS NOT NULL)
  ORDER BY id`;

it('an upgrade marks exactly the payments as reversed whose received money was dropped', async () => {
  let count = 0;
  for (const name of EARLIER_DATABASES) {
    const dir = mkdtempSync(join(tmpdir(), 'tilld-reversed-'));
    try {
      layOut(name, dir, 9);
      const path = join(dir, 'tilld.sqlite');
      await (await openDatabase(path)).close();
      const [without, named] = reading(path, (db) => [
        db.prepare(WITHOUT_MONEY).pluck().all(),
        db.prepare(`SELECT id FROM payments WHERE exception = 'reversed' ORDER BY id`).pluck().all(),
      ]);
      expect([name, named]).toEqual([name, without]);
      count += named.length;
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  expect(count).toBeGreaterThan(0);
});
