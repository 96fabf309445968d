import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Db } from '../../../src/store/sqlite/database.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { EARLIER_DATABASES, layOut } from '../../_helpers/earlier-databases.ts';

/** A database whose every table has rows, made before revocations were kept. */
const EARLIER = EARLIER_DATABASES.findLast((name) => name < '0048') ?? '';

let dir: string;
let db: Db;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-revocations-'));
  layOut(EARLIER, dir, 9);
  ({ db } = await openDatabase(join(dir, 'tilld.sqlite')));
});
afterEach(async () => {
  await db.database.close();
  rmSync(dir, { recursive: true, force: true });
});

const kinds = async () =>
  (await db.selectFrom('revocations').select('kind').execute()).map(({ kind }) => kind);

/** Each statement by which something is revoked, whatever code runs it. */
const STATEMENTS: readonly (readonly [string, string])[] = [
  ['DELETE FROM api_keys', 'key'],
  ['UPDATE api_keys SET expires_at = 4102444800000', 'retired-key'],
  ['DELETE FROM restricted_keys', 'key'],
  ['DELETE FROM members', 'member'],
  [`UPDATE members SET role = 'bookkeeper'`, 'role'],
  ['DELETE FROM passkeys', 'passkey'],
  ['DELETE FROM webhook_endpoints', 'endpoint'],
  [`UPDATE webhook_endpoints SET secret_sealed = 'another'`, 'endpoint-secret'],
  ['UPDATE merchants SET webhook_url = NULL', 'webhook-url'],
  [`UPDATE merchants SET webhook_secret_sealed = 'another'`, 'webhook-secret'],
  ['UPDATE users SET token_version = token_version + 1', 'tokens'],
];

describe('a database that is upgraded to the list of revocations', () => {
  it('has neither revocations nor suspended shops after the upgrade', async () => {
    expect(await kinds()).toEqual([]);
    const rows = await db.selectFrom('merchants').select('suspendedAt').execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ suspendedAt }) => suspendedAt === null)).toBe(true);
  });

  it.each(STATEMENTS)('records a revocation on %s', async (statement, kind) => {
    await sql.raw(statement).execute(db);
    const found = await kinds();
    expect(found.length).toBeGreaterThan(0);
    expect([...new Set(found)]).toEqual([kind]);
  });

  it('records a revocation when the device of a counter is replaced or disconnected, once each', async () => {
    await sql`INSERT INTO counters (id, merchant_id, name, currency, tips_json, favourites_json, token_hash, created_at,
        updated_at)
      SELECT 'ctr_1', id, 'Till', 'EUR', '[]', '[]', 'first', 1, 1 FROM merchants LIMIT 1`.execute(db);
    await sql`UPDATE counters SET name = 'Till 1', token_hash = token_hash`.execute(db);
    expect(await kinds()).toEqual([]);
    await sql`UPDATE counters SET token_hash = 'second'`.execute(db);
    await sql`UPDATE counters SET token_hash = NULL`.execute(db);
    const rows = await db.selectFrom('revocations').select(['kind', 'subject']).orderBy('seq').execute();
    expect(rows).toEqual([
      { kind: 'counter', subject: 'ctr_1/first' },
      { kind: 'counter', subject: 'ctr_1/second' },
    ]);
  });

  it('records no revocation on other changes', async () => {
    await sql`UPDATE members SET role = role`.execute(db);
    await sql`UPDATE users SET updated_at = updated_at + 1`.execute(db);
    await sql`UPDATE api_keys SET last_used_at = 1`.execute(db);
    await sql`UPDATE webhook_endpoints SET active = 0, gone_at = 1, secret_sealed = secret_sealed`.execute(
      db,
    );
    await sql`UPDATE merchants SET webhook_url = 'https://new.example/'`.execute(db);
    await sql`UPDATE merchants SET name = 'New', webhook_secret_sealed = webhook_secret_sealed`.execute(db);
    expect(await kinds()).toEqual([]);
  });
});
