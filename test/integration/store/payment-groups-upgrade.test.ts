/** Renewals of earlier databases: each group continues with one payment, and no money of it is lost or asked for again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { liveCredits } from '../../../src/domain/payment/payment-machine.ts';
import { findPayment } from '../../../src/store/payments/payments.ts';
import { sumVolume } from '../../../src/store/payments/volume.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import type { Db } from '../../../src/store/sqlite/database.ts';
import { loadPayment } from '../../../src/usecases/payments/load-payment.ts';
import { expectBooksToAgree } from '../../_helpers/books.ts';
import { layOut } from '../../_helpers/earlier-databases.ts';
import { volumeByPayments } from '../../_helpers/volume-by-payments.ts';

const terms = { confirmations: () => ({ base: 1, tiers: [] }) };
const BEFORE = '0033-listed-deliveries.json.gz';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-groups-'));
  path = join(dir, 'tilld.sqlite');
  layOut(BEFORE, dir);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** The payments of the fixture that are like this, oldest first. */
function payments(where: string): string[] {
  return change((db) =>
    db.prepare(`SELECT id FROM payments WHERE ${where} ORDER BY created_at, id`).pluck().all(),
  ) as string[];
}

function change<T>(write: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(path);
  try {
    return write(db);
  } finally {
    db.close();
  }
}

/** Makes each payment the renewal of the one before it. */
function renewing(...ids: readonly string[]): void {
  change((db) => {
    for (const [place, id] of ids.entries()) {
      if (place > 0) db.prepare('UPDATE payments SET renews = ? WHERE id = ?').run(ids[place - 1], id);
    }
  });
}

const paid = (id: string, at: number): unknown =>
  change((db) => db.prepare('UPDATE outputs SET first_seen_at = ? WHERE payment_id = ?').run(at, id));

async function upgraded(check: (db: Db) => Promise<void>): Promise<void> {
  const database = await openDatabase(path);
  try {
    await check(database.db);
    await expectBooksToAgree(database.db);
    for (const { merchantId, mode } of await database.db
      .selectFrom('payments')
      .select(['merchantId', 'mode'])
      .distinct()
      .execute()) {
      const filter = { merchantId, mode, fromMs: 0, beforeMs: 3_600_000 * 10_000_000 };
      const [kept, added] = [
        await sumVolume(database.db, filter),
        await volumeByPayments(database.db, filter),
      ];
      expect([new Set(kept.coins), new Set(kept.fiat)]).toEqual([new Set(added.coins), new Set(added.fiat)]);
    }
  } finally {
    await database.close();
  }
}

async function stateOf(db: Db, ids: readonly string[]) {
  const rows = await Promise.all(ids.map(async (id) => findPayment(db, id)));
  return rows.map((row) => [row?.status, row?.exception, row?.groupId, row?.supersededBy]);
}

async function moneyOf(db: Db, id: string): Promise<number> {
  return liveCredits((await loadPayment(db, terms, (await findPayment(db, id))!)).state).length;
}

it('an upgrade leaves the newest payment of an order open when none of its payments has money', async () => {
  const [ended = '', open = ''] = [...payments(`status = 'cancelled'`), ...payments(`status = 'pending'`)];
  renewing(ended, open);
  await upgraded(async (db) => {
    expect(await stateOf(db, [ended, open])).toEqual([
      ['cancelled', null, ended, null],
      ['pending', null, ended, null],
    ]);
  });
});

it('an upgrade closes an open renewal when the payment before it was completed by late money', async () => {
  const [late = ''] = payments(`exception = 'late'`);
  const [open = ''] = payments(
    `status = 'pending' AND id NOT IN (SELECT payment_id FROM outputs WHERE payment_id IS NOT NULL)`,
  );
  renewing(late, open);
  await upgraded(async (db) => {
    expect(await stateOf(db, [late, open])).toEqual([
      ['completed', 'late', late, null],
      ['cancelled', null, late, late],
    ]);
    expect((await findPayment(db, open))?.cancelledAt).toEqual(expect.any(Number));
  });
});

it('an upgrade keeps the status of an unpaid payment when a later renewal was paid', async () => {
  const [first = '', second = ''] = payments(`status = 'completed' AND exception IS NULL`);
  const [unpaid = ''] = payments(`status = 'cancelled'`);
  change((db) => {
    db.prepare(`UPDATE payments SET status = 'expired', cancelled_at = NULL WHERE id = ?`).run(unpaid);
  });
  renewing(unpaid, second);
  await upgraded(async (db) => {
    expect(await stateOf(db, [unpaid, second, first])).toEqual([
      ['expired', null, unpaid, second],
      ['completed', null, unpaid, null],
      ['completed', null, null, null],
    ]);
  });
});

