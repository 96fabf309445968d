/** What is filled in for payments, refunds and links of databases that knew no balance of an order. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { layOut } from '../../_helpers/earlier-databases.ts';

let dir: string;
let path: string;
let store: OpenDatabase | null = null;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-balance-upgrade-'));
  path = join(dir, 'tilld.sqlite');
  layOut('0033-listed-deliveries.json.gz', dir);
});
afterEach(async () => {
  await store?.close();
  store = null;
  rmSync(dir, { recursive: true, force: true });
});

interface Paid {
  readonly id: string;
  readonly coin: string;
  readonly amount: string;
  readonly seen: number;
}

/** Changes the earlier database, then opens it as this version does. */
async function upgraded(
  change: (db: Sqlite.Database, paid: (where: string) => Paid) => void,
): Promise<OpenDatabase> {
  const db = new Sqlite(path);
  db.pragma('foreign_keys = OFF');
  const paid = (where: string): Paid =>
    db
      .prepare(
        `SELECT payments.id, coin, outputs.amount, first_seen_at AS seen FROM payments
         JOIN outputs ON outputs.payment_id = payments.id WHERE ${where} LIMIT 1`,
      )
      .get() as Paid;
  change(db, paid);
  db.close();
  store = await openDatabase(path);
  return store;
}

/** As the one output of a payment, with another id and at another time. */
function addOutput(db: Sqlite.Database, { id }: Paid, seenAt: number): void {
  const columns = (db.pragma('table_info(outputs)') as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== 'seq');
  const values = columns.map((name) => {
    if (name === 'txid') return `'added-${seenAt}'`;
    return name === 'first_seen_at' ? String(seenAt) : name;
  });
  db.exec(
    `INSERT INTO outputs (${columns.join()}) SELECT ${values.join()} FROM outputs WHERE payment_id = '${id}' LIMIT 1`,
  );
}

function addRefund(
  db: Sqlite.Database,
  { id, coin }: Paid,
  more: { readonly amount: string; readonly at: number; readonly fiat?: string },
): void {
  const fiat = more.fiat === undefined ? 'NULL, NULL' : `'${more.fiat}', 'current'`;
  db.exec(
    `INSERT INTO refunds (send_id, payment_id, coin, amount, created_at, fiat_amount, rate)
     VALUES ('snd_added_${more.at}', '${id}', '${coin}', '${more.amount}', ${more.at}, ${fiat})`,
  );
}

it('an upgrade orders the credits, decisions and refunds of a payment by their times', async () => {
  let id = '';
  const { db } = await upgraded((old, paid) => {
    const payment = paid(`status = 'refunded' AND refunded_by = 'merchant'`);
    ({ id } = payment);
    const { at } = old.prepare('SELECT refunded_at AS at FROM payments WHERE id = ?').get(id) as {
      at: number;
    };
    addOutput(old, payment, at);
    addOutput(old, payment, at + 10);
    addRefund(old, payment, { amount: '1', at: at - 1 });
    addRefund(old, payment, { amount: '2', at });
    addRefund(old, payment, { amount: '3', at: at + 20 });
  });
  const outputs = await db
    .selectFrom('outputs')
    .select(['position', 'firstSeenAt'])
    .where('paymentId', '=', id)
    .orderBy('firstSeenAt')
    .execute();
  expect(outputs.map(({ position }) => position)).toEqual([1, 2, 3]);
  const payment = await db.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  expect(payment).toMatchObject({ refundedPosition: 2, acceptedPosition: null });
  const refunds = await db
    .selectFrom('refunds')
    .select(['amount', 'position'])
    .where('paymentId', '=', id)
    .orderBy('amount')
    .execute();
  // The first gave back before the return elsewhere, the others after it.
  expect(refunds).toEqual([
    { amount: '1', position: 1 },
    { amount: '2', position: 3 },
    { amount: '3', position: 3 },
  ]);
});

it('an upgrade keeps which money an acceptance by the merchant covered', async () => {
  let id = '';
  const { db } = await upgraded((old, paid) => {
    const payment = paid(`status = 'underpaid'`);
    ({ id } = payment);
    old.exec(`UPDATE payments SET accepted_at = ${payment.seen + 5} WHERE id = '${id}'`);
    addOutput(old, payment, payment.seen + 6);
  });
  const { acceptedPosition } = await db
    .selectFrom('payments')
    .select('acceptedPosition')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(acceptedPosition).toBe(1);
});

it('an upgrade treats refunds of completed orders as decisions of the merchant, and subtracts others from the paid amount', async () => {
  let complete: Paid | null = null;
  let short: Paid | null = null;
  const { db } = await upgraded((old, paid) => {
    complete = paid(`status = 'completed' AND exception IS NULL AND coin = 'BTC'`);
    short = paid(`status = 'underpaid'`);
    addRefund(old, complete, { amount: '20000', at: complete.seen + 1, fiat: '30' });
    addRefund(old, short, { amount: '7', at: short.seen + 2 });
  });
  const of = async ({ id }: Paid) =>
    db
      .selectFrom('refunds')
      .select(['value', 'unpriced', 'completedJson', 'byAcceptance'])
      .where('paymentId', '=', id)
      .executeTakeFirst();
  // 30 of 100 were given back at the rate of that day, by coins that came for 20.
  const byPrice = { completedJson: '{"BTC":"100000"}', byAcceptance: false };
  expect(await of(complete!)).toEqual({ value: '300000/1000000', unpriced: '0', ...byPrice });
  // Its value is that of the money which came before it.
  expect(await of(short!)).toEqual({ value: null, unpriced: '7', completedJson: null, byAcceptance: false });
});

