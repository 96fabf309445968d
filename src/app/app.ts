import { join } from 'node:path';
import { toChains, confirmationPolicies, createLiveAdapters, createSimulators } from './chains.ts';
import { createHttp } from './http.ts';
import type { LogOutput } from './log-output.ts';
import { createMailDelivery } from './mail.ts';
import { createMetrics } from './metrics.ts';
import { createNotices } from './notices.ts';
import { createForwardJob } from './forwards.ts';
import { createRefundLinks } from './refund-links.ts';
import { createSubscriptionJob } from './subscriptions.ts';
import { createMaintenance } from './maintenance.ts';
import { CopyCheck } from './copy-check.ts';
import { ScheduledBackups } from './scheduled-backups.ts';
import { startComponents, shutDown, type Components, type Started } from './lifecycle.ts';
import type { Simulator } from '../chains/simulator/simulator.ts';
import type { Config } from '../config/config.ts';
import { packageVersion } from '../config/package-root.ts';
import { Certificate } from '../http/server/certificate.ts';
import type { ChainAdapter } from '../domain/chain.ts';
import type { KeySource, SecretBox } from '../domain/keys.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import { DomainChecks } from '../workers/site-checks/domain-checks.ts';
import { hostResolver, resolveHost } from '../egress/resolve.ts';
import { urlRule } from '../egress/url-rule.ts';
import { UpdateFeed, type UpdateFeedDeps } from '../workers/update-feed/update-feed.ts';
import { meterAdapter } from '../metrics/metered-adapter.ts';
import type { NodeMetrics } from '../metrics/node-metrics.ts';
import { readEpoch } from '../replica/epoch.ts';
import { assertNotFenced } from '../replica/assert-not-fenced.ts';
import { openReplicaWatch } from './replica.ts';
import { quorumRatesStore } from '../store/rates/quorum-rates.ts';
import { currenciesInUse } from '../store/rates/currencies-in-use.ts';
import { createRates, type RateService } from '../rates/service.ts';
import type { RateSource } from '../rates/source.ts';
import { RevocationList } from './revocations.ts';
import { lockDataDir, type DataDirLock } from '../store/sqlite/data-dir.ts';
import type { Db } from '../store/sqlite/database.ts';
import { openDatabase, type OpenDatabase } from '../store/sqlite/open.ts';
import { OlderDatabaseMark } from '../store/sqlite/older-database.ts';
import { DATABASE_FILE, refuseLostDatabase, unlockWallet } from './unlock-wallet.ts';
import { openWallet } from './wallet.ts';
import { createPasswordHasher, createJwtTokens, newSetupToken } from '../usecases/accounts/index.ts';
import type { RecordCheckDeps } from '../usecases/shops/index.ts';
import { PaymentChangeBus } from '../usecases/payments/index.ts';
import { InFlightSends, type SendCoinsDeps } from '../usecases/wallet/index.ts';
import { DEFAULT_SEND_POLICY, type SendPolicy } from '../domain/send/policy.ts';
import { Watcher, type LoopIntervals } from '../workers/chain-watcher/watcher.ts';
import type { Keyring } from '../wallet/keyring.ts';
import { createSecretBox, defaultJwtSecret } from '../wallet/secret-box.ts';
import { WebhookQueue } from '../workers/webhook-delivery/queue.ts';

/** A daemon, constructed and not yet running. */
export interface App {
  /** Starts everything. */
  start(): Promise<Started>;
  /** Re-reads the TLS files. */
  reload(): void;
  /** Drains and stops everything; nothing is left half-done. */
  stop(): Promise<void>;
}

export interface AppOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** The output of the logger; for tests that do not write to one, none. */
  readonly log?: LogOutput;
  /** Injected so that tests control time. */
  readonly clock?: Clock;
  readonly sendPolicy?: SendPolicy;
  /** Intervals of the watcher's loops, for tests with compressed time. */
  readonly intervals?: LoopIntervals;
  /** Price sources instead of the public ones; for tests. */
  readonly rateSources?: readonly RateSource[];
  /** Checks each response against its documented schema; for tests. */
  readonly checkAnswers?: boolean;
  /** Called when another machine has taken over; by default ends the process. */
  readonly onTakenOver?: () => void;
}

const SYSTEM_CLOCK: Clock = { now: () => Date.now() };
const DELIVERIES_PER_ENDPOINT = 4;
/** How long a write waits for another process's lock; the whole daemon waits with it. */
const BUSY_TIMEOUT_MS = 250;
/**
 * Litestream holds the lock during a checkpoint: some 100 ms under load, and up to a second while an export
 * is read.
 */
