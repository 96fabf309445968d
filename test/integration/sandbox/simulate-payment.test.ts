import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COINS } from '../../../src/domain/coins.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { eventually } from '../../_helpers/poll.ts';
import { openSandboxShop, type SandboxShop } from './sandbox-shop.ts';

let shop: SandboxShop;

beforeEach(async () => {
  shop = await openSandboxShop();
});

afterEach(async () => {
  await shop.close();
});

/** Lets blocks come until the payment has been told of an event. */
async function toldOf(payment: PaymentView, type: string): Promise<string[]> {
  return eventually(
    `payment.${type}`,
    async () => {
      await shop.tick();
      return shop.eventsOf(payment);
    },
    (events) => events.includes(type),
  );
}

describe.each(COINS)('a simulated payment in %s', (coin) => {
  it('is confirming immediately when exact, and completes automatically', async () => {
    const payment = await shop.order();
    const paid = await shop.simulate(payment, { scenario: 'exact', coin });
    expect(paid).toMatchObject({ status: 'confirming', exception: null });
    expect(paid.options[coin]?.received).toBe(paid.options[coin]?.amount);
    expect(await toldOf(payment, 'completed')).toEqual(['created', 'confirming', 'completed']);
  });

  it('receives the rounded requested amount, which covers the price exactly', async () => {
    const payment = await shop.order();
    expect(payment.options[coin]?.amount).toMatch(/^\d+(\.\d{1,8})?$/);
    await shop.simulate(payment, { scenario: 'underpay', coin });
    await shop.simulate(payment, { scenario: 'exact', coin });
    expect(await toldOf(payment, 'completed')).not.toContain('overpaid');
    const other = await shop.order([], '33.33');
    const paid = await shop.simulate(other, { scenario: 'exact', coin });
    expect(paid).toMatchObject({ status: 'confirming', exception: null, receivedFiat: '33.33' });
    expect(await toldOf(other, 'completed')).toEqual(['created', 'confirming', 'completed']);
  });

  it('reports an excess when overpaid', async () => {
    const payment = await shop.order();
    await shop.simulate(payment, { scenario: 'overpay', coin });
    expect(await toldOf(payment, 'overpaid')).toEqual(['created', 'confirming', 'completed', 'overpaid']);
  });

  it('is reversed when double-spent', async () => {
    const payment = await shop.order();
    const after = await shop.simulate(payment, { scenario: 'double-spend', coin });
    expect(after.status).toBe('pending');
    expect(after.transactions.map((transaction) => transaction.status)).toEqual(['reversed']);
    expect(await shop.eventsOf(payment)).toEqual(['created', 'confirming', 'reversed']);
  });

  it('is reversed by a reorg of any depth', async () => {
    const payment = await shop.order();
    const after = await shop.simulate(payment, { scenario: 'reorg', coin, confirmations: 6 });
    expect(after.transactions.map((transaction) => transaction.status)).toEqual(['reversed']);
    expect(await shop.eventsOf(payment)).toEqual(['created', 'confirming', 'completed', 'reversed']);
  });
});

