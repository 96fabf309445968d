import { join } from 'node:path';
import { PublicKey } from '@solana/web3.js';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, it } from 'vitest';
import type { PaymentJson, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { addressOf, due, SETTLED, SvmWorld } from '../../_helpers/svm/world.ts';

/** More than a look covers. */
const ORDERS = 10_200;

let world: SvmWorld;
let shop: Shop;
beforeAll(async () => {
  // Slower than usual, or the turns of old addresses alone would find it soon.
  world = await SvmWorld.start({ env: () => ({ TILLD_POLL_INTERVAL: '1s' }) });
  shop = await world.openShop();
});
afterAll(async () => world.end());

/** Inserts as many orders like this one as a stranger could create with the public key, in less time. */
function flood(model: PaymentJson): void {
  const database = new Database(join(world.till.dataDir, 'tilld.sqlite'), { timeout: 10_000 });
  const columnsOf = (table: string, own: readonly string[]): string =>
    database
      .prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => name)
      .filter((name) => !own.includes(name))
      .join();
  const payment = columnsOf('payments', ['id', 'order_id', 'expires_at']);
  const address = columnsOf('addresses', ['id', 'idx', 'address', 'watch_key', 'payment_id']);
  const order = database.prepare<[number, number, number]>(
    `INSERT INTO payments (id, order_id, expires_at, ${payment})
      SELECT 'pay_flood' || ?, 'flood' || ?, expires_at + ?, ${payment} FROM payments WHERE id = '${model.id}'`,
  );
  const account = database.prepare<[number, string, string, number]>(
    `INSERT INTO addresses (idx, address, watch_key, payment_id, ${address})
      SELECT idx + ?, ?, ?, 'pay_flood' || ?, ${address} FROM addresses WHERE coin = 'SOL' AND payment_id = '${model.id}'`,
  );
  database.transaction(() => {
    for (let made = 1; made <= ORDERS; made += 1) {
      const key = new PublicKey(made * 1_000_003).toBase58();
      order.run(made, made, made);
      account.run(1_000 + made, key, key, made);
    }
  })();
  database.close();
}

it('a SOL payment is detected immediately, however many payments were created after it', async () => {
  const payment = await shop.createPayment({ allowedCryptos: ['SOL'] });
  const other = await shop.createPayment({ allowedCryptos: ['SOL'] });
  flood(other);
  // Looks at old addresses by turns go on meanwhile, from the oldest on.
  const requests = world.node.inject({ kind: 'delay', ms: 0 }, { methods: ['getMultipleAccounts'] });
  await eventually(
    'all orders were looked at',
    async () => requests.hits,
    (hits) => hits > 400,
    40_000,
  );
  world.payer.pay([{ address: addressOf(payment), amount: due(payment) }]);
  world.node.advance(SETTLED);
  await world.sink.waitForEvent('payment.completed', payment.id, 20_000);
});
