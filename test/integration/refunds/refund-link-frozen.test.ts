import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimsToSend } from '../../../src/store/payments/refund-links.ts';
import { sendClaims } from '../../../src/usecases/refunds/links/send-claims.ts';
import { refundPayment } from '../../../src/usecases/refunds/refund-payment.ts';
import { freezeByOperator, unfreezeByOperator } from '../../../src/usecases/wallet/freeze-wallet.ts';
import { LinkWorld } from './link-world.ts';

let world: LinkWorld;
beforeEach(async () => {
  world = await LinkWorld.open();
});
afterEach(async () => world[Symbol.asyncDispose]());

it('a refund claim on a frozen wallet is accepted, waits with that reason, and is sent after the unfreeze', async () => {
  const { deps, merchant, db } = world.shop.world;
  const payment = await world.paid();
  const link = await world.newLink(payment, { deductFee: true });
  await freezeByOperator(deps, { merchantId: merchant.id, reason: 'a key was stolen' });
  await world.claim(link);
  expect(await claimsToSend(db, 10)).toHaveLength(1);
  await sendClaims(world.deps());
  // Once its reason is recorded, it costs later rounds nothing.
  expect(await claimsToSend(db, 10)).toEqual([]);
  await sendClaims(world.deps());
  expect(await world.linkNow(link)).toMatchObject({
    status: 'claimed',
    problem: expect.stringMatching(/^the wallet is frozen since .* \(a key was stolen\)/) as string,
  });
  expect(await db.selectFrom('sends').select('id').where('purpose', '=', 'send').execute()).toEqual([]);
  await unfreezeByOperator(deps, merchant.id);
  await sendClaims(world.deps());
  expect(await world.linkNow(link)).toMatchObject({ problem: null });
  expect(await db.selectFrom('sends').select('id').where('purpose', '=', 'send').execute()).toHaveLength(1);
});

it('refundPayment fails with WALLET_FROZEN while the wallet is frozen, and stores nothing', async () => {
  const { deps, merchant, db } = world.shop.world;
  const { id: paymentId } = await world.paid();
  await freezeByOperator(deps, { merchantId: null, reason: null });
  const request = { merchant, paymentId, destination: world.payer(), idempotencyKey: null };
  await expect(refundPayment(world.deps(), request)).rejects.toMatchObject({ code: 'WALLET_FROZEN' });
  expect(await db.selectFrom('refunds').select('sendId').execute()).toEqual([]);
  await unfreezeByOperator(deps, null);
  await expect(refundPayment(world.deps(), request)).resolves.toMatchObject({ id: paymentId });
});
