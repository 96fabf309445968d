import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiClient, type PaymentJson, Shop } from '../_helpers/api-client.ts';
import { freePort } from '../_helpers/nodes/proc.ts';
import { eventually } from '../_helpers/poll.ts';
import { WebhookSink } from '../_helpers/webhook-sink.ts';
import { ComposeProject, docker } from './project.ts';

const COINS = ['BTC', 'LTC', 'ETH', 'SOL'] as const;
const RUNNING = ['anvil', 'bitcoind', 'litecoind', 'miner', 'solana', 'tilld'];
const UP_MS = 600_000;
const SETTLE_MS = 150_000;
const STOP_LIMIT_MS = 10_000;

const port = await freePort();
const project = new ComposeProject('tilld-check', { TILLD_PORT: String(port), MINE_EVERY_SECONDS: '3' });
const api = new ApiClient(`http://127.0.0.1:${port}`);
const paid = new Map<string, PaymentJson>();
let gateway: string;
let sink: WebhookSink;
let shop: Shop;

async function ready(): Promise<void> {
  await eventually(
    'every chain is followed',
    () => api.call('GET', '/readyz').catch((error: unknown) => ({ status: 0, error: String(error) })),
    ({ status }) => status === 200,
    90_000,
  );
}

beforeAll(async () => {
  await project.run(['up', '-d', '--build', '--wait', '--quiet-pull'], UP_MS);
  // This machine as the containers see it.
  [gateway = ''] = (await project.exec('tilld', 'getent', 'hosts', 'host.docker.internal')).split(/\s/);
  sink = await WebhookSink.start(0, gateway);
});

afterAll(async () => {
  if (process.env['TILLD_COMPOSE_LOGS'] !== undefined) process.stderr.write(await project.run(['logs']));
  await project.destroy();
  await sink?.close();
});

describe('docker compose up', () => {
  test('starts every service healthy and follows every chain to its tip', async () => {
    expect((await project.services()).toSorted()).toEqual(RUNNING);
    await ready();
  });

  test('allows the commands of the README to create and pay a first payment without changes', async () => {
    const readme = readFileSync('README.md', 'utf8');
    const [section = ''] = /^## A first payment\n[\s\S]*?^### /m.exec(readme) ?? [];
    const lines = [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block).join('\n');
    expect(lines).toContain('http://127.0.0.1:3000');
    const script = `${lines.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)}\necho; echo "= $PAYMENT $SECRET"`;
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script]);
    const [, id = '', token = ''] = /^= (\S+) (\S+)$/m.exec(stdout) ?? [];
    // The README waits a few seconds; a loaded machine needs more.
    const payment = await eventually(
      'the simulated payment completes',
      () => api.must<PaymentJson>('GET', `/payment/get?paymentId=${id}`, { token }),
      ({ status }) => status === 'completed',
      60_000,
    );
    expect([payment.sandbox, payment.exception]).toEqual([true, null]);
  });

  test('completes a live payment in each coin, paid by the test miner, with a webhook to the shop', async () => {
    shop = await Shop.open(api, { webhookUrl: sink.url.replace(gateway, 'host.docker.internal') });
    const { secret } = await api.must<{ secret: string }>('GET', '/merchant/webhook/secret', {
      token: shop.secretKey,
    });
    await Promise.all(
      COINS.map(async (coin) => {
        const payment = await shop.createPayment({ amount: '25', currency: 'EUR', allowedCryptos: [coin] });
        expect(payment.sandbox).toBe(false);
        const { address, amount } = payment.options[coin];
        expect(await project.exec('miner', 'pay', coin, address, amount)).toMatch(/^\w{60,}$/);
        const done = await eventually(
          `${coin} completes`,
          () => shop.payment(payment.id),
          ({ status }) => status === 'completed',
          SETTLE_MS,
        );
        expect([coin, done.options[coin].received]).toEqual([coin, amount]);
        await sink.waitForEvent('payment.completed', payment.id, 30_000);
        paid.set(coin, done);
      }),
    );
    sink.verifyAll(secret);
    expect(paid.size).toBe(COINS.length);
  });
});

