import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Forwarder } from '../../shops/_helpers/forwarder.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { Till } from '../../_helpers/till.ts';
import { LIBRARY, phpProgram, runPhp } from './run-php.ts';

let till: Till;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  shop = await Shop.open(till.api);
});
afterAll(async () => till.end());

const client = `$till = new Tilld\\Tilld(['baseUrl' => $given['url'], 'key' => $given['key']]);`;

it('the PHP example of the README accepts a payment', async () => {
  const readme = readFileSync('packages/php/README.md', 'utf8');
  const [, example = ''] = /```php\n<\?php\n(.*?)```/s.exec(readme) ?? [];
  const program = example.replace('Tilld.php', LIBRARY);
  const env = { TILLD_URL: till.api.baseUrl, TILLD_KEY: shop.secretKey };
  const printed = await phpProgram(program, '', env);
  expect(printed).toContain('/checkout/pay_');
  expect(printed.trim().endsWith('paid')).toBe(true);
});

it('the PHP client creates exactly one payment when a response is lost', async () => {
  let isFirst = true;
  await using proxy = await Forwarder.start(till.api.baseUrl, async (_message, forward) => {
    const answer = await forward();
    if (!isFirst) return answer;
    isFirst = false;
    return null;
  });
  const { id } = await runPhp<{ id: string }>(
    `${client} return $till->payments->create(['orderId' => 'php-1', 'amount' => '12.50', 'currency' => 'EUR', 'customer' => []]);`,
    { url: proxy.url, key: shop.secretKey },
  );
  const { payments } = await shop.api.must<{ payments: { id: string; amount: string }[] }>(
    'GET',
    '/payment/list?orderId=php-1',
    { token: shop.secretKey },
  );
  expect(payments.map((payment) => [payment.id, payment.amount])).toEqual([[id, '12.50']]);
});

function healthOf(url: string): Promise<unknown[]> {
  return runPhp(
    `$till = new Tilld\\Tilld(['baseUrl' => $given, 'timeout' => 0.2, 'retries' => 0]);
    try { $till->service->healthz(); } catch (Tilld\\ConnectionException $e) { return [$e->getCode(), $e->isRetryable()]; }`,
    url,
  );
}

it('the PHP client throws an exception when the daemon does not respond in time', async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await healthOf(`http://127.0.0.1:${port}`)).toEqual(['TIMED_OUT', true]);
  server.closeAllConnections();
  server.close();
  expect(await healthOf('http://127.0.0.1:9')).toEqual(['NO_ANSWER', true]);
});

it('the PHP client connects a shop by code and verifier, as the API requires', async () => {
  const { secrets, url } = await runPhp<{ secrets: { state: string; codeVerifier: string }; url: string }>(
    `$secrets = Tilld\\Tilld::connectSecrets();
    return ['secrets' => $secrets, 'url' => Tilld\\Tilld::connectUrl($secrets + ['baseUrl' => $given['url'], 'name' => 'A shop & more',
      'scopes' => ['payments:write', 'events:read'], 'redirectUrl' => 'http://127.0.0.1:9/back?a=b'])];`,
    { url: till.api.baseUrl },
  );
  const request = Object.fromEntries(new URL(url).searchParams);
  expect(request).toMatchObject({ name: 'A shop & more', redirectUrl: 'http://127.0.0.1:9/back?a=b' });
  const { redirectTo } = await shop.api.must<{ redirectTo: string }>('POST', '/connect/approve', {
    token: shop.token,
    body: { ...request, merchantId: shop.merchantId },
  });
  const back = new URL(redirectTo).searchParams;
  expect(back.get('state')).toBe(secrets.state);
  const granted = await runPhp<{ key: string; merchantId: string }>(
    `${client} $granted = $till->connect->token(['code' => $given['code'], 'codeVerifier' => $given['verifier']]);
    $own = new Tilld\\Tilld(['baseUrl' => $given['url'], 'key' => $granted['key']]);
    return $granted + ['events' => iterator_to_array($own->events->since(0), false)];`,
    { url: till.api.baseUrl, key: null, code: back.get('code'), verifier: secrets.codeVerifier },
  );
  expect(granted).toMatchObject({ merchantId: shop.merchantId });
  expect(granted.key).toMatch(/^rk_/);
});

it('the PHP client reports which field the daemon rejected', async () => {
  const refused = await runPhp(
    `${client} try { $till->payments->create(['amount' => '-1', 'currency' => 'EUR', 'customer' => [], 'orderId' => 'x']); }
    catch (Tilld\\InvalidRequestException $e) { return [$e->getCode(), $e->details[0]['field'], is_string($e->requestId)]; }`,
    { url: till.api.baseUrl, key: shop.secretKey },
  );
  expect(refused).toEqual(['VALIDATION_INVALID', 'amount', true]);
});

it('the PHP client returns texts and JSON documents unchanged', async () => {
  await expect.poll(async () => (await till.api.call('GET', '/readyz')).status).toBe(200);
  const seen = await runPhp<Record<string, unknown>>(
    `${client} return ['metrics' => strpos($till->service->metrics(), 'tilld_') !== false,
      'openapi' => $till->service->openapi()['openapi'], 'docs' => substr($till->service->docs(), 0, 9),
      'ready' => $till->service->readyz()['ready'], 'rates' => isset($till->request('GET', '/rates', ['query' => ['currency' => 'EUR']])['rates'])];`,
    { url: till.api.baseUrl, key: shop.secretKey },
  );
  expect(seen).toMatchObject({ metrics: true, openapi: '3.1.0', ready: true });
  expect(String(seen['docs']).toLowerCase()).toBe('<!doctype');
});

it('the PHP client returns the accounting export as movements and as CSV text', async () => {
  const { lines, csv } = await runPhp<{ lines: unknown[]; csv: string }>(
    `${client} return ['lines' => $till->payments->export()['lines'], 'csv' => $till->payments->exportCsv()];`,
    { url: till.api.baseUrl, key: shop.secretKey },
  );
  expect(Array.isArray(lines)).toBe(true);
  // As it comes, with the byte order mark by which spreadsheets know UTF-8.
  expect(csv).toMatch(/^\uFEFFat,kind,paymentId/);
});
