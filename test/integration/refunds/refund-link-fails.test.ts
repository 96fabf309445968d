import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BroadcastResult } from '../../../src/domain/chain.ts';
import { ChainError } from '../../../src/domain/chain.ts';
import type { Coin } from '../../../src/domain/coins.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import { getPayment } from '../../../src/usecases/payments/get-payment.ts';
import { storeEventNotices } from '../../../src/usecases/notices/store-event-notices.ts';
import { claimRefundLink } from '../../../src/usecases/refunds/links/claim-link.ts';
import { createRefundLink, type RefundLinkRequest } from '../../../src/usecases/refunds/links/create-link.ts';
import { approveLink, cancelLink } from '../../../src/usecases/refunds/links/decide-link.ts';
import { expireLinks } from '../../../src/usecases/refunds/links/expire-links.ts';
import { listLinks } from '../../../src/usecases/refunds/links/list-links.ts';
import type { RefundLinkView } from '../../../src/usecases/payments/refunds/present-link.ts';
import { sendClaims, type SendClaimsDeps } from '../../../src/usecases/refunds/links/send-claims.ts';
import { refundPayment } from '../../../src/usecases/refunds/refund-payment.ts';
import { failDisplacedSends } from '../../../src/usecases/wallet/lifecycle/fail-displaced-sends.ts';
import { RetryBackoff } from '../../../src/usecases/wallet/lifecycle/retry-backoff.ts';
import { sendCoins } from '../../../src/usecases/wallet/send/send-coins.ts';
import { skipUsedAddresses } from '../../../src/usecases/wallet/skip-used-addresses.ts';
import { eventually } from '../../_helpers/poll.ts';
import { openSandboxShop, type SandboxShop } from '../sandbox/sandbox-shop.ts';

/** No mail is written here. */
const NO_BOX = { seal: (plain: string) => plain, open: (sealed: string) => sealed };

const COIN: Coin = 'LTC';
const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
/** A payment of 50 USD is 0.5 LTC. */
const RATES = {
  quote: (coin: Coin) => ({ coin, currency: 'USD', rate: '100', sources: ['fixed'], at: 0 }),
  ensure: async () => {},
};

let shop: SandboxShop;

beforeEach(async () => {
  shop = await openSandboxShop();
});
afterEach(async () => shop.close());

function withLink() {
  const { deps, clock } = shop.world;
  const claimBackoff = new RetryBackoff(clock, { most: 10, restMs: 5_000, maxRestMs: 5_000 });
  const secretBox = { seal: (plain: string) => plain, open: (sealed: string) => sealed };
  return { ...deps, rates: RATES, secretBox, claimBackoff, sendClaims: async () => {} };
}

async function paid(): Promise<{ id: string }> {
  const payment = await shop.order([COIN]);
  await shop.simulate(payment, { scenario: 'exact', coin: COIN, confirmations: 2 });
  await eventually(
    'it is completed',
    async () => read(payment),
    ({ status }) => status === 'completed',
  );
  return payment;
}

async function read({ id }: { id: string }) {
  const { deps, merchant } = shop.world;
  return getPayment({ ...deps, baseUrl: 'http://localhost' }, { merchantId: merchant.id, paymentId: id });
}

async function newLink(
  { id }: { id: string },
  more: { wish?: RefundLinkRequest; approval?: boolean; rate?: 'received' | 'current' } = {},
): Promise<RefundLinkView> {
  return createRefundLink(withLink(), {
    merchantId: shop.world.merchant.id,
    paymentId: id,
    request: more.wish ?? { kind: 'all' },
    rate: more.rate ?? 'received',
    expiresInDays: 1,
    approval: more.approval ?? false,
    deductFee: false,
    reason: null,
  });
}

const tokenOf = ({ url }: RefundLinkView): string => (url ?? '').split('/').at(-1) ?? '';

function payer(index = 7): string {
  return shop.world.deps.deriver.address({ coin: COIN, mode: 'sandbox', account: 999, branch: 0, index });
}

async function claim(link: RefundLinkView, index = 7): Promise<void> {
  await claimRefundLink(withLink(), { token: tokenOf(link), coin: COIN, destination: payer(index) });
}

async function linkNow({ id, paymentId }: RefundLinkView): Promise<RefundLinkView> {
  const filter = { merchant: shop.world.merchant, paymentId, urls: 'all' } as const;
  const { links } = await listLinks(withLink(), filter, { page: 1, limit: 100 });
  const found = links.find((link) => link.id === id);
  if (found === undefined) throw new Error('the link is gone');
  return found;
}

