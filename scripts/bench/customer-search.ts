import { join } from 'node:path';
import Database from 'better-sqlite3';
import { listCustomers } from '../../src/store/catalog/customers.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { alternate, compare } from './harness/alternate.ts';
import type { Comparison, Question } from './harness/question.ts';

const CUSTOMERS = 50_000;
const USER = 'u';
const PAGE = 10;
/** Matching 500 of the customers, all, and a ninth. */
const PARTS = ['17@', 'example.com', 'buyer-1'];
/** Consecutive searches. */
const TIMES = 5;

/** Whether a customer search costs more than SQLite's scan of all addresses. */
export const question: Question = {
  asks: `a page of customers by a part of the address, of ${CUSTOMERS}, with the exact total`,
  against: 'one bare LIKE over the same addresses, in the same database',
  run: async (bench) => {
    const path = join(bench.newDir(), 'customers.sqlite');
    const database = await openDatabase(path);
    fill(path);
    const bare = new Database(path, { readonly: true });
    const like = bare.prepare('SELECT count(*) FROM customers WHERE user_id = ? AND email_key LIKE ?');
    const comparisons: Comparison[] = [];
    for (const part of PARTS) {
      const rounds = await alternate({
        rounds: bench.quick ? 5 : 20,
        ours: async () =>
          timeOf(async () =>
            listCustomers(database.db, { userId: USER, search: part, page: 1, limit: PAGE }),
          ),
        baseline: async () => timeOf(async () => like.get(USER, `%${part}%`)),
      });
      const target = { atMost: 1.2 };
      comparisons.push(compare(rounds, { what: part, unit: 'ms', figure: (ms) => ms, target }));
    }
    bare.close();
    await database.close();
    return { comparisons };
  },
};

async function timeOf(search: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let time = 0; time < TIMES; time += 1) await search();
  return (performance.now() - started) / TIMES;
}

function fill(path: string): void {
  const sqlite = new Database(path);
  sqlite.pragma('foreign_keys = OFF');
  const insert = sqlite.prepare(
    `INSERT INTO customers (id, user_id, email, email_key, metadata_json, created_at, updated_at)
      VALUES (?, ?, ?, ?, '{}', ?, ?)`,
  );
  sqlite.transaction(() => {
    for (let at = 0; at < CUSTOMERS; at += 1) {
      const email = `buyer-${at}@example.com`;
      insert.run(`cus_${at}`, USER, email, email, at, at);
    }
  })();
  sqlite.close();
}
