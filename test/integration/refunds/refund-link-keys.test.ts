import { afterAll, beforeAll, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { Till } from '../../_helpers/till.ts';
import { claimLink, type RefundLinkJson } from './refund-client.ts';

const ADDRESS = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';

let till: Till;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  shop = await Shop.open(till.api);
  // Pays the fees.
  await paid();
});
afterAll(async () => till.end());

async function paid(): Promise<PaymentJson> {
  const { id: paymentId } = await shop.createPayment({ allowedCryptos: ['LTC'] });
  const body = { paymentId, scenario: 'exact', coin: 'LTC', confirmations: 3 };
  await shop.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
  return eventually(
    'the payment is completed',
    () => shop.payment(paymentId),
    ({ status }) => status === 'completed',
  );
}

async function keyWith(...scopes: string[]): Promise<string> {
  const { key } = await shop.api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', {
    token: shop.token,
    body: { merchantId: shop.merchantId, name: 'Plugin', scopes },
  });
  return key.value;
}

type Link = RefundLinkJson & { approval: boolean };

async function newLink(token: string, approval?: boolean): Promise<Link> {
  const { id: paymentId } = await paid();
  const body = { paymentId, preset: 'all', ...(approval === undefined ? {} : { approval }) };
  return shop.api.must<Link>('POST', '/payment/refund-link', { token, body });
}

async function linkNow({ id, paymentId }: Link): Promise<Link | undefined> {
  const { refundLinks } = await shop.api.must<{ refundLinks: Link[] }>(
    'GET',
    `/payment/refund-links?paymentId=${paymentId}`,
    { token: shop.secretKey },
  );
  return refundLinks.find((link) => link.id === id);
}

async function claimed(link: Link): Promise<void> {
  const { status } = await claimLink(shop.api, link.url, { coin: 'LTC', destination: ADDRESS });
  expect(status).toBe(303);
}

async function isPaid(link: Link): Promise<void> {
  await eventually(
    'the claim is paid',
    () => linkNow(link),
    (now) => now?.status === 'paid',
  );
}

it('an API key without wallet:send creates refund links that need the approval of the owner, whatever it requests', async () => {
  const key = await keyWith('refunds:write', 'payments:write');
  const links = [await newLink(key), await newLink(key, false)];
  for (const link of links) {
    expect(link.approval).toBe(true);
    await claimed(link);
  }
  // Claimed after them and opened by the shop itself: once this one is paid, they would have been.
  const own = await newLink(shop.secretKey);
  await claimed(own);
  await isPaid(own);
  for (const link of links) {
    const now = await linkNow(link);
    expect(now).toMatchObject({ status: 'claimed', sendId: null });
    const body = { linkId: link.id, claimId: now?.claimId };
    const answer = await shop.api.call('POST', '/payment/refund-link/approve', { token: key, body });
    expect([answer.status, answer.body.error?.code]).toEqual([403, 'FORBIDDEN']);
    await shop.api.must('POST', '/payment/refund-link/approve', { token: shop.token, body });
    await isPaid(link);
  }
});

it('an API key with wallet:send chooses whether the refund links that it creates need approval', async () => {
  const link = await newLink(await keyWith('refunds:write', 'wallet:send'), false);
  expect(link.approval).toBe(false);
  await claimed(link);
  await isPaid(link);
});

it('a shop gets the refund link of its former API key when it repeats the request with a new key', async () => {
  const { id: paymentId } = await paid();
  const create = async (token: string) =>
    shop.api.call<Link>('POST', '/payment/refund-link', {
      token,
      body: { paymentId, preset: 'all' },
      headers: { 'idempotency-key': `refund-${paymentId}` },
    });
  const scopes = ['payments:write', 'refunds:write'];
  const first = await create(await keyWith(...scopes));
  const again = await create(await keyWith(...scopes.toReversed()));
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  const weaker = await create(await keyWith('refunds:write'));
  expect(weaker.headers.get('idempotent-replayed')).toBeNull();
  expect(weaker.body.data.url).not.toBe(first.body.data.url);
});

it('a dashboard session sees a refund link without approval only after a step-up', async () => {
  const payment = await paid();
  const open = async (approval: boolean) =>
    shop.api.must<Link>('POST', '/payment/refund-link', {
      token: shop.secretKey,
      body: { paymentId: payment.id, amount: '1', currency: 'USD', approval },
    });
  const atOnce = await open(false);
  const waiting = await open(true);
  const { user } = await shop.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token });
  const password = 'correct horse battery';
  const session = await SessionClient.signIn(shop.api.baseUrl, { email: user.email, password });
  const path = `/payment/refund-links?merchantId=${shop.merchantId}&paymentId=${payment.id}`;
  const shown = async (address: string) => {
    const { body } = await session.call<{ refundLinks: Link[] }>('GET', address);
    const links = body.data?.refundLinks ?? [];
    return [
      body.error?.code ?? null,
      ...[atOnce, waiting].map(({ id }) => links.find((l) => l.id === id)?.url),
    ];
  };
  expect(await shown(path)).toEqual([null, null, waiting.url]);
  expect(await shown(`${path}&urls=true`)).toEqual(['STEP_UP_REQUIRED', undefined, undefined]);
  await session.call('POST', '/auth/step-up', { password });
  expect(await shown(`${path}&urls=true`)).toEqual([null, atOnce.url, waiting.url]);
  expect(await shown(path)).toEqual([null, atOnce.url, waiting.url]);
  // A user token is proof itself.
  const { refundLinks } = await shop.api.must<{ refundLinks: Link[] }>('GET', path, { token: shop.token });
  expect(refundLinks.map(({ url }) => url)).not.toContain(null);
});
