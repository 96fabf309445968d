/** Bodies of events from before compression: the upgrade keeps every byte, and those that were emptied become null. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { EARLIER_DATABASES, layOut, reading } from '../../_helpers/earlier-databases.ts';

const forgotten = (body: string): string =>
  JSON.stringify({ ...(JSON.parse(body) as object), data: {}, truncated: true });

it('an upgrade keeps the body of every event, except bodies that retention had removed', async () => {
  let count = 0;
  for (const name of EARLIER_DATABASES) {
    const dir = mkdtempSync(join(tmpdir(), 'tilld-compressed-'));
    try {
      layOut(name, dir, 9);
      const path = join(dir, 'tilld.sqlite');
      const before = reading(path, (db) =>
        db
          .prepare<[], { seq: number; body: string }>(
            'SELECT seq, body_json AS body FROM events ORDER BY seq',
          )
          .all(),
      );
      const [emptied] = before;
      if (emptied !== undefined) {
        const db = new Sqlite(path);
        db.prepare('UPDATE events SET body_json = ? WHERE seq = ?').run(forgotten(emptied.body), emptied.seq);
        db.close();
      }
      const database = await openDatabase(path);
      const after = await database.db
        .selectFrom('events')
        .select(['seq', 'bodyJson as body'])
        .orderBy('seq')
        .execute();
      await database.close();
      const expected = before.map((event) => (event === emptied ? { ...event, body: null } : event));
      expect([name, after]).toEqual([name, expected]);
      count += after.length;
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  expect(count).toBeGreaterThan(10);
});
