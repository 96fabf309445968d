import Database from 'better-sqlite3';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenAccount } from '../../../src/domain/chain.ts';
import { assertNever } from '../../../src/domain/errors.ts';
import type { Db, Tx } from '../../../src/store/sqlite/database.ts';
import { OpenAccounts } from '../../../src/store/ledger/open-accounts.ts';
import { openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';

const LIMIT = 7;
const CLOSED_AFTER = 1_000;
/** Columns of a payment that are not those of the model. */
const FILLED_IN = ['id', 'order_id', 'status', 'expires_at', 'closed_at', 'group_id', 'superseded_by'];
const STATES = ['pending', 'underpaid', 'confirming', 'completed', 'expired'] as const;

let world: PaymentWorld;
let db: Db;
/** Another process: it neither tells what it writes nor hears what the daemon does. */
let other: Database.Database;
let model: string;
let columns: string;
let count: number;

beforeEach(async () => {
  world = await openPaymentWorld();
  db = world.wallet.db;
  ({ id: model } = await world.order());
  const files = await sql<{ file: string }>`PRAGMA database_list`.execute(db);
  other = new Database(files.rows[0]?.file ?? '');
  const names = other
    .prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('payments')`)
    .all()
    .map(({ name }) => name);
  columns = names.filter((name) => !FILLED_IN.includes(name)).join();
  count = 0;
});

afterEach(async () => {
  other.close();
  await world.close();
});

const text = (statement: string): ReturnType<typeof sql.raw> => sql.raw(statement);

/** Statements by which a shop's day goes by, as texts, so that either process can run them. */
const day = {
  order: (status: string, expiresAt: number): string[] => {
    count += 1;
    const [id, address] = [`pay_${count}`, `sol${count}`];
    return [
      `INSERT INTO payments (id, order_id, status, expires_at, closed_at, ${columns})
        SELECT '${id}', 'day-${count}', '${status}', ${expiresAt}, NULL, ${columns} FROM payments WHERE id = '${model}'`,
      `INSERT INTO addresses (merchant_id, coin, mode, branch, idx, address, watch_key, purpose, payment_id, created_at)
        VALUES ('${world.wallet.merchant.id}', 'SOL', 'live', 0, ${count + 1_000}, '${address}', '${address}', 'payment', '${id}', 5)`,
    ];
  },
  become: (of: number, status: string, expiresAt: number): string[] => [
    `UPDATE payments SET status = '${status}', expires_at = ${expiresAt} WHERE id = 'pay_${of}'`,
  ],
  close: (of: number, closedAt: string): string[] => [
    `UPDATE payments SET closed_at = ${closedAt} WHERE id = 'pay_${of}'`,
  ],
  /** With a newer one that nothing has superseded. */
  supersede: (of: number): string[] => {
    const [member, lead] = [`pay_${of}`, `pay_${of + 6}`];
    const isThere = `EXISTS (SELECT 1 FROM payments WHERE id = '${lead}')`;
    return [
      `UPDATE payments SET group_id = '${lead}' WHERE id = '${lead}'`,
      `UPDATE payments SET group_id = '${lead}', superseded_by = '${lead}' WHERE id = '${member}' AND ${isThere}`,
    ];
  },
  receive: (of: number, amount: number): string[] => {
    count += 1;
    return [
      `INSERT INTO outputs (coin, mode, txid, vout, address_id, merchant_id, payment_id, amount, state, height, block_hash,
          maturity, first_seen_at, late, updated_at)
        SELECT 'SOL', 'live', 'tx${count % 17}', ${count}, id, merchant_id, payment_id, '${amount}', 'confirmed', ${amount}, 'b', 1, 1, 0, 1
        FROM addresses WHERE watch_key = 'sol${of}'`,
    ];
  },
  spend: (of: number, height: string): string[] => [
    `UPDATE outputs SET spent_by = 'x', spent_height = ${height}
      WHERE address_id = (SELECT id FROM addresses WHERE watch_key = 'sol${of}')`,
  ],
  undo: (of: number): string[] => [
    `UPDATE outputs SET state = 'gone', height = NULL
      WHERE address_id = (SELECT id FROM addresses WHERE watch_key = 'sol${of}') AND vout % 2 = 0`,
  ],
  merge: (of: number): string[] => [
    `DELETE FROM outputs WHERE address_id = (SELECT id FROM addresses WHERE watch_key = 'sol${of}')`,
  ],
};

async function run(on: Db | Tx, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await text(statement).execute(on);
}

const WAITS = `(p.status = 'confirming' OR (p.status IN ('pending', 'underpaid') AND p.closed_at IS NULL))`;
/** Joins an address with the payment that counts its money. */
const PAYMENT = `JOIN payments payee ON payee.id = a.payment_id
  JOIN payments p ON p.id = coalesce(payee.superseded_by, payee.id)`;
const FIRST = Math.floor((LIMIT * 3) / 4);

/** The same by plain statements of another process, and nothing kept. */
function expected(): { own: OpenAccount[]; awaited: OpenAccount[]; finished: OpenAccount[] } {
  const newest = `SELECT * FROM addresses WHERE coin = 'SOL' AND mode = 'live' AND payment_id IS NOT NULL
    ORDER BY id DESC LIMIT ${LIMIT}`;
  const columns = 'a.id, a.watch_key AS watchKey, a.created_at AS since';
  const rowsOf = (from: string, isAwaited: boolean): OpenAccount[] =>
    other
      .prepare<[], { id: number; watchKey: string; since: number }>(`SELECT ${columns} FROM ${from}`)
      .all()
      .map(({ id, ...key }) => ({ ...key, isAwaited, holdings: heldBy(id) }));
  return {
    own: rowsOf(`addresses a WHERE a.coin = 'SOL' AND a.mode = 'live' AND a.branch = 0 AND a.idx = 0`, true),
    awaited: rowsOf(
      `addresses a ${PAYMENT}
        WHERE a.coin = 'SOL' AND a.mode = 'live' AND ${WAITS} ORDER BY p.expires_at, payee.id, a.id`,
      true,
    ),
    finished: rowsOf(`(${newest}) a ${PAYMENT} WHERE NOT ${WAITS} AND p.expires_at > ${CLOSED_AFTER}`, false),
  };
}

function heldBy(id: number): OpenAccount['holdings'] {
  return other
    .prepare<[number], { txid: string; vout: number; amount: string }>(
      `SELECT txid, vout, amount FROM outputs WHERE address_id = ? AND state = 'confirmed' AND spent_height IS NULL
        ORDER BY height, txid, vout`,
    )
    .all(id)
    .map(({ txid, vout, amount }) => ({ ref: { txid, index: vout }, amount: BigInt(amount) }));
}

async function look(accounts: OpenAccounts): Promise<OpenAccount[]> {
  const open: OpenAccount[] = [];
  for await (const list of accounts.poll(CLOSED_AFTER)) open.push(...list);
  return open;
}

const sorted = (accounts: readonly OpenAccount[]): OpenAccount[] =>
  accounts.toSorted((a, b) => a.watchKey.localeCompare(b.watchKey));

const newAccounts = (): OpenAccounts => new OpenAccounts(db, { coin: 'SOL', mode: 'live' }, LIMIT);

/** Everything that is awaited, or as much of it as there is room for; what is finished in the room that is left. */
async function check(accounts: OpenAccounts): Promise<void> {
  const given = await look(accounts);
  const { own, awaited, finished } = expected();
  const all = new Map([...own, ...awaited, ...finished].map((account) => [account.watchKey, account]));
  expect(new Set(given.map(({ watchKey }) => watchKey)).size).toBe(given.length);
  expect(given).toEqual(given.map(({ watchKey }) => all.get(watchKey)));
  const sure = awaited.length > LIMIT ? FIRST : awaited.length;
  expect(given.slice(own.length, own.length + sure)).toEqual(awaited.slice(0, sure));
  expect(sorted(given.slice(0, own.length))).toEqual(sorted(own));
  const shown = given.slice(own.length);
  expect(shown.filter(({ isAwaited }) => isAwaited)).toHaveLength(Math.min(awaited.length, LIMIT));
  const room = Math.max(LIMIT - awaited.length, 1);
  expect(shown.filter(({ isAwaited }) => !isAwaited)).toHaveLength(Math.min(finished.length, room));
}

const state = fc.constantFrom(...STATES);
const time = fc.constantFrom(500, 2_000);
const which = fc.integer({ min: 1, max: 12 });
const change = fc.oneof(
  fc.record({ kind: fc.constant('order' as const), state, time }),
  fc.record({ kind: fc.constant('become' as const), which, state, time }),
  fc.record({ kind: fc.constant('receive' as const), which, amount: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant('spend' as const), which, height: fc.constantFrom('7', 'NULL') }),
  fc.record({ kind: fc.constantFrom('undo' as const, 'merge' as const), which }),
  fc.record({ kind: fc.constant('close' as const), which, at: fc.constantFrom('1', 'NULL') }),
  fc.record({ kind: fc.constant('supersede' as const), which: fc.integer({ min: 1, max: 6 }) }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function statementsOf(each: Change): string[] {
  switch (each.kind) {
    case 'order':
      return day.order(each.state, each.time);
    case 'become':
      return day.become(each.which, each.state, each.time);
    case 'receive':
      return day.receive(each.which, each.amount);
    case 'spend':
      return day.spend(each.which, each.height);
    case 'close':
      return day.close(each.which, each.at);
    case 'supersede':
      return day.supersede(each.which);
    case 'undo':
    case 'merge':
      return day[each.kind](each.which);
    default:
      return assertNever(each);
  }
}

describe('OpenAccounts (cache of accounts with open payments)', () => {
  it('includes the address of a superseded payment while the superseding payment is open', async () => {
    const accounts = newAccounts();
    await run(db, [
      ...day.order('expired', 500),
      ...Array.from({ length: 6 }, () => day.order('pending', 500)).flat(),
    ]);
    await check(accounts);
    await run(db, day.supersede(1));
    await run(db, day.become(1, 'cancelled', 500));
    await run(db, day.become(7, 'confirming', 500));
    await check(accounts);
    const awaitedKeys = async () =>
      (await look(accounts)).filter(({ isAwaited }) => isAwaited).map(({ watchKey }) => watchKey);
    expect(await awaitedKeys()).toContain('sol1');
    await run(db, day.become(7, 'completed', 500));
    await check(accounts);
    expect(await awaitedKeys()).not.toContain('sol1');
  });

  it('returns the same accounts as the database, whatever any process commits or rolls back', async () => {
    const accounts = newAccounts();
    const step = fc.record({
      how: fc.constantFrom('alone', 'together', 'in vain', 'seen in between', 'elsewhere'),
      changes: fc.array(change, { minLength: 1, maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        for (const { how, changes } of steps) {
          const statements = changes.flatMap(statementsOf);
          if (how === 'alone') await run(db, statements);
          else if (how === 'elsewhere') for (const statement of statements) other.prepare(statement).run();
          else {
            const work = db.transaction(async (tx) => {
              await run(tx, statements);
              if (how === 'seen in between') await check(accounts);
              if (how === 'in vain') throw new Error('taken back');
            });
            await (how === 'in vain' ? expect(work).rejects.toThrow('taken back') : work);
          }
          await check(accounts);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('returns current data when reads overlap with each other and with writes', async () => {
    const accounts = newAccounts();
    for (let at = 0; at < 5; at += 1) await run(db, day.order('pending', 500));
    const looks: Promise<OpenAccount[]>[] = [];
    for (let at = 1; at <= 40; at += 1) {
      looks.push(look(accounts));
      const statements = at % 3 === 0 ? day.order('pending', 500) : day.receive((at % 5) + 1, at);
      await db.transaction(async (tx) => run(tx, statements));
      const last = look(accounts);
      looks.push(last);
      const { own, awaited } = expected();
      const known = [...own, ...awaited];
      const given = await last;
      expect(given).toHaveLength(own.length + Math.min(awaited.length, LIMIT));
      expect(given).toEqual(given.map((one) => known.find(({ watchKey }) => watchKey === one.watchKey)));
    }
    await Promise.all(looks);
    await check(accounts);
  });

  it('reads all accounts from the database again after more changes than it can store', async () => {
    const accounts = newAccounts();
    await run(db, day.order('pending', 500));
    await check(accounts);
    await db.transaction(async (tx) => {
      for (let at = 0; at < 2_100; at += 1) await run(tx, day.order('completed', 500));
      await text(`UPDATE payments SET status = 'confirming'`).execute(tx);
    });
    await check(accounts);
  });

  it('reads from the database only accounts that were written since the last read', async () => {
    const accounts = newAccounts();
    await run(db, [...day.order('pending', 500), ...day.order('pending', 500)]);
    const [before, after] = [await look(accounts), await look(accounts)];
    expect(after.length).toBeGreaterThan(2);
    for (const [at, account] of after.entries()) expect(account).toBe(before[at]);
    await run(db, day.receive(1, 5));
    const last = await look(accounts);
    expect(last.filter((account) => !after.includes(account))).toMatchObject([{ watchKey: 'sol1' }]);
  });

  it('writes nothing to the database', async () => {
    const objects = other.prepare<[], { name: string }>('SELECT name FROM sqlite_schema');
    const before = objects.all();
    await check(newAccounts());
    expect(objects.all()).toEqual(before);
  });
});
