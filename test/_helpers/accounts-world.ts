/** A shop with more open accounts than one read returns, while another process writes. */
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { OpenAccount } from '../../src/domain/chain.ts';
import { assertNever } from '../../src/domain/errors.ts';
import type { Db, Tx } from '../../src/store/sqlite/database.ts';
import { OpenAccounts } from '../../src/store/ledger/open-accounts.ts';
import { openPaymentWorld, type PaymentWorld } from './payment-world.ts';

/** Three pages. */
const LIMIT = 1_100;
const PAYMENTS = 1_150;
const CLOSED_AFTER = 1_000;

export type AccountChange =
  | { readonly kind: 'order' }
  /** Of the account that so many came after. */
  | { readonly kind: 'close' | 'open' | 'receive' | 'spend'; readonly behind: number };

/** A read that a disk or a lack of memory failed. */
export class LostRead extends Error {}

/** A look at the accounts, and what it gave so far. */
export interface AccountLook {
  readonly lists: AsyncGenerator<readonly OpenAccount[], void>;
  readonly given: OpenAccount[];
  /** The state in which it began. */
  readonly since: number;
}

export class AccountsWorld {
  readonly db: Db;
  /** So many reads from now, one fails; null for none. */
  failsIn: number | null = null;
  readonly #world: PaymentWorld;
  /** Another process. */
  readonly #other: Database.Database;
  readonly #model: string;
  readonly #columns: string;
  #payments = 0;
  #outputs = 0;
  /** What was committed, one state after the other: what each account holds, by its key. */
  #states: ReadonlyMap<string, string>[] = [];

