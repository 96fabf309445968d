import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  complain,
  readSecret,
  resolvePath,
  secretFiles,
  withUrlFiles,
  type BuildContext,
} from './build-parts.ts';
import { authoritiesConfig } from './build-authorities.ts';
import { explorersConfig } from './build-explorers.ts';
import { ratesConfig } from './build-rates.ts';
import { replicaConfig } from './build-replica.ts';
import {
  ACCOUNT_CODES,
  COINS,
  byCoin,
  isUtxoCoin,
  UTXO_CODES,
  type Coin,
  type Network,
  type UtxoCoinCode,
} from '../domain/coins.ts';
import type { Config, FeeBounds, NodeEndpoint } from './config.ts';
import { Secret } from './secret.ts';
import { coinSetting } from './setting.ts';
import { SETTINGS, type Values } from './settings.ts';

const MIN_JWT_SECRET_BYTES = 32;
const MIN_PASSPHRASE_LENGTH = 12;
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*\/?$/;

/** Assembles the configuration and checks settings against each other. Adds to `context.problems`. */
export function buildConfig(given: Values, context: BuildContext): Config {
  const values = withUrlFiles(given, context);
  const network = values.network === 'none' ? null : values.network;
  const nodes = nodeEndpoints(values, network, context);
  const jwtSecret = readSecret(['jwtSecret', 'jwtSecretFile'], values, context);
  if (jwtSecret !== null && Buffer.byteLength(jwtSecret.reveal()) < MIN_JWT_SECRET_BYTES) {
    complain(context, 'jwtSecret', `must be ${MIN_JWT_SECRET_BYTES} bytes or more`);
  }
  const config: Config = {
    file: context.file,
    network,
    dataDir: resolvePath(values.dataDir, context),
    authorities: authoritiesConfig(values, context),
    logLevel: values.logLevel,
    shutdownGraceMs: values.shutdownGrace,
    http: httpConfig(values, context),
    auth: {
      registration: values.registration,
      ratePerMinute: values.authRate,
      shopsPerAccount: values.shopsPerAccount,
      jwtSecret,
      passwordHash: {
        memoryKiB: Math.floor(values.passwordMemory / 1024),
        iterations: values.passwordIterations,
        parallelism: 1,
      },
    },
    keyring: keyringConfig(values, context),
    nodes,
    ...rpcConfig(values),
    solWsUrl: values.solWsUrl === undefined ? null : new Secret(values.solWsUrl.href),
    confirmations: byCoin(COINS, (coin) => values[coinSetting(coin, 'Confirmations')]),
    ...feesConfig(values, context),
    watcher: { pollIntervalMs: values.pollInterval ?? (network === 'mainnet' ? 5000 : 1000) },
    reconcileIntervalMs: values.reconcileInterval,
    auditDays: values.auditDays,
    backup: backupConfig(values, context),
    replica: replicaConfig(values, context),
    isOtherMachineOff: values.otherMachineOff,
    payments: {
      lifetimeMinutes: values.paymentLifetime,
      toleranceBps: Number(values.tolerance),
      latePolicy: values.latePayments,
    },
    waiting: { unconfirmedGraceMs: values.unconfirmedGrace, dropAfterMs: values.dropAfter },
    webhooks: webhooksConfig(values, network),
    domains: { dnsServers: values.dnsServers ?? [] },
    rates: ratesConfig(values, context),
    sandbox: {
      fallbackRates: values.sandboxRates,
      blockIntervalMs: values.sandboxBlocks,
      confirmations: values.sandboxConfirmations,
    },
    explorers: explorersConfig(values),
    smtp: smtpConfig(values),
    operatorEmail: values.operatorEmail ?? null,
    updates:
      values.updateFeed === undefined
        ? null
        : { feed: values.updateFeed, signersFile: resolvePath(values.updateSigners, context) },
    secretFiles: secretFiles(values, context),
    warnings: [],
  };
  return { ...config, warnings: listWarnings(config) };
}

