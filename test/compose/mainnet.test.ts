import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiClient } from '../_helpers/api-client.ts';
import { eventually } from '../_helpers/poll.ts';
import { freePort } from '../_helpers/nodes/proc.ts';
import { ComposeProject } from './project.ts';

const run = promisify(execFile);
const CONTAINER_USER = 10_001;
const SERVICES = ['bitcoind-mainnet', 'litecoind-mainnet', 'tilld-mainnet'];
const UP_MS = 600_000;

const dir = mkdtempSync(join(tmpdir(), 'tilld-mainnet-'));
const port = await freePort();
const adminPort = await freePort();
const env = {
  COMPOSE_PROFILES: 'mainnet',
  TILLD_PORT: String(port),
  TILLD_ADMIN_PORT: String(adminPort),
  TILLD_DOMAIN: 'pay.example.com',
  TILLD_SECRETS_DIR: dir,
  TILLD_BACKUP_DIR: join(dir, 'backups'),
};
const project = new ComposeProject('tilld-check-mainnet', env, [
  '-f',
  'docker-compose.yml',
  '-f',
  'test/compose/offline.yml',
]);
const api = new ApiClient(`http://127.0.0.1:${port}`);
const operator = new ApiClient(`http://127.0.0.1:${adminPort}`);

function secret(name: string, text: string): void {
  const file = join(dir, name);
  writeFileSync(file, text);
  chmodSync(file, 0o400);
  chownSync(file, CONTAINER_USER, CONTAINER_USER);
}

interface Chain {
  readonly state: string;
  readonly lastError: string | null;
  readonly nodeVersion: string | null;
}

beforeAll(async () => {
  // A folder that no other user may enter, as in the README: the engine mounts the files in it as root.
  secret('keyring-passphrase', 'a passphrase of the operator\n');
  secret('eth-rpc-url', 'http://tilld-mainnet:9/eth-key\n');
  secret('sol-rpc-url', '\n');
  secret('smtp-url', '\n');
  await run('install', ['-d', '-m', '0700', '-o', '10001', '-g', '10001', env.TILLD_BACKUP_DIR]);
  await project.run(['up', '-d', '--build', '--wait', ...SERVICES], UP_MS);
});

afterAll(async () => {
  await project.destroy();
  rmSync(dir, { recursive: true, force: true });
});

describe('the compose files', () => {
  test.each([
    [
      ['--profile', 'regtest'],
      ['anvil', 'bitcoind', 'litecoind', 'miner', 'secrets', 'solana', 'tilld'],
    ],
    [
      ['--profile', 'mainnet'],
      ['bitcoind-mainnet', 'caddy', 'litecoind-mainnet', 'tilld-mainnet'],
    ],
    [
      ['--profile', 'mainnet', '--profile', 'replica'],
      ['bitcoind-mainnet', 'caddy', 'litecoind-mainnet', 'tilld-mainnet', 'tilld-replica'],
    ],
    [
      ['--env-file', 'docker/mainnet.env.example'],
      ['bitcoind-mainnet', 'caddy', 'litecoind-mainnet', 'tilld-mainnet'],
    ],
    [
      ['-f', 'docker-compose.yml', '-f', 'docker-compose.validator.yml'],
      ['anvil', 'bitcoind', 'litecoind', 'miner', 'secrets', 'solana', 'tilld'],
    ],
    [[], ['anvil', 'bitcoind', 'litecoind', 'miner', 'secrets', 'solana', 'tilld']],
  ])('are valid with docker compose %j and contain the expected services', async (options, services) => {
    const compose = new ComposeProject('tilld-check-config', {}, options);
    expect((await compose.run(['config', '--services'])).split('\n').toSorted()).toEqual(services);
    const config = JSON.parse(await compose.run(['config', '--format', 'json'])) as {
      services: Record<
        string,
        { ports?: { host_ip?: string; published: string }[]; read_only: boolean; cpus?: number }
      >;
    };
    for (const [name, { ports = [], read_only, cpus = 0 }] of Object.entries(config.services)) {
      // Docker refuses to start a container with more cores than the machine has.
      expect([name, read_only, cpus]).toEqual([name, true, 0]);
      const open = ports.filter(({ host_ip }) => host_ip !== '127.0.0.1').map(({ published }) => published);
      expect([name, open]).toEqual([name, name === 'caddy' ? ['80', '443', '443'] : []]);
    }
  });
});

