import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Coin } from '../../../src/domain/coins.ts';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { Shop, type ApiAnswer, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';
import {
  claimLink,
  eventsOf,
  paymentThat,
  read,
  readLink,
  refund,
  type RefundedPaymentJson,
  type RefundLinkJson,
} from './refund-client.ts';

const PAYER: Readonly<Record<Coin, string>> = {
  BTC: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  ETH: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  LTC: 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0',
  SOL: '7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv',
};
const DAY_MS = 24 * 3_600_000;

let till: Till;
let sink: WebhookSink;
let shop: Shop;

beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  sink = await WebhookSink.start();
  shop = await Shop.open(till.api, { webhookUrl: sink.url });
  // Pays the fees.
  for (const coin of ['LTC', 'BTC'] as const) await paid(coin);
});

afterAll(async () => {
  await till.end();
  await sink.close();
});

async function simulate(payment: { id: string }, wish: Record<string, unknown>): Promise<void> {
  await shop.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: payment.id, ...wish },
  });
}

async function settled(payment: PaymentJson): Promise<RefundedPaymentJson> {
  return paymentThat(
    shop,
    payment,
    'settled',
    ({ transactions }) =>
      transactions.length > 0 && transactions.every(({ confirmations }) => confirmations >= 2),
  );
}

/** 100 USD: 1 LTC, or 0.001 BTC. */
async function paid(coin: Coin, wish: Record<string, unknown> = {}): Promise<RefundedPaymentJson> {
  const payment = await shop.createPayment();
  await simulate(payment, { scenario: 'exact', coin, ...wish });
  return settled(payment);
}

async function ask<T>(path: string, body: Record<string, unknown>): Promise<ApiAnswer<T>> {
  return shop.api.call<T>('POST', path, { token: shop.secretKey, body });
}

async function newLink(paymentId: string, wish: Record<string, unknown>): Promise<RefundLinkJson> {
  const { status, body } = await ask<RefundLinkJson>('/payment/refund-link', { paymentId, ...wish });
  expect(body.error).toBeNull();
  expect(status).toBe(201);
  return body.data;
}

async function linkNow({ id, paymentId }: RefundLinkJson): Promise<RefundLinkJson> {
  const { refundLinks } = await shop.api.must<{ refundLinks: RefundLinkJson[] }>(
    'GET',
    `/payment/refund-links?paymentId=${paymentId}&limit=100`,
    { token: shop.secretKey },
  );
  const found = refundLinks.find((link) => link.id === id);
  if (found === undefined) throw new Error(`link ${id} is not listed`);
  return found;
}

async function linkThat(link: RefundLinkJson, status: string): Promise<RefundLinkJson> {
  return eventually(
    `the link is ${status}`,
    () => linkNow(link),
    (now) => now.status === status,
  );
}

function problem({ status, body }: ApiAnswer<unknown>): unknown[] {
  return [status, body.error?.code, body.error?.details?.map(({ field }) => field) ?? []];
}

const invalid = (field: string) => [400, 'VALIDATION_INVALID', [field]];

