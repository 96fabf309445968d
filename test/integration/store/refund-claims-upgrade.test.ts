import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Db } from '../../../src/store/sqlite/database.ts';
import { PRE_RELEASE } from '../../../src/store/schema/pre-release/migrations.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-claims-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const RETURNED_AT = 100;

async function payment(
  db: Db,
  id: string,
  by: 'merchant' | 'refunds' | null,
  outputs: readonly (readonly [coin: string, amount: string, state: string, seenAt: number])[],
): Promise<void> {
  const at = by === null ? null : RETURNED_AT;
  await sql`INSERT INTO payments (id, merchant_id, customer_id, order_id, mode, status, amount, currency,
    allowed_cryptos_json, tolerance_bps, late_policy, request_hash, sequence, created_at, expires_at, updated_at,
    refunded_at, refunded_by)
    VALUES (${id}, 'm', 'c', ${id}, 'live', 'refunded', '1', 'USD', '[]', 0, 'accept', '', 0, 0, 0, 0,
    ${at}, ${by})`.execute(db);
  for (const [vout, [coin, amount, state, seenAt]] of outputs.entries()) {
    await sql`INSERT INTO outputs (coin, mode, txid, vout, address_id, merchant_id, payment_id, amount, state, height,
      maturity, first_seen_at, late, updated_at)
      VALUES (${coin}, 'live', ${id}, ${vout}, 1, 'm', ${id}, ${amount}, ${state}, ${state === 'confirmed' ? 1 : null}, 1, ${seenAt}, 0, 0)`.execute(
      db,
    );
  }
}

async function link(db: Db, id: string, status: 'open' | 'claimed'): Promise<void> {
  const [coin, claimed] = status === 'open' ? [null, null] : ['LTC', '5'];
  await sql`INSERT INTO refund_links (id, merchant_id, payment_id, token_hash, token_sealed, amount, currency, rate,
    amounts_json, approval, deduct_fee, status, coin, claimed, destination, created_at, updated_at, expires_at)
    VALUES (${id}, 'm', 'elsewhere', ${id}, '', '1', 'USD', 'received', '{}', 1, 0, ${status}, ${coin}, ${claimed},
    ${coin === null ? null : 'an address'}, 0, 0, 0)`.execute(db);
}

it('an upgrade adds refunds made outside tilld to the totals, and lists refund claims that need approval', async () => {
  const path = join(dir, 'tilld.sqlite');
  const before = Object.fromEntries(Object.entries(PRE_RELEASE).filter(([name]) => name < '0021'));
  const old = await openDatabase(path, { migrations: before });
  await sql`PRAGMA foreign_keys = OFF`.execute(old.db);
  await payment(old.db, 'elsewhere', 'merchant', [
    ['ETH', '999999999999999999999999999', 'confirmed', 10],
    ['ETH', '1', 'unconfirmed', RETURNED_AT],
    ['BTC', '7', 'confirmed', 20],
    ['BTC', '50', 'gone', 20],
    ['BTC', '900', 'confirmed', RETURNED_AT + 1],
  ]);
  await payment(old.db, 'by refunds', 'refunds', [['BTC', '7', 'confirmed', 20]]);
  await payment(old.db, 'kept', null, [['BTC', '7', 'confirmed', 20]]);
  await link(old.db, 'open', 'open');
  await link(old.db, 'claimed', 'claimed');
  await old.close();

  const { db, close } = await openDatabase(path).then((it) => ({ db: it.db, close: () => it.close() }));
  const payments = await db.selectFrom('payments').select(['id', 'returnedJson']).orderBy('id').execute();
  expect(payments.map(({ id, returnedJson: json }) => [id, json === null ? null : JSON.parse(json)])).toEqual(
    [
      ['by refunds', null],
      ['elsewhere', { BTC: '7', ETH: (10n ** 27n).toString() }],
      ['kept', null],
    ],
  );
  const links = await db
    .selectFrom('refund_links')
    .select(['id', 'claimId', 'claimChecked', 'preset', 'reopenedBy'])
    .orderBy('id')
    .execute();
  expect(links).toEqual([
    {
      id: 'claimed',
      claimId: expect.stringMatching(/^rcl_[0-9a-f]{24}$/) as string,
      claimChecked: true,
      preset: null,
      reopenedBy: null,
    },
    { id: 'open', claimId: null, claimChecked: false, preset: null, reopenedBy: null },
  ]);
  await close();
});
