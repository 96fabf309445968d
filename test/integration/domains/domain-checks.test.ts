import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DomainChecks, type DomainChecksOptions } from '../../../src/workers/site-checks/domain-checks.ts';
import type { VerificationMethod } from '../../../src/domain/domain-verification.ts';
import { hostResolver } from '../../../src/egress/resolve.ts';
import type { RecordCheckDeps } from '../../../src/usecases/shops/domains/record-check.ts';
import { DnsServer } from '../../_helpers/domains/dns-server.ts';
import { WebServer } from '../../_helpers/domains/web-server.ts';
import { selfSigned } from '../../_helpers/self-signed.ts';

const DOMAIN = 'shop.example';
const TOKEN = 'abcdefghijklmnopqrstuvwxyz012345';
const LINE = `token=${TOKEN}`;
const FILE = '/.well-known/tilld-verification.txt';
const CHALLENGE = `_tilld-challenge.${DOMAIN}`;
const META = `<meta name="tilld-verification" content="${TOKEN}">`;
const HEAD = `<!doctype html><html><head>${META}</head><body></body></html>`;
const LIMITS = {
  checkTimeoutMs: 2_500,
  requestTimeoutMs: 400,
  dnsTimeoutMs: 150,
  retryAfterMs: 20,
  perMinute: 10_000,
};

let dns: DnsServer;
let web: WebServer;
let tls: WebServer;
let lines: object[];
let authorities: string[];

beforeAll(async () => {
  const certificate = selfSigned([DOMAIN, `www.${DOMAIN}`]);
  authorities = getCACertificates();
  setDefaultCACertificates([...authorities, certificate.cert]);
  [dns, web, tls] = await Promise.all([
    DnsServer.start(),
    WebServer.start(),
    WebServer.start({ tls: certificate }),
  ]);
});
afterAll(async () => {
  setDefaultCACertificates(authorities);
  await Promise.all([dns.close(), web.close(), tls.close()]);
});
beforeEach(() => {
  lines = [];
  dns.clear();
  dns.set('A', DOMAIN, ['127.0.0.1']);
  dns.set('A', `www.${DOMAIN}`, ['127.0.0.1']);
  for (const server of [web, tls]) {
    server.requests.length = 0;
    server.serve({});
  }
});

const log = (fields: object) => void lines.push(fields);

function checks(
  options: Partial<DomainChecksOptions> & { allowPrivate?: boolean; plainOnly?: boolean } = {},
) {
  const { allowPrivate = true, plainOnly = false, ...rest } = options;
  const deps = {
    clock: { now: () => Date.now() },
    logger: { debug: log, info: log, warn: log, error: log },
  } as unknown as RecordCheckDeps;
  return new DomainChecks(deps, {
    egress: { allowPrivate, resolve: hostResolver([dns.address]) },
    dnsServers: [dns.address],
    ports: { https: plainOnly ? 1 : tls.port, http: web.port },
    ...rest,
    limits: { ...LIMITS, ...rest.limits },
  });
}

const check = async (
  method: VerificationMethod,
  options: Parameters<typeof checks>[0] = {},
  domain = DOMAIN,
) => checks(options).check({ merchantId: 'm', domain, token: TOKEN }, method);
const plain = { plainOnly: true };
const because = (kind: string, reason: string) => ({
  kind,
  reason: expect.stringContaining(reason) as string,
});

