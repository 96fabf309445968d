import { afterEach, beforeEach, expect, test } from 'vitest';
import { quoteLatePayments } from '../../../src/usecases/payments/quote-late-payments.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo } from '../../_helpers/scripted-chain.ts';

const DUE = 50_000_000n;
let world: PaymentWorld;
let said: object[];

beforeEach(async () => {
  said = [];
  const logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (fields: object) => void said.push(fields),
  };
  world = await openPaymentWorld({ logger });
  await world.poll();
});

afterEach(async () => {
  await world.close();
});

/** A row that can no longer be read, because of flipped bits or an edit in the database. */
async function poison({ id }: PaymentView): Promise<void> {
  const broken = { rateSourcesJson: '{' };
  await world.wallet.db.updateTable('payment_options').set(broken).where('paymentId', '=', id).execute();
}

test('a corrupt payment row does not prevent other payments from expiring, and is named in the log', async () => {
  const bad = await world.order({ allowed: ['BTC'] });
  world.advance(MINUTE);
  const good = await world.order({ allowed: ['BTC'] });
  await poison(bad);
  world.advance(61 * MINUTE);
  await world.poll();
  expect(await world.expire()).toBe(1);
  expect((await world.payment(good)).status).toBe('expired');
  expect(said).toEqual([{ paymentId: bad.id, err: expect.any(SyntaxError) }]);
});

test('a corrupt payment row does not prevent the valuation of late money of other payments', async () => {
  const both = [await world.order({ allowed: ['BTC'] }), await world.order({ allowed: ['BTC'] })];
  world.advance(61 * MINUTE);
  world.rate = null;
  const credits = both.map((payment) => creditTo(addressOf(payment, 'BTC'), DUE));
  world.chains.BTC.mine(world.now(), credits);
  world.chains.BTC.mine(world.now());
  await world.poll('BTC');
  const [bad, good] = both.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (bad === undefined || good === undefined) throw new Error('two payments were made');
  await poison(bad);
  world.rate = '100';
  await quoteLatePayments(world.deps, { coin: 'BTC', mode: 'live' });
  expect((await world.payment(good)).status).toBe('completed');
  expect(said).toEqual([{ paymentId: bad.id, err: expect.any(SyntaxError) }]);
});