/** The node, with these overrides. */
function nodeThat(change: object): SendClaimsDeps {
  const deps = withLink();
  return {
    ...deps,
    chains: {
      get: (coin, mode) => {
        const adapter = deps.chains.get(coin, mode);
        return adapter === null ? null : { ...adapter, ...change };
      },
    },
  };
}

const refusing = (result: BroadcastResult) => nodeThat({ broadcast: async () => result });

async function approve(link: RefundLinkView): Promise<void> {
  const claimId = (await linkNow(link)).claimId ?? '';
  await approveLink(withLink(), {
    approver: { kind: 'user', id: shop.world.merchant.userId },
    merchantId: shop.world.merchant.id,
    linkId: link.id,
    claimId,
  });
}

/** The same prices, but for this one. */
const at = (rate: string) => ({ ...RATES, quote: (coin: Coin) => ({ ...RATES.quote(coin), rate }) });

/** Runs a step that may be refused for what the steps before it did. */
const attempt = async (work: () => Promise<unknown>): Promise<void> => {
  await work().catch((error: unknown) => {
    const { code } = error as { code?: string };
    expect(['INVALID_STATE', 'VALIDATION_INVALID', 'INSUFFICIENT_BALANCE']).toContain(code);
  });
};

describe('a claim of a refund link', () => {
  it('is stored with the reason when the node is down, and sent once when the node is available again', async () => {
    const payment = await paid();
    await paid();
    const link = await newLink(payment);
    const down = nodeThat({
      feeQuote: async () => {
        throw new ChainError('unavailable', 'connection refused');
      },
    });
    await claimRefundLink(
      { ...down, rates: RATES },
      { token: tokenOf(link), coin: COIN, destination: payer() },
    );
    await sendClaims(down);
    expect(await linkNow(link)).toMatchObject({ status: 'claimed', sendId: null });
    expect((await linkNow(link)).problem).toContain('is not answering');
    await sendClaims(withLink());
    expect(await linkNow(link)).toMatchObject({ status: 'paid', problem: null });
    await sendClaims(withLink());
    expect((await read(payment)).refunds).toHaveLength(1);
  });

  it('shares one request to an unavailable node with many other claims', async () => {
    const payment = await paid();
    const links = await Promise.all(
      [1, 2, 3].map(() => newLink(payment, { wish: { kind: 'amount', amount: '5', currency: 'USD' } })),
    );
    for (const link of links) await claim(link);
    let asked = 0;
    const down = nodeThat({
      feeQuote: async () => {
        asked += 1;
        throw new ChainError('unavailable', 'connection refused');
      },
    });
    await sendClaims(down);
    expect(asked).toBe(1);
    await sendClaims(withLink());
    for (const link of links) expect((await linkNow(link)).problem ?? '').not.toContain('is not answering');
  });

  it('reports the reason to the shop when it exceeds the wallet balance, and is paid once the wallet is funded', async () => {
    const payment = await paid();
    const { deps, merchant, clock } = shop.world;
    await sendCoins(deps, {
      merchant,
      coin: COIN,
      amount: '0.3',
      destination: payer(3),
      idempotencyKey: null,
    });
    await shop.control(COIN).mine(2);
    await shop.world.sync(COIN);
    const link = await newLink(payment);
    await claim(link);
    const { db } = shop.world;
    // The first look only notes what there is.
    await storeEventNotices({ db, clock, secretBox: NO_BOX, baseUrl: '' }, true);
    const poor = withLink();
    await sendClaims(poor);
    const waiting = await linkNow(link);
    expect(waiting).toMatchObject({ status: 'claimed', sendId: null });
    expect(waiting.problem).toMatch(/is available and .* is needed/);
    const delayed = async () =>
      db.selectFrom('events').select('bodyJson').where('type', '=', 'refund.delayed').execute();
    await sendClaims(withLink());
    const [told, ...more] = await delayed();
    expect(more).toEqual([]);
    expect(JSON.parse(told?.bodyJson ?? '{}')).toMatchObject({
      data: { refundLink: { id: waiting.id, claimId: waiting.claimId, problem: waiting.problem } },
    });
    await storeEventNotices({ db, clock, secretBox: NO_BOX, baseUrl: '' }, true);
    const notices = await db
      .selectFrom('notices')
      .select('reason')
      .where('reason', '=', 'refund_delayed')
      .execute();
    expect(notices).toHaveLength(1);
    clock.advance(2 * 24 * 60 * MINUTE_MS);
    await expireLinks(poor);
    expect((await linkNow(link)).status).toBe('claimed');
    await paid();
    await sendClaims(poor);
    expect((await linkNow(link)).status).toBe('paid');
    expect(await delayed()).toHaveLength(1);
  });

  it('is not sent while its payment lacks confirmations after a reorg', async () => {
    const payment = await paid();
    await paid();
    const link = await newLink(payment);
    await claim(link);
    const { transactions } = await read(payment);
    await shop.control(COIN).reorg({ fate: 'dropped', txids: transactions.map(({ txid }) => txid) });
    await shop.world.sync(COIN);
    await sendClaims(withLink());
    expect(await linkNow(link)).toMatchObject({ status: 'claimed', sendId: null });
    expect((await linkNow(link)).problem).not.toBeNull();
    expect((await read(payment)).refunds).toEqual([]);
  });

  it('is sent once, however many rounds run concurrently', async () => {
    const payment = await paid();
    await paid();
    await claim(await newLink(payment));
    await Promise.all([1, 2, 3].map(async () => sendClaims(withLink())));
    expect((await read(payment)).refunds).toHaveLength(1);
  });

  it('is not sent when it is cancelled while the network fee is requested', async () => {
    const payment = await paid();
    await paid();
    const link = await newLink(payment);
    await claim(link);
    const adapter = shop.world.adapter(COIN);
    const slow = nodeThat({
      feeQuote: async () => {
        await cancelLink(withLink(), { merchantId: shop.world.merchant.id, linkId: link.id });
        return adapter.feeQuote();
      },
    });
    await sendClaims(slow);
    expect(await linkNow(link)).toMatchObject({ status: 'cancelled', sendId: null });
    expect((await read(payment)).refunds).toEqual([]);
  });
});

