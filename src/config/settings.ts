import { z } from 'zod';
import { LATE_POLICIES } from '../domain/payment/types.ts';
import { ACCOUNT_CODES, COIN_DEFINITIONS, COINS, NETWORKS, UTXO_CODES, UTXO_COINS } from '../domain/coins.ts';
import { ACCESS_LOGS, COINGECKO_PLANS, LOG_LEVELS, RATE_SOURCE_NAMES, REGISTRATION_MODES } from './config.ts';
import { confirmationPolicy } from './confirmation-policy.ts';
import { each, optional, secret, setting, type Setting } from './setting.ts';
import * as value from './values.ts';

const rpcUrl = () => value.url(['http:', 'https:'], 'http://user:password@127.0.0.1:8332');
const secretFile = () => value.text('the path of a file');
const feeRate = () => value.scaledDecimal(3, '0.001', '100000', 'atoms per vB');

const feeFloor = () => value.scaledDecimal(3, '0', '100000', 'atoms per vB');

/** Atoms per 1,000 vB as written in the file. */
const perVb = (rate: bigint) => Number(rate) / 1000;

/** Gwei per gas, as wei per 1,000 gas. */
const gasPrice = () => value.scaledDecimal(12, '0.001', '100000', 'gwei per gas');

/** Micro-lamports per compute unit, as in the network's tools. */
const computePrice = () => value.scaledDecimal(0, '1000', '1000000000', 'micro-lamports per compute unit');