describe('the containers of docker compose', () => {
  test.each(RUNNING)(
    'give %s no privileges, no writable paths except volumes, and resource limits',
    async (service) => {
      const { Config, HostConfig } = await project.inspect(service);
      expect(Config.User).toBe('10001:10001');
      expect([HostConfig.ReadonlyRootfs, HostConfig.CapDrop, HostConfig.CapAdd]).toEqual([
        true,
        ['ALL'],
        null,
      ]);
      expect(HostConfig.SecurityOpt).toEqual(['no-new-privileges:true']);
      expect(HostConfig.RestartPolicy.Name).toBe('unless-stopped');
      expect([HostConfig.Memory > 0, (HostConfig.PidsLimit ?? 0) > 0]).toEqual([true, true]);
      const status = await project.exec(service, 'cat', '/proc/1/status');
      expect(status).toMatch(/^Uid:\s+10001\s+10001\s+10001\s+10001$/m);
      expect(status).toMatch(/^CapEff:\s+0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
      await expect(project.exec(service, 'touch', '/usr/local/bin/x')).rejects.toThrow(
        /Read-only file system/,
      );
    },
  );

  test('publish one port, on loopback only', async () => {
    for (const service of RUNNING) {
      const { NetworkSettings } = await project.inspect(service);
      const published = Object.values(NetworkSettings.Ports).flatMap((bindings) => bindings ?? []);
      expect(published).toEqual(service === 'tilld' ? [{ HostIp: '127.0.0.1', HostPort: String(port) }] : []);
    }
    await expect(reach(gateway, port)).rejects.toThrow(/ECONNREFUSED/);
    await expect(reach('127.0.0.1', port)).resolves.toBeUndefined();
  });

  test('keep data and secrets readable for their user only', async () => {
    const modes = await project.exec(
      'tilld',
      'stat',
      '-c',
      '%a %u %n',
      '/data',
      '/secrets/keyring-passphrase',
    );
    expect(modes.split('\n')).toEqual(['700 10001 /data', '600 10001 /secrets/keyring-passphrase']);
  });

  test('add at most 107 MB to the base image of Node', async () => {
    const [image = 0, base = 0] = await Promise.all(
      ['tilld:local', 'node:24-bookworm-slim'].map(async (name) =>
        Number(await docker(['image', 'inspect', name, '-f', '{{.Size}}'])),
      ),
    );
    const addedMb = (image - base) / 1e6;
    process.stderr.write(
      `the image adds ${addedMb.toFixed(1)} MB to its base of ${(base / 1e6).toFixed(0)} MB\n`,
    );
    // Litestream's program is 29 MB of it, what verifies passkeys 7, what writes PDF files with their fonts 7.5.
    expect(addedMb).toBeLessThan(107);
    const modules = (await project.exec('tilld', 'ls', 'node_modules')).split('\n');
    expect(modules).toContain('better-sqlite3');
    for (const developer of ['typescript', 'vitest', 'vite', 'react', 'litesvm']) {
      expect(modules).not.toContain(developer);
    }
  });
});

describe('stopping and starting the containers', () => {
  test('ends the daemon with exit code 0 within ten seconds of SIGTERM and keeps all data', async () => {
    const before = Date.now();
    await project.run(['stop', 'tilld']);
    const tookMs = Date.now() - before;
    const { State } = await project.inspect('tilld');
    expect([State.Status, State.ExitCode, State.OOMKilled]).toEqual(['exited', 0, false]);
    expect(tookMs).toBeLessThan(STOP_LIMIT_MS);
    await project.run(['start', 'tilld']);
    await everythingIsThere();
  });

  test('lets a killed daemon resume at the last block it had read', async () => {
    await project.run(['kill', '-s', 'KILL', 'tilld']);
    expect((await project.inspect('tilld')).State.ExitCode).toBe(137);
    await project.run(['start', 'tilld']);
    await everythingIsThere();
  });

  test('keeps chains, payments and keys over `down` and `up`, and open payments continue', async () => {
    await project.run(['down', '--timeout', '20'], 180_000);
    await project.run(['up', '-d', '--wait'], 180_000);
    await everythingIsThere();
    const payment = await shop.createPayment({ amount: '5', currency: 'USD', allowedCryptos: ['SOL'] });
    await project.exec('miner', 'pay', 'SOL', payment.options.SOL.address, payment.options.SOL.amount);
    await eventually(
      'a SOL payment completes',
      () => shop.payment(payment.id),
      ({ status }) => status === 'completed',
      SETTLE_MS,
    );
  });
});

async function everythingIsThere(): Promise<void> {
  await ready();
  for (const [coin, { id, options }] of paid) {
    const now = await shop.payment(id);
    const option = now.options[coin as 'BTC'];
    expect([coin, now.status, option.received]).toEqual([coin, 'completed', options[coin as 'BTC'].received]);
  }
}

async function reach(host: string, at: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: at, timeout: 5000 });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
  });
}
