import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../../src/store/sqlite/database.ts';
import { refundPayment } from '../../../src/usecases/refunds/refund-payment.ts';
import { getSend } from '../../../src/usecases/wallet/send/get-send.ts';
import { InFlightSends } from '../../../src/usecases/wallet/lifecycle/in-flight-sends.ts';
import { eventually } from '../../_helpers/poll.ts';
import { openSandboxShop, type SandboxShop } from '../sandbox/sandbox-shop.ts';

let shop: SandboxShop;

beforeEach(async () => {
  shop = await openSandboxShop();
});
afterEach(async () => shop.close());

/** Runs something once, after the first answer of the database that shows a refund, when armed. */
function afterFirstLook(database: Database, work: (sendId: string) => Promise<void>) {
  let isArmed = false;
  const all = database.all.bind(database);
  database.all = async (text, parameters) => {
    const rows = await all(text, parameters);
    const { sendId, refunded } = (rows[0] ?? {}) as Record<string, unknown>;
    if (isArmed && typeof sendId === 'string' && refunded !== undefined) {
      isArmed = false;
      await work(sendId);
    }
    return rows;
  };
  return () => void (isArmed = true);
}

test('refundPayment creates one refund when a block arrives while it responds', async () => {
  const payment = await shop.order(['LTC']);
  await shop.simulate(payment, { scenario: 'exact', coin: 'LTC', confirmations: 2 });
  const { world } = shop;
  const { merchant, deps } = world;
  const sent = async (sendId: string) => getSend(deps, { merchantId: merchant.id, sendId });
  const arm = afterFirstLook(world.db.database, async (sendId) => {
    await shop.control('LTC').mine(1);
    await eventually(
      'it is in a block',
      async () => sent(sendId),
      ({ status }) => status === 'confirmed',
    );
  });
  class Armed extends InFlightSends {
    override async begin<T>(work: (sendId: string) => Promise<T>): Promise<T> {
      return super.begin(work).finally(arm);
    }
  }
  await eventually(
    'it is settled',
    async () => world.balance('LTC'),
    (balance) => balance !== '0',
  );
  const destination = deps.deriver.address({
    coin: 'LTC',
    mode: 'sandbox',
    account: 999,
    branch: 0,
    index: 7,
  });
  const { refund, refunds } = await refundPayment(
    { ...deps, inFlight: new Armed() },
    { merchant, paymentId: payment.id, destination, idempotencyKey: null },
  );
  expect(refunds).toEqual([refund]);
  expect((await sent(refund.sendId)).status).toBe('confirmed');
});
