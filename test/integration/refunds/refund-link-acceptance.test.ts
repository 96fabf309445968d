/** What the merchant accepts as the whole price, and what the payer may still claim of it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import { cancelLink } from '../../../src/usecases/refunds/links/decide-link.ts';
import { sendClaims } from '../../../src/usecases/refunds/links/send-claims.ts';
import { eventually } from '../../_helpers/poll.ts';
import { LinkWorld } from './link-world.ts';

let world: LinkWorld;

beforeEach(async () => {
  world = await LinkWorld.open();
});
afterEach(async () => world[Symbol.asyncDispose]());

/** 0.25 LTC of 0.5, in one block. */
async function halfPaid(): Promise<{ id: string }> {
  // Pays the fees.
  await world.paid();
  const payment = await world.shop.order(['LTC']);
  const { address = '' } = (await world.read(payment)).options.LTC ?? {};
  const chain = world.shop.control('LTC');
  await chain.pay([{ address, amount: parseCoinAmount('0.25', 'LTC') }]);
  await chain.mine(1);
  await eventually(
    'it is in a block',
    async () => world.read(payment),
    ({ transactions }) => transactions[0]?.confirmations === 1,
  );
  return payment;
}

const accept = async ({ id: paymentId }: { id: string }) =>
  resolvePayment(
    { ...world.deps(), baseUrl: 'http://localhost' },
    { merchantId: world.shop.world.merchant.id, paymentId },
    'accept',
  );

async function completed(payment: { id: string }) {
  await world.shop.control('LTC').mine(3);
  await eventually(
    'it is complete',
    async () => world.read(payment),
    ({ status }) => status === 'completed',
  );
  await sendClaims(world.deps());
  return world.read(payment);
}

describe('acceptance of an underpaid payment by the merchant', () => {
  it('excludes the accepted money from refund links that were created before', async () => {
    const payment = await halfPaid();
    const link = await world.newLink(payment);
    expect((await accept(payment)).status).toBe('confirming');
    await expect(world.claim(link)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await completed(payment)).toMatchObject({ keptFiat: '25', refunds: [] });
    expect((await world.page(link)).status).toBe('gone');
  });

  it('does not exclude the money from refund links that are created after it', async () => {
    const payment = await halfPaid();
    await accept(payment);
    await world.claim(await world.newLink(payment));
    expect(await completed(payment)).toMatchObject({ keptFiat: '0', refunds: [{ refunded: '0.25' }] });
  });

  it('is refused while the payer has claimed money of the payment, and succeeds once that claim is cancelled', async () => {
    const payment = await halfPaid();
    const link = await world.newLink(payment);
    await world.claim(link);
    await expect(accept(payment)).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('cancel that link first') as string,
    });
    expect((await world.read(payment)).status).toBe('underpaid');
    await cancelLink(world.deps(), { merchantId: world.shop.world.merchant.id, linkId: link.id });
    await accept(payment);
    expect(await completed(payment)).toMatchObject({ keptFiat: '25', refunds: [] });
  });
});