/** What `docker compose config` says of a service. */
async function configured(
  environment: Readonly<Record<string, string>>,
  options: readonly string[],
): Promise<
  Record<string, { cpus?: number; mem_limit?: string; image: string; build?: object; user?: string }>
> {
  const compose = new ComposeProject('tilld-check-config', environment, options);
  const config = JSON.parse(await compose.run(['config', '--format', 'json'])) as {
    services: Awaited<ReturnType<typeof configured>>;
  };
  return config.services;
}

/** An image by digest. */
const digest = (name: string): string => `${name}@sha256:${'0a'.repeat(32)}`;

describe('variables of the compose files', () => {
  test('limit CPU and memory of each service in the mainnet profile', async () => {
    const limits = { DAEMON_CPUS: '0.5', BTC_CPUS: '2', LTC_CPUS: '1', BTC_MEMORY: '3g' };
    const services = await configured(limits, ['--env-file', 'docker/mainnet.env.example']);
    expect(SERVICES.map((name) => services[name]?.cpus)).toEqual([2, 1, 0.5]);
    expect(services['bitcoind-mainnet']?.mem_limit).toBe(String(3 * 1024 ** 3));
  });

  test('replace the node images by images with a given digest, which run as the same user', async () => {
    const files = ['-f', 'docker-compose.yml', '-f', 'docker-compose.upstream-nodes.yml'];
    const options = ['--env-file', 'docker/mainnet.env.example', ...files];
    const images = { BITCOIND_IMAGE: digest('bitcoin'), LITECOIND_IMAGE: digest('litecoin') };
    const services = await configured(images, options);
    for (const name of ['bitcoin', 'litecoin']) {
      const { image, build, user } = services[`${name}d-mainnet`] ?? expect.unreachable(name);
      expect([image, build, user]).toEqual([digest(name), undefined, '10001:10001']);
    }
    await expect(configured({}, options)).rejects.toThrow(/(BITCOIND|LITECOIND)_IMAGE is missing/);
  });
});

describe('the mainnet profile of docker compose', () => {
  test('starts with its secret files and reports for each coin why it is not ready yet', async () => {
    const chains = await eventually(
      'the nodes are looked at',
      async () => {
        const { body } = await operator.call<{ chains: Record<string, Chain> }>('GET', '/readyz');
        return body.data.chains;
      },
      ({ BTC, LTC, ETH }) => BTC?.state === 'behind' && LTC?.state === 'behind' && ETH?.state === 'error',
      60_000,
    );
    // Nodes without peers have all blocks before them; the Ethereum address leads nowhere; Solana's file is empty.
    expect(chains['BTC']?.nodeVersion).toMatch(/^\/Satoshi:29\.5/);
    expect(chains['LTC']?.nodeVersion).toMatch(/^\/LitecoinCore:0\.21\.4/);
    expect(chains['ETH']?.lastError).toMatch(/no answer from tilld-mainnet:9/);
    expect(JSON.stringify(chains)).not.toContain('eth-key');
    expect(chains).not.toHaveProperty('SOL');
  });

  test('allows only one account to register, with the setup token from the log', async () => {
    const body = { email: 'owner@example.com', password: 'correct horse battery' };
    expect((await api.call('POST', '/auth/register', { body })).status).toBe(400);
    const log = await project.run(['logs', '--no-log-prefix', 'tilld-mainnet']);
    const setupToken = /\/dashboard\/register#setup=(\w+)/.exec(log)?.[1];
    await api.must('POST', '/auth/register', { body: { ...body, setupToken } });
    const second = await api.call('POST', '/auth/register', {
      body: { ...body, setupToken, email: 'other@example.com' },
    });
    expect(second.status).toBeGreaterThanOrEqual(400);
  });

  test('writes backups into a folder of the host', async () => {
    const said = await project.exec('tilld-mainnet', 'node', 'dist/tools/backup.js', '/backups/');
    expect(said).toMatch(/^\/backups\/\S+ \(\d+ bytes, verified\)$/);
  });

  test.each(SERVICES)('restricts %s as much as its regtest counterpart', async (service) => {
    const { Config, HostConfig } = await project.inspect(service);
    expect([Config.User, HostConfig.ReadonlyRootfs, HostConfig.CapDrop]).toEqual([
      '10001:10001',
      true,
      ['ALL'],
    ]);
    expect([HostConfig.SecurityOpt, HostConfig.RestartPolicy.Name]).toEqual([
      ['no-new-privileges:true'],
      'unless-stopped',
    ]);
    expect(HostConfig.Memory).toBeGreaterThan(0);
  });

  test('stops pruned nodes without a forced kill', async () => {
    await project.run(['stop', ...SERVICES]);
    for (const service of SERVICES) expect((await project.inspect(service)).State.ExitCode).toBe(0);
    await project.run(['start', 'tilld-mainnet']);
  });
});