describe('the DNS check of a domain', () => {
  it('finds the TXT record with the token', async () => {
    dns.set('TXT', CHALLENGE, [LINE]);
    expect(await check('dns')).toEqual({ kind: 'proven', method: 'dns' });
    expect(dns.questions).toEqual([`TXT ${CHALLENGE}`]);
  });

  it.each<[string, readonly (string | readonly string[])[]]>([
    ['among others', ['v=spf1 -all', 'token=other', LINE, 'x']],
    ['in several strings', [[LINE.slice(0, 7), LINE.slice(7, 20), LINE.slice(20)]]],
    ['with quotes and spaces of a hosting panel', [` "${LINE}" `]],
    [
      'in a response too large for UDP',
      [...Array.from({ length: 40 }, (_, index) => `${index}`.repeat(60)), LINE],
    ],
  ])('finds a record %s', async (_where, records) => {
    dns.set('TXT', CHALLENGE, records);
    expect(await check('dns')).toEqual({ kind: 'proven', method: 'dns' });
  });

  it.each<[string, readonly (string | readonly string[])[]]>([
    ['another token', ['token=abcdefghijklmnopqrstuvwxyz012346']],
    ['the token without a prefix', [TOKEN]],
    ['a longer token', [`${LINE}x`]],
    ['another case', [LINE.toUpperCase()]],
    ['the line split over two records', [LINE.slice(0, 9), LINE.slice(9)]],
  ])('rejects a file with %s', async (_what, records) => {
    dns.set('TXT', CHALLENGE, records);
    expect(await check('dns')).toEqual(because('absent', 'no TXT record of'));
  });

  it('reports a missing record, and a record on the domain itself instead of its challenge name', async () => {
    expect(await check('dns')).toEqual(because('absent', 'has no TXT record'));
    dns.set('TXT', DOMAIN, [LINE]);
    dns.set('A', CHALLENGE, ['127.0.0.1']);
    expect(await check('dns')).toEqual(because('absent', 'has no TXT record'));
  });

  it.each(['servfail', 'refused', 'silent'] as const)(
    'returns unknown when the name server does not answer properly: %s',
    async (how) => {
      dns.set('TXT', CHALLENGE, how);
      // Past its own limit, the check would name that.
      expect(await check('dns')).toEqual(because('unknown', 'the name server gave no answer'));
      expect(dns.questions.length).toBeGreaterThan(1);
    },
  );

  it('sends one retry when there was no response, and none otherwise', async () => {
    dns.set('TXT', CHALLENGE, 'servfail');
    const found = check('dns', { limits: { retryAfterMs: 300 } });
    const deadline = Date.now() + 2_000;
    while (dns.questions.length === 0 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 5));
    dns.set('TXT', CHALLENGE, [LINE]);
    expect(await found).toEqual({ kind: 'proven', method: 'dns' });
  });

  it('gives up on a silent name server after its own time limit', async () => {
    dns.set('TXT', CHALLENGE, 'silent');
    const outcome = await check('dns', { limits: { checkTimeoutMs: 200, dnsTimeoutMs: 5_000 } });
    expect(outcome).toEqual(because('unknown', 'no answer within 200 ms'));
  });

  it('reports a domain name that DNS does not allow', async () => {
    const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(55)}.ex`;
    expect((await check('dns', {}, long)).kind).toBe('absent');
  });
});

describe('the check of a domain by a file', () => {
  it('requests the file over https with the domain as host name', async () => {
    tls.serve({ [FILE]: `${LINE}\n` });
    expect(await check('file')).toEqual({ kind: 'proven', method: 'file' });
    expect(tls.requests).toEqual([`${DOMAIN} ${FILE}`]);
    expect(web.requests).toEqual([]);
  });

  it('uses plain http only when https is unreachable and private addresses are allowed', async () => {
    web.serve({ [FILE]: LINE });
    expect(await check('file', plain)).toEqual({ kind: 'proven', method: 'file' });
    expect(await check('file')).toEqual(because('absent', '404'));
  });

  it('rejects a TLS certificate for another host name', async () => {
    dns.set('A', 'other.example', ['127.0.0.1']);
    tls.serve({ [FILE]: LINE });
    const ports = { https: tls.port, http: 1 };
    expect(await check('file', { ports }, 'other.example')).toEqual(because('unreachable', 'certificate'));
    expect(tls.requests).toEqual([]);
  });

  it.each([
    ['spaces and line ends', `\r\n  ${LINE}  \r\n\n`],
    ['a byte order mark', `\uFEFF${LINE}`],
    ['no name of a key', `${TOKEN}\n`],
  ])('accepts the expected line with %s', async (_what, content) => {
    web.serve({ [FILE]: content });
    expect(await check('file', plain)).toMatchObject({ kind: 'proven' });
  });

  it.each([
    ['another token', 'token=nope'],
    ['the line among others', `hello\n${LINE}\n`],
    ['a page that mentions it', `<html><body>${LINE}</body></html>`],
    ['nothing', ''],
  ])('rejects a file with %s', async (_what, content) => {
    web.serve({ [FILE]: content });
    expect(await check('file', plain)).toEqual(because('absent', 'something else'));
  });

  it('rejects the expected line on an error page, and does not quote the page in its error', async () => {
    for (const [status, kind] of [
      [404, 'absent'],
      [403, 'absent'],
      [204, 'absent'],
      [503, 'unreachable'],
    ] as const) {
      web.handler = (_request, response) =>
        void response.writeHead(status).end(status === 204 ? undefined : LINE);
      expect(await check('file', plain)).toEqual(because(kind, String(status)));
    }
    web.serve({ [FILE]: 'internal-secret-of-another-service' });
    expect(JSON.stringify(await check('file', plain))).not.toContain('internal-secret');
    expect(JSON.stringify(lines)).not.toContain('internal-secret');
  });

  it('reads at most 4 kB', async () => {
    web.serve({ [FILE]: LINE + ' '.repeat(4096 - LINE.length) });
    expect(await check('file', plain)).toMatchObject({ kind: 'proven' });
    web.serve({ [FILE]: LINE + ' '.repeat(4097 - LINE.length) });
    expect(await check('file', plain)).toEqual(because('absent', 'larger than 4096'));
  });

  it('gives up on a server that does not respond, and on a slow one', async () => {
    web.handler = () => undefined;
    expect(await check('file', plain)).toMatchObject({ kind: 'unreachable' });
    web.handler = (_request, response) => void response.writeHead(200).write('token=');
    expect(await check('file', plain)).toEqual(because('unreachable', 'did not come in time'));
    web.handler = (request, response) =>
      void response.writeHead(200, { 'content-length': 99 }).write('token=', () => request.socket.destroy());
    expect(await check('file', plain)).toEqual(because('unreachable', 'broke off'));
  });

  it('distinguishes an unreachable server, a domain without an address and a silent name server', async () => {
    const ports = { https: 1, http: 1 };
    expect(await check('file', { ports })).toEqual(because('unreachable', 'ECONNREFUSED'));
    dns.delete('A', DOMAIN);
    dns.set('TXT', DOMAIN, ['x']);
    expect(await check('file')).toMatchObject({ kind: 'absent' });
    dns.set('A', DOMAIN, 'servfail');
    expect(await check('file')).toMatchObject({ kind: 'unknown' });
  });

  it('sends one retry after a server error', async () => {
    let answers = 0;
    web.handler = (_request, response) => {
      answers += 1;
      response.writeHead(answers === 1 ? 502 : 200).end(LINE);
    };
    expect(await check('file', plain)).toMatchObject({ kind: 'proven' });
    expect(answers).toBe(2);
  });
});

describe('the check of a domain by a meta tag', () => {
  it('finds the tag in the head of the home page', async () => {
    tls.serve({ '/': HEAD });
    expect(await check('meta')).toEqual({ kind: 'proven', method: 'meta' });
    expect(tls.requests).toEqual([`${DOMAIN} /`]);
  });

  it.each([
    ['in the body', `<html><head></head><body>${META}</body>`, 'no <meta'],
    ['with another token', HEAD.replace(TOKEN, 'other'), 'something else'],
    ['nowhere', '<html><head></head>', 'no <meta'],
  ])('rejects a tag %s', async (_where, page, reason) => {
    web.serve({ '/': page });
    expect(await check('meta', plain)).toEqual(because('absent', reason));
  });

  it('reads 1 MB of an endless page and disconnects', async () => {
    let sent = 0;
    const pour = (start: string) => {
      web.handler = (request, response) => {
        const chunk = 'x'.repeat(65_536);
        response.writeHead(200).write(start);
        const more = (): void => {
          while (!request.socket.destroyed && response.write(chunk)) sent += chunk.length;
        };
        response.on('drain', more);
        more();
      };
    };
    pour('<html><head><script>');
    expect(await check('meta', { plainOnly: true, limits: { requestTimeoutMs: 2_000 } })).toEqual(
      because('absent', 'within 1000000 bytes'),
    );
    expect(sent).toBeLessThan(20_000_000);
    pour(`<html><head>${META}</head><body>`);
    expect(await check('meta', { plainOnly: true, limits: { requestTimeoutMs: 2_000 } })).toMatchObject({
      kind: 'proven',
    });
  });
});

const redirect = (to: Record<string, string>, pages: Record<string, string> = {}) => {
  const serve = (server: WebServer) => {
    server.handler = (request, response) => {
      const key = `${(request.headers.host ?? '').replace(/:\d+$/, '')}${request.url}`;
      const location = to[key];
      if (location !== undefined) response.writeHead(301, { location }).end();
      else response.writeHead(pages[key] === undefined ? 404 : 200).end(pages[key]);
    };
  };
  serve(web);
  serve(tls);
};

describe('redirects in a domain check', () => {
  const www = `www.${DOMAIN}`;

  it('are followed between apex and www on the same site', async () => {
    redirect({ [`${DOMAIN}/`]: `https://${www}:${tls.port}/` }, { [`${www}/`]: HEAD });
    expect(await check('meta')).toMatchObject({ kind: 'proven' });
    redirect({ [`${www}${FILE}`]: `https://${DOMAIN}:${tls.port}/t` }, { [`${DOMAIN}/t`]: LINE });
    expect(await check('file', {}, www)).toMatchObject({ kind: 'proven' });
    expect(tls.requests).toEqual([`${DOMAIN} /`, `${www} /`, `${www} ${FILE}`, `${DOMAIN} /t`]);
  });

  it('are followed three times at most', async () => {
    const hops = { [`${DOMAIN}/`]: '/1', [`${DOMAIN}/1`]: '/2', [`${DOMAIN}/2`]: '/3' };
    redirect(hops, { [`${DOMAIN}/3`]: HEAD });
    expect(await check('meta', plain)).toMatchObject({ kind: 'proven' });
    redirect({ ...hops, [`${DOMAIN}/3`]: '/4' }, { [`${DOMAIN}/4`]: HEAD });
    expect(await check('meta', plain)).toEqual(because('absent', 'more than 3 redirects'));
    redirect({ [`${DOMAIN}/`]: '/' });
    expect(await check('meta', plain)).toEqual(because('absent', 'more than 3 redirects'));
  });

  it.each([
    ['another site', 'https://evil.example/', 'another site'],
    ['a site whose name only has the same ending', `https://evil${DOMAIN}/`, 'another site'],
    ['a subdomain', `https://blog.${DOMAIN}/`, 'another site'],
    ['an address', 'http://127.0.0.1/', 'another site'],
    ['a cloud metadata address', 'http://169.254.169.254/latest/meta-data/', 'another site'],
    ['another port', `https://${DOMAIN}:8443/`, 'another port'],
    ['a URL with name and password', `https://user:secret@${DOMAIN}/`, 'user name'],
    ['another scheme', 'file:///etc/passwd', 'not allowed'],
    ['nowhere', 'https://', 'without a location'],
  ])('are refused to %s', async (_where, location, reason) => {
    dns.set('A', 'evil.example', ['127.0.0.1']);
    redirect({ [`${DOMAIN}/`]: location });
    const before = dns.questions.length;
    expect(await check('meta')).toEqual(because('absent', reason));
    expect(tls.requests).toEqual([`${DOMAIN} /`]);
    expect(dns.questions.slice(before).filter((question) => !question.endsWith(` ${DOMAIN}`))).toEqual([]);
  });

  it('are refused from https to plain http, and followed the other way round', async () => {
    redirect({ [`${DOMAIN}/`]: `http://${DOMAIN}:${web.port}/plain` }, { [`${DOMAIN}/plain`]: HEAD });
    expect(await check('meta')).toEqual(because('absent', 'to plain http'));
    redirect({ [`${DOMAIN}/`]: `https://${DOMAIN}:${tls.port}/safe` }, { [`${DOMAIN}/safe`]: HEAD });
    // At first no server answers https for the name, so plain http is tried and redirects back.
    let lookups = 0;
    const resolve = async () => [(lookups += 1) === 1 ? '127.0.0.3' : '127.0.0.1'];
    expect(await check('meta', { egress: { allowPrivate: true, resolve } })).toMatchObject({
      kind: 'proven',
    });
    expect([web.requests, tls.requests]).toEqual([[`${DOMAIN} /`], [`${DOMAIN} /`, `${DOMAIN} /safe`]]);
  });

  it('are checked by the egress guard again, so that a domain that becomes private between two requests is not requested', async () => {
    redirect({ [`${DOMAIN}/`]: `https://${www}:${tls.port}/` }, { [`${www}/`]: HEAD });
    const resolve = async (name: string) => (name === DOMAIN ? ['127.0.0.1'] : ['not an address']);
    const egress = { allowPrivate: true, resolve };
    expect(await check('meta', { egress })).toEqual(because('absent', 'an invalid address'));
    expect(tls.requests).toEqual([`${DOMAIN} /`]);
  });
});