/** All settings. Variables, YAML keys, checks and messages derive from this table. */
export const SETTINGS = {
  network: setting('network', 'TILLD_NETWORK', value.parseChoice(['none', ...NETWORKS]), 'none'),
  dataDir: setting('dataDir', 'TILLD_DATA_DIR', value.text('a directory'), './data'),
  caFile: optional('caFile', 'TILLD_CA_FILE', value.text('the path of a PEM file')),
  logLevel: setting('log.level', 'TILLD_LOG_LEVEL', value.parseChoice(LOG_LEVELS), 'info'),
  accessLog: setting('log.access', 'TILLD_ACCESS_LOG', value.parseChoice(ACCESS_LOGS), 'full'),
  shutdownGrace: setting('shutdownGrace', 'TILLD_SHUTDOWN_GRACE', value.duration('0s', '10s'), '8s'),

  port: setting('http.port', 'TILLD_PORT', value.wholeNumber(0, 65_535), 3000),
  host: setting('http.host', 'TILLD_HOST', value.text('an address to listen on'), '127.0.0.1'),
  adminListen: optional('http.adminListen', 'TILLD_ADMIN_LISTEN', value.listenAddress()),
  baseUrl: optional(
    'http.baseUrl',
    'TILLD_BASE_URL',
    value.url(['http:', 'https:'], 'https://pay.example.com'),
  ),
  trustProxy: setting('http.trustProxy', 'TILLD_TRUST_PROXY', value.trustProxy(), 'off'),
  tlsCert: optional('http.tlsCert', 'TILLD_TLS_CERT', value.text('the path of a PEM file')),
  tlsKey: optional('http.tlsKey', 'TILLD_TLS_KEY', value.text('the path of a PEM file')),
  bodyLimit: setting('http.bodyLimit', 'TILLD_BODY_LIMIT', value.size('1KiB', '10MiB'), '100KiB'),
  publicRate: setting(
    'http.publicRatePerMinute',
    'TILLD_PUBLIC_RATE_PER_MINUTE',
    value.wholeNumber(0, 100_000),
    120,
  ),

  registration: setting(
    'auth.registration',
    'TILLD_REGISTRATION',
    value.parseChoice(REGISTRATION_MODES),
    'open',
  ),
  authRate: setting('auth.ratePerMinute', 'TILLD_AUTH_RATE_PER_MINUTE', value.wholeNumber(0, 100_000), 5),
  shopsPerAccount: setting(
    'auth.shopsPerAccount',
    'TILLD_SHOPS_PER_ACCOUNT',
    value.wholeNumber(0, 100_000),
    0,
  ),
  jwtSecret: secret(null, 'TILLD_JWT_SECRET', value.text()),
  jwtSecretFile: optional('auth.jwtSecretFile', 'TILLD_JWT_SECRET_FILE', secretFile()),
  passwordMemory: setting(
    'auth.passwordMemory',
    'TILLD_PASSWORD_MEMORY',
    value.size('8KiB', '4GiB'),
    '19MiB',
  ),
  passwordIterations: setting(
    'auth.passwordIterations',
    'TILLD_PASSWORD_ITERATIONS',
    value.wholeNumber(1, 100),
    2,
  ),

  passphrase: secret(null, 'TILLD_KEYRING_PASSPHRASE', value.text()),
  passphraseFile: optional('keyring.passphraseFile', 'TILLD_KEYRING_PASSPHRASE_FILE', secretFile()),
  keyringMemory: setting('keyring.memory', 'TILLD_KEYRING_MEMORY', value.size('8KiB', '4GiB'), '64MiB'),
  keyringIterations: setting('keyring.iterations', 'TILLD_KEYRING_ITERATIONS', value.wholeNumber(1, 1000), 3),
  keyringParallelism: setting(
    'keyring.parallelism',
    'TILLD_KEYRING_PARALLELISM',
    value.wholeNumber(1, 64),
    4,
  ),

  ...each(COINS, 'RpcUrl', (coin) => secret(`nodes.${coin}.rpcUrl`, `TILLD_${coin}_RPC_URL`, rpcUrl())),
  ...each(COINS, 'RpcUrlFile', (coin) =>
    optional(`nodes.${coin}.rpcUrlFile`, `TILLD_${coin}_RPC_URL_FILE`, secretFile()),
  ),
  ...each(UTXO_CODES, 'CookieFile', (coin) =>
    optional(`nodes.${coin}.cookieFile`, `TILLD_${coin}_COOKIE_FILE`, value.text('the path of a file')),
  ),
  solWsUrl: secret('nodes.SOL.wsUrl', 'TILLD_SOL_WS_URL', value.url(['ws:', 'wss:'], 'ws://127.0.0.1:8900')),
  ethRpcBatchSize: setting(
    'nodes.ETH.rpcBatchSize',
    'TILLD_ETH_RPC_BATCH_SIZE',
    value.wholeNumber(1, 1000),
    100,
  ),
  ...each(ACCOUNT_CODES, 'RpcPerSecond', (coin) =>
    setting(`nodes.${coin}.rpcPerSecond`, `TILLD_${coin}_RPC_PER_SECOND`, value.wholeNumber(0, 10_000), 0),
  ),
  nodeTimeout: setting('nodes.timeout', 'TILLD_RPC_TIMEOUT', value.duration('100ms', '2m'), '15s'),

  ...each(COINS, 'Confirmations', (coin) =>
    setting(
      `confirmations.${coin}`,
      `TILLD_CONFIRMATIONS_${coin}`,
      confirmationPolicy(coin),
      COIN_DEFINITIONS[coin].confirmations,
    ),
  ),

  ...each(UTXO_CODES, 'FeeFloor', (coin) =>
    setting(`fees.${coin}.floor`, `TILLD_${coin}_FEE_FLOOR`, feeFloor(), 0),
  ),
  ...each(UTXO_CODES, 'FeeCap', (coin) =>
    setting(`fees.${coin}.cap`, `TILLD_${coin}_FEE_CAP`, feeRate(), perVb(UTXO_COINS[coin].feeCapRate)),
  ),
  ethFeeCap: setting('fees.ETH.cap', 'TILLD_ETH_FEE_CAP', gasPrice(), 200),

  solFeeCap: setting('fees.SOL.cap', 'TILLD_SOL_FEE_CAP', computePrice(), 5_000_000),

  feeMaxShare: setting(
    'fees.maxShare',
    'TILLD_FEE_MAX_SHARE',
    value.scaledDecimal(2, '0', '100', 'a percentage'),
    '10',
  ),
  feeRaises: setting('fees.raises', 'TILLD_FEE_RAISES', value.parseChoice(['on', 'off']), 'on'),
  limitDelay: setting('wallet.limitDelay', 'TILLD_LIMIT_DELAY', value.duration('0s', '720h'), '24h'),
  forwardDelay: setting('wallet.forwardDelay', 'TILLD_FORWARD_DELAY', value.duration('0s', '720h'), '24h'),
  forwardFeeShare: setting(
    'wallet.forwardFeeShare',
    'TILLD_FORWARD_FEE_SHARE',
    value.scaledDecimal(2, '0.01', '100', 'a percentage'),
    '1',
  ),
  approvalTtl: setting('wallet.approvalTtl', 'TILLD_APPROVAL_TTL', value.duration('1m', '720h'), '24h'),
  consolidateBelow: setting(
    'fees.consolidateBelow',
    'TILLD_CONSOLIDATE_BELOW',
    value.scaledDecimal(3, '0', '1000', 'atoms per vB'),
    '2',
  ),

  pollInterval: optional('watcher.pollInterval', 'TILLD_POLL_INTERVAL', value.duration('50ms', '5m')),

  reconcileInterval: setting(
    'reconcile.interval',
    'TILLD_RECONCILE_INTERVAL',
    value.duration('10m', '168h'),
    '24h',
  ),

  auditDays: setting('audit.days', 'TILLD_AUDIT_DAYS', value.wholeNumber(1, 3650), 365),

  backupSchedule: setting('backup.schedule', 'TILLD_BACKUP_SCHEDULE', value.cronSchedule(), 'off'),
  backupFolder: optional('backup.folder', 'TILLD_BACKUP_FOLDER', value.text('a folder')),
  backupKeep: setting('backup.keep', 'TILLD_BACKUP_KEEP', value.wholeNumber(1, 10_000), 14),
  backupMaxAge: setting('backup.maxAge', 'TILLD_BACKUP_MAX_AGE', value.duration('1h', '8760h'), '48h'),

  replicaUrl: secret('replica.url', 'TILLD_REPLICA_URL', value.replicaUrl()),
  replicaUrlFile: optional('replica.urlFile', 'TILLD_REPLICA_URL_FILE', secretFile()),
  replicaEndpoint: optional(
    'replica.s3Endpoint',
    'TILLD_REPLICA_S3_ENDPOINT',
    value.url(['https:', 'http:'], 'https://s3.example.com'),
  ),
  replicaRegion: optional('replica.s3Region', 'TILLD_REPLICA_S3_REGION', value.text('a region')),
  replicaMaxLag: setting('replica.maxLag', 'TILLD_REPLICA_MAX_LAG', value.duration('30s', '24h'), '60s'),
  otherMachineOff: setting('replica.otherMachineOff', 'TILLD_OTHER_MACHINE_OFF', value.onOff(), 'off'),

  paymentLifetime: setting(
    'payments.lifetimeMinutes',
    'TILLD_PAYMENT_LIFETIME_MINUTES',
    value.wholeNumber(5, 1440),
    60,
  ),
  tolerance: setting(
    'payments.tolerancePercent',
    'TILLD_TOLERANCE_PERCENT',
    value.scaledDecimal(2, '0', '5', 'a percentage'),
    '0.5',
  ),
  latePayments: setting(
    'payments.latePayments',
    'TILLD_LATE_PAYMENTS',
    value.parseChoice(LATE_POLICIES),
    'accept',
  ),
  unconfirmedGrace: setting(
    'payments.unconfirmedGrace',
    'TILLD_UNCONFIRMED_GRACE',
    value.duration('10m', '336h'),
    '24h',
  ),
  dropAfter: setting('payments.dropAfter', 'TILLD_DROP_AFTER', value.duration('10m', '336h'), '2h'),

  allowPrivateWebhooks: optional('webhooks.allowPrivate', 'TILLD_ALLOW_PRIVATE_WEBHOOKS', value.onOff()),
  webhookTimeout: setting('webhooks.timeout', 'TILLD_WEBHOOK_TIMEOUT', value.duration('100ms', '1m'), '15s'),
  webhookConcurrency: setting(
    'webhooks.concurrency',
    'TILLD_WEBHOOK_CONCURRENCY',
    value.wholeNumber(1, 256),
    64,
  ),
  webhookRetryGaps: setting(
    'webhooks.retryGaps',
    'TILLD_WEBHOOK_RETRY_GAPS',
    value.durations(),
    '5s,5m,30m,2h,5h,10h,14h,20h,24h',
  ),
  webhookLogDays: setting(
    'webhooks.logRetentionDays',
    'TILLD_WEBHOOK_LOG_RETENTION_DAYS',
    value.wholeNumber(1, 3650),
    30,
  ),
  webhookLogSize: setting(
    'webhooks.logMaxSize',
    'TILLD_WEBHOOK_LOG_MAX_SIZE',
    value.size('1MB', '100GB'),
    '512MB',
  ),

  dnsServers: optional('domains.dnsServers', 'TILLD_DNS_SERVERS', value.dnsServers()),

  rates: setting('rates.source', 'TILLD_RATES', value.rateSource(), 'live'),
  rateSources: optional('rates.from', 'TILLD_RATE_SOURCES', value.parseSubset(RATE_SOURCE_NAMES)),
  coingeckoKey: secret(null, 'TILLD_COINGECKO_API_KEY', value.text()),
  coingeckoKeyFile: optional('rates.coingecko.apiKeyFile', 'TILLD_COINGECKO_API_KEY_FILE', secretFile()),
  coingeckoPlan: setting(
    'rates.coingecko.plan',
    'TILLD_COINGECKO_PLAN',
    value.parseChoice(COINGECKO_PLANS),
    'demo',
  ),
  rateRefresh: setting('rates.refresh', 'TILLD_RATE_REFRESH', value.duration('5s', '1h'), '60s'),
  rateMaxAge: setting('rates.maxAge', 'TILLD_RATE_MAX_AGE', value.duration('10s', '24h'), '10m'),
  rateTimeout: setting('rates.timeout', 'TILLD_RATE_TIMEOUT', value.duration('100ms', '1m'), '5s'),
  rateSinglePerMinute: setting(
    'rates.single.perMinutePercent',
    'TILLD_RATE_SINGLE_PER_MINUTE_PERCENT',
    value.wholeNumber(1, 100),
    5,
  ),
  rateSingleMax: setting(
    'rates.single.maxPercent',
    'TILLD_RATE_SINGLE_MAX_PERCENT',
    value.wholeNumber(1, 1000),
    20,
  ),

  sandboxRates: setting(
    'sandbox.rates',
    'TILLD_SANDBOX_RATES',
    value.rateTable(),
    `${COINS.map((coin) => `${coin}=${COIN_DEFINITIONS[coin].rates.sandboxUsd}`).join(',')},USD/EUR=0.92,USD/GBP=0.79`,
  ),
  sandboxBlocks: setting(
    'sandbox.blockInterval',
    'TILLD_SANDBOX_BLOCK_INTERVAL',
    value.duration('50ms', '10m'),
    '2s',
  ),
  sandboxConfirmations: setting(
    'sandbox.confirmations',
    'TILLD_SANDBOX_CONFIRMATIONS',
    value.wholeNumber(1, 100),
    2,
  ),

  ...each(COINS, 'ExplorerTxUrl', (coin) =>
    optional(
      `explorers.${coin}.txUrl`,
      `TILLD_${coin}_EXPLORER_TX_URL`,
      value.urlTemplate('{tx}', 'https://explorer.example/tx/{tx}'),
    ),
  ),
  ...each(COINS, 'ExplorerAddressUrl', (coin) =>
    optional(
      `explorers.${coin}.addressUrl`,
      `TILLD_${coin}_EXPLORER_ADDRESS_URL`,
      value.urlTemplate('{address}', 'https://explorer.example/address/{address}'),
    ),
  ),
  explorersForPayers: setting('explorers.forPayers', 'TILLD_EXPLORERS_FOR_PAYERS', value.onOff(), 'off'),

  smtpUrl: secret(
    'mail.smtpUrl',
    'TILLD_SMTP_URL',
    value.url(['smtp:', 'smtps:'], 'smtps://user:password@mail.example.com'),
  ),
  smtpUrlFile: optional('mail.smtpUrlFile', 'TILLD_SMTP_URL_FILE', secretFile()),
  smtpFrom: optional('mail.from', 'TILLD_SMTP_FROM', value.text('a sender address')),
  operatorEmail: optional('mail.operator', 'TILLD_OPERATOR_EMAIL', value.emailAddress()),

  updateFeed: optional('updates.feed', 'TILLD_UPDATE_FEED', value.urlOrFile()),
  updateSigners: setting(
    'updates.signers',
    'TILLD_UPDATE_SIGNERS',
    value.text('the path of a file'),
    '/etc/tilld/allowed_signers',
  ),
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

/** Parsed values: undefined where neither the environment, the file nor a default gives one. */
export type Values = {
  readonly [K in SettingName]:
    | z.output<(typeof SETTINGS)[K]['schema']>
    | ((typeof SETTINGS)[K]['fallback'] extends undefined ? undefined : never);
};

/** The path of the configuration file; the only variable that is not a setting of the file. */
export const CONFIG_VARIABLE = 'TILLD_CONFIG';
