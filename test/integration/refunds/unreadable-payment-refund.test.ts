import { afterEach, beforeEach, expect, test } from 'vitest';
import { refundPayment } from '../../../src/usecases/refunds/refund-payment.ts';
import { getSend } from '../../../src/usecases/wallet/send/get-send.ts';
import { SendLoop } from '../../../src/workers/chain-watcher/send-loop.ts';
import { eventually } from '../../_helpers/poll.ts';
import { openSandboxShop, type SandboxShop } from '../sandbox/sandbox-shop.ts';

const COIN = 'LTC';
const confirmations = () => ({ base: 1, tiers: [] });
let shop: SandboxShop;

beforeEach(async () => {
  shop = await openSandboxShop();
});
afterEach(async () => shop.close());

/** The send that gives a payment back. */
async function refunded(): Promise<{ readonly paymentId: string; readonly sendId: string }> {
  const payment = await shop.order([COIN]);
  await shop.simulate(payment, { scenario: 'exact', coin: COIN, confirmations: 2 });
  const { merchant, deps } = shop.world;
  const other = { coin: COIN, mode: 'sandbox', account: 999, branch: 0, index: 7 } as const;
  const { refund } = await refundPayment(deps, {
    merchant,
    paymentId: payment.id,
    destination: deps.deriver.address(other),
    idempotencyKey: null,
  });
  return { paymentId: payment.id, sendId: refund.sendId };
}

test('the refund of a corrupt payment row does not prevent other sends from being broadcast or completed', async () => {
  const bad = await refunded();
  const good = await refunded();
  const open = await refunded();
  const { db, deps, merchant, clock } = shop.world;
  // A block executed both in vain.
  await db
    .updateTable('sends')
    .set({ status: 'broadcast', height: 1, nextBroadcastAt: null })
    .where('id', 'in', [bad.sendId, good.sendId])
    .execute();
  await db
    .updateTable('payment_options')
    .set({ rateSourcesJson: '{' })
    .where('paymentId', '=', bad.paymentId)
    .execute();
  const said: unknown[] = [];
  const logger = { ...deps.logger, error: (fields: object) => void said.push(fields) };
  const loop = new SendLoop({ ...deps, logger, confirmations }, [{ coin: COIN, mode: 'sandbox' }], {
    intervalMs: 10,
    bumpIntervalMs: 60_000,
    poll: () => undefined,
  });
  clock.advance(deps.policy.rebroadcastMs);
  loop.start();
  const status = async ({ sendId }: typeof good) =>
    getSend(deps, { merchantId: merchant.id, sendId }).then((send) => send.status);
  const offers = async () =>
    db.selectFrom('sends').select('broadcasts').where('id', '=', open.sendId).executeTakeFirstOrThrow();
  try {
    await eventually(
      'the sound one is ended',
      async () => status(good),
      (now) => now === 'failed',
      5_000,
    );
    await eventually('the open one is offered again', offers, ({ broadcasts }) => broadcasts > 1, 5_000);
  } finally {
    await loop.stop();
  }
  expect(await status(bad)).toBe('broadcast');
  expect(said).toContainEqual({ sendId: bad.sendId, err: expect.any(SyntaxError) as SyntaxError });
});
