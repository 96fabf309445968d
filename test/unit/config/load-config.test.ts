import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, loadConfig, redactedConfig } from '../../../src/config/load-config.ts';
import { SETTINGS } from '../../../src/config/settings.ts';
import { selfSigned } from '../../_helpers/self-signed.ts';

const dir = mkdtempSync(join(tmpdir(), 'tilld-config-'));
let counter = 0;

afterAll(() => rmSync(dir, { recursive: true, force: true }));

function write(text: string): string {
  const file = join(dir, `${counter++}.yaml`);
  writeFileSync(file, text);
  return file;
}

const load = (env: Record<string, string> = {}, yaml = '') =>
  loadConfig({ env: { TILLD_CONFIG: write(yaml), HOME: '/home/shop', ...env }, cwd: dir });

function problemsOf(env: Record<string, string>, yaml = ''): string[] {
  try {
    load(env, yaml);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.replace('  - ', ''));
  }
  return [];
}

const JWT_SECRET = 'x'.repeat(32);

describe('loadConfig with the shipped files', () => {
  test('uses sandbox.yaml by default, whatever the working directory is', () => {
    const config = loadConfig({ env: {}, cwd: '/' });
    expect(config.file).toMatch(/config\/sandbox\.yaml$/);
    expect([config.network, config.http.port, config.dataDir]).toEqual([null, 3000, '/data']);
    expect(config.webhooks.allowPrivate).toBe(true);
    expect(config.rates.fixed).toBeNull();
    expect(config.warnings).toEqual([]);
  });

  test.each(['sandbox', 'regtest', 'mainnet'])('loads %s.yaml by its name', (name) => {
    const config = loadConfig({ env: { TILLD_CONFIG: `config/${name}.yaml` }, cwd: '/' });
    expect(config.network ?? 'sandbox').toBe(name);
  });

  test('finds exactly the default values of the program documented in them', () => {
    const { file: _, ...shipped } = loadConfig({ env: {}, cwd: dir });
    const { file: __, ...bare } = load();
    expect(shipped).toEqual(bare);
  });

  test('forbids private webhooks and requires more confirmations for larger amounts with mainnet.yaml', () => {
    const config = loadConfig({ env: { TILLD_CONFIG: 'config/mainnet.yaml' }, cwd: '/' });
    expect(config.webhooks.allowPrivate).toBe(false);
    expect(config.auth.registration).toBe('first-user');
    expect(config.http.adminListen).toEqual({ host: '127.0.0.1', port: 3001 });
    expect(config.watcher.pollIntervalMs).toBe(5000);
    expect(config.confirmations.BTC).toEqual({
      base: 2,
      tiers: [
        { fromAtoms: 50_000_000n, confirmations: 3 },
        { fromAtoms: 500_000_000n, confirmations: 6 },
      ],
    });
  });

  test.each(['sandbox', 'regtest', 'mainnet'])(
    'finds the environment variable next to each key of %s.yaml',
    (name) => {
      const text = readFileSync(new URL(`../../../config/${name}.yaml`, import.meta.url), 'utf8');
      const variables = new Set<string>(['TILLD_CONFIG', ...Object.values(SETTINGS).map(({ env }) => env)]);
      for (const [variable] of text.matchAll(/TILLD_[A-Z0-9_]+/g)) expect(variables).toContain(variable);
    },
  );

  test('finds every setting documented in at least one file', () => {
    const texts = ['sandbox', 'regtest', 'mainnet'].map((name) =>
      readFileSync(new URL(`../../../config/${name}.yaml`, import.meta.url), 'utf8'),
    );
    const shown = new Set([...texts.join().matchAll(/TILLD_[A-Z0-9_]+/g)].map(([variable]) => variable));
    expect(
      Object.values(SETTINGS)
        .map(({ env }) => env)
        .filter((env) => !shown.has(env)),
    ).toEqual([]);
  });
});

