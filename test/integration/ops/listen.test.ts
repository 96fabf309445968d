import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { startPathProxy } from '../../_helpers/path-proxy.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { runTool, startTool, type RunningTool } from '../../_helpers/tool.ts';
import { ok, startSink, status, type Sink } from '../../_helpers/webhooks/sink.ts';

let till: Till;
let shop: Shop;
let real: Sink;
let local: Sink;
let key: string;
beforeAll(async () => {
  till = await Till.start();
  real = await startSink();
  local = await startSink();
  shop = await Shop.open(till.api, { webhookUrl: real.url });
  const made = await till.api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', {
    token: shop.token,
    body: {
      merchantId: shop.merchantId,
      name: 'Listening',
      scopes: ['events:read', 'webhooks:read', 'payments:write', 'customers:write'],
    },
  });
  key = made.key.value;
});
afterAll(async () => {
  await till.end();
  await real.close();
  await local.close();
});

const call = (...args: string[]) => ['--url', till.api.baseUrl, ...args];
const listening = (...args: string[]): RunningTool =>
  startTool('listen', call('--forward-to', local.url, ...args), { env: { TILLD_KEY: key } });

/** What it has printed until it matches. */
async function printed({ child }: RunningTool, pattern: RegExp): Promise<string> {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (text += String(chunk)));
  return eventually(
    `it prints ${pattern}`,
    () => text,
    (found) => pattern.test(found),
    30_000,
  );
}

it('scripts/listen forwards new events like webhooks, signed with the secret that it prints', async () => {
  await shop.createPayment();
  await real.until(1);
  const tool = listening('--trigger', 'payment.completed');
  const lines = printed(tool, /payment\.completed evt_\S+ -> 200 \d+ ms/);
  const text = await lines;
  const [secret = ''] = /whsec_\S+/.exec(text) ?? [];
  const types = local.received.map(({ json }) => json.type);
  expect(types).toEqual(['payment.created', 'payment.confirming', 'payment.completed']);
  await real.until(4);
  for (const each of local.received) {
    expect(new Webhook(secret).verify(each.body, each.headers as Record<string, string>)).toBeTruthy();
    // The same event to the byte; only the signature is another one.
    expect(real.received.map(({ body }) => body)).toContain(each.body);
  }
  expect(text).not.toContain(key);
  tool.child.kill('SIGINT');
  expect(await tool.done).toMatchObject({ code: 0, stderr: '' });
});

it('scripts/listen continues after a failing target and an outage of the daemon, without missing events', async () => {
  local.received.length = 0;
  local.answer(status(500));
  const tool = listening();
  await printed(tool, /forwarding/);
  const failed = printed(tool, /-> 500/);
  const first = await shop.createPayment();
  await failed;
  local.answer(ok);
  const away = printed(tool, /asking again in 1 s/);
  await till.down();
  await away;
  await till.up();
  const second = await shop.createPayment();
  await local.until(2, 30_000);
  const paid = local.received.map(({ json }) => (json.data as { payment: { id: string } }).payment.id);
  expect(paid).toEqual([first.id, second.id]);
  tool.child.kill('SIGTERM');
  expect((await tool.done).code).toBe(0);
});

it('scripts/listen ends immediately on an error that a retry cannot fix', async () => {
  const wrong = await runTool('listen', call('--forward-to', local.url), { env: { TILLD_KEY: 'rk_wrong' } });
  expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('UNAUTHORISED') });
  for (const args of [[], ['--trigger', 'payment.imagined'], ['--forward-to', 'ftp://a']]) {
    const refused = await runTool('listen', call(...args), { env: { TILLD_KEY: key } });
    expect(refused.code).toBe(2);
  }
  const keyless = await runTool('listen', call('--trigger', 'payment.created'));
  expect(keyless).toMatchObject({ code: 2, stderr: expect.stringContaining('TILLD_KEY') });
});

it.each(['payment.cancelled', 'payment.underpaid'])('scripts/listen triggers the event %s', async (type) => {
  const { code, stdout } = await runTool('listen', call('--trigger', type), { env: { TILLD_KEY: key } });
  expect(code).toBe(0);
  const [id = ''] = /pay_\w+/.exec(stdout) ?? [];
  await eventually(
    `${type} happens`,
    () => shop.payment(id),
    ({ timeline }) => timeline.some((entry) => entry.type === type),
  );
});

it.each(['/till', '/till/'])('scripts/listen calls a daemon below the path of %s', async (path) => {
  const proxy = await startPathProxy('/till', true);
  proxy.lead(Number(new URL(till.api.baseUrl).port));
  const env = { TILLD_KEY: key, TILLD_BASE_URL: `${proxy.origin}${path}` };
  const { code, stdout } = await runTool('listen', ['--trigger', 'payment.created'], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/will happen to pay_/) });
  expect(proxy.strayed).toEqual([]);
  await proxy.close();
});
