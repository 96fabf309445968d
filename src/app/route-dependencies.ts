import type { Registry } from 'prom-client';
import { simulatorControls } from './chains.ts';
import type { Maintenance } from './maintenance.ts';
import type { RefundLinks } from './refund-links.ts';
import type { BackupStatus } from './scheduled-backups.ts';
import type { Simulator } from '../chains/simulator/simulator.ts';
import type { Config } from '../config/config.ts';
import type { DomainChecks } from '../workers/site-checks/domain-checks.ts';
import type { Coin, Mode } from '../domain/coins.ts';
import type { FindListedProblem, ReadReceiveBranch, ReadWatchAccount, SecretBox } from '../domain/keys.ts';
import type { Certificate } from '../http/server/certificate.ts';
import type { ReplicaStatus } from '../replica/watch.ts';
import type { ServerFaults } from '../usecases/attention/index.ts';
import {
  createLoginThrottle,
  noLoginThrottle,
  type PasswordHasher,
  type JwtTokens,
} from '../usecases/accounts/index.ts';
import { type BackupAge, redirectRule } from '../usecases/shops/index.ts';
import type { CreatePaymentDeps, PaymentChangeBus } from '../usecases/payments/index.ts';
import { LongPollWaiters } from '../usecases/webhooks/index.ts';
import type { SendCoinsDeps } from '../usecases/wallet/index.ts';
import type { Watcher } from '../workers/chain-watcher/watcher.ts';
import type { WebhookQueue } from '../workers/webhook-delivery/queue.ts';

/** Dependencies of the routes: those of the use cases, and the running parts they call. */
export interface HttpDeps extends CreatePaymentDeps, SendCoinsDeps {
  readonly readReceiveBranch: ReadReceiveBranch;
  readonly readWatchAccount: ReadWatchAccount;
  readonly findListedProblem: FindListedProblem;
  readonly rates: CreatePaymentDeps['rates'];
  readonly config: Config;
  readonly secretBox: SecretBox;
  readonly tokens: JwtTokens;
  readonly passwords: PasswordHasher;
  readonly queue: WebhookQueue;
  readonly refundLinks: RefundLinks;
  readonly news: PaymentChangeBus;
  readonly domainChecks: DomainChecks;
  readonly watcher: Watcher;
  readonly upkeep: Maintenance;
  readonly registry: Registry;
  readonly simulators: readonly Simulator[];
  readonly hasLiveCoin: boolean;
  /** The setup token of the first user, if only that one may register. */
  readonly setupToken: string;
  readonly checkAnswers: boolean;
  readonly version: string;
  /** Warnings for the operator that are not about a chain. */
  readonly warnings: () => readonly string[];
  readonly backup: () => BackupStatus;
  readonly backupAge: () => BackupAge;
  readonly replica: () => ReplicaStatus | null;
  /** A newer release than the running one. */
  readonly update: ServerFaults['newerRelease'];
  /** Null for plain HTTP. */
  readonly certificate: Certificate | null;
  readonly troubles: ServerFaults;
}

/** Dependencies of each group of routes and pages, by least privilege: only routes that send coins can sign. */
export function routeDependencies(deps: HttpDeps) {
  const { config, db, clock, logger, secretBox, rates, chains, baseUrl, wakeWebhooks, watcher } = deps;
  const { deriver, toWatchKey, webhookUrlRule, onPaymentChanged, unconfirmedGraceMs, confirmations } = deps;
  const store = { db, clock };
  const grace = unconfirmedGraceMs === undefined ? {} : { unconfirmedGraceMs };
  const views = { ...store, chains, baseUrl, confirmations };
  const payments = { ...views, logger, rates, onPaymentChanged, wakeWebhooks, ...grace };
  const addresses = { deriver, toWatchKey };
  const simulation = {
    simulators: simulatorControls(deps.simulators),
    wakeWatcher: (coin: Coin, mode: Mode) => watcher.wake(coin, mode),
  };
  const account = {
    ...store,
    logger,
    passwords: deps.passwords,
    tokens: deps.tokens,
    secretBox,
    guard: config.auth.ratePerMinute === 0 ? noLoginThrottle() : createLoginThrottle(clock),
    baseUrl,
    hasMailServer: config.smtp !== null,
  };
  const { explorers } = config;
  const payerExplorers = explorers.forPayers ? explorers.byCoin : {};
  const sends = { ...payments, ...signing(deps) };
  const hasMailServer = config.smtp !== null;
  const receipts = { ...views, payerExplorers, secretBox, hasMailServer };
  const followedChains = () => watcher.health();
  return {
    auth: {
      ...account,
      registration: config.auth.registration,
      setupToken: deps.setupToken,
      explorers: explorers.byCoin,
    },
    merchants: {
      ...store,
      ...addresses,
      secretBox,
      defaults: config.payments,
      shopsPerAccount: config.auth.shopsPerAccount,
      hasLiveCoin: deps.hasLiveCoin,
      webhookUrlRule,
      wakeWebhooks,
      followedChains,
    },
    setup: { db, followedChains, backupAge: deps.backupAge },
    attention: { ...views, followedChains, faults: deps.troubles },
    domains: { ...store, logger, wakeWebhooks, checker: deps.domainChecks },
    keys: { ...store, secretBox },
    catalog: { ...store, logger, secretBox },
    people: { ...store, secretBox, baseUrl, hasMailServer },
    connect: { ...store, secretBox, redirectRule: redirectRule(config.webhooks.allowPrivate) },
    store,
    payments: { ...payments, ...addresses, webhookUrlRule, secretBox },
    sends,
    ...walletRules(deps),
    refundLinks: { ...payments, deriver, secretBox, sendClaims: async () => deps.refundLinks.sendClaims() },
    notices: { ...store, secretBox, hasMailServer },
    links: { ...store, baseUrl },
    rates: { rates },
    sandbox: { ...payments, ...simulation },
    webhooks: { ...store, logger, attempts: deps.queue },
    endpoints: { ...store, secretBox, webhookUrlRule, wakeWebhooks },
    events: { ...store, waiters: new LongPollWaiters() },
    frames: { ...views, payerExplorers, news: deps.news },
    checkout: { ...payments, ...simulation, ...receipts },
    receipts,
  };
}

function signing({ deriver, sign, policy, inFlight, readWatchAccount }: HttpDeps) {
  return { deriver, sign, policy, inFlight, readWatchAccount };
}

/** Rules that lead money to another wallet. */
function walletRules(deps: HttpDeps) {
  const { db, clock, logger, chains, policy, secretBox, readReceiveBranch, readWatchAccount } = deps;
  const { deriver, findListedProblem } = deps;
  const rules = { db, clock, logger, chains, policy };
  return {
    forwards: { ...rules, readReceiveBranch },
    watch: { ...rules, secretBox, readWatchAccount, findListedProblem, deriver },
  };
}

export type RouteDependencies = ReturnType<typeof routeDependencies>;
