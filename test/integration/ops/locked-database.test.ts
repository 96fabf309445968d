import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let shop: Shop;

beforeAll(async () => {
  till = await Till.start();
  shop = await Shop.open(till.api);
  await till.ready();
});
afterAll(async () => till.end());

test('writes fail with an error while a SQLite shell has an open transaction, reads continue, and writes succeed afterwards', async () => {
  const shell = new Database(join(till.dataDir, 'tilld.sqlite'));
  shell.exec('BEGIN IMMEDIATE');
  const email = 'in-between@example.com';
  const create = async (): Promise<Response> =>
    fetch(`${till.api.baseUrl}/merchant/customer/create`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${shop.token}`,
        'content-type': 'application/json',
        'idempotency-key': 'once',
      },
      body: JSON.stringify({ email }),
    });
  const created = create();
  let answered = 0;
  const reading = new AbortController();
  const reads = (async () => {
    while (!reading.signal.aborted) {
      const { status } = await till.api.call('GET', '/merchant/customer/list', { token: shop.token });
      expect(status).toBe(200);
      answered += 1;
    }
  })();
  const answer = await created;
  // Long after the refusal, and while further writes are refused: no read waits for more than one of them.
  let refused = 0;
  await eventually(
    'reads',
    async () => {
      expect((await create()).status).toBe(503);
      refused += 1;
      return answered;
    },
    (count) => count > 20,
  );
  expect(answered).toBeGreaterThanOrEqual(refused);
  reading.abort();
  await reads;
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('5');
  expect(await answer.json()).toMatchObject({ success: false, error: { code: 'DATABASE_UNAVAILABLE' } });
  const state = await till.api.call('GET', '/readyz');
  expect([state.status, state.body.data['database']]).toEqual([503, 'locked by another process']);
  const unwritable = async (): Promise<string[]> =>
    (await (await fetch(`${till.api.baseUrl}/metrics`)).text())
      .split('\n')
      .filter((line) => line.startsWith('tilld_database_unwritable'));
  expect(await unwritable()).toEqual(['tilld_database_unwritable{reason="locked by another process"} 1']);
  shell.exec('ROLLBACK');
  shell.close();
  await till.ready();
  expect((await unwritable()).filter((line) => line.endsWith(' 0'))).toHaveLength(1);
  expect((await till.api.call('GET', '/readyz')).body.data['database']).toBe('ok');
  const again = await create();
  expect(again.status).toBe(201);
  const replayed = await create();
  expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  const { customers } = await till.api.must<{ customers: { email: string }[] }>(
    'GET',
    `/merchant/customer/list?search=${encodeURIComponent(email)}`,
    { token: shop.token },
  );
  expect(customers).toHaveLength(1);
});