/** Variable, a good value, where it ends up, a bad value. One row for each setting there is. */
const TABLE: readonly (readonly [
  variable: string,
  good: string,
  path: string,
  becomes: unknown,
  bad: string,
])[] = [
  ['TILLD_NETWORK', 'regtest', 'network', 'regtest', 'signet'],
  ['TILLD_DATA_DIR', '/srv/till', 'dataDir', '/srv/till', ''],
  ['TILLD_CA_FILE', 'ca.pem', 'authorities.file', join(dir, 'ca.pem'), 'jwt'],
  ['TILLD_LOG_LEVEL', 'debug', 'logLevel', 'debug', 'loud'],
  ['TILLD_SHUTDOWN_GRACE', '3s', 'shutdownGraceMs', 3000, '11s'],
  ['TILLD_PORT', '8080', 'http.port', 8080, '65536'],
  ['TILLD_HOST', '0.0.0.0', 'http.host', '0.0.0.0', ''],
  [
    'TILLD_BASE_URL',
    'https://pay.example.com/',
    'http.baseUrl',
    'https://pay.example.com',
    'pay.example.com',
  ],
  ['TILLD_TRUST_PROXY', '10.0.0.0/8, ::1', 'http.trustProxy', ['10.0.0.0/8', '::1'], 'nginx'],
  ['TILLD_TLS_CERT', '/tls/cert.pem', 'http.tls.certFile', '/tls/cert.pem', ''],
  ['TILLD_TLS_KEY', '/tls/key.pem', 'http.tls.keyFile', '/tls/key.pem', ''],
  ['TILLD_BODY_LIMIT', '2MB', 'http.bodyLimitBytes', 2_000_000, '100'],
  ['TILLD_PUBLIC_RATE_PER_MINUTE', '30', 'http.publicRatePerMinute', 30, '-1'],
  ['TILLD_REGISTRATION', 'closed', 'auth.registration', 'closed', 'invite'],
  ['TILLD_AUTH_RATE_PER_MINUTE', '0', 'auth.ratePerMinute', 0, '-1'],
  ['TILLD_JWT_SECRET', JWT_SECRET, 'auth.jwtSecret', JWT_SECRET, 'short'],
  ['TILLD_JWT_SECRET_FILE', 'jwt', 'auth.jwtSecret', JWT_SECRET, 'missing-file'],
  ['TILLD_PASSWORD_MEMORY', '8MiB', 'auth.passwordHash.memoryKiB', 8192, '8'],
  ['TILLD_PASSWORD_ITERATIONS', '4', 'auth.passwordHash.iterations', 4, '0'],
  ['TILLD_KEYRING_PASSPHRASE', 'open sesame street', 'keyring.passphrase', 'open sesame street', 'too short'],
  ['TILLD_KEYRING_PASSPHRASE_FILE', 'jwt', 'keyring.passphrase', JWT_SECRET, 'missing-file'],
  ['TILLD_KEYRING_MEMORY', '128MiB', 'keyring.argon2.memoryKiB', 131_072, '5GiB'],
  ['TILLD_KEYRING_ITERATIONS', '5', 'keyring.argon2.iterations', 5, '0'],
  ['TILLD_KEYRING_PARALLELISM', '2', 'keyring.argon2.parallelism', 2, '65'],
  ['TILLD_BTC_RPC_URL', 'http://127.0.0.1:18443', 'nodes.BTC.origin', 'http://127.0.0.1:18443', 'tcp://x'],
  ['TILLD_BTC_RPC_URL_FILE', 'rpc', 'nodes.BTC.url', 'http://node.example/key', 'missing-file'],
  ['TILLD_BTC_COOKIE_FILE', '~/.bitcoin/.cookie', 'nodes.BTC.cookieFile', '/home/shop/.bitcoin/.cookie', ''],
  [
    'TILLD_LTC_RPC_URL',
    'http://127.0.0.1:19443',
    'nodes.LTC.origin',
    'http://127.0.0.1:19443',
    '127.0.0.1:9332',
  ],
  ['TILLD_LTC_RPC_URL_FILE', 'rpc', 'nodes.LTC.url', 'http://node.example/key', 'missing-file'],
  ['TILLD_LTC_COOKIE_FILE', '/ltc/.cookie', 'nodes.LTC.cookieFile', '/ltc/.cookie', ''],
  [
    'TILLD_ETH_RPC_URL',
    'https://eth.example/key',
    'nodes.ETH.origin',
    'https://eth.example',
    'ws://eth.example',
  ],
  ['TILLD_ETH_RPC_URL_FILE', 'rpc', 'nodes.ETH.url', 'http://node.example/key', 'missing-file'],
  ['TILLD_SOL_RPC_URL', 'https://sol.example', 'nodes.SOL.origin', 'https://sol.example', 'sol'],
  ['TILLD_SOL_RPC_URL_FILE', 'rpc', 'nodes.SOL.url', 'http://node.example/key', 'missing-file'],
  ['TILLD_SOL_WS_URL', 'wss://sol.example/key', 'solWsUrl', 'wss://sol.example/key', 'https://sol.example'],
  ['TILLD_ETH_RPC_BATCH_SIZE', '10', 'ethRpcBatchSize', 10, '0'],
  ['TILLD_ETH_RPC_PER_SECOND', '25', 'rpcPerSecond.ETH', 25, 'many'],
  ['TILLD_SOL_RPC_PER_SECOND', '10', 'rpcPerSecond.SOL', 10, '-1'],
  ['TILLD_RPC_TIMEOUT', '30s', 'nodeTimeoutMs', 30_000, '30'],
  ['TILLD_CONFIRMATIONS_BTC', '1', 'confirmations.BTC', { base: 1, tiers: [] }, '0'],
  [
    'TILLD_CONFIRMATIONS_LTC',
    '6,100:12',
    'confirmations.LTC',
    { base: 6, tiers: [{ fromAtoms: 10_000_000_000n, confirmations: 12 }] },
    '6,100:3',
  ],
  [
    'TILLD_CONFIRMATIONS_ETH',
    '12,1:safe,10:finalized',
    'confirmations.ETH',
    {
      base: 12,
      tiers: [
        { fromAtoms: 10n ** 18n, confirmations: 'safe' },
        { fromAtoms: 10n ** 19n, confirmations: 'finalized' },
      ],
    },
    'finalized,1:safe',
  ],
  ['TILLD_CONFIRMATIONS_SOL', 'finalized', 'confirmations.SOL.base', 32, 'rooted'],
  ['TILLD_BTC_FEE_FLOOR', '0.1', 'fees.BTC.floorPerKvb', 100n, '-1'],
  ['TILLD_BTC_FEE_CAP', '50', 'fees.BTC.capPerKvb', 50_000n, 'high'],
  ['TILLD_LTC_FEE_FLOOR', '2', 'fees.LTC.floorPerKvb', 2000n, 'low'],
  ['TILLD_LTC_FEE_CAP', '900', 'fees.LTC.capPerKvb', 900_000n, '1e6'],
  ['TILLD_ETH_FEE_CAP', '1.5', 'ethFeeCap', 1_500_000_000_000n, '0'],
  ['TILLD_SOL_FEE_CAP', '20000', 'solFeeCap', 20_000n, '999'],
  ['TILLD_FEE_MAX_SHARE', '2.5', 'feePolicy.maxFeeShareBps', 250, '101'],
  ['TILLD_LIMIT_DELAY', '12h', 'feePolicy.limitDelayMs', 43_200_000, '721h'],
  ['TILLD_FORWARD_DELAY', '1h', 'feePolicy.forwardDelayMs', 3_600_000, '721h'],
  ['TILLD_FORWARD_FEE_SHARE', '0.5', 'feePolicy.forwardFeeShareBps', 50, '0'],
  ['TILLD_APPROVAL_TTL', '1h', 'feePolicy.approvalTtlMs', 3_600_000, '1s'],
  ['TILLD_FEE_RAISES', 'off', 'feePolicy.bumpsFees', false, 'no'],
  ['TILLD_CONSOLIDATE_BELOW', '1.5', 'feePolicy.consolidateBelowRate', 1_500n, '1001'],
  ['TILLD_POLL_INTERVAL', '250ms', 'watcher.pollIntervalMs', 250, '1ms'],
  ['TILLD_RECONCILE_INTERVAL', '6h', 'reconcileIntervalMs', 21_600_000, '1m'],
  ['TILLD_ADMIN_LISTEN', '[::1]:3001', 'http.adminListen', { host: '::1', port: 3001 }, '3001'],
  ['TILLD_SHOPS_PER_ACCOUNT', '3', 'auth.shopsPerAccount', 3, '-1'],
  ['TILLD_ACCESS_LOG', 'anonymous', 'http.accessLog', 'anonymous', 'some'],
  ['TILLD_AUDIT_DAYS', '90', 'auditDays', 90, '0'],
  ['TILLD_BACKUP_SCHEDULE', '30 3 * * *', 'backup.schedule', '30 3 * * *', 'daily'],
  ['TILLD_BACKUP_FOLDER', '/srv/backups', 'backup.folder', '/srv/backups', ''],
  ['TILLD_BACKUP_KEEP', '7', 'backup.keep', 7, '0'],
  ['TILLD_BACKUP_MAX_AGE', '25h', 'backup.maxAgeMs', 90_000_000, '1m'],
  ['TILLD_REPLICA_URL', '/srv/replica', 'replica.url', 'file:///srv/replica', 'ftp://host/folder'],
  ['TILLD_REPLICA_URL_FILE', 'replica', 'replica.url', 's3://bucket/folder', 'missing-file'],
  ['TILLD_REPLICA_S3_ENDPOINT', 'https://s3.example/', 'replica.s3Endpoint', 'https://s3.example', 's3'],
  ['TILLD_REPLICA_S3_REGION', 'fr-par', 'replica.s3Region', 'fr-par', ''],
  ['TILLD_REPLICA_MAX_LAG', '5m', 'replica.maxLagMs', 300_000, '1s'],
  ['TILLD_OTHER_MACHINE_OFF', 'on', 'isOtherMachineOff', true, 'yes'],
  ['TILLD_PAYMENT_LIFETIME_MINUTES', '5', 'payments.lifetimeMinutes', 5, '4'],
  ['TILLD_TOLERANCE_PERCENT', '1.25', 'payments.toleranceBps', 125, '5.01'],
  ['TILLD_LATE_PAYMENTS', 'review', 'payments.latePolicy', 'review', 'refund'],
  ['TILLD_UNCONFIRMED_GRACE', '48h', 'waiting.unconfirmedGraceMs', 172_800_000, '1m'],
  ['TILLD_DROP_AFTER', '3h', 'waiting.dropAfterMs', 10_800_000, '1m'],
  ['TILLD_ALLOW_PRIVATE_WEBHOOKS', 'off', 'webhooks.allowPrivate', false, 'yes'],
  ['TILLD_WEBHOOK_TIMEOUT', '5s', 'webhooks.timeoutMs', 5000, '2m'],
  ['TILLD_WEBHOOK_CONCURRENCY', '4', 'webhooks.concurrency', 4, '0'],
  ['TILLD_WEBHOOK_RETRY_GAPS', '10ms, 2s,1h', 'webhooks.retryDelaysMs', [10, 2000, 3_600_000], '5s,5'],
  ['TILLD_WEBHOOK_LOG_RETENTION_DAYS', '7', 'webhooks.logRetentionDays', 7, '0'],
  ['TILLD_WEBHOOK_LOG_MAX_SIZE', '1GB', 'webhooks.logMaxBytes', 1e9, '1'],
  [
    'TILLD_DNS_SERVERS',
    '9.9.9.9, 127.0.0.1:5353,[::1]:53',
    'domains.dnsServers',
    ['9.9.9.9', '127.0.0.1:5353', '[::1]:53'],
    'dns.example',
  ],
  [
    'TILLD_RATES',
    'fixed:BTC=100000,USD/EUR=0.92',
    'rates.fixed',
    { usdPerCoin: { BTC: '100000' }, perUsd: { EUR: '0.92' } },
    'fixed:DOGE=1',
  ],
  ['TILLD_RATE_SOURCES', 'kraken,bitstamp', 'rates.sources', ['kraken', 'bitstamp'], 'binance'],
  ['TILLD_COINGECKO_API_KEY', 'CG-abc', 'rates.coingecko.apiKey', 'CG-abc', 'CG abc'],
  ['TILLD_COINGECKO_API_KEY_FILE', 'coingecko', 'rates.coingecko.apiKey', 'CG-abc', 'missing-file'],
  ['TILLD_COINGECKO_PLAN', 'pro', 'rates.coingecko.plan', 'pro', 'free'],
  ['TILLD_RATE_REFRESH', '30s', 'rates.refreshIntervalMs', 30_000, '1s'],
  ['TILLD_RATE_MAX_AGE', '5m', 'rates.maxAgeMs', 300_000, '30s'],
  ['TILLD_RATE_TIMEOUT', '2s', 'rates.timeoutMs', 2000, '2'],
  ['TILLD_RATE_SINGLE_PER_MINUTE_PERCENT', '3', 'rates.single.perMinutePercent', 3, '0'],
  ['TILLD_RATE_SINGLE_MAX_PERCENT', '30', 'rates.single.maxPercent', 30, '1001'],
  [
    'TILLD_SANDBOX_RATES',
    'SOL=150',
    'sandbox.fallbackRates',
    { usdPerCoin: { SOL: '150' }, perUsd: {} },
    'SOL=free',
  ],
  ['TILLD_SANDBOX_BLOCK_INTERVAL', '100ms', 'sandbox.blockIntervalMs', 100, '2'],
  ['TILLD_SANDBOX_CONFIRMATIONS', '1', 'sandbox.confirmations', 1, '0'],
  [
    'TILLD_BTC_EXPLORER_TX_URL',
    'https://explorer.example/BTC/{tx}?from=till',
    'explorers.byCoin.BTC.tx',
    'https://explorer.example/BTC/{tx}?from=till',
    'https://explorer.example/tx/',
  ],
  [
    'TILLD_BTC_EXPLORER_ADDRESS_URL',
    'http://10.0.0.7:8080/#/a/{address}',
    'explorers.byCoin.BTC.address',
    'http://10.0.0.7:8080/#/a/{address}',
    'ftp://explorer.example/{address}',
  ],
  [
    'TILLD_LTC_EXPLORER_TX_URL',
    'https://explorer.example/LTC/{tx}?from=till',
    'explorers.byCoin.LTC.tx',
    'https://explorer.example/LTC/{tx}?from=till',
    'https://{tx}.example/',
  ],
  [
    'TILLD_LTC_EXPLORER_ADDRESS_URL',
    'http://10.0.0.7:8080/#/a/{address}',
    'explorers.byCoin.LTC.address',
    'http://10.0.0.7:8080/#/a/{address}',
    'https://explorer.example/{tx}',
  ],
  [
    'TILLD_ETH_EXPLORER_TX_URL',
    'https://explorer.example/ETH/{tx}?from=till',
    'explorers.byCoin.ETH.tx',
    'https://explorer.example/ETH/{tx}?from=till',
    'https://explorer.example/{tx}/{tx}',
  ],
  [
    'TILLD_ETH_EXPLORER_ADDRESS_URL',
    'http://10.0.0.7:8080/#/a/{address}',
    'explorers.byCoin.ETH.address',
    'http://10.0.0.7:8080/#/a/{address}',
    'javascript:alert(1)//{address}',
  ],
  [
    'TILLD_SOL_EXPLORER_TX_URL',
    'https://explorer.example/SOL/{tx}?from=till',
    'explorers.byCoin.SOL.tx',
    'https://explorer.example/SOL/{tx}?from=till',
    'https://user@explorer.example/{tx}',
  ],
  [
    'TILLD_SOL_EXPLORER_ADDRESS_URL',
    'http://10.0.0.7:8080/#/a/{address}',
    'explorers.byCoin.SOL.address',
    'http://10.0.0.7:8080/#/a/{address}',
    'https://explorer.example/{address} x',
  ],
  ['TILLD_EXPLORERS_FOR_PAYERS', 'on', 'explorers.forPayers', true, 'yes'],
  ['TILLD_SMTP_URL', 'smtps://u:p@mail.example', 'smtp.url', 'smtps://u:p@mail.example', 'mail.example'],
  ['TILLD_SMTP_URL_FILE', 'smtp', 'smtp.url', 'smtps://u:p@mail.example', 'missing-file'],
  ['TILLD_OPERATOR_EMAIL', 'ops@example.com', 'operatorEmail', 'ops@example.com', ''],
  [
    'TILLD_UPDATE_FEED',
    '/srv/tilld-feed.json',
    'updates.feed',
    '/srv/tilld-feed.json',
    'ftp://x.example/feed',
  ],
  ['TILLD_UPDATE_SIGNERS', '/srv/signers', 'updates.signersFile', '/srv/signers', ''],
  ['TILLD_SMTP_FROM', 'Till <till@example.com>', 'smtp.from', 'Till <till@example.com>', ''],
];