it('a claim of a refund link whose fee exceeds its amount waits for a lower fee, also when the shop has approved it', async () => {
  const payment = await paid();
  await paid();
  const wish = { kind: 'amount', amount: '0.10', currency: 'USD' } as const;
  const [small, approved] = [
    await newLink(payment, { wish }),
    await newLink(payment, { wish, approval: true }),
  ];
  const quote = await shop.world.adapter(COIN).feeQuote();
  const dear = nodeThat({ feeQuote: async () => ({ ...quote, rate: 1_000_000n }) });
  await claim(small);
  await claim(approved);
  await sendClaims(dear);
  expect(await linkNow(small)).toMatchObject({ status: 'claimed', sendId: null });
  expect((await linkNow(small)).problem).toMatch(/fee of .* is above the limit of 0.001 LTC/);
  expect((await read(payment)).refunds).toEqual([]);
  await approve(approved);
  await sendClaims(dear);
  expect(await linkNow(approved)).toMatchObject({ status: 'approved', sendId: null });
  await sendClaims(withLink());
  for (const link of [small, approved]) {
    expect(await linkNow(link)).toMatchObject({ status: 'paid', problem: null });
  }
});

it('a claim of money that arrived after a refund made outside tilld is paid once, although the clock was set back in between', async () => {
  const { deps, merchant, clock } = shop.world;
  const payment = await paid();
  await resolvePayment(deps, { merchantId: merchant.id, paymentId: payment.id }, 'refunded');
  clock.advance(MINUTE_MS);
  await shop.simulate(payment, { scenario: 'overpay', coin: COIN, confirmations: 2 });
  await eventually(
    'the second is settled',
    async () => read(payment),
    ({ transactions }) => transactions.length === 2 && transactions.every((one) => one.confirmations >= 2),
  );
  await paid();
  await paid();
  const first = await newLink(payment);
  const second = await newLink(payment);
  await claim(first);
  clock.advance(-60 * MINUTE_MS);
  await sendClaims(withLink());
  expect((await linkNow(first)).status).toBe('paid');
  await expect(claim(second)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  expect((await read(payment)).refunds).toHaveLength(1);
});

describe('the send of a refund claim, when it fails permanently,', () => {
  it('reopens the refund link with a message when the node rejects it, also after the expiry of the link', async () => {
    const payment = await paid();
    await paid();
    const link = await newLink(payment);
    await claim(link);
    shop.world.clock.advance(2 * 24 * 60 * MINUTE_MS);
    await sendClaims(refusing({ kind: 'rejected', reason: 'no thanks' }));
    const open = await linkNow(link);
    expect(open).toMatchObject({
      status: 'open',
      coin: null,
      destination: null,
      sendId: null,
      problem: 'no thanks',
    });
    expect(Date.parse(open.expiresAt)).toBe(shop.world.clock.now() + WEEK_MS);
    expect((await shop.eventsOf(payment)).slice(-2)).toEqual(['refund.claimed', 'refund_failed']);
    shop.world.clock.advance(1);
    await claim(link, 8);
    await sendClaims(withLink());
    expect(await linkNow(link)).toMatchObject({ status: 'paid', destination: payer(8) });
    expect((await read(payment)).refunds.map(({ status }) => status)).toEqual(['failed', 'broadcast']);
  });

  it('reopens the paid refund link with one event, and the next claim needs approval by the shop', async () => {
    const payment = await paid();
    await paid();
    await paid();
    const link = await newLink(payment, { wish: { kind: 'amount', amount: '20', currency: 'USD' } });
    await claim(link);
    await sendClaims(withLink());
    const done = await linkNow(link);
    expect(done.status).toBe('paid');
    await shop.control(COIN).replace(done.txHash ?? '');
    const { deps } = shop.world;
    await shop.control(COIN).mine(deps.policy.surplusDepth);
    await shop.world.sync(COIN);
    await failDisplacedSends(deps, { coin: COIN, mode: 'sandbox' });
    expect((await linkNow(link)).status).toBe('open');
    const events = await shop.eventsOf(payment);
    expect(events.filter((type) => type === 'refund_failed')).toHaveLength(1);
    shop.world.clock.advance(1);
    await claim(link, 8);
    await sendClaims(withLink());
    expect(await linkNow(link)).toMatchObject({ status: 'claimed', approval: true, sendId: null });
    await approve(link);
    await sendClaims(withLink());
    expect(await linkNow(link)).toMatchObject({ status: 'paid', destination: payer(8) });
    expect((await read(payment)).refunds.map(({ status }) => status)).toEqual(['failed', 'broadcast']);
  });

  it('ends the refund link when the payment was recorded as refunded outside tilld meanwhile', async () => {
    const payment = await paid();
    await paid();
    const link = await newLink(payment, { wish: { kind: 'amount', amount: '20', currency: 'USD' } });
    await claim(link);
    await sendClaims(withLink());
    const { txHash } = await linkNow(link);
    const { deps, merchant, clock } = shop.world;
    clock.advance(1);
    await resolvePayment(deps, { merchantId: merchant.id, paymentId: payment.id }, 'refunded');
    await shop.control(COIN).replace(txHash ?? '');
    await shop.control(COIN).mine(deps.policy.surplusDepth);
    await shop.world.sync(COIN);
    await failDisplacedSends(deps, { coin: COIN, mode: 'sandbox' });
    expect(await linkNow(link)).toMatchObject({ status: 'cancelled', sendId: null });
  });

  it('is rebroadcast unchanged as long as the failure is not certain, and the refund link stays claimed', async () => {
    const payment = await paid();
    await paid();
    const link = await newLink(payment);
    await claim(link);
    await sendClaims(refusing({ kind: 'unknown', reason: 'timeout' }));
    const signed = await linkNow(link);
    expect(signed.status).toBe('claimed');
    expect(signed.sendId).not.toBeNull();
    await expect(
      cancelLink(withLink(), { merchantId: shop.world.merchant.id, linkId: link.id }),
    ).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await sendClaims(withLink());
    expect((await linkNow(link)).sendId).toBe(signed.sendId);
  });
});

it('a restored database sends no refund claim before the shop approves it, because it may have been paid since the backup', async () => {
  const payment = await paid();
  await paid();
  const wish = { kind: 'amount', amount: '5', currency: 'USD' } as const;
  const open = await newLink(payment, { wish });
  const claimed = await newLink(payment, { wish });
  const approved = await newLink(payment, { wish, approval: true });
  const { deps } = shop.world;
  await claim(claimed);
  await claim(approved);
  await approve(approved);
  const toWatchKey = (_chain: unknown, address: string) => shop.world.adapter(COIN).watchKey(address);
  await skipUsedAddresses({ ...deps, toWatchKey }, []);
  await claim(open);
  await sendClaims(withLink());
  expect((await read(payment)).refunds).toEqual([]);
  for (const link of [open, claimed, approved]) {
    expect(await linkNow(link)).toMatchObject({ status: 'claimed', approval: true, approvedAt: null });
    expect((await linkNow(link)).problem).toContain('older copy');
  }
  await approve(claimed);
  await sendClaims(withLink());
  expect(await linkNow(claimed)).toMatchObject({ status: 'paid', problem: null });
  expect((await read(payment)).refunds).toHaveLength(1);
});

describe('a refund link at the current rate', () => {
  it('fixes the amount of coins at the claim: fewer when the rate rose, at most all when it fell', async () => {
    const payment = await paid();
    await paid();
    const wish = { kind: 'amount', amount: '25', currency: 'USD' } as const;
    const rose = await newLink(payment, { wish, rate: 'current' });
    const fell = await newLink(payment, { rate: 'current' });
    expect([rose.coinAmounts, fell.coinAmounts, fell.amount]).toEqual([
      { LTC: '0.25' },
      { LTC: '0.5' },
      '50',
    ]);
    const claimAt = async (link: RefundLinkView, rate: string) =>
      claimRefundLink(
        { ...withLink(), rates: at(rate) },
        { token: tokenOf(link), coin: COIN, destination: payer() },
      );
    await claimAt(rose, '200');
    expect((await linkNow(rose)).coinAmounts).toEqual({ LTC: '0.125' });
    await expect(claimAt(fell, '100')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await cancelLink(withLink(), { merchantId: shop.world.merchant.id, linkId: rose.id });
    await claimAt(fell, '10');
    expect((await linkNow(fell)).coinAmounts).toEqual({ LTC: '0.5' });
  });
});

it('refund claims, cancellations and refunds in any order never pay more than was received', async () => {
  await paid();
  await paid();
  await paid();
  const step = fc.record({
    kind: fc.constantFrom('link', 'claim', 'cancel', 'direct', 'send', 'expire', 'refuse'),
    cents: fc.integer({ min: 100, max: 5_000 }),
    at: fc.nat(5),
    rate: fc.constantFrom('received' as const, 'current' as const),
  });
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), async (steps) => {
    const payment = await paid();
    const links: RefundLinkView[] = [];
    for (const { kind, cents, at: nth, rate } of steps) {
      const amount = (cents / 100).toFixed(2);
      const link = links[nth % Math.max(1, links.length)];
      await attempt(async () => {
        if (kind === 'link')
          links.push(await newLink(payment, { wish: { kind: 'amount', amount, currency: 'USD' }, rate }));
        else if (kind === 'claim' && link !== undefined) await claim(link, nth);
        else if (kind === 'cancel' && link !== undefined)
          await cancelLink(withLink(), { merchantId: shop.world.merchant.id, linkId: link.id });
        else if (kind === 'send') await sendClaims(withLink());
        else if (kind === 'refuse') await sendClaims(refusing({ kind: 'rejected', reason: 'no' }));
        else if (kind === 'expire') await expireLinks(withLink());
        else if (kind === 'direct') {
          const { merchant } = shop.world;
          const asked = { merchant, paymentId: payment.id, destination: payer(nth), idempotencyKey: null };
          await refundPayment(withLink(), { ...asked, amount, currency: 'USD', rate });
        }
      });
      const { refunds } = await read(payment);
      const sent = refunds.filter(({ status }) => status !== 'failed');
      const total = sent.reduce((sum, { refunded }) => sum + parseCoinAmount(refunded, COIN), 0n);
      const { links: shown } = await listLinks(
        withLink(),
        { merchant: shop.world.merchant, paymentId: payment.id, urls: 'none' },
        { page: 1, limit: 100 },
      );
      const reserved = shown
        .filter(({ status, sendId }) => (status === 'claimed' || status === 'approved') && sendId === null)
        .reduce((sum, { coinAmounts }) => sum + parseCoinAmount(coinAmounts.LTC ?? '0', COIN), 0n);
      expect(total + reserved).toBeLessThanOrEqual(parseCoinAmount('0.5', COIN));
      const bySend = shown.flatMap(({ sendId }) => (sendId === null ? [] : [sendId]));
      expect(new Set(bySend).size).toBe(bySend.length);
    }
  });
  await fc.assert(property, { numRuns: 12 });
});