describe('a refund link', () => {
  it('immediately pays the address that the payer enters, and emits an event to the shop', async () => {
    const payment = await paid('LTC');
    const link = await newLink(payment.id, { amount: '40', currency: 'USD', reason: 'One was broken' });
    expect(link).toMatchObject({
      paymentId: payment.id,
      status: 'open',
      amount: '40',
      currency: 'USD',
      coinAmounts: { LTC: '0.4' },
    });
    expect(new URL(link.url).pathname).toMatch(/^\/r\/\w{43}$/);
    const days = (Date.parse(link.expiresAt) - till.clock.now()) / DAY_MS;
    expect(Math.round(days)).toBe(30);
    const page = await readLink(till.api, link.url);
    expect(page.status).toBe(200);
    expect(page.html).toContain('One was broken');
    expect(page.html).toContain('0.4 LTC');
    const claim = await claimLink(till.api, link.url, { coin: 'LTC', destination: PAYER.LTC });
    expect(claim.status).toBe(303);
    const done = await linkThat(link, 'paid');
    expect(done).toMatchObject({
      coin: 'LTC',
      coinAmounts: { LTC: '0.4' },
      destination: PAYER.LTC,
      problem: null,
    });
    const { refunds } = await read(shop, payment);
    expect(refunds).toMatchObject([
      {
        sendId: done.sendId,
        linkId: link.id,
        txHash: done.txHash,
        amount: '0.4',
        refunded: '0.4',
        fiatAmount: link.amount,
        destination: PAYER.LTC,
      },
    ]);
    for (const type of ['refund.claimed', 'refund.paid']) {
      const { body } = await sink.waitForEvent(type, payment.id);
      expect(body.data).toMatchObject({
        payment: { id: payment.id },
        refundLink: { id: link.id, url: null },
      });
    }
    expect(JSON.stringify(sink.deliveries)).not.toContain(new URL(link.url).pathname);
    expect(eventsOf(await read(shop, payment)).slice(-2)).toEqual(['refund.claimed', 'refund.paid']);
    expect((await readLink(till.api, link.url)).html).toContain('The refund was sent');
  });

  it('is claimed once: a repeat gets the same answer, and another destination is refused', async () => {
    const payment = await paid('LTC');
    const link = await newLink(payment.id, { preset: 'all' });
    expect(link).toMatchObject({ amount: '100', coinAmounts: { LTC: '1' } });
    const wish = { coin: 'LTC', destination: PAYER.LTC };
    const answers = await Promise.all([1, 2, 3].map(() => claimLink(till.api, link.url, wish)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    await linkThat(link, 'paid');
    const stranger = await Shop.open(till.api);
    const second = await claimLink(till.api, link.url, { coin: 'LTC', destination: stranger.wallets.LTC });
    expect(second.status).toBe(409);
    expect(second.html).toContain('Your claim was not accepted');
    const { refunds, status } = await read(shop, payment);
    expect([refunds.length, status]).toEqual([1, 'refunded']);
  });

  it('pays one of fifty concurrent claims', async () => {
    const payment = await paid('LTC');
    const link = await newLink(payment.id, { preset: 'all' });
    const strangers = await Promise.all(Array.from({ length: 10 }, () => Shop.open(till.api)));
    const claims = Array.from({ length: 50 }, (_, at) => strangers[at % 10]?.wallets.LTC ?? '');
    const answers = await Promise.all(
      claims.map((destination) => claimLink(till.api, link.url, { coin: 'LTC', destination })),
    );
    // The winner's own address may have been sent several times.
    const winners = claims.filter((_, at) => answers[at]?.status === 303);
    expect(new Set(winners).size).toBe(1);
    expect(answers.every(({ status }) => status === 303 || status === 409)).toBe(true);
    const done = await linkThat(link, 'paid');
    expect(done.destination).toBe(winners[0]);
    expect((await read(shop, payment)).refunds).toHaveLength(1);
  });

  it('never pays more than was received, whatever other links and refunds happen concurrently', async () => {
    const payment = await paid('LTC');
    const links = await Promise.all(
      Array.from({ length: 6 }, () => newLink(payment.id, { amount: '40', currency: 'USD' })),
    );
    const direct = Array.from({ length: 4 }, () =>
      refund(shop, { paymentId: payment.id, destination: PAYER.LTC, amount: '40', currency: 'USD' }),
    );
    const [claims] = await Promise.all([
      Promise.all(links.map(({ url }) => claimLink(till.api, url, { coin: 'LTC', destination: PAYER.LTC }))),
      Promise.all(direct),
    ]);
    const kept = links.filter((_, at) => claims[at]?.status === 303);
    for (const link of kept) await linkThat(link, 'paid');
    const { refunds } = await read(shop, payment);
    expect(refunds.length).toBe(2);
    expect(refunds.map(({ refunded }) => refunded)).toEqual(['0.4', '0.4']);
    const left = links.find((link) => !kept.includes(link));
    expect((await readLink(till.api, left?.url ?? '')).html).toContain('refunded another way');
  });

  it('can be limited to the excess of the payment', async () => {
    const payment = await paid('BTC', { scenario: 'overpay' });
    const excess = Number(payment.options.BTC.received) - Number(payment.options.BTC.amount);
    const link = await newLink(payment.id, { preset: 'excess' });
    expect(Number(link.coinAmounts.BTC)).toBeCloseTo(excess, 8);
    const exact = await paid('BTC');
    expect(problem(await ask('/payment/refund-link', { paymentId: exact.id, preset: 'excess' }))).toEqual([
      409,
      'INVALID_STATE',
      [],
    ]);
  });

  it('lets the payer choose one of the coins in which the payment was made', async () => {
    const payment = await shop.createPayment();
    await simulate(payment, { scenario: 'underpay', coin: 'LTC', amount: '0.5', confirmations: 2 });
    await simulate(payment, { scenario: 'exact', coin: 'BTC', amount: '0.0005', confirmations: 2 });
    await eventually(
      'both are settled',
      () => read(shop, payment),
      ({ transactions }) => transactions.length === 2 && transactions.every((one) => one.confirmations >= 2),
    );
    const preset = await ask('/payment/refund-link', { paymentId: payment.id, preset: 'all' });
    expect(problem(preset)).toEqual([400, 'VALIDATION_INVALID', ['coin']]);
    const tooMuch = await ask('/payment/refund-link', {
      paymentId: payment.id,
      amount: '60',
      currency: 'USD',
    });
    expect(problem(tooMuch)).toEqual([400, 'VALIDATION_INVALID', ['amount']]);
    const link = await newLink(payment.id, { amount: '50', currency: 'USD' });
    expect(link.coinAmounts).toEqual({ BTC: '0.0005', LTC: '0.5' });
    const never = await claimLink(till.api, link.url, { coin: 'ETH', destination: PAYER.ETH });
    expect(never.status).toBe(400);
    await claimLink(till.api, link.url, { coin: 'LTC', destination: PAYER.LTC });
    expect((await linkThat(link, 'paid')).coinAmounts).toEqual({ LTC: '0.5' });
    const other = await newLink(payment.id, { preset: 'all' });
    expect(other.coinAmounts).toEqual({ BTC: '0.0005' });
  });

  it('is rejected with the names of invalid fields', async () => {
    const { id: paymentId } = await paid('LTC');
    const asked = async (wish: Record<string, unknown>) =>
      problem(await ask('/payment/refund-link', { paymentId, ...wish }));
    expect(await asked({})).toEqual(invalid('amount'));
    expect(await asked({ amount: '1' })).toEqual(invalid('currency'));
    expect(await asked({ amount: '1', currency: 'EUR' })).toEqual(invalid('currency'));
    expect(await asked({ amount: '100.01', currency: 'USD' })).toEqual(invalid('amount'));
    expect(await asked({ preset: 'all', amount: '1', currency: 'USD' })).toEqual(invalid('preset'));
    expect(await asked({ preset: 'some' })).toEqual(invalid('preset'));
    expect(await asked({ preset: 'all', expiresInDays: 0 })).toEqual(invalid('expiresInDays'));
    expect(await asked({ preset: 'all', expiresInDays: 366 })).toEqual(invalid('expiresInDays'));
    expect(await asked({ preset: 'all', rate: 'best' })).toEqual(invalid('rate'));
    const pending = await shop.createPayment();
    expect(problem(await ask('/payment/refund-link', { paymentId: pending.id, preset: 'all' }))).toEqual([
      409,
      'INVALID_STATE',
      [],
    ]);
  });
});

/** The links that events say were cancelled. */
async function cancellations({ id }: { id: string }): Promise<string[]> {
  const { body } = await sink.waitForEvent('refund.cancelled', id);
  expect(body.data).toMatchObject({ refundLink: { status: 'cancelled', url: null } });
  const { events } = await shop.api.must<{ events: { type: string; data: EventData }[] }>(
    'GET',
    `/merchant/events?paymentId=${id}&limit=100`,
    { token: shop.secretKey },
  );
  return events.flatMap(({ type, data }) => (type === 'refund.cancelled' ? [data.refundLink?.id ?? ''] : []));
}

interface EventData {
  readonly refundLink?: { readonly id: string };
}

describe('a refund link that needs the approval of the shop, or is cancelled by it,', () => {
  it('sends nothing before the approval, and reserves the funds of the claim', async () => {
    const payment = await paid('LTC');
    const link = await newLink(payment.id, { preset: 'all', approval: true });
    const early = await ask('/payment/refund-link/approve', { linkId: link.id, claimId: 'rcl_none' });
    expect(problem(early)[1]).toBe('INVALID_STATE');
    await claimLink(till.api, link.url, { coin: 'LTC', destination: PAYER.LTC });
    const waiting = await linkNow(link);
    expect(waiting).toMatchObject({ status: 'claimed', sendId: null });
    expect((await readLink(till.api, link.url)).html).toContain('Claimed: the shop is checking it');
    const direct = await refund(shop, { paymentId: payment.id, destination: PAYER.LTC });
    expect(problem(direct).slice(0, 2)).toEqual([409, 'INVALID_STATE']);
    till.clock.advance(40 * DAY_MS);
    const at = { linkId: link.id, claimId: waiting.claimId };
    const unnamed = await ask('/payment/refund-link/approve', { linkId: link.id });
    expect(problem(unnamed).slice(0, 2)).toEqual([400, 'VALIDATION_INVALID']);
    const approved = await ask<RefundLinkJson>('/payment/refund-link/approve', at);
    expect(approved.body.data.status).toMatch(/approved|paid/);
    await linkThat(link, 'paid');
    expect((await read(shop, payment)).refunds).toMatchObject([{ destination: PAYER.LTC }]);
  });

  it('sends nothing and releases its funds when cancelled, also after a claim', async () => {
    const payment = await paid('LTC');
    const open = await newLink(payment.id, { preset: 'all' });
    const cancelled = await ask<RefundLinkJson>('/payment/refund-link/cancel', { linkId: open.id });
    expect(cancelled.body.data.status).toBe('cancelled');
    await ask('/payment/refund-link/cancel', { linkId: open.id });
    expect(await cancellations(payment)).toEqual([open.id]);
    const late = await claimLink(till.api, open.url, { coin: 'LTC', destination: PAYER.LTC });
    expect([late.status, late.html.includes('The shop has withdrawn this refund')]).toEqual([409, true]);
    const claimed = await newLink(payment.id, { preset: 'all', approval: true });
    await claimLink(till.api, claimed.url, { coin: 'LTC', destination: PAYER.LTC });
    const { claimId } = await linkNow(claimed);
    await ask('/payment/refund-link/cancel', { linkId: claimed.id });
    const afterwards = await ask('/payment/refund-link/approve', { linkId: claimed.id, claimId });
    expect(problem(afterwards)[1]).toBe('INVALID_STATE');
    const direct = await refund(shop, { paymentId: payment.id, destination: PAYER.LTC });
    expect(direct.body.data.refund.refunded).toBe('1');
  });

  it('applies exactly one of a concurrent claim and cancellation, and the balances are correct', async () => {
    for (let round = 0; round < 5; round += 1) {
      const payment = await paid('LTC');
      const link = await newLink(payment.id, { preset: 'all' });
      const [claim, cancel] = await Promise.all([
        claimLink(till.api, link.url, { coin: 'LTC', destination: PAYER.LTC }),
        ask<RefundLinkJson>('/payment/refund-link/cancel', { linkId: link.id }),
      ]);
      const isCancelled = cancel.status === 200;
      const ended = await linkThat(link, isCancelled ? 'cancelled' : 'paid');
      expect(ended.sendId === null).toBe(isCancelled);
      if (!isCancelled) expect(claim.status).toBe(303);
      expect((await read(shop, payment)).refunds).toHaveLength(isCancelled ? 0 : 1);
    }
  });

  it('is cancelled when the payment is recorded as refunded outside tilld', async () => {
    const payment = await paid('LTC');
    const open = await newLink(payment.id, { preset: 'all' });
    const waiting = await newLink(payment.id, { amount: '10', currency: 'USD', approval: true });
    await claimLink(till.api, waiting.url, { coin: 'LTC', destination: PAYER.LTC });
    await ask('/payment/resolve', { paymentId: payment.id, action: 'refunded' });
    expect((await linkNow(open)).status).toBe('cancelled');
    expect((await linkNow(waiting)).status).toBe('cancelled');
    expect((await cancellations(payment)).toSorted()).toEqual([open.id, waiting.id].toSorted());
    const claim = await claimLink(till.api, open.url, { coin: 'LTC', destination: PAYER.LTC });
    expect(claim.status).toBe(409);
    expect((await read(shop, payment)).refunds).toEqual([]);
  });

  it('expires when it is not claimed in time', async () => {
    const payment = await paid('LTC');
    const link = await newLink(payment.id, { preset: 'all', expiresInDays: 1 });
    till.clock.advance(DAY_MS + 60_000);
    const claim = await claimLink(till.api, link.url, { coin: 'LTC', destination: PAYER.LTC });
    expect([claim.status, claim.html.includes('has expired')]).toEqual([409, true]);
    await linkThat(link, 'expired');
    const { body } = await sink.waitForEvent('refund.expired', payment.id);
    expect(body.data).toMatchObject({ refundLink: { id: link.id, status: 'expired' } });
    expect(problem(await ask('/payment/refund-link/cancel', { linkId: link.id }))[1]).toBe('INVALID_STATE');
  });

  it('deducts the network fee from the refund when the shop chooses that', async () => {
    const payment = await paid('LTC');
    const link = await newLink(payment.id, { preset: 'all', deductFee: true });
    const check = await claimLink(till.api, link.url, { step: 'check', coin: 'LTC', destination: PAYER.LTC });
    expect([check.status, check.html.includes('Network fee, about')]).toEqual([200, true]);
    expect((await linkNow(link)).status).toBe('open');
    await claimLink(till.api, link.url, { coin: 'LTC', destination: PAYER.LTC });
    await linkThat(link, 'paid');
    const [made] = (await read(shop, payment)).refunds;
    expect(made?.refunded).toBe('1');
    expect(Number(made?.amount)).toBeLessThan(1);
    expect((await readLink(till.api, link.url)).html).toContain(`${made?.amount} LTC`);
  });
});

describe('the destination of a refund claim', () => {
  it.each([
    ['of another coin', 'LTC', PAYER.BTC, 'This address is for Bitcoin.'],
    ['of Ethereum', 'LTC', PAYER.ETH, 'This address is for Ethereum.'],
    ['of Solana', 'LTC', PAYER.SOL, 'This address is for Solana.'],
    [
      'of the real network',
      'LTC',
      'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9',
      'the real Litecoin network',
    ],
    ['that is mistyped', 'LTC', `${PAYER.LTC.slice(0, -1)}1`, 'mistyped'],
    ['that is nothing', 'LTC', 'my wallet', 'This is not a valid Litecoin address.'],
    ['that is missing', 'LTC', ' ', 'Please enter an address.'],
    ['with a wrong checksum', 'ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD', 'mistyped'],
    ['of another coin', 'ETH', PAYER.LTC, 'This address is for Litecoin.'],
  ] as const)('%s is refused for %s, with the reason', async (_what, coin, destination, text) => {
    const payment = await paid(coin);
    const link = await newLink(payment.id, { preset: 'all' });
    for (const step of ['check', 'claim']) {
      const answer = await claimLink(till.api, link.url, { step, coin, destination });
      expect(answer.html).toContain(text);
      expect(answer.status).toBe(400);
    }
    expect((await linkNow(link)).status).toBe('open');
  });

  it('is refused when it is an address of the shop', async () => {
    const payment = await paid('LTC');
    const link = await newLink(payment.id, { preset: 'all' });
    for (const destination of [shop.wallets.LTC, payment.options.LTC.address]) {
      const answer = await claimLink(till.api, link.url, { coin: 'LTC', destination });
      expect([answer.status, answer.html.includes('an address of the shop itself')]).toEqual([400, true]);
    }
  });
});

describe('the page of a refund link', () => {
  it('is not cached, not indexed, and sends no referrer', async () => {
    const { url } = await newLink((await paid('LTC')).id, { preset: 'all' });
    const { headers, html } = await readLink(till.api, url);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).toContain('<meta name="robots" content="noindex"');
    expect(html).not.toContain('<script');
  });

  it('is available in every language', async () => {
    const { url } = await newLink((await paid('LTC')).id, { preset: 'all' });
    const titles = await Promise.all(
      LANGUAGES.map(async (language) => (await readLink(till.api, url, language)).html),
    );
    expect(new Set(titles.map((html) => /<title>(.*?)<\/title>/.exec(html)?.[1])).size).toBe(
      LANGUAGES.length,
    );
  });

  it('answers 404 for an unknown link, whatever its form', async () => {
    for (const token of ['a'.repeat(43), 'short', 'x'.repeat(500)]) {
      const response = await fetch(`${till.api.baseUrl}/r/${token}`);
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('There is no such refund');
    }
    // No address of this server has an encoded character.
    expect((await fetch(`${till.api.baseUrl}/r/%00`)).status).toBe(404);
  });

  it('answers any invalid form input with an error instead of a crash', async () => {
    const { url } = await newLink((await paid('LTC')).id, { preset: 'all' });
    const path = `${till.api.baseUrl}${new URL(url).pathname}`;
    for (const body of [
      '',
      'coin[]=LTC&destination[a]=b',
      `destination=${'x'.repeat(5_000)}`,
      'step=claim&coin=LTC',
    ]) {
      const response = await fetch(path, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        redirect: 'manual',
      });
      expect([400, 413]).toContain(response.status);
      expect(await response.text()).toContain('<!doctype html>');
    }
    expect((await linkNow(await newestLink())).status).toBe('open');
  });
});

async function newestLink(): Promise<RefundLinkJson> {
  const { refundLinks } = await shop.api.must<{ refundLinks: RefundLinkJson[] }>(
    'GET',
    '/payment/refund-links?limit=1',
    { token: shop.secretKey },
  );
  const [link] = refundLinks;
  if (link === undefined) throw new Error('there is no link');
  return link;
}