/** What else must be set for a variable to be taken. */
const COMPANIONS: Readonly<Record<string, Record<string, string>>> = {
  TILLD_TLS_CERT: { TILLD_TLS_KEY: '/tls/key.pem' },
  TILLD_TLS_KEY: { TILLD_TLS_CERT: '/tls/cert.pem' },
  TILLD_BTC_RPC_URL: { TILLD_NETWORK: 'regtest' },
  TILLD_LTC_RPC_URL: { TILLD_NETWORK: 'regtest' },
  TILLD_ETH_RPC_URL: { TILLD_NETWORK: 'mainnet' },
  TILLD_SOL_RPC_URL: { TILLD_NETWORK: 'mainnet' },
  TILLD_BTC_RPC_URL_FILE: { TILLD_NETWORK: 'regtest' },
  TILLD_LTC_RPC_URL_FILE: { TILLD_NETWORK: 'regtest' },
  TILLD_ETH_RPC_URL_FILE: { TILLD_NETWORK: 'mainnet' },
  TILLD_SOL_RPC_URL_FILE: { TILLD_NETWORK: 'mainnet' },
  TILLD_BTC_COOKIE_FILE: { TILLD_NETWORK: 'regtest', TILLD_BTC_RPC_URL: 'http://127.0.0.1:1' },
  TILLD_LTC_COOKIE_FILE: { TILLD_NETWORK: 'regtest', TILLD_LTC_RPC_URL: 'http://127.0.0.1:1' },
  TILLD_REPLICA_S3_ENDPOINT: { TILLD_REPLICA_URL: 's3://bucket/folder' },
  TILLD_REPLICA_S3_REGION: { TILLD_REPLICA_URL: 's3://bucket/folder' },
  TILLD_REPLICA_MAX_LAG: { TILLD_REPLICA_URL: '/srv/replica' },
  TILLD_UPDATE_SIGNERS: { TILLD_UPDATE_FEED: 'https://x.example/feed.json' },
  TILLD_SMTP_FROM: { TILLD_SMTP_URL: 'smtp://mail.example' },
};