describe('the replica profile of docker compose', () => {
  const replicated = new ComposeProject(
    'tilld-check-mainnet',
    { ...env, COMPOSE_PROFILES: 'mainnet,replica', TILLD_REPLICA_URL: '/backups/replica' },
    ['-f', 'docker-compose.yml', '-f', 'test/compose/offline.yml'],
  );

  test('writes a replica whose state the daemon reports and from which a second machine can restore', async () => {
    await replicated.run(['up', '-d', '--no-deps', 'tilld-mainnet', 'tilld-replica'], UP_MS);
    const replica = await eventually(
      'the replica is seen',
      async () => {
        const answer = await operator
          .call<{ replica: { epoch: number; lagSeconds: number | null } | null }>('GET', '/readyz')
          .catch(() => null);
        return answer?.body.data.replica ?? null;
      },
      (one) => one !== null && one.lagSeconds !== null,
      120_000,
    );
    expect(replica).toMatchObject({ epoch: 1, lastError: null });
    const backup = await replicated.exec('tilld-mainnet', 'node', 'dist/tools/backup.js', '/backups/');
    const file = backup.split(' ')[0] ?? '';
    const words = `dist/tools/restore.js ${file} --from-replica /backups/replica --data-dir /tmp/second`;
    const passphrase = ['--passphrase-file', '/run/secrets/keyring-passphrase'];
    const restored = await replicated.exec('tilld-mainnet', 'node', ...words.split(' '), ...passphrase);
    expect(restored).toMatch(/holds the newest state of the replica/);
    const { HostConfig, State } = await replicated.inspect('tilld-replica');
    expect([State.Status, HostConfig.ReadonlyRootfs, HostConfig.CapDrop]).toEqual(['running', true, ['ALL']]);
  });
});

describe('the Caddyfile', () => {
  let caddy: ChildProcess | null = null;

  afterAll(async () => {
    if (caddy === null || caddy.exitCode !== null) return;
    caddy.kill('SIGTERM');
    await once(caddy, 'exit');
  });

  test('is valid for a public host name', async () => {
    const { stdout, stderr } = await run(
      'caddy',
      ['validate', '--adapter', 'caddyfile', '--config', 'docker/Caddyfile'],
      {
        env: { ...process.env, TILLD_DOMAIN: 'pay.example.com', HOME: dir },
      },
    );
    expect(stdout + stderr).toMatch(/Valid configuration/);
  });

  test('forwards the public address, without /metrics', async () => {
    const front = await freePort();
    const text = readFileSync('docker/Caddyfile', 'utf8').replace('tilld-mainnet:3000', `127.0.0.1:${port}`);
    const file = join(dir, 'Caddyfile');
    writeFileSync(file, `{\n\tadmin off\n}\n${text}`);
    caddy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
      env: { ...process.env, TILLD_DOMAIN: `http://127.0.0.1:${front}`, HOME: dir },
      stdio: 'ignore',
    });
    const through = async (path: string): Promise<number> =>
      fetch(`http://127.0.0.1:${front}${path}`).then(
        ({ status }) => status,
        () => 0,
      );
    await eventually(
      'caddy passes on',
      () => through('/healthz'),
      (status) => status === 200,
      60_000,
    );
    expect([await through('/metrics'), await through('/openapi.json')]).toEqual([404, 200]);
    expect((await operator.call('GET', '/readyz')).body.data).toHaveProperty('chains');
    expect((await fetch(`http://127.0.0.1:${adminPort}/metrics`)).status).toBe(200);
    const bare = await (await fetch(`http://127.0.0.1:${front}/readyz`)).text();
    expect(bare).not.toContain('chains');
    for (const path of ['/metrics/', '/Metrics', '//metrics', '/%6detrics'])
      expect(await through(path)).toBe(404);
  });
});
