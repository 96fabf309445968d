/** Databases of earlier versions, filled by their own code, opened by this one: nothing is lost and nothing changes its meaning. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Coin } from '../../../src/domain/coins.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { sumVolume } from '../../../src/store/payments/volume.ts';
import { paymentAttention } from '../../../src/domain/attention.ts';
import { listWaitingPayments } from '../../../src/store/attention/waiting-payments.ts';
import { MIGRATIONS } from '../../../src/store/schema/migrate.ts';
import { PRE_RELEASE } from '../../../src/store/schema/pre-release/migrations.ts';
import { migrationsOn } from '../../../src/store/sqlite/migration-dialect.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { ApiClient, type PaymentJson, type SendJson } from '../../_helpers/api-client.ts';
import {
  EARLIER_DATABASES,
  EARLIER_FOLDER,
  integrity,
  layOut,
  reading,
  schemaOf,
} from '../../_helpers/earlier-databases.ts';
import { expectBooksToAgree } from '../../_helpers/books.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { volumeByPayments } from '../../_helpers/volume-by-payments.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NEWEST = EARLIER_DATABASES.at(-1) ?? '';
/** What a later version keeps in another way; the test of volumes holds the sums against the payments. */
const REPLACED = new Set(['volume_hours', 'volume_days', 'kysely_migration']);

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-upgrade-'));
  path = join(dir, 'tilld.sqlite');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const restore = (name: string, webhookPort = 9) => layOut(name, dir, webhookPort);