function httpConfig(values: Values, context: BuildContext): Config['http'] {
  const { tlsCert, tlsKey } = values;
  if (tlsCert !== undefined && tlsKey === undefined)
    complain(context, 'tlsKey', 'is needed with TILLD_TLS_CERT');
  if (tlsKey !== undefined && tlsCert === undefined)
    complain(context, 'tlsCert', 'is needed with TILLD_TLS_KEY');
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? null
      : { certFile: resolvePath(tlsCert, context), keyFile: resolvePath(tlsKey, context) };
  const { baseUrl } = values;
  if (baseUrl !== undefined && (baseUrl.username !== '' || baseUrl.search !== '' || baseUrl.hash !== '')) {
    complain(context, 'baseUrl', 'must not have a user, a query or a fragment');
  }
  if (baseUrl !== undefined && !BASE_PATH.test(baseUrl.pathname)) {
    complain(
      context,
      'baseUrl',
      'must have a path of letters, digits and -._~ between single slashes, or none',
    );
  }
  const adminListen = values.adminListen ?? null;
  if (adminListen !== null && adminListen.port === values.port && values.port !== 0) {
    complain(context, 'adminListen', 'must have another port than TILLD_PORT');
  }
  const local = `${tls === null ? 'http' : 'https'}://localhost:${values.port}`;
  return {
    host: values.host,
    port: values.port,
    baseUrl: (baseUrl?.href ?? local).replace(/\/+$/, ''),
    trustProxy: values.trustProxy,
    tls,
    bodyLimitBytes: values.bodyLimit,
    publicRatePerMinute: values.publicRate,
    adminListen,
    accessLog: values.accessLog,
  };
}

function keyringConfig(values: Values, context: BuildContext): Config['keyring'] {
  const passphrase = readSecret(['passphrase', 'passphraseFile'], values, context);
  if (passphrase !== null && passphrase.reveal().length < MIN_PASSPHRASE_LENGTH) {
    const source = values.passphrase === undefined ? 'passphraseFile' : 'passphrase';
    complain(context, source, `must have ${MIN_PASSPHRASE_LENGTH} characters or more`);
  }
  const memoryKiB = Math.floor(values.keyringMemory / 1024);
  if (memoryKiB < 8 * values.keyringParallelism) {
    complain(context, 'keyringMemory', 'must be 8 KiB or more for each unit of parallelism');
  }
  return {
    passphrase,
    argon2: { memoryKiB, iterations: values.keyringIterations, parallelism: values.keyringParallelism },
  };
}

function backupConfig(values: Values, context: BuildContext): Config['backup'] {
  const { backupFolder, dataDir } = values;
  return {
    schedule: values.backupSchedule,
    folder:
      backupFolder === undefined
        ? join(resolvePath(dataDir, context), 'backups')
        : resolvePath(backupFolder, context),
    keep: values.backupKeep,
    maxAgeMs: values.backupMaxAge,
  };
}

function webhooksConfig(values: Values, network: Network | null): Config['webhooks'] {
  return {
    allowPrivate: values.allowPrivateWebhooks ?? (network === null || network === 'regtest'),
    timeoutMs: values.webhookTimeout,
    concurrency: values.webhookConcurrency,
    retryDelaysMs: values.webhookRetryGaps,
    logRetentionDays: values.webhookLogDays,
    logMaxBytes: values.webhookLogSize,
  };
}

function smtpConfig(values: Values): Config['smtp'] {
  if (values.smtpUrl === undefined) return null;
  return {
    url: new Secret(values.smtpUrl.href),
    from: values.smtpFrom ?? `tilld@${values.baseUrl?.hostname ?? 'localhost'}`,
  };
}

function nodeEndpoints(values: Values, network: Network | null, context: BuildContext): Config['nodes'] {
  const nodes: Partial<Record<Coin, NodeEndpoint>> = {};
  for (const coin of COINS) {
    const urlName = coinSetting(coin, 'RpcUrl');
    const cookieName = isUtxoCoin(coin) ? coinSetting(coin, 'CookieFile') : null;
    const url = values[urlName];
    const cookie = cookieName === null ? undefined : values[cookieName];
    if (url === undefined) {
      if (cookieName !== null && cookie !== undefined) {
        complain(context, cookieName, `is of no use without ${SETTINGS[urlName].env}`);
      }
      continue;
    }
    if (network === null) complain(context, 'network', `must be set when ${SETTINGS[urlName].env} is`);
    if (cookieName !== null && cookie !== undefined && url.username !== '') {
      complain(context, cookieName, `cannot go with a user in ${SETTINGS[urlName].env}: choose one`);
    }
    nodes[coin] = endpoint(url, cookie === undefined ? null : resolvePath(cookie, context));
  }
  return nodes;
}