writeFileSync(join(dir, 'jwt'), `${JWT_SECRET}\n`);
writeFileSync(join(dir, 'ca.pem'), `an authority\n${selfSigned().cert}${selfSigned().cert}`);
writeFileSync(join(dir, 'rpc'), 'http://node.example/key\n');
writeFileSync(join(dir, 'smtp'), 'smtps://u:p@mail.example\n');
writeFileSync(join(dir, 'replica'), 's3://bucket/folder\n');
writeFileSync(join(dir, 'coingecko'), 'CG-abc\n');
writeFileSync(join(dir, 'empty'), '\n');
writeFileSync(join(dir, 'no-url'), 'hunter2-is-no-address\n');

function at(value: unknown, path: string): unknown {
  const found = path.split('.').reduce((node, key) => (node as Record<string, unknown>)[key], value);
  return found !== null && typeof found === 'object' && 'reveal' in found
    ? (found as { reveal(): string }).reveal()
    : found;
}

test.each(['safe', 'finalized'])(
  'loadConfig accepts %s as a confirmation setting for Ether, but not for other coins',
  (word) => {
    expect(load({ TILLD_CONFIRMATIONS_ETH: word }).confirmations.ETH).toEqual({ base: word, tiers: [] });
    expect(load({ TILLD_CONFIRMATIONS_ETH: `2,1:1000,2:${word}` }).confirmations.ETH.tiers).toHaveLength(2);
    expect(() => load({ TILLD_CONFIRMATIONS_ETH: `${word},1:1000` })).toThrow('safe or finalized');
    expect(() => load({ TILLD_CONFIRMATIONS_BTC: word })).toThrow('TILLD_CONFIRMATIONS_BTC');
  },
);