describe('the egress guard of domain checks', () => {
  it('calls no private address where these are not allowed, whatever DNS returns', async () => {
    tls.serve({ [FILE]: LINE, '/': HEAD });
    web.serve({ [FILE]: LINE, '/': HEAD });
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '100.64.0.1']) {
      dns.set('A', DOMAIN, ['93.184.215.14', address]);
      for (const method of ['file', 'meta'] as const)
        expect(await check(method, { allowPrivate: false })).toEqual(
          because('absent', 'not a public address'),
        );
    }
    dns.set('A', DOMAIN, []);
    dns.set('AAAA', DOMAIN, ['::1']);
    expect(await check('file', { allowPrivate: false })).toEqual(because('absent', 'not a public address'));
    expect([...tls.requests, ...web.requests]).toEqual([]);
  });

  it('resolves a domain once per request, so that DNS rebinding has no effect', async () => {
    const other = await WebServer.start({ address: '127.0.0.2', port: web.port });
    other.serve({ [FILE]: LINE });
    web.serve({ [FILE]: 'vetted' });
    let asked = 0;
    const honest = hostResolver([dns.address]);
    const resolve: typeof honest = async (name, signal) => {
      asked += 1;
      const found = await honest(name, signal);
      // The first lookup is for https, where no server listens.
      if (asked === 2) dns.set('A', DOMAIN, ['127.0.0.2']);
      return found;
    };
    const egress = { allowPrivate: true, resolve };
    expect(await check('file', { ...plain, egress })).toEqual(because('absent', 'something else'));
    await other.close();
    expect({ asked, vetted: web.requests.length, rebound: other.requests.length }).toEqual({
      asked: 2,
      vetted: 1,
      rebound: 0,
    });
  });
});

