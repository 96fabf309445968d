import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Coin } from '../../../src/domain/coins.ts';
import { getPayment } from '../../../src/usecases/payments/get-payment.ts';
import { failDisplacedSends } from '../../../src/usecases/wallet/lifecycle/fail-displaced-sends.ts';
import {
  refundPayment,
  type RefundPaymentDeps,
  type RefundPaymentInput,
} from '../../../src/usecases/refunds/refund-payment.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { getSend } from '../../../src/usecases/wallet/send/get-send.ts';
import { eventually } from '../../_helpers/poll.ts';
import { signed } from '../../_helpers/signed.ts';
import { openSandboxShop, type SandboxShop } from '../sandbox/sandbox-shop.ts';

const COIN: Coin = 'LTC';

let shop: SandboxShop;

beforeEach(async () => {
  shop = await openSandboxShop();
});
afterEach(async () => shop.close());

/** A payment with all its confirmations. */
async function paid(): Promise<{ id: string }> {
  const payment = await shop.order([COIN]);
  await shop.simulate(payment, { scenario: 'exact', coin: COIN, confirmations: 2 });
  await until(payment, 'completed');
  return payment;
}

async function read({ id }: { id: string }) {
  return getPayment(
    { ...shop.world.deps, baseUrl: 'http://localhost' },
    { merchantId: shop.world.merchant.id, paymentId: id },
  );
}

async function until(payment: { id: string }, status: string) {
  return eventually(
    `payment is ${status}`,
    async () => read(payment),
    (now) => now.status === status,
  );
}

function wish(payment: { id: string }, more: Partial<RefundPaymentInput> = {}): RefundPaymentInput {
  const { deriver } = shop.world.deps;
  return {
    merchant: shop.world.merchant,
    paymentId: payment.id,
    destination: deriver.address({ coin: COIN, mode: 'sandbox', account: 999, branch: 0, index: 7 }),
    idempotencyKey: null,
    ...more,
  };
}

/** The wallet with a line to the node that answers broadcasts so. */
function overLine(
  broadcast: () => Promise<{ kind: 'rejected' | 'unknown'; reason: string }>,
): RefundPaymentDeps {
  const { chains, ...deps } = shop.world.deps;
  return {
    ...deps,
    chains: {
      get: (coin, mode) => {
        const adapter = chains.get(coin, mode);
        return adapter === null ? null : { ...adapter, broadcast };
      },
    },
  };
}

async function sendStatus(sendId: string) {
  return (await getSend(shop.world.deps, { merchantId: shop.world.merchant.id, sendId })).status;
}

describe('a refund that fails permanently', () => {
  it('returns the refunded payment to completed, emits an event, and can be repeated', async () => {
    const payment = await paid();
    const { refund, status } = await refundPayment(shop.world.deps, wish(payment));
    expect(status).toBe('refunded');
    await shop.control(COIN).replace(signed(refund).txHash);
    const { deps } = shop.world;
    await shop.control(COIN).mine(deps.policy.surplusDepth);
    await shop.world.sync(COIN);
    await failDisplacedSends(deps, { coin: COIN, mode: 'sandbox' });
    const back = await until(payment, 'completed');
    expect(back.refunds).toMatchObject([{ sendId: refund.sendId, status: 'failed' }]);
    expect(back.refunds[0]?.error).toMatch(/spent the coins/);
    expect(await shop.eventsOf(payment)).toEqual([
      'created',
      'confirming',
      'completed',
      'refunded',
      'refund_failed',
      'completed',
    ]);
    await paid();
    shop.world.clock.advance(1_000);
    const again = await refundPayment(shop.world.deps, wish(payment));
    expect(again.status).toBe('refunded');
    expect(again.refunds.map((entry) => entry.status)).toEqual(['failed', 'broadcast']);
  });

  it('emits events when the network accepts a partial refund, and when it fails', async () => {
    const payment = await paid();
    await paid();
    const { refund, status } = await refundPayment(shop.world.deps, wish(payment, { amount: '0.2' }));
    expect([status, refund.fiatAmount, refund.linkId]).toEqual(['completed', '20', null]);
    await shop.control(COIN).replace(signed(refund).txHash);
    const { deps } = shop.world;
    await shop.control(COIN).mine(deps.policy.surplusDepth);
    await shop.world.sync(COIN);
    await failDisplacedSends(deps, { coin: COIN, mode: 'sandbox' });
    const events = await eventually(
      'it failed',
      async () => shop.eventsOf(payment),
      (all) => all.includes('refund_failed'),
    );
    expect(events.slice(-2)).toEqual(['partially_refunded', 'refund_failed']);
  });

  it('does not set the payment to refunded when the node rejects it, and releases the funds', async () => {
    const payment = await paid();
    const refusing = overLine(async () => ({ kind: 'rejected', reason: 'no thanks' }));
    await expect(refundPayment(refusing, wish(payment))).rejects.toMatchObject({ code: 'SEND_REJECTED' });
    expect(await read(payment)).toMatchObject({
      status: 'completed',
      refunds: [{ status: 'failed', error: 'no thanks' }],
    });
    expect(await shop.eventsOf(payment)).not.toContain('refunded');
    expect((await refundPayment(shop.world.deps, wish(payment))).status).toBe('refunded');
  });
});

