import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { Till } from '../../_helpers/till.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGPgzvMHAAG3AQG1l2DfAAAAAElFTkSuQmCC';
const WEBP = Buffer.from('RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0', 'latin1').toString('base64');

let till: Till;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  shop = await Shop.open(till.api);
});
afterAll(async () => till.end());

interface Branding {
  readonly supportContact: string | null;
  readonly accentColor: string | null;
  readonly logoPath: string | null;
}

const edit = async (fields: object, of: Shop = shop) =>
  of.api.call<{ merchant: Branding }>('PATCH', '/merchant/edit', {
    token: of.token,
    body: { merchantId: of.merchantId, ...fields },
  });
const branding = async (fields: object, of: Shop = shop): Promise<Branding> => {
  const { supportContact, accentColor, logoPath } = (await edit(fields, of)).body.data.merchant;
  return { supportContact, accentColor, logoPath };
};
const get = async (path: string) => fetch(till.api.baseUrl + path);

describe('the branding of a shop', () => {
  it('is empty at first, stored when set, and cleared by null', async () => {
    const none = { supportContact: null, accentColor: null, logoPath: null };
    expect(await branding({})).toEqual(none);
    const set = await branding({ supportContact: 'help@shop.example', accentColor: '#B00020', logo: PNG });
    expect(set).toMatchObject({ supportContact: 'help@shop.example', accentColor: '#b00020' });
    expect(await branding({})).toEqual(set);
    const { merchants } = await shop.api.must<{ merchants: object[] }>('GET', '/merchant/list', shop);
    expect(merchants).toMatchObject([set]);
    expect(await branding({ supportContact: null, accentColor: null, logo: null })).toEqual(none);
    expect((await get(set.logoPath!)).status).toBe(404);
  });

  it('includes a logo at a separate URL, which is served as an image only', async () => {
    const { logoPath } = await branding({ logo: PNG });
    const answer = await get(logoPath!);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(Buffer.from(await answer.arrayBuffer()).toString('base64')).toBe(PNG);
    const other = await Shop.open(till.api);
    expect((await branding({ logo: PNG }, other)).logoPath).toBe(logoPath);
    const { logoPath: changed } = await branding({ logo: WEBP });
    expect(changed).not.toBe(logoPath);
    expect((await get(changed!)).headers.get('content-type')).toBe('image/webp');
    // The other shop still has it.
    expect((await get(logoPath!)).status).toBe(200);
  });

  it.each([
    ['logo', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')],
    ['logo', Buffer.from('GIF89a').toString('base64')],
    ['logo', 'data:image/png;base64,'],
    ['logo', ''],
    ['logo', `${PNG.slice(0, -4)}====`],
    ['logo', Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(65_536)]).toString('base64')],
    ['accentColor', 'red'],
    ['accentColor', '#fff'],
    ['accentColor', '#0b6e4f;}body{display:none'],
    ['supportContact', 'http://shop.example'],
    ['supportContact', 'javascript:alert(1)'],
    ['supportContact', 'somebody'],
  ])('is rejected with the %s %s', async (field, value) => {
    const answer = await edit({ [field]: value });
    expect([answer.status, answer.body.error?.details?.map((detail) => detail.field)]).toEqual([
      400,
      [field],
    ]);
  });

  it('appears on every page that the payer sees', async () => {
    const { logoPath } = await branding({
      supportContact: 'https://shop.example/help',
      accentColor: '#b00020',
      logo: PNG,
    });
    const { id } = await shop.createPayment({ amount: '20.00' });
    await till.api.must('POST', '/sandbox/payment/simulate', {
      token: shop.secretKey,
      body: { paymentId: id, scenario: 'exact', coin: 'LTC', confirmations: 6 },
    });
    const link = await till.api.must<{ url: string }>('POST', '/merchant/link/create', {
      token: shop.secretKey,
      body: { name: 'A tip', amount: '5', currency: 'EUR' },
    });
    const refund = await till.api.must<{ url: string }>('POST', '/payment/refund-link', {
      token: shop.secretKey,
      body: { paymentId: id, preset: 'all' },
    });
    const paths = [link.url, refund.url].map((url) => new URL(url).pathname);
    for (const path of [`/checkout/${id}`, `/checkout/${id}/receipt`, ...paths]) {
      const page = await (await get(path)).text();
      expect(page, path).toContain(`src="${logoPath}"`);
      expect(page, path).toContain('href="/brand/b00020.css"');
      expect(page, path).toContain('href="https://shop.example/help"><bdi>shop.example</bdi></a>');
    }
  });

  it('is delivered as a style sheet that contains only the colour', async () => {
    const answer = await get('/brand/b00020.css');
    expect(answer.headers.get('content-type')).toContain('text/css');
    expect(await answer.text()).toMatch(
      /^@media screen\{:root\{--accent:#b00020;--accent-ink:#ffffff;--accent-soft:#[0-9a-f]{6}\}@media/,
    );
    for (const path of ['/brand/red.css', '/brand/B00020.css', '/brand/b00020%3B.css', '/brand/logo/none']) {
      expect((await get(path)).status, path).toBe(404);
    }
  });
});