test('loadConfig enables CoinGecko by default only with a key, and never shows the key', () => {
  expect(load().rates.sources).toEqual(['kraken', 'coinbase', 'bitstamp']);
  const keyed = load({ TILLD_COINGECKO_API_KEY: 'CG-abc' });
  expect(keyed.rates.sources).toEqual(['kraken', 'coinbase', 'bitstamp', 'coingecko']);
  expect(JSON.stringify(redactedConfig(keyed)) + inspect(keyed, { depth: 9 })).not.toContain('CG-abc');
  expect(load({ TILLD_RATE_SOURCES: 'coingecko' }).rates.sources).toEqual(['coingecko']);
  const [useless] = problemsOf({ TILLD_COINGECKO_API_KEY: 'CG-abc', TILLD_RATE_SOURCES: 'kraken' });
  expect(useless).toMatch(/^TILLD_COINGECKO_API_KEY:.*TILLD_RATE_SOURCES/);
  expect(problemsOf({ TILLD_COINGECKO_API_KEY: 'CG abc' }).join()).not.toContain('CG abc');
});

test('the settings table of this test covers every setting', () => {
  expect(TABLE.map(([variable]) => variable).sort()).toEqual(
    Object.values(SETTINGS)
      .map(({ env }) => env)
      .sort(),
  );
});