describe('a refund whose broadcast got no clear answer', () => {
  it('reserves its funds, and the payment is refunded once the node accepts it', async () => {
    const payment = await paid();
    await paid();
    const silent = overLine(async () => ({ kind: 'unknown', reason: 'timeout' }));
    const { refund, status } = await refundPayment(silent, wish(payment, { idempotencyKey: 'one' }));
    expect([status, refund.status]).toEqual(['completed', 'signed']);
    await expect(refundPayment(shop.world.deps, wish(payment))).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
    shop.world.clock.advance(60_000);
    await advanceSends(shop.world.deps, shop.world.chain(COIN));
    expect((await read(payment)).status).toBe('refunded');
    const repeat = await refundPayment(shop.world.deps, wish(payment, { idempotencyKey: 'one' }));
    expect(repeat.refund).toMatchObject({ sendId: refund.sendId, status: 'broadcast' });
    await expect(
      refundPayment(shop.world.deps, wish(payment, { idempotencyKey: 'one', amount: '0.1' })),
    ).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    expect((await shop.eventsOf(payment)).filter((type) => type === 'refunded')).toHaveLength(1);
  });

  it('is confirmed by the block that contains it', async () => {
    const payment = await paid();
    const { chains } = shop.world.deps;
    const adapter = chains.get(COIN, 'sandbox');
    if (adapter === null) throw new Error('no adapter');
    const deps: RefundPaymentDeps = {
      ...shop.world.deps,
      chains: {
        get: () => ({
          ...adapter,
          broadcast: async (transaction) => {
            await adapter.broadcast(transaction);
            return { kind: 'unknown', reason: 'the answer was lost' };
          },
        }),
      },
    };
    const { refund } = await refundPayment(deps, wish(payment));
    expect((await read(payment)).status).toBe('completed');
    await shop.control(COIN).mine(1);
    await until(payment, 'refunded');
    expect(await sendStatus(refund.sendId)).toBe('confirmed');
  });
});

describe('a reorg after a refund', () => {
  it('leaves the payment refunded, with an event, when it drops the money of the payer', async () => {
    const payment = await paid();
    const other = await paid();
    await refundPayment(shop.world.deps, wish(payment));
    await shop.control(COIN).mine(1);
    await shop.simulate(other, { scenario: 'reorg', coin: COIN });
    expect(await shop.eventsOf(other)).toContain('reversed');
    await expect(refundPayment(shop.world.deps, wish(other))).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
    await shop.simulate(payment, { scenario: 'reorg', coin: COIN });
    const reversed = await eventually(
      'the payment is reversed',
      async () => shop.eventsOf(payment),
      (events) => events.includes('reversed'),
    );
    expect(reversed).toContain('refunded');
  });
});
