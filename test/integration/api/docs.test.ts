import { spawn, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECIPES } from '../../../src/http/docs/recipes.ts';
import { ERROR_CODES } from '../../../src/domain/errors.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { Contract } from './contract.ts';

let till: Till;
let contract: Contract;
let page: string;
let headers: Headers;
beforeAll(async () => {
  till = await Till.start({ TILLD_BASE_URL: 'https://pay.shop.example' });
  contract = await Contract.of(till.api.baseUrl);
  const response = await fetch(`${till.api.baseUrl}/docs`);
  expect(response.status).toBe(200);
  headers = response.headers;
  page = await response.text();
});
afterAll(async () => till.end());

const unescaped = (text: string) =>
  text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** What a shell would make of one of the page's curl commands. */
function requestOf(command: string, variables: ReadonlyMap<string, string>) {
  const filled = command
    .replaceAll(`'"$PAYMENT"'`, variables.get('PAYMENT') ?? '')
    .replaceAll(/\$([A-Z_]+)/g, (_all, name: string) => variables.get(name) ?? '');
  const [, body] = /-d '([^']*)'/.exec(filled) ?? [];
  return {
    method: / -X ([A-Z]+) /.exec(filled)?.[1] ?? 'GET',
    path: /https:\/\/pay\.shop\.example([^\s"]*)/.exec(filled)?.[1] ?? '',
    token: /Bearer ([^"]+)"/.exec(filled)?.[1],
    body: body === undefined ? undefined : (JSON.parse(body) as object),
  };
}

describe('/docs', () => {
  it('has a content security policy that allows only its own content', () => {
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    for (const kind of ['style-src', 'script-src', 'connect-src'])
      expect(policy).toContain(`${kind} 'self';`);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  it('has no inline script, no inline style, no event handler and no other host', () => {
    const withoutOwn = page.replace(/<script type="module" src="\/assets\/docs-[\w-]+\.js"><\/script>/, '');
    expect(withoutOwn).not.toMatch(/<script|<style|<iframe|\sstyle=|\son\w+=|javascript:/i);
    const loaded = [...page.matchAll(/<(?:link|img|source)[^>]*?(?:href|src)="([^"]+)"/g)].map(
      ([, url = '']) => url,
    );
    expect(loaded.filter((url) => !url.startsWith('data:'))).toEqual(['/docs/style.css']);
  });

  it('does not relax the content security policy of other paths', async () => {
    for (const path of ['/openapi.json', '/healthz', '/docs/style.css']) {
      const response = await fetch(till.api.baseUrl + path);
      expect(response.headers.get('content-security-policy')).toMatch(
        /^default-src 'none';frame-ancestors 'none'/,
      );
    }
  });

  it('serves its style sheet', async () => {
    const response = await fetch(`${till.api.baseUrl}/docs/style.css`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(await response.text()).toContain('prefers-color-scheme: dark');
  });

  it('documents every endpoint, event and error', () => {
    for (const { operation, name } of contract.endpoints) {
      expect(page, name).toContain(`id="${operation.operationId}"`);
    }
    for (const type of Object.keys(contract.document.webhooks))
      expect(page).toContain(`<code>${type}</code>`);
    for (const code of ERROR_CODES) expect(page).toContain(`id="error-${code}"`);
  });

  it('begins with the creation of a first payment, at the public URL of the server', () => {
    const start = page.indexOf('id="first-payment"');
    expect(start).toBeGreaterThan(0);
    expect(start).toBeLessThan(page.indexOf('id="basics"'));
    expect(start).toBeLessThan(page.indexOf('<article'));
    expect(page).toContain('curl -X POST https://pay.shop.example/auth/register');
  });

  it('has no broken links', () => {
    const ids = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    expect(targets.length).toBeGreaterThan(50);
    expect(targets.filter((target) => !ids.has(target))).toEqual([]);
    expect(ids.size).toBe([...page.matchAll(/\sid="([^"]+)"/g)].length);
  });

  it('closes every HTML element', () => {
    const open: string[] = [];
    const isVoid = new Set(['meta', 'link', 'wbr', 'br']);
    for (const [, slash, name = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
      if (isVoid.has(name)) continue;
      if (slash === '') open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });
});

describe('the first payment of the documentation', () => {
  it('is created by following the page step by step', async () => {
    const start = page.slice(page.indexOf('id="first-payment"'), page.indexOf('id="guide-shop"'));
    const steps = [...start.matchAll(/<pre[^>]*><code>(.*?)<\/code><\/pre>/gs)].map(([, code = '']) =>
      unescaped(code),
    );
    expect(steps.length).toBe(6);
    const variables = new Map<string, string>();
    const run = async (step: string) => {
      const { method, path, token, body } = requestOf(step, variables);
      return till.api.must(method, path, { ...(token === undefined ? {} : { token }), body });
    };
    for (const step of steps) {
      const data: unknown = { data: await run(step) };
      for (const [, name = '', field = ''] of step.matchAll(/^([A-Z_]+)=…\s+# ([\w.]+)$/gm)) {
        const value = field
          .split('.')
          .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], data);
        expect(typeof value, name).toBe('string');
        variables.set(name, String(value));
      }
    }
    await eventually(
      'the payment to be completed',
      () => run(steps.at(-1) ?? ''),
      ({ status }) => status === 'completed',
    );
  });
});

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const sign = (id: string, timestamp: string, body: string, key = secret) =>
  `v1,${createHmac('sha256', Buffer.from(key.slice(6), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')}`;
const signed = (body: string, atMs = Date.now()) => {
  const timestamp = String(Math.floor(atMs / 1000));
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': sign('evt_1', timestamp, body),
  };
};

const recipeIn = (language: string) => RECIPES.find(([name]) => name === language)?.[1] ?? '';

describe('the signature recipe for Node.js', () => {
  const source = recipeIn('Node.js');
  type Recipe = { isGenuine: (secret: string, headers: object, body: string | Buffer) => boolean };
  let recipe: Recipe;
  beforeAll(async () => {
    const url = `data:text/javascript,${encodeURIComponent(source)}`;
    recipe = (await import(/* @vite-ignore */ url)) as Recipe;
  });

  it('accepts a genuine webhook, also next to the signature of another secret', () => {
    const body = '{"type":"payment.completed","note":"größer"}';
    const good = signed(body);
    expect(recipe.isGenuine(secret, good, body)).toBe(true);
    expect(recipe.isGenuine(secret, good, Buffer.from(body))).toBe(true);
    const old = sign('evt_1', good['webhook-timestamp'], body, `whsec_${randomBytes(32).toString('base64')}`);
    const both = { ...good, 'webhook-signature': `${old} ${good['webhook-signature']}` };
    expect(recipe.isGenuine(secret, both, body)).toBe(true);
  });

  it('rejects a changed, old or unsigned webhook', () => {
    const good = signed('{}');
    expect(recipe.isGenuine(secret, good, '{} ')).toBe(false);
    expect(recipe.isGenuine(secret, { ...good, 'webhook-id': 'evt_2' }, '{}')).toBe(false);
    expect(recipe.isGenuine(secret, signed('{}', Date.now() - 400_000), '{}')).toBe(false);
    expect(recipe.isGenuine(secret, { ...good, 'webhook-timestamp': 'now' }, '{}')).toBe(false);
    for (const signature of ['', 'v1,', 'v1,AAAA', good['webhook-signature'].replace('v1', 'v2')]) {
      expect(recipe.isGenuine(secret, { ...good, 'webhook-signature': signature }, '{}')).toBe(false);
    }
  });
});

/** What the recipe says about each webhook, in a process of its own. */
function judgeInPython(webhooks: readonly { headers: object; body: string }[]): unknown {
  const judge = `
import json, sys
for given in json.load(sys.stdin):
    print(json.dumps(is_genuine(${JSON.stringify(secret)}, given["headers"], given["body"].encode())))
`;
  const { stdout, stderr, status } = spawnSync('python3', ['-c', recipeIn('Python') + judge], {
    input: JSON.stringify(webhooks),
    encoding: 'utf8',
  });
  expect([stderr, status]).toEqual(['', 0]);
  return stdout.trim().split('\n');
}

describe('the signature recipe for Python', () => {
  it('accepts a genuine webhook, also next to the signature of another secret', () => {
    const body = '{"type":"payment.completed","note":"größer"}';
    const good = signed(body);
    const old = sign('evt_1', good['webhook-timestamp'], body, `whsec_${randomBytes(32).toString('base64')}`);
    const both = { ...good, 'webhook-signature': `${old} ${good['webhook-signature']}` };
    const webhooks = [good, both].map((headers) => ({ headers, body }));
    expect(judgeInPython(webhooks)).toEqual(['true', 'true']);
  });

  it('rejects a changed, old or unsigned webhook, and one with odd headers, without an exception', () => {
    const good = signed('{}');
    const { 'webhook-signature': signature, ...unsigned } = good;
    const odd = ['', 'v1,', 'v1,AAAA', 'v1,größer', signature.replace('v1', 'v2')];
    const webhooks = [
      { headers: good, body: '{} ' },
      { headers: { ...good, 'webhook-id': 'evt_2' }, body: '{}' },
      { headers: signed('{}', Date.now() - 400_000), body: '{}' },
      ...['now', '', '²'].map((time) => ({ headers: { ...good, 'webhook-timestamp': time }, body: '{}' })),
      ...odd.map((other) => ({ headers: { ...good, 'webhook-signature': other }, body: '{}' })),
      { headers: unsigned, body: '{}' },
      { headers: {}, body: '{}' },
    ];
    expect(judgeInPython(webhooks)).toEqual(webhooks.map(() => 'false'));
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('the signature recipe for PHP', () => {
  let dir: string;
  let server: ReturnType<typeof spawn>;
  let url: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tilld-recipe-'));
    await writeFile(join(dir, 'webhook.php'), `${recipeIn('PHP')}\necho $event['type'];\n`);
    const port = await freePort();
    url = `http://127.0.0.1:${port}/webhook.php`;
    // Fills $_SERVER and php://input as PHP-FPM does.
    server = spawn('php', ['-S', `127.0.0.1:${port}`, '-t', dir], {
      env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret },
      stdio: 'ignore',
    });
    await eventually(
      'the web server of PHP to answer',
      async () => fetch(url, { method: 'POST' }).catch(() => null),
      (response) => response !== null,
    );
  });
  afterAll(async () => {
    server.kill();
    await rm(dir, { recursive: true });
  });

  const post = async (headers_: Record<string, string>, body: string) => {
    const response = await fetch(url, { method: 'POST', headers: headers_, body });
    return [response.status, await response.text()];
  };

  it('accepts a genuine webhook, also next to the signature of another secret', async () => {
    const body = '{"type":"payment.completed","note":"größer"}';
    const good = signed(body);
    expect(await post(good, body)).toEqual([200, 'payment.completed']);
    const old = sign('evt_1', good['webhook-timestamp'], body, `whsec_${randomBytes(32).toString('base64')}`);
    const both = { ...good, 'webhook-signature': `${old} ${good['webhook-signature']}` };
    expect(await post(both, body)).toEqual([200, 'payment.completed']);
  });

  it('rejects a changed, old or unsigned webhook', async () => {
    const good = signed('{}');
    expect(await post(good, '{} ')).toEqual([400, '']);
    expect(await post({ ...good, 'webhook-id': 'evt_2' }, '{}')).toEqual([400, '']);
    expect(await post(signed('{}', Date.now() - 400_000), '{}')).toEqual([400, '']);
    expect(await post({}, '{}')).toEqual([400, '']);
    expect(await post({ ...good, 'webhook-signature': '' }, '{}')).toEqual([400, '']);
  });
});
