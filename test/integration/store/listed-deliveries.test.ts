/** Facts that earlier databases lack: which deliveries were sent again, and how many there are. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { listDeliveries } from '../../../src/store/webhooks/delivery-list.ts';
import { layOut } from '../../_helpers/earlier-databases.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-listed-'));
  path = join(dir, 'tilld.sqlite');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

interface Before {
  readonly id: string;
  readonly merchant_id: string;
  readonly type: string;
  readonly mode: string;
}

it('an upgrade lists each webhook event once per endpoint, with its type, however often it was redelivered', async () => {
  layOut('0032-receipt-mails.json.gz', dir);
  const old = new Sqlite(path);
  const before = old
    .prepare<[], Before>(
      `SELECT d.id, d.merchant_id, e.type, e.mode FROM deliveries AS d JOIN events AS e ON e.id = d.event_id
        ORDER BY d.created_at DESC, d.id DESC`,
    )
    .all();
  const again = before[1];
  for (const number of [1, 2]) {
    const row = old.prepare('SELECT * FROM deliveries WHERE id = ?').get(again?.id) as Record<
      string,
      unknown
    >;
    const id = `dlv_again${number}`;
    const repeat = { ...row, id, order_key: id, created_at: Date.now() + 1e9 + number, status: 'failed' };
    const names = Object.keys(repeat);
    old
      .prepare(`INSERT INTO deliveries (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`)
      .run(repeat);
  }
  old.close();
  const { db, close } = await openDatabase(path).then((it) => ({ db: it.db, close: async () => it.close() }));
  try {
    const merchantId = again?.merchant_id ?? '';
    const { deliveries, total } = await listDeliveries(db, { merchantId, page: 1, limit: 100 });
    const expected = before.filter((each) => each.merchant_id === merchantId && each.id !== again?.id);
    expect(deliveries.map(({ id, eventType }) => [id, eventType])).toEqual([
      ['dlv_again2', again?.type],
      ...expected.map(({ id, type }) => [id, type]),
    ]);
    expect(total).toBe(expected.length + 1);
  } finally {
    await close();
  }
});