function rpcConfig(values: Values): Pick<Config, 'nodeTimeoutMs' | 'ethRpcBatchSize' | 'rpcPerSecond'> {
  return {
    nodeTimeoutMs: values.nodeTimeout,
    ethRpcBatchSize: values.ethRpcBatchSize,
    rpcPerSecond: byCoin(ACCOUNT_CODES, (coin) => values[coinSetting(coin, 'RpcPerSecond')]),
  };
}

function endpoint(url: URL, cookieFile: string | null): NodeEndpoint {
  const bare = new URL(url.href);
  bare.username = '';
  bare.password = '';
  const credentials =
    url.username === ''
      ? null
      : { user: decodeURIComponent(url.username), password: new Secret(decodeURIComponent(url.password)) };
  return { url: new Secret(bare.href), origin: url.origin, credentials, cookieFile };
}

function feeBounds(values: Values, coin: UtxoCoinCode, context: BuildContext): FeeBounds {
  const [floorName, capName] = [coinSetting(coin, 'FeeFloor'), coinSetting(coin, 'FeeCap')];
  const [floorPerKvb, capPerKvb] = [values[floorName], values[capName]];
  if (capPerKvb < floorPerKvb) complain(context, capName, `must not be below ${SETTINGS[floorName].env}`);
  return { floorPerKvb, capPerKvb };
}

function listWarnings(config: Config): string[] {
  const warnings: string[] = [];
  const isLive = Object.keys(config.nodes).length > 0;
  if (isLive && config.network !== 'regtest' && config.keyring.passphrase === null) {
    warnings.push(
      'no keyring passphrase is set: it is stored next to the keyring, so a copy of ' +
        'the data directory gives access to the funds',
    );
  }
  if (config.network === 'mainnet' && config.webhooks.allowPrivate) {
    warnings.push('webhooks may reach private addresses and use plain http on mainnet');
  }
  if (config.network === 'mainnet' && !config.http.baseUrl.startsWith('https://')) {
    warnings.push('the public address is not https: set TILLD_BASE_URL to what customers see');
  }
  if (config.network === 'mainnet' && config.http.adminListen === null) {
    warnings.push('the public address serves /metrics and the details of /readyz: set TILLD_ADMIN_LISTEN');
  }
  if (config.network === 'mainnet' && !isLive) {
    warnings.push(
      'the network is mainnet, but no node is configured: no coin can be paid (TILLD_BTC_RPC_URL and so on)',
    );
  }
  if (config.operatorEmail !== null && config.smtp === null) {
    warnings.push('TILLD_OPERATOR_EMAIL has no effect without TILLD_SMTP_URL: nobody is notified by email');
  }
  for (const file of config.secretFiles.filter(isReadableByAll)) {
    warnings.push(`every user of this machine can read ${file}, which contains a secret: chmod 600`);
  }
  if (config.auth.ratePerMinute === 0) warnings.push('the limit on login attempts is switched off');
  if (config.http.publicRatePerMinute === 0) {
    warnings.push('the limit on payments made with a public key is switched off');
  }
  return warnings;
}

/** Whether users other than owner and group may read a file. */
function isReadableByAll(file: string): boolean {
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o004) !== 0;
}

function feesConfig(
  values: Values,
  context: BuildContext,
): Pick<Config, 'fees' | 'ethFeeCap' | 'solFeeCap' | 'feePolicy'> {
  return {
    fees: byCoin(UTXO_CODES, (coin) => feeBounds(values, coin, context)),
    ethFeeCap: values.ethFeeCap,
    feePolicy: {
      bumpsFees: values.feeRaises === 'on',
      maxFeeShareBps: Number(values.feeMaxShare),
      limitDelayMs: values.limitDelay,
      forwardDelayMs: values.forwardDelay,
      forwardFeeShareBps: Number(values.forwardFeeShare),
      approvalTtlMs: values.approvalTtl,
      consolidateBelowRate: values.consolidateBelow,
    },
    solFeeCap: values.solFeeCap,
  };
}
