import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listQueue } from '../../../src/store/sends/send-queue.ts';
import { PRE_RELEASE } from '../../../src/store/schema/pre-release/migrations.ts';
import type { Db } from '../../../src/store/sqlite/database.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-queue-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

interface OldSend {
  readonly id: string;
  readonly status?: 'broadcast' | 'confirmed';
  readonly at: number;
  readonly inputs: Readonly<Record<string, string>>;
  readonly change?: string;
  readonly destination?: string;
}

async function insertOld(db: Db, { id, status = 'broadcast', at, inputs, ...send }: OldSend): Promise<void> {
  const destination = send.destination ?? 'payee';
  const height = status === 'confirmed' ? 5 : null;
  const plan = {
    inputs: Object.entries(inputs).map(([address, amount]) => ({ address, amount })),
    destination,
    amount: '70',
    change: send.change === undefined ? null : { address: 'own', amount: send.change },
  };
  await sql`INSERT INTO sends (id, merchant_id, coin, mode, destination, subtract_fee, ordered, amount, fee, purpose,
    status, txid, version, height, created_at, updated_at, broadcasts)
    VALUES (${id}, 'm', 'SOL', 'live', ${destination}, 0, '70', '70', '5', 'send', ${status}, ${id}, 1, ${height},
    ${at}, ${at}, 1)`.execute(db);
  await sql`INSERT INTO send_versions (send_id, version, coin, mode, txid, raw, fee, fee_rate, plan_json, created_at)
    VALUES (${id}, 1, 'SOL', 'live', ${id}, '', '5', '1', ${JSON.stringify(plan)}, ${at})`.execute(db);
}

it('an upgrade queues the open sends from a merchant address and those to it', async () => {
  const path = join(dir, 'tilld.sqlite');
  const before = Object.fromEntries(Object.entries(PRE_RELEASE).filter(([name]) => name < '0034'));
  const old = await openDatabase(path, { migrations: before });
  await sql`PRAGMA foreign_keys = OFF`.execute(old.db);
  await sql`INSERT INTO addresses (merchant_id, coin, mode, branch, idx, purpose, address, watch_key, created_at)
    VALUES ('m', 'SOL', 'live', 0, 0, 'wallet', 'own', 'own', 0)`.execute(old.db);
  await insertOld(old.db, { id: 'pays in', at: 2, inputs: { deposit: '100' }, change: '25' });
  await insertOld(old.db, { id: 'draws', at: 1, inputs: { own: '100' }, change: '25' });
  await insertOld(old.db, { id: 'gathers', at: 3, inputs: { deposit: '75' }, destination: 'own' });
  await insertOld(old.db, { id: 'elsewhere', at: 4, inputs: { deposit: '75' } });
  await insertOld(old.db, { id: 'over', at: 0, status: 'confirmed', inputs: { own: '75' } });
  await old.close();

  const upgraded = await openDatabase(path);
  const { db } = upgraded;
  expect(await listQueue(db, 'own')).toEqual([
    { id: 'draws', position: 1, isQueued: false, isPossiblyPaid: false, balanceChange: -75n, txid: 'draws' },
    {
      id: 'pays in',
      position: 2,
      isQueued: false,
      isPossiblyPaid: false,
      balanceChange: 25n,
      txid: 'pays in',
    },
    {
      id: 'gathers',
      position: 3,
      isQueued: false,
      isPossiblyPaid: false,
      balanceChange: 70n,
      txid: 'gathers',
    },
  ]);
  const others = await db
    .selectFrom('sends')
    .select(['queueAccount', 'queued', 'unfundedSince'])
    .where('id', 'in', ['over', 'elsewhere'])
    .execute();
  expect(others).toEqual([
    { queueAccount: null, queued: false, unfundedSince: null },
    { queueAccount: null, queued: false, unfundedSince: null },
  ]);
  await upgraded.close();
});
