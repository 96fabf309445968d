import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { resolveHost } from '../../../src/egress/resolve.ts';
import type { Database } from '../../../src/store/sqlite/database.ts';
import { UpdateFeed } from '../../../src/workers/update-feed/update-feed.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { VERSION } from '../../_helpers/installed.ts';
import { eventually } from '../../_helpers/poll.ts';
import { databaseOfRowsAlone } from '../../_helpers/rows-alone.ts';
import { Till } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const NOW = Date.parse('2026-06-10T12:00:00Z');
const DAY_MS = 86_400_000;
const NOTES = 'https://tilld.example/notes';

interface Feed {
  readonly version: string;
  readonly publishedAt: string;
  readonly notesUrl: string;
  readonly security?: boolean;
}

const release = (version: string, publishedAt: string, more: Partial<Feed> = {}): Feed => ({
  version,
  publishedAt,
  notesUrl: NOTES,
  ...more,
});
const NEWER = release('1.1.0', '2026-06-01T00:00:00Z');

let dir: string;
let db: Database;
let now: number;
let lines: string[];
const feedFile = (): string => join(dir, 'tilld-feed.json');

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'till-feed-'));
  for (const [name, type] of [
    ['key', 'ed25519'],
    ['other', 'ed25519'],
    ['ecdsa', 'ecdsa'],
  ] as const)
    execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', name, '-f', join(dir, name)]);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
beforeEach(async () => {
  db = await databaseOfRowsAlone();
  now = NOW;
  lines = [];
  writeSigners(`release ${publicKey('key')}`);
});
afterEach(async () => db.close());

const publicKey = (name: string): string => readFileSync(join(dir, `${name}.pub`), 'utf8');
const writeSigners = (text: string): void => writeFileSync(join(dir, 'signers'), text);

/** Writes a feed and its signature as scripts/release does. */
function publish(feed: object | string, { key = 'key', namespace = 'tilld-feed' } = {}): void {
  writeFileSync(feedFile(), typeof feed === 'string' ? feed : JSON.stringify(feed));
  rmSync(`${feedFile()}.sig`, { force: true });
  execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-f', join(dir, key), '-n', namespace, feedFile()], {
    stdio: 'ignore',
  });
}

const log = (fields: object, message: string): void =>
  void lines.push(`${message} ${JSON.stringify(fields)}`);

async function openFeed(feed = feedFile(), allowPrivate = true): Promise<UpdateFeed> {
  return UpdateFeed.open({
    db,
    clock: { now: () => now },
    logger: { debug: log, info: log, warn: log, error: log },
    egress: { allowPrivate, resolve: resolveHost },
    version: '1.0.0',
    feed,
    signersFile: join(dir, 'signers'),
  });
}

