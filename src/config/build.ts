import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Coin, Network } from '../domain/coins.ts';
import type { Config, FeeBounds, NodeEndpoint } from './config.ts';
import type { ConfigProblem } from './errors.ts';
import { Secret } from './secret.ts';
import { SETTINGS, type SettingName, type Values } from './settings.ts';

const MIN_JWT_SECRET_BYTES = 32;
const MIN_PASSPHRASE_LENGTH = 12;

export interface BuildContext {
  readonly file: string;
  /** Relative paths start here. */
  readonly cwd: string;
  /** For `~/` in paths. */
  readonly home: string | null;
  readonly problems: ConfigProblem[];
}

/** Puts the settings together and checks what no single one can tell. Adds to `context.problems`. */
export function buildConfig(given: Values, context: BuildContext): Config {
  const values = withUrlFiles(given, context);
  const network = values.network === 'none' ? null : values.network;
  const nodes = nodeEndpoints(values, network, context);
  const jwtSecret = secretOf(['jwtSecret', 'jwtSecretFile'], values, context);
  if (jwtSecret !== null && Buffer.byteLength(jwtSecret.reveal()) < MIN_JWT_SECRET_BYTES) {
    complain(context, 'jwtSecret', `must be ${MIN_JWT_SECRET_BYTES} bytes or more`);
  }
  if (network === 'mainnet' && values.rates !== null) {
    complain(context, 'rates', 'fixed prices are for regtest and tests: mainnet needs live');
  }
  if (values.rateMaxAge < values.rateRefresh) {
    complain(context, 'rateMaxAge', 'must not be shorter than the refresh interval');
  }
  const config: Config = {
    file: context.file,
    network,
    dataDir: pathOf(values.dataDir, context),
    logLevel: values.logLevel,
    shutdownGraceMs: values.shutdownGrace,
    http: httpConfig(values, context),
    auth: {
      registration: values.registration,
      ratePerMinute: values.authRate,
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
    confirmations: {
      BTC: values.btcConfirmations,
      ETH: values.ethConfirmations,
      LTC: values.ltcConfirmations,
      SOL: values.solConfirmations,
    },
    ...feesConfig(values, context),
    watcher: { pollIntervalMs: values.pollInterval ?? (network === 'mainnet' ? 5000 : 1000) },
    reconcileIntervalMs: values.reconcileInterval,
    payments: {
      lifetimeMinutes: values.paymentLifetime,
      toleranceBps: Number(values.tolerance),
      latePolicy: values.latePayments,
    },
    waiting: { unconfirmedGraceMs: values.unconfirmedGrace, dropAfterMs: values.dropAfter },
    webhooks: webhooksConfig(values, network),
    domains: { dnsServers: values.dnsServers ?? [] },
    rates: {
      fixed: values.rates,
      sources: [...new Set(values.rateSources)],
      refreshIntervalMs: values.rateRefresh,
      maxAgeMs: values.rateMaxAge,
      timeoutMs: values.rateTimeout,
    },
    sandbox: {
      fallbackRates: values.sandboxRates,
      blockIntervalMs: values.sandboxBlocks,
      confirmations: values.sandboxConfirmations,
    },
    smtp: smtpConfig(values),
    warnings: [],
  };
  return { ...config, warnings: warningsOf(config) };
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
      : { certFile: pathOf(tlsCert, context), keyFile: pathOf(tlsKey, context) };
  const { baseUrl } = values;
  if (baseUrl !== undefined && (baseUrl.username !== '' || baseUrl.search !== '' || baseUrl.hash !== '')) {
    complain(context, 'baseUrl', 'must not have a user, a query or a fragment');
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
  };
}

function keyringConfig(values: Values, context: BuildContext): Config['keyring'] {
  const passphrase = secretOf(['passphrase', 'passphraseFile'], values, context);
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

function webhooksConfig(values: Values, network: Network | null): Config['webhooks'] {
  return {
    allowPrivate: values.allowPrivateWebhooks ?? (network === null || network === 'regtest'),
    timeoutMs: values.webhookTimeout,
    concurrency: values.webhookConcurrency,
    retryGapsMs: values.webhookRetryGaps,
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
  const named = [
    ['BTC', 'btcRpcUrl', 'btcCookieFile'],
    ['LTC', 'ltcRpcUrl', 'ltcCookieFile'],
    ['ETH', 'ethRpcUrl', null],
    ['SOL', 'solRpcUrl', null],
  ] as const;
  for (const [coin, urlName, cookieName] of named) {
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
    nodes[coin] = endpoint(url, cookie === undefined ? null : pathOf(cookie, context));
  }
  return nodes;
}

function rpcConfig(values: Values): Pick<Config, 'nodeTimeoutMs' | 'ethRpcBatchSize' | 'rpcPerSecond'> {
  return {
    nodeTimeoutMs: values.nodeTimeout,
    ethRpcBatchSize: values.ethRpcBatchSize,
    rpcPerSecond: { ETH: values.ethRpcPerSecond, SOL: values.solRpcPerSecond },
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

function feeBounds(
  values: Values,
  floorName: 'btcFeeFloor' | 'ltcFeeFloor',
  capName: 'btcFeeCap' | 'ltcFeeCap',
  context: BuildContext,
): FeeBounds {
  const [floorPerKvb, capPerKvb] = [values[floorName], values[capName]];
  if (capPerKvb < floorPerKvb) complain(context, capName, `must not be below ${SETTINGS[floorName].env}`);
  return { floorPerKvb, capPerKvb };
}

const URL_FILES = [
  ['btcRpcUrl', 'btcRpcUrlFile'],
  ['ltcRpcUrl', 'ltcRpcUrlFile'],
  ['ethRpcUrl', 'ethRpcUrlFile'],
  ['solRpcUrl', 'solRpcUrlFile'],
  ['smtpUrl', 'smtpUrlFile'],
] as const;

/** Addresses hold passwords and keys: each may lie in a file. An empty file counts as not given. */
function withUrlFiles(values: Values, context: BuildContext): Values {
  const held: Partial<Record<(typeof URL_FILES)[number][0], URL>> = {};
  for (const [direct, byFile] of URL_FILES) {
    const file = values[byFile];
    if (file === undefined) continue;
    if (values[direct] !== undefined) {
      complain(context, byFile, `cannot go with ${SETTINGS[direct].env}: choose one`);
      continue;
    }
    const text = textOf(byFile, file, context);
    if (text === null || text === '') continue;
    const parsed = SETTINGS[direct].schema.safeParse(text);
    if (parsed.success) held[direct] = parsed.data;
    else
      complain(context, byFile, `the file: ${parsed.error.issues.map(({ message }) => message).join('; ')}`);
  }
  return { ...values, ...held };
}

/** What a file holds, without the white space around it; null when it cannot be read, which is a problem. */
function textOf(name: SettingName, file: string, context: BuildContext): string | null {
  try {
    return readFileSync(pathOf(file, context), 'utf8').trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    complain(context, name, `the file cannot be read (${code})`);
    return null;
  }
}

/** A secret given directly or by the file that holds it (Docker and systemd credentials). */
function secretOf(
  [direct, byFile]: readonly ['jwtSecret', 'jwtSecretFile'] | readonly ['passphrase', 'passphraseFile'],
  values: Values,
  context: BuildContext,
): Secret | null {
  const [given, file] = [values[direct], values[byFile]];
  if (given !== undefined && file !== undefined) {
    complain(context, byFile, `cannot go with ${SETTINGS[direct].env}: choose one`);
  }
  if (given !== undefined) return new Secret(given);
  if (file === undefined) return null;
  const held = textOf(byFile, file, context);
  if (held === null) return null;
  if (held !== '') return new Secret(held);
  complain(context, byFile, 'the file is empty');
  return null;
}

function warningsOf(config: Config): string[] {
  const warnings: string[] = [];
  const isLive = Object.keys(config.nodes).length > 0;
  if (isLive && config.network !== 'regtest' && config.keyring.passphrase === null) {
    warnings.push(
      'no keyring passphrase is set: it is kept beside the keyring, so whoever copies the data directory has the funds',
    );
  }
  if (config.network === 'mainnet' && config.webhooks.allowPrivate) {
    warnings.push('webhooks may reach private addresses and use plain http on mainnet');
  }
  if (config.network === 'mainnet' && !config.http.baseUrl.startsWith('https://')) {
    warnings.push('the public address is not https: set TILLD_BASE_URL to what customers see');
  }
  if (config.auth.ratePerMinute === 0) warnings.push('the limit on login attempts is switched off');
  if (config.http.publicRatePerMinute === 0) {
    warnings.push('the limit on payments made with a public key is switched off');
  }
  return warnings;
}

function pathOf(path: string, { cwd, home }: BuildContext): string {
  return path.startsWith('~/') && home !== null ? resolve(home, path.slice(2)) : resolve(cwd, path);
}

function complain(context: BuildContext, name: SettingName, message: string): void {
  const { env, yaml } = SETTINGS[name];
  // What follows from a value that is itself wrong, or was said already, would only confuse.
  const isKnown = context.problems.some(
    ({ variable }) => variable !== null && (variable === env || message.includes(variable)),
  );
  if (isKnown) return;
  context.problems.push({ variable: env, path: yaml, message });
}

function feesConfig(
  values: Values,
  context: BuildContext,
): Pick<Config, 'fees' | 'ethFeeCap' | 'solFeeCap' | 'feePolicy'> {
  return {
    fees: {
      BTC: feeBounds(values, 'btcFeeFloor', 'btcFeeCap', context),
      LTC: feeBounds(values, 'ltcFeeFloor', 'ltcFeeCap', context),
    },
    ethFeeCap: values.ethFeeCap,
    feePolicy: {
      raisesFees: values.feeRaises === 'on',
      maxFeeShareBps: Number(values.feeMaxShare),
      consolidateBelowRate: values.consolidateBelow,
    },
    solFeeCap: values.solFeeCap,
  };
}
