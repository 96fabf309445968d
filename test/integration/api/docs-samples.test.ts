import { execFile } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationRequest, type SampleRequest } from '../../../src/http/docs/samples/request.ts';
import { curl } from '../../../src/http/docs/samples/curl.ts';
import { node } from '../../../src/http/docs/samples/node.ts';
import { php } from '../../../src/http/docs/samples/php.ts';
import { EXAMPLES } from '../../../src/http/schemas/example-values.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';
import { fresh, World, type Account } from './world.ts';

const run = promisify(execFile);

const CREDENTIALS = {
  TOKEN: 'token-of-the-user',
  SECRET_KEY: 'sk_of_the_shop',
  RESTRICTED_KEY: 'rk_of_the_shop',
  PUBLIC_KEY: 'pk_of_the_shop',
};

type Env = Readonly<Record<string, string>>;

/** Runs programs of a language one after the other; fails where one does. @returns what they printed */
type Runner = (samples: readonly string[], env?: Env) => Promise<string>;

const LANGUAGES: Readonly<Record<string, { write: (request: SampleRequest) => string; run: Runner }>> = {
  curl: {
    write: curl,
    run: async (samples, env) =>
      execute(
        'bash',
        ['-c', `set -e\n${samples.map((code) => code.replace(/^curl/, 'curl -sS')).join('\n')}`],
        env,
      ),
  },
  'Node.js': {
    write: node,
    run: async (samples, env) =>
      execute(
        process.execPath,
        ['--input-type=module', '-e', samples.map((code) => `{\n${code}\n}`).join('\n')],
        env,
      ),
  },
  PHP: {
    write: php,
    run: async (samples, env) =>
      execute('php', ['-r', samples.map((code) => code.replace(/^<\?php\n/, '')).join('\n')], env),
  },
};