describe('UpdateFeed (signed announcement of releases)', () => {
  it('reports a newer release from a feed that ssh-keygen signed, also after a restart', async () => {
    publish({ ...NEWER, security: true });
    const feed = await openFeed();
    expect(feed.available()).toBeNull();
    await feed.check();
    expect(feed.available()).toEqual({ ...NEWER, security: true });
    expect(feed.warnings()).toEqual([]);
    expect((await openFeed()).available()).toEqual({ ...NEWER, security: true });
    expect(lines.join()).toContain('newer release available');
  });

  it('reports no release when the feed names the running one or an older one', async () => {
    const feed = await openFeed();
    for (const version of ['0.9.9', '1.0.0-rc.1', '1.0.0']) {
      publish(release(version, '2026-06-01T00:00:00Z'));
      await feed.check();
      expect([version, feed.available(), feed.warnings()]).toEqual([version, null, []]);
    }
  });

  it.each([
    ['by another key', () => publish(NEWER, { key: 'other' }), /not by a key of release/],
    ['by a key that is not Ed25519', () => publish(NEWER, { key: 'ecdsa' }), /not ssh-ed25519/],
    [
      'for archives',
      () => publish(NEWER, { namespace: 'tilld-release' }),
      /for tilld-feed but for tilld-release/,
    ],
    [
      'of another text',
      () => {
        publish(NEWER);
        writeFileSync(feedFile(), JSON.stringify({ ...NEWER, version: '9.9.9' }));
      },
      /does not match the file/,
    ],
    [
      'that is cut off',
      () => {
        publish(NEWER);
        const armored = '-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAADM=\n-----END SSH SIGNATURE-----\n';
        writeFileSync(`${feedFile()}.sig`, armored);
      },
      /cut off/,
    ],
    ['that is none', () => (publish(NEWER), writeFileSync(`${feedFile()}.sig`, 'x')), /not an SSH signature/],
    ['by a key with options', () => (publish(NEWER), writeSigners(withOptions())), /have no ssh-ed25519 key/],
    ['by a key of somebody else', () => (publish(NEWER), writeSigners(`x ${publicKey('key')}`)), /have no/],
    ['of a feed without a version', () => publish({ ...NEWER, version: undefined }), /version/],
    ['of notes at a script', () => publish({ ...NEWER, notesUrl: 'javascript:alert(1)' }), /notesUrl/],
    ['of no JSON', () => publish('hello'), /JSON/],
    ['of a feed from the future', () => publish(release('1.1.0', '2026-07-01T00:00:00Z')), /in the future/],
  ])('warns of a signature %s, and keeps the earlier state', async (_, prepare, warning) => {
    prepare();
    const feed = await openFeed();
    await feed.check();
    expect(feed.available()).toBeNull();
    expect(feed.warnings()).toEqual([expect.stringMatching(warning)]);
    writeSigners(`release ${publicKey('key')}`);
    publish(NEWER);
    await feed.check();
    expect([feed.available()?.version, feed.warnings()]).toEqual(['1.1.0', []]);
  });

  it('rejects a feed that is older than one seen before, also after a restart', async () => {
    publish(release('1.2.0', '2026-06-05T00:00:00Z', { security: true }));
    await (await openFeed()).check();
    const feed = await openFeed();
    for (const older of [
      NEWER,
      release('1.1.0', '2026-06-06T00:00:00Z'),
      release('1.3.0', '2026-06-04T00:00:00Z'),
    ]) {
      publish(older);
      await feed.check();
      expect(feed.warnings()).toEqual([expect.stringContaining('is older')]);
      expect(feed.available()?.version).toBe('1.2.0');
    }
  });

  it('marks an update as a security update until the running release includes the fix', async () => {
    const feed = await openFeed();
    publish(release('1.1.0', '2026-06-01T00:00:00Z', { security: true }));
    await feed.check();
    publish(release('1.2.0', '2026-06-05T00:00:00Z'));
    await feed.check();
    expect(feed.available()).toMatchObject({ version: '1.2.0', security: true });
  });

  it('retries without a warning while the feed is missing', async () => {
    publish(NEWER);
    rmSync(feedFile());
    const feed = await openFeed();
    await feed.check();
    expect([feed.available(), feed.warnings()]).toEqual([null, []]);
    expect(lines.join()).toContain('update feed unreachable; will retry');
  });

  it('rejects a feed that is too large', async () => {
    publish(NEWER);
    writeFileSync(feedFile(), ' '.repeat(20_000));
    const feed = await openFeed();
    await feed.check();
    expect(feed.warnings()).toEqual([expect.stringContaining('at most 16384 bytes')]);
  });
});

const withOptions = (): string => `release valid-before="20200101" ${publicKey('key')}`;

