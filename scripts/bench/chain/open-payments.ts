import Database from 'better-sqlite3';
import { sql } from 'kysely';
import type { ChainIndex } from '../../../src/domain/chain.ts';
import { createChainIndex } from '../../../src/store/watch/chain-index.ts';
import { openPaymentWorld } from '../../../test/_helpers/payment-world.ts';
import type { Bench } from '../harness/question.ts';

/** A shop's address index on a real database, with one pending payment for each of these addresses. */
export async function openPayments(
  bench: Pick<Bench, 'onEnd'>,
  coin: 'ETH' | 'SOL',
  addresses: readonly string[],
): Promise<ChainIndex> {
  const world = await openPaymentWorld();
  bench.onEnd(async () => world.close());
  const { db, merchant } = world.wallet;
  const { id: model } = await world.order();
  const files = await sql<{ file: string }>`PRAGMA database_list`.execute(db);
  const sqlite = new Database(files.rows[0]?.file ?? '');
  const columns = sqlite
    .prepare<[], { name: string }>(
      `SELECT name FROM pragma_table_info('payments') WHERE name NOT IN ('id', 'order_id')`,
    )
    .all()
    .map(({ name }) => name)
    .join();
  const payment = sqlite.prepare(
    `INSERT INTO payments (id, order_id, ${columns}) SELECT ?, ?, ${columns} FROM payments WHERE id = ?`,
  );
  const address = sqlite.prepare(
    `INSERT INTO addresses (merchant_id, coin, mode, branch, idx, address, watch_key, purpose, payment_id, created_at)
      VALUES (?, ?, 'live', 0, ?, ?, ?, 'payment', ?, ?)`,
  );
  const now = world.now();
  sqlite.transaction(() => {
    for (const [at, each] of addresses.entries()) {
      const id = `pay_${String(at).padStart(24, '0')}`;
      payment.run(id, `open-${at}`, model);
      address.run(merchant.id, coin, at + 1_000, each, each, id, now);
    }
  })();
  sqlite.close();
  return createChainIndex(db, { coin, mode: 'live' });
}
