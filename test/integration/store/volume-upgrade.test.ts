import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Db } from '../../../src/store/sqlite/database.ts';
import { PRE_RELEASE } from '../../../src/store/schema/pre-release/migrations.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { findPayment, updatePayment } from '../../../src/store/payments/payments.ts';
import { sumVolume } from '../../../src/store/payments/volume.ts';
import { volumeByPayments } from '../../_helpers/volume-by-payments.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAY = 20_000 * DAY_MS;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-volume-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Prices with any decimals, money beyond 64 bits, in several coins, gone, and of a payment that is not completed. */
const SALES = [
  { amount: '12.5', currency: 'USD', at: DAY, status: 'completed', money: [['BTC', '9007199254740993']] },
  { amount: '12', currency: 'USD', at: DAY + 1, status: 'completed', money: [['BTC', '7']] },
  { amount: '999999999999.99', currency: 'USD', at: DAY + 5 * HOUR_MS, status: 'completed', money: [] },
  {
    amount: '1.2345',
    currency: 'CLF',
    at: DAY + 30 * HOUR_MS,
    status: 'completed',
    money: [
      ['ETH', '999999999999999999999999999'],
      ['ETH', '1'],
      ['SOL', '3'],
    ],
  },
  { amount: '5', currency: 'JPY', at: DAY + 30 * HOUR_MS, status: 'refunded', money: [['LTC', '5']] },
] as const;

async function fill(db: Db): Promise<void> {
  await sql`PRAGMA foreign_keys = OFF`.execute(db);
  for (const [number, { money, at, ...sale }] of SALES.entries()) {
    const id = `p${number}`;
    await sql`INSERT INTO payments (id, merchant_id, customer_id, order_id, mode, status, amount, currency,
      allowed_cryptos_json, tolerance_bps, late_policy, request_hash, sequence, created_at, expires_at, updated_at)
      VALUES (${id}, 'm', 'c', ${id}, 'live', ${sale.status}, ${sale.amount}, ${sale.currency}, '[]', 0, 'accept', '', 0,
      ${at}, ${at}, ${at})`.execute(db);
    for (const [vout, [coin, amount]] of money.entries()) {
      await sql`INSERT INTO outputs (coin, mode, txid, vout, address_id, merchant_id, payment_id, amount, state, height,
        maturity, first_seen_at, late, updated_at)
        VALUES (${coin}, 'live', ${id}, ${vout}, 1, 'm', ${id}, ${amount}, 'confirmed', 1, 1, ${at}, 0, ${at})`.execute(
        db,
      );
    }
  }
}

it('an upgrade keeps the volume that database triggers had added up, and continues from there', async () => {
  const path = join(dir, 'tilld.sqlite');
  const before = Object.fromEntries(Object.entries(PRE_RELEASE).filter(([name]) => name < '0010'));
  const old = await openDatabase(path, { migrations: before });
  await fill(old.db);
  await old.close();

  const upgraded = await openDatabase(path);
  const { db } = upgraded;
  const spans = [
    [DAY, DAY + DAY_MS],
    [DAY + DAY_MS, DAY + 2 * DAY_MS],
    [DAY, DAY + 2 * DAY_MS],
    [DAY + 1, DAY + 30 * HOUR_MS + 1],
  ] as const;
  const expectRight = async (): Promise<void> => {
    for (const [fromMs, beforeMs] of spans) {
      const filter = { merchantId: 'm', mode: 'live' as const, fromMs, beforeMs };
      const { coins, fiat } = await sumVolume(db, filter);
      const expected = await volumeByPayments(db, filter);
      expect(new Set(coins)).toEqual(new Set(expected.coins));
      expect(new Set(fiat)).toEqual(new Set(expected.fiat));
    }
  };
  await expectRight();
  const all = { merchantId: 'm', mode: 'live' as const, fromMs: DAY, beforeMs: DAY + 2 * DAY_MS };
  expect((await sumVolume(db, all)).coins).toContainEqual({ coin: 'ETH', atoms: 10n ** 27n, payments: 1 });
  await sql`PRAGMA foreign_keys = OFF`.execute(db);
  for (const id of ['p0', 'p3', 'p4']) {
    await db.transaction(async (tx) => {
      const payment = await findPayment(tx, id);
      if (payment === undefined) throw new Error(`${id} is gone`);
      const status = payment.status === 'completed' ? 'refunded' : 'completed';
      await updatePayment(tx, id, { ...payment, status }, { from: payment });
    });
    await expectRight();
  }
  const left = await sql<{
    name: string;
  }>`SELECT name FROM sqlite_schema WHERE name LIKE 'volume%' OR name = 'takings'
    OR sql LIKE '%takings%' OR sql LIKE '%volume_hours%'`.execute(db);
  expect(left.rows).toEqual([{ name: 'volume_totals' }]);
  await upgraded.close();
});