it('an upgrade lets the first completed payment of an order supersede the others when several are completed', async () => {
  const [first = '', second = '', third = ''] = payments(`status = 'completed' AND exception IS NULL`);
  renewing(first, second, third);
  paid(first, 2_000);
  paid(second, 1_000);
  paid(third, 3_000);
  await upgraded(async (db) => {
    expect(await stateOf(db, [first, second, third])).toEqual([
      ['cancelled', null, first, second],
      ['completed', null, first, null],
      ['cancelled', null, first, second],
    ]);
    expect([await moneyOf(db, first), await moneyOf(db, second), await moneyOf(db, third)]).toEqual([
      0, 3, 0,
    ]);
  });
});

it('an upgrade lets the completed payment supersede another one that received money before it', async () => {
  const [short = ''] = payments(`status = 'underpaid'`);
  const [done = ''] = payments(`status = 'completed' AND exception IS NULL`);
  renewing(short, done);
  paid(short, 1_000);
  await upgraded(async (db) => {
    expect(await stateOf(db, [short, done])).toEqual([
      ['cancelled', null, short, done],
      ['completed', null, short, null],
    ]);
    expect(await moneyOf(db, done)).toBe(2);
  });
});

function linksOf(id: string): number {
  return change((db) =>
    db.prepare('SELECT count(*) FROM refund_links WHERE payment_id = ?').pluck().get(id),
  ) as number;
}

it('an upgrade moves refunds and refund links to the payment that counts the money of the order', async () => {
  const links = payments(`id IN (SELECT payment_id FROM refund_links) AND status = 'completed'`);
  const [linked = ''] = links;
  const [other = ''] = payments(`status = 'completed' AND exception IS NULL AND id <> '${linked}'`);
  const [before, already] = [linksOf(linked), linksOf(other)];
  expect(before).toBeGreaterThan(0);
  renewing(other, linked);
  paid(other, 1_000);
  await upgraded(async (db) => {
    expect((await findPayment(db, linked))?.supersededBy).toBe(other);
  });
  expect([linksOf(linked), linksOf(other)]).toEqual([0, before + already]);
});

it('an upgrade lets an open payment supersede an earlier one that received too little late money', async () => {
  const [late = ''] = payments(`status = 'underpaid'`);
  const [open = ''] = payments(
    `status = 'pending' AND id NOT IN (SELECT payment_id FROM outputs WHERE payment_id IS NOT NULL)`,
  );
  change((db) =>
    db.exec(`UPDATE payments SET status = 'expired', exception = 'late' WHERE id = '${late}';
      UPDATE outputs SET late = 1, late_due = '100000' WHERE payment_id = '${late}'`),
  );
  renewing(late, open);
  await upgraded(async (db) => {
    expect(await stateOf(db, [late, open])).toEqual([
      ['cancelled', null, late, open],
      ['pending', null, late, null],
    ]);
    expect(await moneyOf(db, open)).toBe(1);
  });
});

it('an upgrade lets a payment that the merchant accepted supersede a newer open one', async () => {
  const [accepted = ''] = payments(`status = 'underpaid'`);
  const [open = ''] = payments(`status = 'pending'`);
  change((db) =>
    db
      .prepare(`UPDATE payments SET status = 'confirming', accepted_at = created_at + 1 WHERE id = ?`)
      .run(accepted),
  );
  renewing(accepted, open);
  await upgraded(async (db) => {
    expect((await findPayment(db, open))?.supersededBy).toBe(accepted);
  });
});

it('an upgrade leaves an open payment open when an earlier one of its order was refunded', async () => {
  const [back = ''] = payments(`status = 'refunded' AND refunded_by = 'merchant'`);
  const [short = ''] = payments(`status = 'underpaid'`);
  renewing(back, short);
  paid(back, 1_000);
  paid(short, 2_000);
  await upgraded(async (db) => {
    expect(await stateOf(db, [back, short])).toEqual([
      ['refunded', null, null, null],
      ['underpaid', null, back, null],
    ]);
    expect([await moneyOf(db, back), await moneyOf(db, short)]).toEqual([1, 1]);
  });
});

