import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowedEmbedOrigins } from '../../../src/usecases/shops/embed-origins.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  shop = await Shop.open(till.api);
});
afterAll(async () => till.end());

const edit = async (embedOrigins: unknown, of: Shop = shop) =>
  of.api.call<{ merchant: { embedOrigins: string[] } }>('PATCH', '/merchant/edit', {
    token: of.token,
    body: { merchantId: of.merchantId, embedOrigins },
  });

async function policyOf(path: string): Promise<string> {
  const answer = await fetch(till.api.baseUrl + path);
  return /frame-ancestors [^;]+/.exec(answer.headers.get('content-security-policy') ?? '')?.[0] ?? '';
}

describe('the sites that may embed a checkout in a frame', () => {
  it('are none in a new shop, then those that the shop lists, normalised and unique', async () => {
    const { id } = await shop.createPayment();
    expect(await policyOf(`/checkout/${id}`)).toBe("frame-ancestors 'none'");
    const answer = await edit(['https://Shop.Example/', 'https://shop.example', 'http://localhost:5173']);
    expect(answer.body.data.merchant.embedOrigins).toEqual(['https://shop.example', 'http://localhost:5173']);
    expect(await policyOf(`/checkout/${id}`)).toBe(
      'frame-ancestors https://shop.example http://localhost:5173',
    );
    const page = await fetch(`${till.api.baseUrl}/checkout/${id}`);
    expect(page.headers.has('x-frame-options')).toBe(false);
    const other = await (await Shop.open(till.api)).createPayment();
    expect(await policyOf(`/checkout/${other.id}`)).toBe("frame-ancestors 'none'");
    expect(await policyOf('/checkout/pay_none')).toBe("frame-ancestors 'none'");
    expect(await policyOf('/dashboard')).toBe("frame-ancestors 'none'");
    const { merchants } = await shop.api.must<{ merchants: object[] }>('GET', '/merchant/list', shop);
    expect(merchants).toMatchObject([{ embedOrigins: ['https://shop.example', 'http://localhost:5173'] }]);
    expect((await edit([])).body.data.merchant.embedOrigins).toEqual([]);
    expect(await policyOf(`/checkout/${id}`)).toBe("frame-ancestors 'none'");
  });

  it.each([
    'http://shop.example',
    'https://shop.example/cart',
    'https://shop.example?x',
    'https://user@shop.example',
    'https://*.shop.example',
    'https://shop.example;sandbox',
    "https://'self'",
    'https://a.example https://b.example',
    'https://192.168.1.5',
    'https://intranet',
    'ftp://shop.example',
    'null',
    '*',
  ])('cannot include %s', async (origin) => {
    const { status, body } = await edit(['https://fine.example', origin]);
    expect([status, body.error?.details?.[0]?.field]).toEqual([400, 'embedOrigins[1]']);
  });

  it('are limited to ten', async () => {
    const origins = Array.from({ length: 11 }, (_, at) => `https://shop-${at}.example`);
    expect((await edit(origins)).status).toBe(400);
    expect((await edit(origins.slice(1))).status).toBe(200);
    expect((await edit([])).status).toBe(200);
  });

  it('are checked per request, and the page allows only the site that embeds it', async () => {
    const { id } = await shop.createPayment();
    await edit(['https://shop.example', 'https://second.example']);
    const page = async (embed: string): Promise<string> =>
      (await fetch(`${till.api.baseUrl}/checkout/${id}?embed=${encodeURIComponent(embed)}`)).text();
    expect(await page('https://shop.example')).toContain('data-embedder="https://shop.example"');
    expect(await page('https://shop.example')).not.toContain('second.example');
    for (const wrong of ['https://evil.example', '', 'https://shop.example/', '*']) {
      expect(await page(wrong)).not.toContain('data-embedder');
    }
  });

  it('include the verified domain', () => {
    const merchant = { domain: 'shop.example', embedOriginsJson: '["https://other.example"]' };
    expect(allowedEmbedOrigins({ ...merchant, domainVerifiedAt: null })).toEqual(['https://other.example']);
    expect(allowedEmbedOrigins({ ...merchant, domainVerifiedAt: 5 })).toEqual([
      'https://shop.example',
      'https://other.example',
    ]);
  });

  it('exclude loopback addresses where private webhooks are forbidden', async () => {
    await using strict = await Till.start({ TILLD_ALLOW_PRIVATE_WEBHOOKS: 'false' });
    await strict.ready();
    const own = await Shop.open(strict.api);
    for (const origin of ['http://localhost:5173', 'https://localhost', 'http://127.0.0.1:8080']) {
      const { status, body } = await edit([origin], own);
      expect([status, body.error?.details?.[0]?.field]).toEqual([400, 'embedOrigins[0]']);
    }
    expect((await edit(['https://shop.example'], own)).status).toBe(200);
  });
});