const pathInFile = (variable: string) =>
  Object.values(SETTINGS).find(({ env }) => env === variable)?.yaml ?? null;
const companionsOf = (variable: string) => COMPANIONS[variable] ?? {};

test.each(TABLE)('loadConfig reads %s from the environment', (variable, good, path, becomes) => {
  expect(at(load({ ...companionsOf(variable), [variable]: good }), path)).toEqual(becomes);
});

test.each(TABLE.filter(([, , , , bad]) => bad !== ''))(
  'loadConfig reports an invalid %s, and only that',
  (variable, _good, _path, _becomes, bad) => {
    const problems = problemsOf({ ...companionsOf(variable), [variable]: bad });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${variable}\\b`));
    expect(problems[0]).toContain(pathInFile(variable) ?? variable);
  },
);

test.each(TABLE)('loadConfig treats an empty %s as missing', (variable) => {
  const kept = { ...companionsOf(variable), [variable]: '' };
  // One half of TLS cannot be used without the other.
  if (variable.startsWith('TILLD_TLS')) expect(problemsOf(kept)).toHaveLength(1);
  else expect(load(kept).http.port).toBe(3000);
});

test.each(TABLE.filter(([variable]) => pathInFile(variable) !== null))(
  'loadConfig reads the key of %s from the file, and prefers the environment',
  (variable, good, path, becomes, bad) => {
    const keys = pathInFile(variable)?.split('.') ?? [];
    const yaml = `${keys.map((key, depth) => `${'  '.repeat(depth)}${key}:`).join('\n')} "${good}"\n`;
    expect(at(load(companionsOf(variable), yaml), path)).toEqual(becomes);
    const overridden = problemsOf({ ...companionsOf(variable), [variable]: bad }, yaml);
    expect(overridden).toHaveLength(bad === '' ? 0 : 1);
  },
);

describe('loadConfig with a replica', () => {
  test('rejects an SFTP server, and explains how to mount it', () => {
    const problems = problemsOf({ TILLD_REPLICA_URL: 'sftp://u:hunter2@host/folder' });
    expect(problems).toEqual([
      expect.stringMatching(/^TILLD_REPLICA_URL .*does not accept sftp:\/\/.*sshfs/),
    ]);
    expect(problems.join()).not.toContain('hunter2');
  });

  test.each([
    ['TILLD_REPLICA_S3_ENDPOINT', '/srv/replica'],
    ['TILLD_REPLICA_S3_REGION', '/srv/replica'],
  ])('rejects the S3 setting %s for the replica folder %s', (variable, place) => {
    const [problem, ...more] = problemsOf({ TILLD_REPLICA_URL: place, [variable]: 'https://host.example' });
    expect(problem).toMatch(new RegExp(`^${variable} .*without s3:// in TILLD_REPLICA_URL`));
    expect(more).toEqual([]);
  });
});