describe('limits of domain checks', () => {
  it('apply to each merchant, and do not delay other merchants', async () => {
    const shared = checks({ limits: { perMinute: 3 } });
    const ask = async (merchantId: string) =>
      shared.check({ merchantId, domain: DOMAIN, token: TOKEN }, 'dns');
    for (let index = 0; index < 3; index += 1) await ask('one');
    await expect(ask('one')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect((await ask('two')).kind).toBe('absent');
  });

  it('bound the number of waiting checks', async () => {
    dns.set('TXT', CHALLENGE, 'silent');
    const shared = checks();
    const asked = Array.from({ length: 80 }, () =>
      shared.check({ merchantId: 'm', domain: DOMAIN, token: TOKEN }, 'dns').catch((error: unknown) => error),
    );
    const refused = (await asked.at(-1)) as { code?: string };
    expect(refused.code).toBe('RATE_LIMITED');
    await shared.stop();
    const outcomes = (await Promise.all(asked)) as { code?: string; kind?: string; name?: string }[];
    expect(outcomes.filter(({ code }) => code === 'RATE_LIMITED').length).toBeLessThanOrEqual(80 - 8 - 56);
    expect(outcomes.some(({ kind }) => kind !== undefined)).toBe(false);
  });

  it('abort a running check immediately at shutdown', async () => {
    web.handler = () => undefined;
    const shared = checks({ plainOnly: true, limits: { requestTimeoutMs: 60_000, checkTimeoutMs: 60_000 } });
    const look = shared.check({ merchantId: 'm', domain: DOMAIN, token: TOKEN }, 'file');
    const settled = look.then(
      () => 'answered',
      () => 'given up',
    );
    const deadline = Date.now() + 5_000;
    while (web.requests.length === 0 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await shared.stop();
    expect(await settled).toBe('given up');
  });
});
