import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { CheckOutcome, VerificationMethod } from '../../domain/domain-verification.ts';
import { AppError, assertNever } from '../../domain/errors.ts';
import type { EgressPolicy } from '../../egress/guarded-fetch.ts';
import {
  type DomainChecker,
  type DomainTarget,
  recheckDomains,
  type RecordCheckDeps,
} from '../../usecases/shops/index.ts';
import { Scheduler } from '../../scheduler/scheduler.ts';
import { CheckQuota } from './check-quota.ts';
import { checkDns } from './dns-check.ts';
import { checkFile } from './file-check.ts';
import { toFinding, type Finding } from './finding.ts';
import { checkMeta } from './meta-check.ts';
import type { SiteOptions } from './site.ts';

interface DomainCheckLimits {
  /** Timeout of one whole check, retry included. */
  readonly checkTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly dnsTimeoutMs: number;
  /** Pause before the retry of a domain that did not respond. */
  readonly retryAfterMs: number;
  /** Checks one merchant may request. */
  readonly perMinute: number;
}

const DEFAULT_LIMITS: DomainCheckLimits = {
  checkTimeoutMs: 15_000,
  requestTimeoutMs: 6_000,
  dnsTimeoutMs: 2_000,
  retryAfterMs: 500,
  perMinute: 30,
};

export interface DomainChecksOptions {
  readonly egress: EgressPolicy;
  readonly dnsServers: readonly string[];
  readonly ports?: SiteOptions['ports'];
  readonly limits?: Partial<DomainCheckLimits>;
}

const EVERY_QUARTER_MINUTE_MS = 15_000;
const WEB_PORTS = { https: 443, http: 80 };
const CONCURRENCY = 8;
const WAITING = 64;
const TRIES = 2;

/**
 * Checks domains: on request, and periodically those that are due. Requests and the schedule have
 * concurrency limits of their own, so that neither waits for the other.
 */
export class DomainChecks implements DomainChecker {
  readonly #deps: RecordCheckDeps;
  readonly #dns: { readonly servers: readonly string[]; readonly queryTimeoutMs: number };
  readonly #site: SiteOptions;
  readonly #limits: DomainCheckLimits;
  readonly #quota: CheckQuota;
  readonly #asked = pLimit(CONCURRENCY);
  readonly #due = pLimit(CONCURRENCY);
  readonly #stopping = new AbortController();
  readonly #jobs: Scheduler;
  #run: Promise<void> | null = null;

  constructor(deps: RecordCheckDeps, options: DomainChecksOptions) {
    this.#deps = deps;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { dnsTimeoutMs: queryTimeoutMs, requestTimeoutMs, perMinute } = this.#limits;
    this.#dns = { servers: options.dnsServers, queryTimeoutMs };
    this.#site = { egress: options.egress, ports: options.ports ?? WEB_PORTS, requestTimeoutMs };
    this.#quota = new CheckQuota(perMinute, () => deps.clock.now());
    this.#jobs = new Scheduler(deps.logger).every(
      'domain-checks',
      EVERY_QUARTER_MINUTE_MS,
      async () => this.recheck(),
      { pausesFirst: true },
    );
  }

  start(): void {
    this.#jobs.start();
  }

  /** Aborts running checks: their results are not recorded, and they stay due. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#jobs.stop();
    await this.#run;
  }

  /** Checks the domains that are due now, and waits for them. Never throws. */
  async recheck(): Promise<void> {
    this.#run ??= this.#recheck().finally(() => {
      this.#run = null;
    });
    await this.#run;
  }

  async check(target: DomainTarget, method: VerificationMethod): Promise<CheckOutcome> {
    if (!this.#quota.take(target.merchantId) || this.#asked.pendingCount >= WAITING)
      throw new AppError('RATE_LIMITED', 'too many domain checks were requested: wait a minute');
    return this.#asked(() => this.#checkDomain(target, method));
  }

  async #recheck(): Promise<void> {
    const { logger } = this.#deps;
    const checker: DomainChecker = {
      check: (target, method) => this.#due(() => this.#checkDomain(target, method)),
    };
    try {
      const checked = await recheckDomains({ ...this.#deps, checker }, this.#stopping.signal);
      if (checked > 0) logger.info({ checked }, 'scheduled domain verification checks finished');
    } catch (error) {
      logger.error({ err: error }, 'scheduled domain verification checks failed; will retry');
    }
  }

  async #checkDomain(target: DomainTarget, method: VerificationMethod): Promise<CheckOutcome> {
    const startedMs = performance.now();
    const stopping = this.#stopping.signal;
    stopping.throwIfAborted();
    const timeout = AbortSignal.timeout(this.#limits.checkTimeoutMs);
    const signal = AbortSignal.any([stopping, timeout]);
    let finding: Finding;
    try {
      finding = await this.#tryTwice(target, method, signal);
    } catch (error) {
      stopping.throwIfAborted();
      if (!timeout.aborted) throw error;
      const kind = method === 'dns' ? 'unknown' : 'unreachable';
      finding = { kind, reason: `${method}: no answer within ${this.#limits.checkTimeoutMs} ms` };
    }
    const { merchantId, domain } = target;
    const durationMs = Math.round(performance.now() - startedMs);
    this.#deps.logger.info(
      { merchantId, domain, method, finding, durationMs },
      'domain verification checked',
    );
    return finding.kind === 'proven' ? { kind: 'proven', method } : finding;
  }

  /** Retries once if there was no response at all; never after a response. */
  async #tryTwice(target: DomainTarget, method: VerificationMethod, signal: AbortSignal): Promise<Finding> {
    let finding = await this.#checkOnce(target, method, signal);
    for (let tries = 1; tries < TRIES; tries += 1) {
      if (finding.kind === 'proven' || finding.kind === 'absent') break;
      await sleep(this.#limits.retryAfterMs, undefined, { signal });
      finding = await this.#checkOnce(target, method, signal);
    }
    return finding;
  }

  async #checkOnce(target: DomainTarget, method: VerificationMethod, signal: AbortSignal): Promise<Finding> {
    try {
      switch (method) {
        case 'dns':
          return await checkDns(this.#dns, target, signal);
        case 'file':
          return await checkFile(this.#site, target, signal);
        case 'meta':
          return await checkMeta(this.#site, target, signal);
        default:
          return assertNever(method);
      }
    } catch (error) {
      const finding = toFinding(error);
      return finding.kind === 'proven' ? finding : { ...finding, reason: `${method}: ${finding.reason}` };
    }
  }
}