describe('errors of loadConfig', () => {
  test('are reported all at once, with variable, position in the file and expected value', () => {
    const problems = problemsOf(
      {
        TILLD_PORT: 'http',
        TILLD_CONFIRMATIONS_BTC: '0',
        TILLD_TLS_CERT: 'x.pem',
        TILLD_BTC_RPC_URL: 'http://n',
      },
      'log: { level: loud }\nhttp: { prot: 1 }',
    );
    expect(problems).toEqual([
      'http.prot: is no setting; did you mean http.port?',
      'TILLD_LOG_LEVEL (log.level in the file): must be one of trace, debug, info, warn, error, fatal, silent, not "loud"',
      'TILLD_PORT (http.port in the file): must be a whole number from 0 to 65535, not "http"',
      expect.stringMatching(/^TILLD_CONFIRMATIONS_BTC .*from 1 to 1000/),
      'TILLD_NETWORK (network in the file): must be set when TILLD_BTC_RPC_URL is',
      'TILLD_TLS_KEY (http.tlsKey in the file): is needed with TILLD_TLS_CERT',
    ]);
  });

  test.each([
    ['TILLD_PROT', 'TILLD_PORT'],
    ['TILLD_BTC_RPCURL', 'TILLD_BTC_RPC_URL'],
    ['TILLD_CONFIRMATION_BTC', 'TILLD_CONFIRMATIONS_BTC'],
    ['tilld_port'.toUpperCase() + 'S', 'TILLD_PORT'],
  ])('report the unknown variable %s with the closest known name', (variable, meant) => {
    expect(problemsOf({ [variable]: '1' })).toEqual([
      `${variable}: is no variable of tilld; did you mean ${meant}?`,
    ]);
  });

  test('do not report variables that only resemble settings', () => {
    const env = {
      TILLD_SERVICE_HOST: '10.0.0.1',
      TILLD_PORT_3000_TCP_ADDR: '10.0.0.1',
      TILLD_NODES_DIR: '/x',
      PATH: '/',
    };
    expect(problemsOf(env)).toEqual([]);
  });

  test('never show a secret', () => {
    const env = {
      TILLD_BTC_RPC_URL: 'ftp://user:hunter2hunter2@node',
      TILLD_JWT_SECRET: 'hunter2hunter2',
      TILLD_KEYRING_PASSPHRASE: 'hunter2',
      TILLD_SMTP_URL: 'http://user:hunter2hunter2@mail',
    };
    const problems = problemsOf(env);
    expect(problems).toHaveLength(4);
    expect(problems.join()).not.toContain('hunter2');
  });

  test.each([
    ['a: [', /not valid YAML/],
    ['http: { port: 1 }\nhttp: { port: 2 }', /not valid YAML.*unique/],
    ['- just\n- a list', /must be a mapping/],
    ['http: 3000', /^http: must be a mapping/],
    ['confirmations: { BTC: { default: 2, tiers: [{ from: 1, confirmations: 1 }] } }', /rising tiers/],
    ['confirmations: { BTC: { default: 2, tiers: [{ above: 1, confirmations: 3 }] } }', /rising tiers/],
    ['confirmations: { BTC: { tiers: [] } }', /CONFIRMATIONS_BTC/],
    [
      'keyring: { passphrase: open sesame street }',
      /keyring\.passphrase: is no setting; did you mean keyring\.passphraseFile/,
    ],
  ])('report an invalid file "%s"', (yaml, message) => {
    expect(problemsOf({}, yaml).join('\n')).toMatch(message);
  });

  test('report a missing file', () => {
    expect(() => loadConfig({ env: { TILLD_CONFIG: 'nowhere.yaml' }, cwd: dir })).toThrow(
      /TILLD_CONFIG: the file .*nowhere\.yaml cannot be read \(ENOENT\)/,
    );
  });
});