  private constructor(world: PaymentWorld, other: Database.Database, model: string) {
    this.#world = world;
    this.db = world.wallet.db;
    this.#other = other;
    this.#model = model;
    const names = other
      .prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('payments')`)
      .all()
      .map(({ name }) => name);
    const own = ['id', 'order_id', 'status', 'expires_at', 'closed_at'];
    this.#columns = names.filter((name) => !own.includes(name)).join();
  }

  static async open(): Promise<AccountsWorld> {
    const world = await openPaymentWorld();
    const { id } = await world.order();
    const files = await sql<{ file: string }>`PRAGMA database_list`.execute(world.wallet.db);
    const other = new Database(files.rows[0]?.file ?? '', { timeout: 0 });
    const accounts = new AccountsWorld(world, other, id);
    other.exec('BEGIN');
    for (let at = 0; at < PAYMENTS; at += 1) {
      for (const each of accounts.#order(at % 3 === 0 ? 'pending' : 'completed')) other.exec(each);
    }
    other.exec('COMMIT');
    accounts.#letReadsFail();
    return accounts;
  }

  async close(): Promise<void> {
    this.#other.close();
    await this.#world.close();
  }

  /** The index under test, before its first read. */
  accounts(): OpenAccounts {
    return new OpenAccounts(this.db, { coin: 'SOL', mode: 'live' }, LIMIT);
  }

  begin(accounts: OpenAccounts): AccountLook {
    return { lists: accounts.poll(CLOSED_AFTER), given: [], since: this.#states.length - 1 };
  }

  async finish(look: AccountLook): Promise<void> {
    for await (const list of look.lists) look.given.push(...list);
    this.check(look);
  }

  /** Each account was given once, as it was some time since the look began; none is left out that was open all the time. */
  check({ given, since }: Pick<AccountLook, 'given' | 'since'>): void {
    const window = this.#states.slice(since);
    expect(new Set(given.map(({ watchKey }) => watchKey)).size).toBe(given.length);
    const paid = given.filter(({ watchKey }) => watchKey.startsWith('s'));
    const found = new Map(paid.map((account) => [account.watchKey, shown(account)]));
    const wrong = [...found].filter(([key, held]) => !window.some((state) => state.get(key) === held));
    expect(wrong).toEqual([]);
    const missed = [...(window[0]?.keys() ?? [])].filter(
      (key) => !found.has(key) && window.every((state) => state.has(key)),
    );
    expect(missed).toEqual([]);
  }

  statements(changes: readonly AccountChange[]): string[] {
    return changes.flatMap((each) => this.#statementsOf(each));
  }

  /** In a transaction of this process. */
  async write(changes: readonly AccountChange[]): Promise<void> {
    const statements = this.statements(changes);
    await this.db.transaction(async (tx) => run(tx, statements));
    this.remember();
  }

  writeElsewhere(changes: readonly AccountChange[]): void {
    for (const each of this.statements(changes)) {
      this.#other.exec(each);
      this.remember();
    }
  }

  /** What was before is of no interest any more. */
  forget(): void {
    this.#states = [];
    this.remember();
  }

  /** What is committed now, by a plain statement of another process. */
  remember(): void {
    const rows = this.#other
      .prepare<[], { key: string; held: string }>(
        `SELECT n.watch_key AS key, (SELECT coalesce(group_concat(vout || '=' || amount ORDER BY vout), '') FROM outputs o
            WHERE o.address_id = n.id AND o.state = 'confirmed' AND o.spent_height IS NULL) AS held
          FROM addresses n JOIN payments p ON p.id = n.payment_id
          WHERE n.coin = 'SOL' AND n.mode = 'live' AND p.status IN ('pending', 'underpaid', 'confirming')`,
      )
      .all();
    this.#states.push(new Map(rows.map(({ key, held }) => [key, held])));
  }

  #letReadsFail(): void {
    const { db } = this;
    const { database } = db;
    const all = database.all.bind(database);
    database.all = (text, parameters) => {
      if (this.failsIn !== null) this.failsIn -= 1;
      if (this.failsIn === 0) throw new LostRead();
      return all(text, parameters);
    };
  }

  #order(status: string): string[] {
    this.#payments += 1;
    const number = this.#payments;
    return [
      `INSERT INTO payments (id, order_id, status, expires_at, closed_at, ${this.#columns})
        SELECT 'pay_${number}', 'day-${number}', '${status}', 500, NULL, ${this.#columns} FROM payments
        WHERE id = '${this.#model}'`,
      `INSERT INTO addresses (merchant_id, coin, mode, branch, idx, address, watch_key, purpose, payment_id, created_at)
        VALUES ('${this.#world.wallet.merchant.id}', 'SOL', 'live', 0, ${number + 1_000}, 's${number}', 's${number}',
          'payment', 'pay_${number}', 5)`,
    ];
  }

  #statementsOf(change: AccountChange): string[] {
    if (change.kind === 'order') return this.#order('pending');
    const of = this.#payments - change.behind;
    switch (change.kind) {
      case 'close':
        return [`UPDATE payments SET status = 'completed' WHERE id = 'pay_${of}'`];
      case 'open':
        return [`UPDATE payments SET status = 'underpaid' WHERE id = 'pay_${of}'`];
      case 'receive':
        this.#outputs += 1;
        return [
          `INSERT INTO outputs (coin, mode, txid, vout, address_id, merchant_id, payment_id, amount, state, height,
              block_hash, maturity, first_seen_at, late, updated_at)
            SELECT 'SOL', 'live', 'tx', ${this.#outputs}, id, merchant_id, payment_id, '${this.#outputs}', 'confirmed', 9,
              'b', 1, 1, 0, 1 FROM addresses WHERE watch_key = 's${of}'`,
        ];
      case 'spend':
        return [
          `UPDATE outputs SET spent_by = 'x', spent_height = 10
            WHERE address_id = (SELECT id FROM addresses WHERE watch_key = 's${of}')`,
        ];
      default:
        return assertNever(change);
    }
  }
}

export async function run(on: Db | Tx, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(on);
}

function shown({ holdings: held }: OpenAccount): string {
  return held.map(({ ref, amount }) => `${ref.index}=${amount}`).join();
}