const BUSY_TIMEOUT_REPLICATED_MS = 2_000;

/**
 * The composition root, the only place that constructs parts. Locks the data directory for this process,
 * opens the database, unlocks the keyring and wires the parts; on failure releases all of them.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, logger } = options;
  const lock = lockDataDir(config.dataDir);
  try {
    await refuseLostDatabase(config.dataDir);
    const file = join(config.dataDir, DATABASE_FILE);
    const database = await openDatabase(file, {
      logger,
      busyTimeoutMs: config.replica === null ? BUSY_TIMEOUT_MS : BUSY_TIMEOUT_REPLICATED_MS,
      leavesCheckpoints: config.replica !== null,
    });
    try {
      await assertNotFenced(config.replica, await readEpoch(database.db), config.isOtherMachineOff);
      const keyring = await unlockWallet({ db: database.db, config, logger });
      const parts = await compose(options, { lock, database, keyring });
      return {
        start: () => startComponents(config, parts),
        reload: () => parts.certificate?.reload(),
        stop: () => shutDown(config, logger, parts),
      };
    } catch (error) {
      await database.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface Ground {
  readonly lock: DataDirLock;
  readonly database: OpenDatabase;
  readonly keyring: Keyring;
}

async function compose(options: AppOptions, ground: Ground): Promise<Components> {
  const { lock, database, keyring } = ground;
  const { config, logger, clock = SYSTEM_CLOCK } = options;
  const { db } = database;
  const { wallet, issued, lookAhead, ...addresses } = await openWallet({ ...ground, config, clock, logger });
  const revocations = await RevocationList.open({ config, db, keyring, clock, logger });
  const secretBox = createSecretBox(keyring);
  const rates = createPrices(options, { db, clock, logger });
  const simulators = createSimulators({ config, db, clock, logger });
  const metrics = createMetrics();
  const adapters = createAdapters({ config, db, clock, logger }, metrics.nodes, simulators);
  const queue = createQueue(config, { db, clock, logger, secretBox });
  const news = new PaymentChangeBus();
  const shared = {
    db,
    clock,
    logger,
    rates,
    secretBox,
    chains: toChains(adapters),
    ...addresses,
    baseUrl: config.http.baseUrl,
    confirmations: confirmationPolicies(config),
    ...config.waiting,
    wakeWebhooks: () => queue.wake(),
    onPaymentChanged: news.tell,
    webhookUrlRule: urlRule(config.webhooks),
  };
  const sending = createSending(options, wallet);
  const domainChecks = createDomainChecks(config, shared);
  const watcher = new Watcher({ ...shared, ...sending }, adapters, {
    pollIntervalMs: config.watcher.pollIntervalMs,
    intervals: options.intervals,
    metrics: metrics.nodes,
  });
  // Clients neither see nor use a coin whose node serves another network.
  const trusted = { ...shared, ...sending, config, chains: watcher.trusted() };
  const refundLinks = createRefundLinks(trusted);
  const jobs = { forwards: createForwardJob(trusted), subscriptions: createSubscriptionJob(trusted) };
  const upkeep = createMaintenance({ config, database, clock, logger, adapters, watcher, observe: shared });
  const version = packageVersion();
  const { operator, ...kept } = await createSafekeeping({ ...options, ...ground, clock, rates, version });
  const [chains, uncredited] = [() => upkeep.chains(), () => watcher.uncredited()];
  metrics.measure({ config, db, clock, rates, ...kept, chains, uncredited, version });
  const setupToken = newSetupToken();
  const server = createHttp({
    ...trusted,
    version,
    ...operator,
    news,
    upkeep,
    registry: metrics.registry,
    config,
    queue,
    refundLinks,
    domainChecks,
    watcher,
    simulators,
    setupToken,
    hasLiveCoin: adapters.some((adapter) => adapter.mode === 'live'),
    tokens: createJwtTokens({ secret: jwtSecret(config, keyring), clock }),
    passwords: await createPasswordHasher(config.auth.passwordHash),
    checkAnswers: options.checkAnswers ?? false,
  });
  const mails = createMailDelivery({ ...shared, config });
  const notices = createNotices({ ...shared, config, watcher, faults: operator.troubles });
  const loops = { rates, queue, mails, notices, upkeep, ...kept, domainChecks, refundLinks, simulators };
  const resources = { lock, database, issued, revocations, setupToken, wipeKeys: () => keyring.wipe() };
  return { ...resources, server, ...loops, ...jobs, watcher, lookAhead, adapters };
}

function createPrices(
  { config, rateSources: sources }: AppOptions,
  parts: { db: Db; clock: Clock; logger: Logger },
) {
  return createRates({
    config: config.rates,
    sandboxFallback: config.sandbox.fallbackRates,
    inUse: async () => currenciesInUse(parts.db),
    quorumRates: quorumRatesStore(parts.db),
    ...parts,
    ...(sources === undefined ? {} : { sources }),
  });
}

/** Copies of the database, the certificate, and the warnings of /readyz that are not about a chain. */
async function createSafekeeping(
  deps: AppOptions &
    Ground & { clock: Clock; rates: Pick<RateService, 'warnings' | 'problems'>; version: string },
) {
  const { config, database, keyring, clock, logger, rates, log = null, onTakenOver } = deps;
  const olderDatabase = new OlderDatabaseMark(config.dataDir);
  const backups = new ScheduledBackups({ config, fingerprint: keyring.fingerprint, clock, logger });
  const replica = await openReplicaWatch({ config, db: database.db, clock, logger, onTakenOver });
  const copyCheck = new CopyCheck({ config, db: database.db, logger });
  const { tls } = config.http;
  const certificate = tls === null ? null : new Certificate(tls, { clock, logger });
  const updates = await openUpdateFeed(config, { db: database.db, clock, logger, version: deps.version });
  const sources = [rates, olderDatabase, copyCheck, backups, replica, certificate, log, updates];
  const operator = {
    certificate,
    warnings: () => sources.flatMap((source) => source?.warnings() ?? []),
    backup: () => backups.status(),
    backupAge: () => backups.age(),
    replica: () => replica?.status() ?? null,
    update: () => updates?.available() ?? null,
    troubles: {
      isBackupTooOld: () => backups.warnings().length > 0,
      areRatesUnsure: () => rates.problems().length > 0,
      isReplicaBehind: () => (replica?.warnings() ?? []).length > 0,
      isCertificateEnding: () => certificate?.isEnding() ?? false,
      newerRelease: () => updates?.available() ?? null,
    },
  };
  return { olderDatabase, copyCheck, backups, replica, certificate, log, updates, operator };
}