/** Of the first refund of the fixture, and of a claim that is made of it, as the upgraded database has them. */
async function movedValues(currency: string): Promise<readonly (string | null)[]> {
  const back = change((db) => db.prepare('SELECT send_id, payment_id FROM refunds').get()) as {
    send_id: string;
    payment_id: string;
  };
  const [lead = ''] = payments(
    `status = 'completed' AND exception IS NULL AND id NOT IN (SELECT payment_id FROM refund_links)`,
  );
  const [link] = change((db) => db.prepare('SELECT id FROM refund_links').pluck().all()) as string[];
  // Its price was a hundred times that of the other. Half of it went back, and a tenth is claimed, in money of the day.
  change((db) =>
    db.exec(`UPDATE payments SET status = 'completed', refunded_at = NULL, refunded_by = NULL, amount = '5000.00',
        currency = '${currency}' WHERE id = '${back.payment_id}';
      UPDATE payments SET amount = '50.00', currency = 'USD' WHERE id = '${lead}';
      UPDATE refunds SET rate = 'current', fiat_amount = '2500.00', amount = '1' WHERE send_id = '${back.send_id}';
      UPDATE refund_links SET payment_id = '${back.payment_id}', rate = 'current', status = 'claimed', amount = '500.00',
        coin = 'BTC', claimed = '1', send_id = NULL WHERE id = '${link}'`),
  );
  renewing(lead, back.payment_id);
  paid(lead, 1_000);
  const database = await openDatabase(path);
  try {
    const refund = await database.db
      .selectFrom('refunds')
      .select(['paymentId', 'value'])
      .where('sendId', '=', back.send_id)
      .executeTakeFirstOrThrow();
    const claim = await database.db
      .selectFrom('refund_links')
      .select(['paymentId', 'claimValue'])
      .where('id', '=', link ?? '')
      .executeTakeFirstOrThrow();
    expect([refund.paymentId, claim.paymentId]).toEqual([lead, lead]);
    return [refund.value, claim.claimValue];
  } finally {
    await database.close();
  }
}

it('an upgrade converts refunds of a superseded payment to a share of the price of the superseding payment', async () => {
  const shares = (await movedValues('USD')).map((value) => {
    const [numerator, denominator] = (value ?? '').split('/').map(Number);
    return (numerator ?? 0) / (denominator ?? 1);
  });
  expect(shares).toEqual([2_500 / 50, 500 / 50]);
});

it('an upgrade converts refunds of a superseded payment in another currency by their coins', async () => {
  expect(await movedValues('EUR')).toEqual([null, null]);
});

it('an upgrade does not combine a fully refunded payment with the other payments of its order', async () => {
  const [back = ''] = payments(`status = 'refunded' AND refunded_by = 'merchant'`);
  const [done = ''] = payments(`status = 'completed' AND exception IS NULL`);
  renewing(back, done);
  await upgraded(async (db) => {
    expect(await stateOf(db, [back, done])).toEqual([
      ['refunded', null, null, null],
      ['completed', null, back, null],
    ]);
    expect(await moneyOf(db, done)).toBe(1);
  });
});

it('an upgrade limits a decision of the merchant to the money to which it applied', async () => {
  const [first = '', second = ''] = payments(`status = 'completed' AND exception IS NULL`);
  renewing(first, second);
  paid(first, 1_000);
  change((db) => db.prepare('UPDATE payments SET accepted_at = 2000 WHERE id = ?').run(first));
  await upgraded(async (db) => {
    const { state } = await loadPayment(db, terms, (await findPayment(db, first))!);
    const [own, other] = state.credits;
    expect([own?.via, other?.via]).toEqual([undefined, second]);
    expect(own?.position).toBeLessThanOrEqual(state.acceptedPosition ?? 0);
    expect(other?.position).toBeGreaterThan(state.acceptedPosition ?? Infinity);
  });
});

it('an upgrade computes the value of money again when the superseded payment had another currency', async () => {
  const [first = '', second = ''] = payments(`status = 'completed' AND exception IS NULL`);
  renewing(first, second);
  paid(first, 1_000);
  change((db) => db.prepare(`UPDATE payments SET currency = 'EUR' WHERE id = ?`).run(first));
  const database = await openDatabase(path);
  try {
    const { state } = await loadPayment(database.db, terms, (await findPayment(database.db, first))!);
    expect(state.credits.map(({ via, late, due }) => [via, late, due === null])).toEqual([
      [undefined, false, false],
      [second, true, true],
    ]);
  } finally {
    await database.close();
  }
});