const rowCounts = (file: string): Map<string, number> =>
  reading(file, (db) => {
    const names = db
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
        AND name <> 'kysely_migration_lock' ORDER BY name`,
      )
      .pluck()
      .all() as string[];
    const count = (name: string): number =>
      db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get() as number;
    return new Map(names.map((name) => [name, count(name)]));
  });

const emptyTables = (file: string): string[] =>
  [...rowCounts(file)].filter(([, count]) => count === 0).map(([name]) => name);

async function upgrade(file: string): Promise<void> {
  await (await openDatabase(file)).close();
}

/** What means the same in every version. */
/** From 0107 on, a payment whose money is gone has an exception. */
const exceptionNow = ({ status, exception, transactions }: PaymentJson): unknown => {
  const isGone = transactions.length > 0 && transactions.every((each) => each.status === 'reversed');
  return isGone && status === 'pending' ? 'reversed' : exception;
};

const paymentMeaning = ({
  id,
  status,
  exception,
  orderId,
  options,
  transactions,
  timeline,
}: PaymentJson) => ({
  id,
  status,
  exception,
  orderId,
  options: Object.entries(options).map(([coin, { address, amount, received }]) => [
    coin,
    address,
    amount,
    received,
  ]),
  transactions: transactions.map((one) => [one.txid, one.amount, one.status, one.late]),
  timeline: timeline.map(({ type, sequence }) => [type, sequence]),
});
const sendMeaning = ({ id, status, txHash, fee, amount, destination }: SendJson) => ({
  id,
  status,
  txHash,
  fee,
  amount,
  destination,
});

describe.each(EARLIER_DATABASES)('the database after %s', (name) => {
  it('has rows in every table and sends in every status, and is small', () => {
    restore(name);
    expect(emptyTables(path)).toEqual([]);
    const states = (table: string): unknown[] =>
      reading(path, (db) => db.prepare(`SELECT DISTINCT status FROM ${table} ORDER BY 1`).pluck().all());
    expect(states('sends')).toEqual(['broadcast', 'confirmed', 'failed', 'signed']);
    expect(states('deliveries')).toContain('pending');
    expect(statSync(join(EARLIER_FOLDER, name)).size).toBeLessThan(300_000);
    expect(integrity(path)).toEqual(['ok']);
  });

  it('has the schema of a new database and every row after the upgrade', async () => {
    restore(name);
    const before = rowCounts(path);
    await upgrade(path);
    const fresh = join(dir, 'fresh.sqlite');
    await upgrade(fresh);
    expect(schemaOf(path)).toEqual(schemaOf(fresh));
    expect(integrity(path)).toEqual(['ok']);
    const after = rowCounts(path);
    // Those before 0.1.0 are forgotten: the database is as one that was made now.
    expect(after.get('kysely_migration')).toBe(Object.keys(MIGRATIONS).length);
    const kept = [...before].filter(([table]) => !REPLACED.has(table));
    expect(kept.map(([table]) => [table, after.get(table)])).toEqual(kept);
  });

  it('has a volume equal to the sum of its payments after the upgrade', async () => {
    restore(name);
    const { db, close } = await openDatabase(path).then((it) => ({ db: it.db, close: () => it.close() }));
    const sold = await db
      .selectFrom('payments')
      .select(['merchantId', 'createdAt'])
      .where('status', '=', 'completed')
      .orderBy('createdAt')
      .execute();
    const [first] = sold;
    if (first === undefined) throw new Error('nothing is sold');
    const fromMs = first.createdAt - (first.createdAt % DAY_MS);
    for (const beforeMs of [fromMs + DAY_MS, first.createdAt + 1]) {
      const filter = { merchantId: first.merchantId, mode: 'sandbox' as const, fromMs, beforeMs };
      const { coins, fiat } = await sumVolume(db, filter);
      const expected = await volumeByPayments(db, filter);
      expect(expected.coins.length).toBeGreaterThan(0);
      expect(new Set(coins)).toEqual(new Set(expected.coins));
      expect(new Set(fiat)).toEqual(new Set(expected.fiat));
    }
    await close();
  });

  it('lists the payments that need a decision after the upgrade', async () => {
    restore(name);
    const database = await openDatabase(path);
    const { db } = database;
    const all = await db.selectFrom('payments').selectAll().execute();
    const offered = await db
      .selectFrom('refund_links')
      .select('paymentId')
      .where('status', '=', 'open')
      .execute();
    const dismissed = await db.selectFrom('attention_dismissals').select('itemId').execute();
    const isDismissed = new Set(dismissed.map(({ itemId }) => itemId));
    const forPayer = new Set(offered.map(({ paymentId }) => paymentId));
    for (const { id: merchantId } of await db.selectFrom('merchants').select('id').execute()) {
      const shop = { merchantId, mode: 'sandbox' as const };
      const waiting = all.filter((payment) => {
        const kind = paymentAttention(payment);
        const isOwn = payment.merchantId === merchantId && payment.mode === shop.mode;
        return (
          isOwn &&
          kind !== null &&
          !isDismissed.has(payment.id) &&
          !(kind === 'payment_over' && forPayer.has(payment.id))
        );
      });
      const listed = await listWaitingPayments(db, shop, { limit: 1_000 });
      expect(listed.map(({ id }) => id).toSorted()).toEqual(waiting.map(({ id }) => id).toSorted());
    }
    await database.close();
  });

  it('has movements that add up to the ledger after the upgrade', async () => {
    restore(name);
    const database = await openDatabase(path);
    const { db } = database;
    try {
      await expectBooksToAgree(db);
      const { lines } = await db
        .selectFrom('movements')
        .select((eb) => eb.fn.countAll<number>().as('lines'))
        .executeTakeFirstOrThrow();
      expect(lines).toBeGreaterThan(5);
      if (name >= '0020') return;
      // At which rate money went out was not kept then.
      const priced = await db.selectFrom('movements').select('kind').where('rate', 'is not', null).execute();
      expect(priced.every(({ kind }) => kind === 'payment')).toBe(true);
    } finally {
      await database.close();
    }
  });

  it('returns the same through the API and delivers the waiting webhooks after the upgrade', async () => {
    const sink = await WebhookSink.start();
    const { expected } = restore(name, Number(new URL(sink.url).port));
    const waiting = reading(path, (db) =>
      db.prepare(`SELECT event_id FROM deliveries WHERE status = 'pending' ORDER BY 1`).pluck().all(),
    );
    const clock = clockFrom(path);
    const ownChange = ownChangeIn(path);
    const till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '10m' }, { clock }, dir);
    try {
      await till.ready();
      const ask = askingFor(till.api, expected.secretKey);
      for (const payment of expected.payments) {
        const now = await ask<PaymentJson>(`/payment/get?paymentId=${payment.id}`);
        expect(paymentMeaning(now)).toEqual({ ...paymentMeaning(payment), exception: exceptionNow(payment) });
      }
      for (const send of expected.sends) {
        const now = await eventually(
          'the signed send is offered again',
          () => ask<SendJson>(`/merchant/wallet/send-status?sendId=${send.id}`),
          ({ status }) => status !== 'signed',
        );
        expect(sendMeaning(now)).toEqual(sendMeaning(send));
      }
      await expectEventsFromTheStart(path, ask);
      const balances = Object.entries(expected.balances).map(([coin, amount]) => {
        // From 0006 on, the change of own sends can be spent before a block has it.
        const change = name < '0006' ? (ownChange.get(coin) ?? 0n) : 0n;
        return [coin, parseCoinAmount(amount, coin as Coin) + change];
      });
      const now = await ask<Record<string, string>>('/merchant/wallet/balances');
      expect(
        Object.entries(now).map(([coin, amount]) => [coin, parseCoinAmount(amount, coin as Coin)]),
      ).toEqual(balances);
      clock.advance(2 * HOUR_MS);
      await eventually(
        'what waited is delivered',
        () => waiting.filter((id) => !sink.deliveries.some(({ body }) => body.id === id)),
        (missing) => missing.length === 0,
        60_000,
      );
    } finally {
      await till.down();
      await sink.close();
    }
  });
});

/** The cursor shows what happened before the upgrade, too, in the order it did. */
async function expectEventsFromTheStart(file: string, ask: <T>(path: string) => Promise<T>): Promise<void> {
  const earlier = reading(file, (db) =>
    db.prepare('SELECT id FROM events ORDER BY seq').pluck().all(),
  ) as string[];
  const seen: string[] = [];
  for (let after = 0; ;) {
    const { events, nextAfter } = await ask<{ events: { id: string }[]; nextAfter: number }>(
      `/merchant/events?after=${after}&limit=7`,
    );
    if (events.length === 0) break;
    seen.push(...events.map(({ id }) => id));
    after = nextAfter;
  }
  expect(seen.length).toBeGreaterThan(0);
  expect(earlier.filter((id) => seen.includes(id))).toEqual(seen.filter((id) => earlier.includes(id)));
}

/** A clock that goes on from when the database was left. */
function clockFrom(file: string) {
  const leftAt = reading(
    file,
    (db) => db.prepare('SELECT max(updated_at) FROM chain_cursors').pluck().get() as number,
  );
  let aheadMs = leftAt - Date.now();
  return {
    now: () => Date.now() + aheadMs,
    advance: (ms: number): void => void (aheadMs += ms),
  };
}

/** Atoms that open sends of outputs give back to the wallet, by coin. */
function ownChangeIn(file: string): Map<string, bigint> {
  const rows = reading(file, (db) =>
    db
      .prepare(
        `SELECT outputs.coin, outputs.amount FROM outputs JOIN sends ON sends.txid = outputs.txid
        WHERE outputs.coin IN ('BTC', 'LTC') AND outputs.state = 'unconfirmed' AND outputs.merchant_id = sends.merchant_id AND sends.status = 'broadcast'`,
      )
      .all(),
  ) as { coin: string; amount: string }[];
  const sums = new Map<string, bigint>();
  for (const { coin, amount } of rows) sums.set(coin, (sums.get(coin) ?? 0n) + BigInt(amount));
  return sums;
}

function askingFor(api: ApiClient, token: string) {
  return async <T>(path: string): Promise<T> => api.must<T>('GET', path, { token });
}

it('the newest database fixture has rows in every table in which this version can have rows', async () => {
  restore(NEWEST);
  const db = new Sqlite(path);
  // A payment of the product, which it has none of: the upgrade notes which shop sells it.
  db.exec(
    'UPDATE payments SET product_id = (SELECT id FROM products LIMIT 1) WHERE id = (SELECT min(id) FROM payments)',
  );
  db.close();
  await upgrade(path);
  // Tables that no version before them had rows for.
  expect(emptyTables(path)).toEqual([
    'address_tips',
    'counters',
    'forward_counters',
    'payment_notes',
    'receipts',
    'sellers',
    'send_approvals',
    'send_psbt_inputs',
    'send_psbts',
    'subscription_invoices',
    'subscription_mails',
    'subscriptions',
    'wallet_forwards',
    'wallet_freezes',
    'wallet_labels',
    'wallet_limits',
    'watch_accounts',
    'watch_addresses',
  ]);
});

/** The lines that no later line takes back, without what tells when and at which rate. */
const standing = (file: string): unknown[] =>
  reading(file, (db) =>
    db
      .prepare(
        `SELECT merchant_id, coin, mode, kind, amount, txid, vout, payment_id, send_id, address, note FROM movements
        WHERE kind <> 'reversal' AND seq NOT IN (SELECT reverses FROM movements WHERE reverses IS NOT NULL)
        ORDER BY txid, merchant_id, kind, vout`,
      )
      .all(),
  );

it('an upgrade derives the same movements from the ledger as those recorded live', async () => {
  restore(NEWEST);
  await upgrade(path);
  const kept = standing(path);
  expect(kept.length).toBeGreaterThan(10);
  const db = new Sqlite(path);
  db.exec('DROP TABLE movements; DROP INDEX outputs_by_spender');
  await PRE_RELEASE['0020-movements']?.up(migrationsOn(db));
  db.close();
  expect(standing(path)).toEqual(kept);
});