async function execute(program: string, args: readonly string[], env: Env = CREDENTIALS): Promise<string> {
  const { stdout } = await run(program, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    timeout: 120_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

const unescaped = (text: string) =>
  text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The samples of a part of the page, by language. */
function samplesIn(html: string, language: string): string[] {
  const figures = html.matchAll(
    /<figure class="code">\s*<figcaption>([^<]+)<\/figcaption>\s*<pre[^>]*><code>(.*?)<\/code>/gs,
  );
  return [...figures].filter(([, title]) => title === language).map(([, , code = '']) => unescaped(code));
}

let world: World;
let account: Account;
let page: string;
beforeAll(async () => {
  world = await World.start();
  account = await world.account();
  page = await (await fetch(`${world.till.api.baseUrl}/docs`)).text();
});
afterAll(async () => world.end());

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Takes any request and answers a success. */
async function listener(): Promise<{ server: Server; baseUrl: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { method = '', url = '', headers } = req;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString('utf8') });
      res.setHeader('content-type', 'application/json');
      res.end('{"success":true,"error":null,"data":{"id":"1"}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, baseUrl: `http://127.0.0.1:${port}`, seen };
}

describe.each(Object.keys(LANGUAGES))('code samples in %s', (language) => {
  const { write, run: execute_ } = LANGUAGES[language] as (typeof LANGUAGES)[string];

  it('send exactly the documented example of each endpoint', async () => {
    const { server, baseUrl, seen } = await listener();
    const requests = world.contract.endpoints.map(({ method, path, operation }) =>
      operationRequest(baseUrl, method, path, operation),
    );
    await execute_(requests.map(write));
    server.close();
    expect(seen.length).toBe(requests.length);
    for (const [index, { method, url, credential, body }] of requests.entries()) {
      const got = seen[index] as Seen;
      expect([got.method, baseUrl + got.url]).toEqual([method, url]);
      const bearer = credential === null ? undefined : `Bearer ${CREDENTIALS[credential as 'TOKEN']}`;
      expect(got.headers.authorization, url).toBe(bearer);
      if (body === undefined) expect(got.body, url).toBe('');
      else {
        expect(got.headers['content-type'], url).toBe('application/json');
        expect(JSON.parse(got.body), url).toEqual(body);
      }
    }
  });

  it('escape every special character of the example', async () => {
    const { server, baseUrl, seen } = await listener();
    const body = {
      quotes: `it's "quoted" \\ and \\' and \\" $HOME \`id\` \${x}`,
      lines: 'one\ntwo\tthree',
      'a key': { nested: [1, -2.5, true, null, {}, []], größer: '€' },
    };
    await execute_([
      write({ method: 'POST', url: `${baseUrl}/x`, credential: null, headers: { 'X-A': 'b' }, body }),
    ]);
    server.close();
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual(body);
    expect(seen[0]?.headers['x-a']).toBe('b');
  });

  it('are shown for every endpoint', () => {
    for (const { method, path, operation } of world.contract.endpoints) {
      const start = page.indexOf(`<article id="${operation.operationId}"`);
      const article = page.slice(start, page.indexOf('</article>', start));
      const baseUrl = world.contract.document.servers[0]?.url ?? '';
      expect(samplesIn(article, language)[0], operation.operationId).toBe(
        write(operationRequest(baseUrl, method, path, operation)),
      );
    }
  });

  it('run in order on a real server when they are part of a guide', async () => {
    const samples = guides().flatMap(({ html }) => samplesIn(html, language));
    expect(samples.length).toBeGreaterThanOrEqual(8);
    const { shop, restrictedKey } = account;
    const env = {
      TOKEN: shop.token,
      SECRET_KEY: shop.secretKey,
      PUBLIC_KEY: shop.publicKey,
      RESTRICTED_KEY: restrictedKey,
    };
    const ids = { ...account.ids, paymentId: (await account.pending()).id };
    const sink = await WebhookSink.start();
    for (const sample of samples) {
      const isRefund = sample.includes('/payment/refund');
      const own = withOwn(sample, isRefund ? account.ids : ids).replaceAll(
        'https://shop.example/webhooks/tilld',
        sink.url,
      );
      const printed = await LANGUAGES[language]?.run([own], env);
      if (language === 'curl') expect(JSON.parse(printed ?? ''), own).toMatchObject({ success: true });
    }
    await sink.close();
  });
});

/** A sample with what the account owns in place of what the examples name. */
function withOwn(sample: string, ids: Readonly<Record<string, string>>): string {
  const kinds = ['merchantId', 'customerId', 'productId', 'priceId', 'paymentId', 'logId'] as const;
  const filled = kinds.reduce((text, name) => text.replaceAll(EXAMPLES[name], ids[name] ?? ''), sample);
  return filled
    .replaceAll('alice@example.com', `${fresh('alice')}@example.com`)
    .replaceAll(/(?<![\w-])order-1001/g, fresh('order'))
    .replaceAll('refund-order-1001', fresh('refund'))
    .replaceAll('shop-customer-4711', fresh('customer'));
}

function guides(): { id: string; html: string }[] {
  return [...page.matchAll(/<section class="guide" id="([^"]+)">(.*?)<\/section>/gs)].map(
    ([, id = '', html = '']) => ({ id, html }),
  );
}

describe('the guides of the documentation', () => {
  it('all have a sample that can be run', () => {
    expect(guides().map(({ id }) => id)).toEqual(
      'shop webhooks idempotency refunds sandbox live'.split(' ').map((name) => `guide-${name}`),
    );
    expect(guides().filter(({ html }) => samplesIn(html, 'curl').length === 0)).toEqual([]);
  });

  it('name only documented endpoints, events and scopes', () => {
    const known = new Set(world.contract.endpoints.map(({ name }) => name));
    const paths = new Set(Object.keys(world.contract.document.paths));
    const events = new Set(Object.keys(world.contract.document.webhooks));
    for (const { id, html } of guides()) {
      const named = [...html.matchAll(/\b(?:GET|POST|PATCH|DELETE) \/[\w/-]+/g)].map(([name]) => name);
      expect(named.length, id).toBeGreaterThan(0);
      expect(
        named.filter((name) => !known.has(name)),
        id,
      ).toEqual([]);
      const called = samplesIn(html, 'Node.js').map(
        (code) => new URL(/fetch\('([^']+)'/.exec(code)?.[1] ?? '').pathname,
      );
      expect(
        called.filter((path) => !paths.has(path)),
        id,
      ).toEqual([]);
      const told = [...html.matchAll(/\b(?:payment|refund|send|domain|webhook)\.[a-z_]+\b/g)].map(
        ([name]) => name,
      );
      expect(
        told.filter((name) => !events.has(name)),
        id,
      ).toEqual([]);
    }
  });
});
