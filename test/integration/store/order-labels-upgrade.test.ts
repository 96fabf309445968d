/** Payments of earlier databases are shown by their order ids. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { EARLIER_DATABASES, layOut, reading } from '../../_helpers/earlier-databases.ts';

const BEFORE = EARLIER_DATABASES.filter((name) => name < '0065');

it.each(BEFORE)('an upgrade from %s leaves payments without an order label', async (name) => {
  const dir = mkdtempSync(join(tmpdir(), 'tilld-order-labels-'));
  try {
    layOut(name, dir, 9);
    const path = join(dir, 'tilld.sqlite');
    await (await openDatabase(path)).close();
    const labels = reading(path, (db) =>
      db.prepare('SELECT DISTINCT order_label FROM payments').pluck().all(),
    );
    expect(labels).toEqual([null]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