describe('loadConfig with related settings', () => {
  test.each([
    [{ TILLD_NETWORK: 'mainnet', TILLD_RATES: 'fixed:BTC=1' }, /^TILLD_RATES .*mainnet needs live/],
    [{ TILLD_BTC_COOKIE_FILE: '/c' }, /^TILLD_BTC_COOKIE_FILE .*TILLD_BTC_RPC_URL/],
    [
      { TILLD_NETWORK: 'regtest', TILLD_BTC_RPC_URL: 'http://u:p@n', TILLD_BTC_COOKIE_FILE: '/c' },
      /^TILLD_BTC_COOKIE_FILE .*choose one/,
    ],
    [{ TILLD_JWT_SECRET: JWT_SECRET, TILLD_JWT_SECRET_FILE: 'jwt' }, /^TILLD_JWT_SECRET_FILE .*choose one/],
    [
      { TILLD_NETWORK: 'mainnet', TILLD_ETH_RPC_URL: 'http://n', TILLD_ETH_RPC_URL_FILE: 'rpc' },
      /^TILLD_ETH_RPC_URL_FILE .*choose one/,
    ],
    [{ TILLD_SOL_RPC_URL_FILE: 'no-url' }, /^TILLD_SOL_RPC_URL_FILE (?!.*hunter2).*must be/],
    [{ TILLD_TLS_KEY: 'k' }, /^TILLD_TLS_CERT .*needed with TILLD_TLS_KEY/],
    [{ TILLD_BTC_FEE_FLOOR: '10', TILLD_BTC_FEE_CAP: '9' }, /^TILLD_BTC_FEE_CAP .*below TILLD_BTC_FEE_FLOOR/],
    [{ TILLD_KEYRING_MEMORY: '16KiB' }, /^TILLD_KEYRING_MEMORY .*parallelism/],
    [{ TILLD_BASE_URL: 'https://shop@pay.example.com' }, /^TILLD_BASE_URL .*must not have a user/],
  ] as const)('rejects contradicting settings %o', (env, message) => {
    const problems = problemsOf(env);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
  });

  test('prefers the environment to a secret file that the YAML names', () => {
    writeFileSync(join(dir, 'phrase'), 'the passphrase of the file');
    const yaml = `network: mainnet
keyring: { passphraseFile: phrase }
nodes: { ETH: { rpcUrlFile: rpc } }`;
    const config = load(
      { TILLD_KEYRING_PASSPHRASE: 'of the environment', TILLD_ETH_RPC_URL: 'http://of-the-environment' },
      yaml,
    );
    expect(config.keyring.passphrase?.reveal()).toBe('of the environment');
    expect(config.nodes.ETH?.url.reveal()).toBe('http://of-the-environment/');
    expect(load({}, yaml).keyring.passphrase?.reveal()).toBe('the passphrase of the file');
    expect(load({}, yaml).nodes.ETH?.url.reveal()).toBe('http://node.example/key');
  });

  test('rejects an address file from the environment together with an address in the YAML, because the file may be empty', () => {
    const yaml = 'replica: { url: /mnt/other/tilld }';
    expect(problemsOf({ TILLD_REPLICA_URL_FILE: 'empty' }, yaml).join()).toContain('choose one');
  });

  test('configures no node for a coin whose address file is empty', () => {
    const config = load({ TILLD_NETWORK: 'mainnet', TILLD_SOL_RPC_URL_FILE: 'empty' });
    expect(config.nodes).toEqual({});
  });

  test.each([
    ['none', true, 1000],
    ['regtest', true, 1000],
    ['testnet', false, 1000],
    ['mainnet', false, 5000],
  ])(
    'sets, on network %s, private webhooks to %s and the poll interval to %i ms by default',
    (network, allowed, pollMs) => {
      const config = load({ TILLD_NETWORK: network });
      expect([config.webhooks.allowPrivate, config.watcher.pollIntervalMs]).toEqual([allowed, pollMs]);
    },
  );

  test.each([
    ['on', 1],
    ['true', 1],
    ['1', 1],
    ['2', 2],
    ['off', false],
    ['loopback', ['loopback']],
  ])('accepts TILLD_TRUST_PROXY "%s"', (text, becomes) => {
    expect(load({ TILLD_TRUST_PROXY: text }).http.trustProxy).toEqual(becomes);
  });

  test('derives the public URL from port and TLS', () => {
    expect(load({ TILLD_PORT: '81' }).http.baseUrl).toBe('http://localhost:81');
    const tls = load({ TILLD_TLS_CERT: 'c', TILLD_TLS_KEY: 'k' });
    expect(tls.http.baseUrl).toBe('https://localhost:3000');
    expect(tls.http.tls).toEqual({ certFile: join(dir, 'c'), keyFile: join(dir, 'k') });
  });

  test('warns about allowed but insecure settings', () => {
    const env = {
      TILLD_NETWORK: 'mainnet',
      TILLD_BTC_RPC_URL: 'http://n',
      TILLD_ALLOW_PRIVATE_WEBHOOKS: 'on',
    };
    expect(load({ ...env, TILLD_AUTH_RATE_PER_MINUTE: '0' }).warnings).toEqual([
      expect.stringContaining('passphrase'),
      expect.stringContaining('private addresses'),
      expect.stringContaining('https'),
      expect.stringContaining('TILLD_ADMIN_LISTEN'),
      expect.stringContaining('login attempts'),
    ]);
  });
});

test('loadConfig separates user, password and path of a node URL from the part that may be logged', () => {
  const node = load({
    TILLD_NETWORK: 'regtest',
    TILLD_BTC_RPC_URL: 'http://us%40er:p%2Fw@127.0.0.1:8332/wallet',
  }).nodes.BTC;
  expect(node?.url.reveal()).toBe('http://127.0.0.1:8332/wallet');
  expect([node?.credentials?.user, node?.credentials?.password.reveal()]).toEqual(['us@er', 'p/w']);
  expect(node?.origin).toBe('http://127.0.0.1:8332');
});

test('loadConfig redacts secrets in every printed form of the configuration', () => {
  const config = load({
    TILLD_NETWORK: 'regtest',
    TILLD_BTC_RPC_URL: 'http://user:hunter2hunter2@node/hunter2key',
    TILLD_JWT_SECRET: `hunter2${JWT_SECRET}`,
    TILLD_KEYRING_PASSPHRASE: 'hunter2hunter2',
    TILLD_SMTP_URL: 'smtps://u:hunter2@mail.example',
  });
  const forms = [inspect(config, { depth: 9, showHidden: true }), JSON.stringify(redactedConfig(config))];
  for (const form of forms) expect(form).not.toContain('hunter2');
  expect(JSON.stringify(redactedConfig(config))).toContain('"[secret]"');
});

test('loadConfig reports a short passphrase with the name of its setting', () => {
  writeFileSync(join(dir, 'short'), 'too short');
  expect(problemsOf({ TILLD_KEYRING_PASSPHRASE_FILE: 'short' })).toEqual([
    'TILLD_KEYRING_PASSPHRASE_FILE (keyring.passphraseFile in the file): must have 12 characters or more',
  ]);
});
