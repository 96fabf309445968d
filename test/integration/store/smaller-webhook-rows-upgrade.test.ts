/** Webhook logs from before compression: the upgrade keeps every exchange, and the order of pending deliveries alone. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { EARLIER_DATABASES, layOut, reading } from '../../_helpers/earlier-databases.ts';

interface Exchange {
  readonly id: string;
  readonly request: string;
  readonly response: string;
}

const EXCHANGES =
  'SELECT id, request_json AS request, response_json AS response FROM webhook_logs ORDER BY id';
const ORDERED = 'SELECT id, order_key AS orderKey, origin FROM deliveries ORDER BY id';

it('an upgrade keeps request and response of every webhook log, and the order key of pending deliveries', async () => {
  let count = 0;
  for (const name of EARLIER_DATABASES) {
    const dir = mkdtempSync(join(tmpdir(), 'tilld-smaller-'));
    try {
      layOut(name, dir, 9);
      const path = join(dir, 'tilld.sqlite');
      const exchanges = reading(path, (db) => db.prepare<[], Exchange>(EXCHANGES).all());
      const [pending, ...settled] = reading(path, (db) => db.prepare<[], { id: string }>(ORDERED).all());
      if (pending !== undefined) {
        const db = new Sqlite(path);
        db.prepare("UPDATE deliveries SET status = 'pending' WHERE id = ?").run(pending.id);
        db.prepare("UPDATE deliveries SET status = 'delivered' WHERE id <> ?").run(pending.id);
        db.close();
      }
      const database = await openDatabase(path);
      const logs = await database.db
        .selectFrom('webhook_logs')
        .select(['id', 'exchangeJson as exchange'])
        .orderBy('id')
        .execute();
      await database.close();
      expect([name, logs]).toEqual([
        name,
        exchanges.map(({ id, request, response }) => ({
          id,
          exchange: `{"request":${request},"response":${response}}`,
        })),
      ]);
      for (const { exchange } of logs)
        expect(Object.keys(JSON.parse(exchange ?? '{}') as object)).toEqual(['request', 'response']);
      const after = reading(path, (db) => db.prepare(ORDERED).all());
      const forgotten = settled.map(({ id }) => ({ id, orderKey: '', origin: '' }));
      expect(after).toEqual(pending === undefined ? [] : [pending, ...forgotten]);
      count += logs.length;
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  expect(count).toBeGreaterThan(10);
});