it('an upgrade treats refunds and claims after an acceptance as decisions of the merchant only while the acceptance is valid', async () => {
  let accepted: Paid | null = null;
  const { db } = await upgraded((old, paid) => {
    const claimed = `payments.id IN (SELECT payment_id FROM refund_links WHERE status = 'claimed')`;
    accepted = paid(`status = 'completed' AND ${claimed}`);
    old.exec(`UPDATE payments SET accepted_at = ${accepted.seen} WHERE id = '${accepted.id}'`);
    addOutput(old, accepted, accepted.seen + 1);
    addRefund(old, accepted, { amount: '20000', at: accepted.seen + 2 });
  });
  const { id } = accepted!;
  const refund = await db
    .selectFrom('refunds')
    .select(['unpriced', 'byAcceptance'])
    .where('paymentId', '=', id)
    .where('amount', '=', '20000')
    .executeTakeFirst();
  expect(refund).toEqual({ unpriced: '20000', byAcceptance: true });
  const claim = await db
    .selectFrom('refund_links')
    .select(['claimed', 'claimUnpriced', 'claimByAcceptance'])
    .where('paymentId', '=', id)
    .where('status', '=', 'claimed')
    .executeTakeFirstOrThrow();
  expect(claim).toEqual({ claimed: claim.claimed, claimUnpriced: claim.claimed, claimByAcceptance: true });
});

it('an upgrade assigns refunds after an acceptance to that acceptance, also when no money arrived in between', async () => {
  let accepted: Paid | null = null;
  let refused: Paid | null = null;
  const { db } = await upgraded((old, paid) => {
    accepted = paid(`status = 'completed' AND exception IS NULL AND coin = 'BTC'`);
    refused = paid(`status = 'underpaid'`);
    old.exec(`UPDATE payments SET accepted_at = ${accepted.seen + 5} WHERE id = '${accepted.id}'`);
    old.exec(`UPDATE payments SET accepted_at = ${refused.seen + 5} WHERE id = '${refused.id}'`);
    addRefund(old, accepted, { amount: '20000', at: accepted.seen + 4 });
    addRefund(old, accepted, { amount: '30000', at: accepted.seen + 6 });
    addRefund(old, refused, { amount: '7', at: refused.seen + 7 });
  });
  const of = async ({ id }: Paid) =>
    db
      .selectFrom('refunds')
      .select(['amount', 'byAcceptance'])
      .where('paymentId', '=', id)
      .orderBy('createdAt')
      .execute();
  expect(await of(accepted!)).toEqual([
    { amount: '20000', byAcceptance: false },
    { amount: '30000', byAcceptance: true },
  ]);
  expect(await of(refused!)).toEqual([{ amount: '7', byAcceptance: false }]);
});

it('an upgrade limits refund links that were created before the last money arrived to the excess', async () => {
  let claimed = '';
  let before = '';
  const { db } = await upgraded((old, paid) => {
    const links = old.prepare('SELECT id, payment_id, status, created_at FROM refund_links').all() as {
      id: string;
      payment_id: string;
      status: string;
      created_at: number;
    }[];
    const open = links.find(({ status }) => status === 'open');
    claimed = links.find(({ status }) => status === 'claimed')?.id ?? '';
    before = open?.id ?? '';
    addOutput(old, paid(`payments.id = '${open?.payment_id}'`), (open?.created_at ?? 0) + 1);
  });
  const linkOf = async (id: string) =>
    db.selectFrom('refund_links').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  expect(await linkOf(before)).toMatchObject({ openedComplete: false, claimCompletedJson: null });
  const { openedComplete, claimCompletedJson } = await linkOf(claimed);
  expect([openedComplete, JSON.parse(claimCompletedJson ?? '{}')]).toEqual([true, { BTC: '20121' }]);
});

it.for([
  ['the merchant accepted what came', `UPDATE payments SET accepted_at = $at WHERE id = '$payment'`],
  [
    'it was complete',
    `UPDATE events SET created_at = $at WHERE payment_id = '$payment' AND type = 'payment.completed'`,
  ],
] as const)(
  'an upgrade limits a refund link that was created before %s to the excess',
  async ([, change]) => {
    let id = '';
    const { db } = await upgraded((old) => {
      const link = old
        .prepare(
          `SELECT refund_links.id, payment_id, refund_links.created_at FROM refund_links
         JOIN payments ON payments.id = payment_id WHERE payments.status = 'completed' AND refund_links.status = 'claimed'`,
        )
        .get() as { id: string; payment_id: string; created_at: number };
      ({ id } = link);
      old.exec(change.replace('$at', String(link.created_at + 1)).replace('$payment', link.payment_id));
    });
    const link = await db
      .selectFrom('refund_links')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(link.openedComplete).toBe(false);
  },
);
