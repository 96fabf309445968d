import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { CheckoutWorld } from '../../_helpers/web/checkout-world.ts';

const HOUR = 3_600_000;

let world: CheckoutWorld;
beforeAll(async () => {
  world = await CheckoutWorld.start();
  await world.till.api.must('PATCH', '/merchant/edit', {
    token: world.shop.token,
    body: { merchantId: world.shop.merchantId, renewExpired: true },
  });
});
afterAll(async () => world?.end());

async function expired(fields: Record<string, unknown> = {}): Promise<PaymentJson> {
  const payment = await world.pay(fields);
  await world.runOut(payment.id);
  return payment;
}

async function press(id: string): Promise<{ status: number; next: string }> {
  const url = `${world.till.api.baseUrl}/checkout/${id}/renew?lang=en`;
  const answer = await fetch(url, { method: 'POST', redirect: 'manual' });
  const next = /^\/checkout\/([^?]+)\?/.exec(answer.headers.get('location') ?? '')?.[1] ?? 'none';
  return { status: answer.status, next };
}

async function renew(id: string): Promise<string> {
  const { status, next } = await press(id);
  expect([status, next === id]).toEqual([303, false]);
  return next;
}

async function isOffered(id: string): Promise<boolean> {
  const page = await (await fetch(`${world.till.api.baseUrl}/checkout/${id}?lang=en`)).text();
  return page.includes(`action="/checkout/${id}/renew?`);
}

function change(sql: string, ...values: string[]): void {
  const db = new Sqlite(join(world.till.dataDir, 'tilld.sqlite'));
  try {
    expect(db.prepare(sql).run(...values).changes).toBe(1);
  } finally {
    db.close();
  }
}

function countRenewals(id: string): unknown {
  const db = new Sqlite(join(world.till.dataDir, 'tilld.sqlite'));
  try {
    return db.prepare('SELECT count(*) FROM payments WHERE renews = ?').pluck().get(id);
  } finally {
    db.close();
  }
}

const reaches = async (id: string, status: string, exception: string | null): Promise<PaymentJson> =>
  eventually(
    `the payment is ${status}`,
    () => world.shop.payment(id),
    (payment) => payment.status === status && payment.exception === exception,
  );

describe('the renewal of an expired payment', () => {
  it('requires at least the current number of confirmations of the server, and keeps a higher number', async () => {
    const old = await expired({ confirmations: { BTC: 3, LTC: 5 } });
    // As if the server had required less when the payment was made.
    const asked = '{"BTC":1,"LTC":5}';
    change('UPDATE payments SET confirmations_json = ? WHERE id = ?', asked, old.id);
    const { options } = await world.shop.payment(await renew(old.id));
    expect(options['BTC']).toMatchObject({ requiredConfirmations: 2 });
    expect(options['LTC']).toMatchObject({ requiredConfirmations: 5 });
  });

  it('creates no payment when no rate is available, and succeeds once there is one', async () => {
    const old = await expired();
    change('UPDATE payments SET currency = ? WHERE id = ?', 'BTN', old.id);
    expect((await press(old.id)).status).toBe(503);
    expect(countRenewals(old.id)).toBe(0);
    change('UPDATE payments SET currency = ? WHERE id = ?', 'EUR', old.id);
    expect(await isOffered(old.id)).toBe(true);
    await renew(old.id);
  });

  it('counts late money at the address of the expired payment, then waits for the shop without asking the payer for more', async () => {
    const old = await expired();
    const next = await renew(old.id);
    await world.simulate(old.id, 'exact', { coin: 'LTC', confirmations: 6 });
    await reaches(next, 'underpaid', 'late');
    await reaches(old.id, 'cancelled', null);
    const page = await (await fetch(`${world.till.api.baseUrl}/checkout/${next}?lang=en`)).text();
    expect(page).toContain('Your payment came late');
    expect(page).not.toContain((await world.shop.payment(next)).options['LTC']?.address);
    await world.resolve(next, 'accept');
    const { transactions } = await reaches(next, 'completed', 'late');
    expect(transactions).toMatchObject([{ paymentId: old.id }]);
    expect((await world.shop.payment(old.id)).transactions).toEqual([]);
    expect((await press(old.id)).next).toBe(next);
    expect(countRenewals(old.id)).toBe(1);
  });

  // Last: days go by.
  it('is refused a week after the first payment of the order, however often the payment was renewed', async () => {
    const old = await expired({ lifetimeMinutes: 60 });
    world.till.clock.advance(6 * 24 * HOUR);
    const second = await renew(old.id);
    await world.runOut(second);
    const third = await renew(second);
    await world.runOut(third);
    expect(await isOffered(third)).toBe(true);
    world.till.clock.advance(24 * HOUR);
    expect(await isOffered(third)).toBe(false);
    expect((await press(third)).next).toBe(third);
  });
});