async function openUpdateFeed(
  { updates, webhooks }: Config,
  deps: Pick<UpdateFeedDeps, 'db' | 'clock' | 'logger' | 'version'>,
): Promise<UpdateFeed | null> {
  if (updates === null) return null;
  const egress = { allowPrivate: webhooks.allowPrivate, resolve: resolveHost };
  return UpdateFeed.open({ ...deps, ...updates, egress });
}

/** Dependencies of the parts that send coins, and of no others: they can sign, but hold no key. */
function createSending(
  { config, sendPolicy }: AppOptions,
  keys: KeySource,
): Pick<SendCoinsDeps, 'sign' | 'policy' | 'inFlight'> {
  return {
    sign: async (adapter, plan) => adapter.signSend(plan, keys),
    policy: sendPolicy ?? { ...DEFAULT_SEND_POLICY, ...config.feePolicy },
    inFlight: new InFlightSends(),
  };
}

/** Adapters of every chain: the live ones with metrics, and the sandbox's. */
function createAdapters(
  deps: Parameters<typeof createLiveAdapters>[0],
  nodes: NodeMetrics,
  simulators: readonly Simulator[],
): ChainAdapter[] {
  const live = createLiveAdapters({ ...deps, onPoll: nodes.accountsPolled, onAnswer: nodes.answered });
  return [
    ...live.map((adapter) => meterAdapter(adapter, nodes, deps.clock)),
    ...simulators.map((simulator) => simulator.adapter),
  ];
}

interface StoredWork {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
}

function createQueue(config: Config, deps: StoredWork): WebhookQueue {
  const { allowPrivate, timeoutMs, concurrency, retryDelaysMs } = config.webhooks;
  return new WebhookQueue({
    ...deps,
    egress: { allowPrivate, resolve: resolveHost },
    limits: { attemptLimitMs: timeoutMs, concurrency, perEndpoint: DELIVERIES_PER_ENDPOINT, retryDelaysMs },
  });
}

function createDomainChecks(config: Config, deps: RecordCheckDeps): DomainChecks {
  const { dnsServers } = config.domains;
  const egress = { allowPrivate: config.webhooks.allowPrivate, resolve: hostResolver(dnsServers) };
  return new DomainChecks(deps, { egress, dnsServers });
}

function jwtSecret(config: Config, keyring: Keyring): Uint8Array {
  const configured = config.auth.jwtSecret;
  return configured === null ? defaultJwtSecret(keyring) : new TextEncoder().encode(configured.reveal());
}