describe('a simulated payer', () => {
  it('may pay half first, then exactly the remainder', async () => {
    const payment = await shop.order(['LTC']);
    const half = await shop.simulate(payment, { scenario: 'underpay' });
    expect(half).toMatchObject({ status: 'underpaid' });
    const whole = await shop.simulate(payment, { scenario: 'exact' });
    expect(whole.status).toBe('confirming');
    expect(whole.options.LTC?.received).toBe(whole.options.LTC?.amount);
  });

  it('may pay the remainder in another coin', async () => {
    const payment = await shop.order();
    await shop.simulate(payment, { scenario: 'underpay', coin: 'BTC' });
    const whole = await shop.simulate(payment, { scenario: 'exact', coin: 'SOL' });
    expect(whole.status).toBe('confirming');
    expect(await toldOf(payment, 'completed')).not.toContain('overpaid');
  });

  it('pays late only after the payment has expired', async () => {
    const payment = await shop.order(['BTC']);
    const after = await shop.simulate(payment, { scenario: 'late' });
    expect(new Date(after.expiresAt).getTime()).toBeLessThan(new Date(payment.expiresAt).getTime());
    expect(after.transactions).toMatchObject([{ late: true }]);
    const events = await toldOf(payment, 'completed');
    expect(events.slice(0, 3)).toEqual(['created', 'expired', 'late']);
    const view = await shop.simulate(payment, { scenario: 'confirm', confirmations: 1 });
    expect(view).toMatchObject({ status: 'completed', exception: 'late' });
  });

  it('may have a completed payment reversed', async () => {
    const payment = await shop.order(['BTC']);
    await shop.simulate(payment, { scenario: 'exact', confirmations: 2 });
    expect(await shop.eventsOf(payment)).toEqual(['created', 'confirming', 'completed']);
    const after = await shop.simulate(payment, { scenario: 'reorg' });
    expect(after.status).not.toBe('completed');
    expect((await shop.eventsOf(payment)).slice(3)).toContain('reversed');
  });

  it('causes no reversal of payments of other orders by a reorg', async () => {
    const [victim, bystander] = [await shop.order(['BTC']), await shop.order(['BTC'])];
    await shop.simulate(bystander, { scenario: 'exact' });
    await shop.simulate(victim, { scenario: 'reorg', confirmations: 3 });
    expect(await toldOf(bystander, 'completed')).toEqual(['created', 'confirming', 'completed']);
  });

  it('confirms a payment on demand as often as the payment requires', async () => {
    const payment = await shop.order(['ETH']);
    await shop.simulate(payment, { scenario: 'exact' });
    const after = await shop.simulate(payment, { scenario: 'confirm' });
    expect(after.status).toBe('completed');
    expect(after.options.ETH?.confirmations).toBe(2);
  });

  it('pays exactly the requested amount', async () => {
    const payment = await shop.order(['BTC']);
    const after = await shop.simulate(payment, { scenario: 'underpay', amount: '0.0001' });
    expect(after.options.BTC?.received).toBe('0.0001');
  });

  it('is refused an impossible scenario', async () => {
    const payment = await shop.order(['BTC']);
    const attempt = async (wish: Parameters<SandboxShop['simulate']>[1]) => shop.simulate(payment, wish);
    await expect(attempt({ scenario: 'confirm' })).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(attempt({ scenario: 'exact', coin: 'ETH' })).rejects.toMatchObject({
      code: 'VALIDATION_INVALID',
      details: [{ field: 'coin' }],
    });
    for (const [scenario, amount] of [
      ['underpay', '1'],
      ['overpay', '0.0000001'],
      ['exact', '0.000000001'],
      ['exact', '0'],
      // It would spoil the wallet: no send of this coin would be taken by the network any more.
      ['overpay', '9'.repeat(50)],
    ] as const) {
      await expect(attempt({ scenario, amount })).rejects.toMatchObject({
        code: 'VALIDATION_INVALID',
        details: [{ field: 'amount' }],
      });
    }
    await attempt({ scenario: 'exact' });
    await expect(attempt({ scenario: 'exact' })).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(shop.simulate({ id: 'pay_nothing' }, { scenario: 'exact' })).rejects.toMatchObject({
      code: 'PAYMENT_NOT_FOUND',
    });
    expect(await shop.eventsOf(payment)).toEqual(['created', 'confirming']);
  });

  it('is refused for a live payment', async () => {
    const payment = await shop.order(['BTC']);
    await shop.world.db.updateTable('payments').set({ mode: 'live' }).where('id', '=', payment.id).execute();
    await expect(shop.simulate(payment, { scenario: 'exact' })).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: 'Only sandbox payments can be simulated',
    });
  });
});
