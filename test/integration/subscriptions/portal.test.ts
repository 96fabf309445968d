/** The page of a subscription: what its link allows, and what it does not. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/app/logger.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SubscriptionShop, type SubscriptionJson } from '../../_helpers/subscription-shop.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let club: SubscriptionShop;
const lines: string[] = [];
beforeAll(async () => {
  const logger = createLogger('trace', { write: (line: string) => void lines.push(line) });
  till = await Till.start({}, { logger });
  await till.ready();
  club = await SubscriptionShop.open(till, { payerMayPause: true });
});
afterAll(async () => till.end());

/** The path of a page: its public address is another one than that of the test. */
const pathOf = ({ portalUrl }: SubscriptionJson): string => new URL(portalUrl ?? '').pathname;
const request = async (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(till.api.baseUrl + path, { redirect: 'manual', ...init });
const show = async (path: string): Promise<string> => (await request(path)).text();
const post = async (path: string, body = {}, headers = {}): Promise<Response> =>
  request(path, { method: 'POST', body: new URLSearchParams(body), headers });

describe('GET /s/TOKEN (subscription page of the payer)', () => {
  it('shows the due amount, but neither metadata nor the complete email address of the payer', async () => {
    const made = await club.subscribe({
      customerId: undefined,
      customer: { email: 'ada@example.com' },
      metadata: { note: 'A difficult customer' },
    });
    const response = await request(pathOf(made));
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(page).toContain('Pay $10.00');
    expect(page).toContain('a…@example.com');
    expect(page).not.toContain('ada@');
    expect(page).not.toContain('difficult');
    expect(page).not.toContain('<script');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('same-origin');
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('changes no subscription, whichever page of it is requested by GET', async () => {
    const made = await club.subscribe();
    for (const path of [
      '',
      '/pay',
      '/ahead',
      '/cancel',
      '/pause',
      '/resume',
      '/keep',
      '/email',
      '?ask=cancel',
    ])
      await request(pathOf(made) + path);
    expect(await club.read(made.id)).toEqual(made);
  });

  it('answers 404 for a token that was guessed, rotated, or written in another case', async () => {
    const made = await club.subscribe();
    const path = pathOf(made);
    for (const other of ['/s/AAAAAAAAAAAAAAAAAAAAAA', '/s/x', `${path}x`, path.toUpperCase(), `${path}/`])
      expect([other, (await request(other)).status]).toEqual([other, 404]);
    const rotated = await club.must('POST', '/merchant/subscription/portal/rotate', {
      subscriptionId: made.id,
    });
    expect((await request(path)).status).toBe(404);
    expect((await post(`${path}/cancel`)).status).toBe(404);
    expect((await request(pathOf(rotated))).status).toBe(200);
    expect(pathOf(await club.read(made.id))).toBe(pathOf(rotated));
  });

  it('answers 200 for an ended subscription, and its forms change nothing', async () => {
    const made = await club.subscribe();
    await club.must('POST', '/merchant/subscription/cancel', { subscriptionId: made.id });
    const ended = await club.read(made.id);
    expect(ended.status).toBe('ended');
    expect((await request(pathOf(made))).status).toBe(200);
    for (const action of ['pay', 'ahead', 'pause', 'resume', 'cancel', 'keep'])
      expect((await post(`${pathOf(made)}/${action}`)).status).toBe(303);
    await post(`${pathOf(made)}/email`, { email: 'other@example.com' });
    expect(await club.read(made.id)).toEqual(ended);
  });

  it('is in the language of the subscription, unless the payer chooses another', async () => {
    const made = await club.subscribe({ locale: 'de' });
    expect(await show(pathOf(made))).toContain('Eine Zahlung ist fällig');
    expect(await show(`${pathOf(made)}?lang=fr`)).toContain('Un paiement est dû');
  });
});

describe('a form of the subscription page', () => {
  it('leads to the checkout of the open invoice, or when that is paid to the checkout of the next one', async () => {
    const made = await club.subscribe();
    const paid = await post(`${pathOf(made)}/pay`);
    expect(paid.headers.get('location')).toMatch(`/checkout/${made.openPaymentId}?lang=en`);
    await club.pay(made.id);
    expect(await show(pathOf(made))).toContain(`/checkout/${made.openPaymentId}/receipt`);
    const ahead = await post(`${pathOf(made)}/ahead`);
    const { openPaymentId, activeUntil } = await club.read(made.id);
    expect(openPaymentId).not.toBe(made.openPaymentId);
    expect(ahead.headers.get('location')).toMatch(`/checkout/${openPaymentId}?lang=en`);
    const again = await post(`${pathOf(made)}/ahead`);
    expect(again.headers.get('location')).toBe(ahead.headers.get('location'));
    await club.pay(made.id);
    expect(Date.parse((await club.read(made.id)).activeUntil ?? '')).toBeGreaterThan(
      Date.parse(activeUntil ?? ''),
    );
  });

  it('creates a payment at the current rate for an invoice whose payment has expired', async () => {
    const made = await club.subscribe();
    till.clock.advance(2 * 3_600_000);
    await eventually(
      'the payment has expired',
      async () => club.shop.payment(made.openPaymentId ?? ''),
      ({ status }) => status === 'expired',
    );
    const { headers } = await post(`${pathOf(made)}/pay`);
    const { openPaymentId } = await club.read(made.id);
    expect(openPaymentId).not.toBe(made.openPaymentId);
    expect(headers.get('location')).toMatch(`/checkout/${openPaymentId}?lang=en`);
  });

  it('cancels at the end of the period after a confirmation, and can undo that', async () => {
    const made = await club.subscribe();
    await club.pay(made.id);
    expect(await show(`${pathOf(made)}?ask=cancel`)).toContain('Yes, cancel');
    await post(`${pathOf(made)}/cancel`);
    expect(await club.read(made.id)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true });
    await post(`${pathOf(made)}/keep`);
    expect(await club.read(made.id)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
  });

  it('pauses and resumes the subscription if the shop allows it', async () => {
    const made = await club.subscribe();
    await club.pay(made.id);
    await post(`${pathOf(made)}/pause`);
    expect(await club.read(made.id)).toMatchObject({ status: 'paused' });
    await post(`${pathOf(made)}/resume`);
    expect(await club.read(made.id)).toMatchObject({ status: 'active' });
    const strict = await SubscriptionShop.open(till, { payerMayCancel: false });
    const other = await strict.subscribe();
    expect(await show(pathOf(other))).not.toContain('ask=cancel');
    for (const action of ['pause', 'cancel']) await post(`${pathOf(other)}/${action}`);
    expect(await strict.read(other.id)).toEqual(other);
  });

  it('changes the email address of the subscription, but not that of the customer', async () => {
    const made = await club.subscribe();
    const refused = await post(`${pathOf(made)}/email`, { email: 'not-an-email' });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('aria-invalid');
    await post(`${pathOf(made)}/email`, { email: 'new@example.com' });
    expect(await club.read(made.id)).toMatchObject({ email: 'new@example.com' });
    expect(await show(pathOf(made))).toContain('n…@example.com');
    const { customerId } = made;
    const customer = await club.must<{ email: string }>(
      'GET',
      `/merchant/customer/get?customerId=${customerId}`,
    );
    expect(customer.email).toMatch(/^buyer-/);
  });

  it('is ignored when another site sends it', async () => {
    const made = await club.subscribe();
    await club.pay(made.id);
    const before = await club.read(made.id);
    const [site, origin] = [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example' }];
    for (const headers of [site, origin, { Origin: 'null' }]) {
      for (const action of ['cancel', 'pause', 'ahead', 'pay'])
        expect((await post(`${pathOf(made)}/${action}`, {}, headers)).status).toBe(303);
      await post(`${pathOf(made)}/email`, { email: 'evil@example.com' }, headers);
    }
    expect(await club.read(made.id)).toEqual(before);
  });

  it('is limited per client address', async () => {
    const limited = await Till.start({ TILLD_PUBLIC_RATE_PER_MINUTE: '3' });
    try {
      await limited.ready();
      const { subscribe } = await SubscriptionShop.open(limited).then((shop) => ({
        subscribe: async () => shop.subscribe(),
      }));
      const path = pathOf(await subscribe());
      const statuses = [];
      for (let count = 0; count < 4; count += 1) {
        const { status } = await fetch(`${limited.api.baseUrl}${path}/keep`, {
          method: 'POST',
          redirect: 'manual',
        });
        statuses.push(status);
      }
      expect(statuses).toEqual([303, 303, 303, 429]);
    } finally {
      await limited.end();
    }
  });
});

describe('portalUrl (link to the subscription page)', () => {
  it('is returned to readers who may change subscriptions, and in no event', async () => {
    const made = await club.subscribe();
    const { token, merchantId } = club.shop;
    const { key } = await till.api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', {
      token,
      body: { merchantId, name: 'Reader', scopes: ['subscriptions:read'] },
    });
    const path = `/merchant/subscription/get?subscriptionId=${made.id}`;
    const seen = await till.api.must<SubscriptionJson>('GET', path, { token: key.value });
    expect(seen).toMatchObject({ id: made.id, portalUrl: null });
    expect(seen).not.toHaveProperty('email');
    const events = await club.must<{ events: object[] }>('GET', `/merchant/events?subscriptionId=${made.id}`);
    expect(JSON.stringify(events)).not.toContain('/s/');
  });

  it('is neither in the log nor, in clear, in the database', async () => {
    const made = await club.subscribe();
    const path = pathOf(made);
    await show(path);
    await post(`${path}/pay`);
    await request(`${path}/pay/x`);
    await request(path.replace('/s/', '/S/'));
    await club.must('POST', '/merchant/subscription/portal/rotate', { subscriptionId: made.id });
    await request(path);
    const token = path.slice('/s/'.length);
    expect(lines.join('\n')).not.toContain(token);
    expect(lines.join('\n')).toContain('[token]');
    const db = new Sqlite(join(till.dataDir, 'tilld.sqlite'), { readonly: true });
    const rows = db.prepare('SELECT * FROM subscriptions').all();
    db.close();
    expect(JSON.stringify(rows)).not.toContain(pathOf(await club.read(made.id)).slice('/s/'.length));
  });

  it('is removed when the customer is erased', async () => {
    const made = await club.subscribe({ customerId: undefined, customer: { email: 'gone@example.com' } });
    await post(`${pathOf(made)}/email`, { email: 'gone-too@example.com' });
    await club.must('DELETE', '/merchant/customer/erase', { customerId: made.customerId });
    expect(await club.read(made.id)).toMatchObject({ portalUrl: null, email: null });
    expect((await request(pathOf(made))).status).toBe(404);
  });
});