describe('UpdateFeed over HTTP', () => {
  let server: Server;
  let requests: string[];
  let answer: (path: string) => { status: number; body: string | Buffer; headers?: Record<string, string> };
  const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.json?a=b`;

  beforeEach(async () => {
    requests = [];
    answer = (path) => ({
      status: 200,
      body: readFileSync(path.includes('.sig') ? `${feedFile()}.sig` : feedFile()),
    });
    server = createServer((req, res) => {
      requests.push(`${req.method} ${req.url} ${JSON.stringify(req.headers)}`);
      const { status, body, headers } = answer(req.url ?? '');
      res.writeHead(status, headers).end(body);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterEach(async () => new Promise((done) => server.close(done)));

  it('requests feed and signature, and sends no data about this server', async () => {
    publish(NEWER);
    const feed = await openFeed(address());
    await feed.check();
    expect(feed.available()?.version).toBe('1.1.0');
    expect(requests.map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual([
      'GET /feed.json?a=b',
      'GET /feed.json.sig?a=b',
    ]);
    expect(requests.join()).not.toContain('1.0.0');
  });

  it.each([
    ['a redirect', { status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } }, /answered 302/],
    ['an error', { status: 500, body: '' }, /answered 500/],
  ])('retries after %s, and follows no redirect', async (_, given, reason) => {
    answer = () => given;
    const feed = await openFeed(address());
    await feed.check();
    expect([feed.available(), feed.warnings()]).toEqual([null, []]);
    expect(lines.join()).toMatch(reason);
    expect(requests).toHaveLength(1);
  });

  it('warns of a response that is too large, and stops reading it at the limit', async () => {
    answer = () => ({ status: 200, body: Buffer.alloc(20_000_000) });
    const feed = await openFeed(address());
    await feed.check();
    expect(feed.warnings()).toEqual([expect.stringContaining('more than 16384 bytes')]);
  });

  it('sends no request to a private address where private webhooks are not allowed', async () => {
    publish(NEWER);
    const feed = await openFeed(address(), false);
    await feed.check();
    expect([feed.available(), requests]).toEqual([null, []]);
  });
});

describe('a daemon with TILLD_UPDATE_FEED', () => {
  it('shows a newer release to the owner, in /readyz, /metrics and tillctl status, once a day', async () => {
    const publishedAt = new Date(Date.now() - DAY_MS).toISOString();
    publish(release('99.0.0', publishedAt, { security: true }));
    const env = { TILLD_UPDATE_FEED: feedFile(), TILLD_UPDATE_SIGNERS: join(dir, 'signers') };
    await using till = await Till.start(env);
    const readiness = async () => {
      const response = await fetch(`${till.api.baseUrl}/readyz`);
      return (await response.json()) as { data: { update: { version: string } | null; warnings: string[] } };
    };
    await eventually('the feed is read', readiness, ({ data }) => data.update?.version === '99.0.0');
    const metrics = await (await fetch(`${till.api.baseUrl}/metrics`)).text();
    expect(metrics).toContain('tilld_update_available{security="true"} 1');
    const port = new URL(till.api.baseUrl).port;
    const status = await runTool('tillctl', ['status', '--data-dir', till.dataDir], {
      env: { ...env, TILLD_PORT: port },
    });
    expect(status.stdout).toContain(`update        99.0.0, for security: ${NOTES}`);
    const shop = await Shop.open(till.api);
    await till.api.must('POST', '/merchant/sandbox', {
      token: shop.token,
      body: { merchantId: shop.merchantId, sandboxMode: false },
    });
    const { items } = await till.api.must<{ items: { kind: string; message: string }[] }>(
      'GET',
      `/merchant/attention?merchantId=${shop.merchantId}`,
      { token: shop.token },
    );
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'security_update', message: `tilld 99.0.0: ${NOTES}` }),
    );
    expect(VERSION).not.toBe('99.0.0');
  });

  it('shows nothing when the setting is empty', async () => {
    await using till = await Till.start();
    const response = await fetch(`${till.api.baseUrl}/readyz`);
    expect(await response.json()).toMatchObject({ data: { update: null } });
    expect(await (await fetch(`${till.api.baseUrl}/metrics`)).text()).not.toContain(
      'tilld_update_available{',
    );
  });
});
