import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Shop, type ApiAnswer, type PaymentJson } from '../../_helpers/api-client.ts';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { TillProcess } from '../../_helpers/till.ts';
import { eventually } from '../../_helpers/poll.ts';

const PATH = '/sandbox/payment/simulate';

let till: TillProcess;
let shop: Shop;
beforeEach(async () => {
  // The simulator mines no block on its own: every credit of a payment comes from its payer.
  till = await TillProcess.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '10m' });
  shop = await Shop.open(till.api);
});
afterEach(async () => till.end());

const simulate = async (key: string, body: object): Promise<ApiAnswer<PaymentJson>> =>
  shop.api.call<PaymentJson>('POST', PATH, {
    token: shop.secretKey,
    body,
    headers: { 'idempotency-key': key },
  });

/** All transactions of the sandbox network. */
function rows(): { txid: string; state: string; body_json: string }[] {
  const sqlite = new Database(join(till.dataDir, 'tilld.sqlite'), { readonly: true });
  try {
    return sqlite.prepare('SELECT txid, state, body_json FROM sim_transactions').all() as ReturnType<
      typeof rows
    >;
  } finally {
    sqlite.close();
  }
}

/** As a kill -9 between the payment and its answer leaves the key. */
function forgetAnswer(): void {
  const sqlite = new Database(join(till.dataDir, 'tilld.sqlite'));
  const { changes } = sqlite
    .prepare(
      "UPDATE idempotency SET state = 'in_flight', status = NULL, body_sealed = NULL WHERE route LIKE ?",
    )
    .run(`%${PATH}`);
  sqlite.close();
  expect(changes).toBe(1);
}

describe('a simulated payment whose request was interrupted before the response', () => {
  test.each(['exact', 'underpay', 'overpay', 'late', 'double-spend', 'reorg'])(
    'is returned for a repeat of %s with the same Idempotency-Key, and paid once',
    async (scenario) => {
      const { id: paymentId } = await shop.createPayment({ allowedCryptos: ['LTC'] });
      const body = { paymentId, scenario, coin: 'LTC' };
      const first = await simulate('once', body);
      expect(first.status).toBe(200);
      const before = rows();
      await till.kill9();
      forgetAnswer();
      await till.up();
      const again = await simulate('once', body);
      expect(again.body.error).toBeNull();
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
      expect(again.body.data.options.LTC).toEqual(first.body.data.options.LTC);
      expect(
        rows()
          .map(({ txid }) => txid)
          .toSorted(),
      ).toEqual(before.map(({ txid }) => txid).toSorted());
    },
  );

  test('is paid once when the daemon is killed at the moment of the payment', async () => {
    const { id: paymentId } = await shop.createPayment({ allowedCryptos: ['LTC'] });
    const body = { paymentId, scenario: 'exact', coin: 'LTC' };
    const asked = simulate('once', body).catch(() => null);
    await eventually(
      'it is paid',
      async () => rows().length,
      (count) => count > 0,
    );
    await till.kill9();
    await asked;
    await till.up();
    expect((await simulate('once', body)).status).toBe(200);
    expect(rows()).toHaveLength(1);
  });

  test('does not affect a simulation of another payment with another key, or without one', async () => {
    const { id: paymentId } = await shop.createPayment({ allowedCryptos: ['LTC'] });
    const body = { paymentId, scenario: 'underpay', coin: 'LTC' };
    for (const key of ['a', 'b']) expect((await simulate(key, body)).status).toBe(200);
    await shop.api.must('POST', PATH, { token: shop.secretKey, body });
    expect(rows()).toHaveLength(3);
  });
});
