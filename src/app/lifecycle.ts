import type { CopyCheck } from './copy-check.ts';
import type { Maintenance } from './maintenance.ts';
import type { RevocationList } from './revocations.ts';
import type { RefundLinks } from './refund-links.ts';
import type { ScheduledBackups } from './scheduled-backups.ts';
import type { Simulator } from '../chains/simulator/simulator.ts';
import type { Config } from '../config/config.ts';
import type { ChainAdapter } from '../domain/chain.ts';
import type { Logger } from '../domain/ports.ts';
import type { DomainChecks } from '../workers/site-checks/domain-checks.ts';
import type { ReplicaWatch } from '../replica/watch.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { HttpServer } from '../http/http-server.ts';
import type { Certificate } from '../http/server/certificate.ts';
import type { DataDirLock } from '../store/sqlite/data-dir.ts';
import { anyUserExists } from '../store/accounts/users.ts';
import type { OpenDatabase } from '../store/sqlite/open.ts';
import type { IssuedAddresses } from '../wallet/issued-addresses.ts';
import type { LookAhead } from '../workers/chain-watcher/look-ahead.ts';
import type { UpdateFeed } from '../workers/update-feed/update-feed.ts';
import type { Watcher } from '../workers/chain-watcher/watcher.ts';
import type { WebhookQueue } from '../workers/webhook-delivery/queue.ts';

/** All running parts, in the order of data flow. */
export interface Components {
  readonly lock: DataDirLock;
  readonly database: OpenDatabase;
  readonly server: HttpServer;
  readonly rates: { start(): void | Promise<void>; stop(): void | Promise<void> };
  readonly queue: WebhookQueue;
  readonly mails: Scheduler;
  readonly notices: Scheduler;
  readonly upkeep: Maintenance;
  readonly copyCheck: CopyCheck;
  readonly backups: ScheduledBackups;
  readonly replica: ReplicaWatch | null;
  readonly certificate: Certificate | null;
  readonly updates: UpdateFeed | null;
  readonly domainChecks: DomainChecks;
  readonly watcher: Watcher;
  readonly lookAhead: LookAhead;
  readonly refundLinks: RefundLinks;
  readonly forwards: Scheduler;
  readonly subscriptions: Scheduler;
  readonly simulators: readonly Simulator[];
  readonly adapters: readonly ChainAdapter[];
  readonly issued: IssuedAddresses;
  readonly revocations: RevocationList;
  readonly setupToken: string;
  readonly wipeKeys: () => void;
}

export interface Started {
  /** The address it listens on. */
  readonly url: string;
  /** The operator's own address; null without one. */
  readonly operatorUrl: string | null;
  /** Whether an account exists. */
  readonly hasUsers: boolean;
  /** The setup token of the first user; null if an account exists, or registration is open. */
  readonly setupToken: string | null;
}

/** Starts parts after their dependencies; the port is opened last, so that no request is answered too early. */
export async function startComponents(config: Config, parts: Components): Promise<Started> {
  parts.replica?.start();
  await parts.rates.start();
  for (const simulator of parts.simulators) simulator.start();
  parts.lookAhead.start();
  parts.watcher.start();
  await parts.queue.start();
  parts.revocations.start();
  parts.mails.start();
  parts.notices.start();
  parts.upkeep.start();
  parts.copyCheck.start();
  parts.backups.start();
  parts.certificate?.start();
  parts.updates?.start();
  parts.domainChecks.start();
  parts.refundLinks.start();
  parts.forwards.start();
  parts.subscriptions.start();
  const { host, port, tls, adminListen } = config.http;
  const at = await parts.server.listen({ host, port });
  const hasUsers = await anyUserExists(parts.database.db);
  const needsSetup = config.auth.registration === 'first-user' && !hasUsers;
  return {
    url: toUrl(tls === null ? 'http' : 'https', host, at.public.port),
    operatorUrl:
      adminListen === null || at.operator === null ? null : toUrl('http', adminListen.host, at.operator.port),
    hasUsers,
    setupToken: needsSetup ? parts.setupToken : null,
  };
}

function toUrl(scheme: string, host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

type Step = readonly [name: string, stop: () => unknown];

/**
 * Stops in reverse order: no new requests and observations, then the deliveries in flight, then the database.
 * It does not wait for nodes that have not answered by then; the work resumes at the next start. A part that
 * fails to stop does not prevent the others from stopping.
 */
export async function shutDown(config: Config, logger: Logger, parts: Components): Promise<void> {
  // Two waits, and the remainder for closing the files.
  const waitMs = Math.floor(config.shutdownGraceMs * 0.4);
  const closeAdapters = async (): Promise<unknown> =>
    Promise.all(parts.adapters.map(async (adapter) => adapter.close()));
  const hangUp = setTimeout(() => {
    closeAdapters().catch((error: unknown) =>
      logger.error({ err: error }, 'closing the connections to a node failed at shutdown'),
    );
  }, waitMs / 2);
  const rounds: (readonly Step[])[] = [
    [
      ['http server', () => parts.server.close(waitMs)],
      ['watcher', () => parts.watcher.stop()],
      ['look-ahead', () => parts.lookAhead.stop()],
      ['simulators', () => Promise.all(parts.simulators.map((simulator) => simulator.stop()))],
      ['rates', () => parts.rates.stop()],
    ],
    [
      ['domain checks', () => parts.domainChecks.stop()],
      ['refund links', () => parts.refundLinks.stop()],
      ['forwards', () => parts.forwards.stop()],
      ['subscriptions', () => parts.subscriptions.stop()],
      ['notices', () => parts.notices.stop()],
      ['mails', () => parts.mails.stop()],
      ['upkeep', () => parts.upkeep.stop()],
      ['check of the copy', () => parts.copyCheck.stop()],
      ['scheduled backups', () => parts.backups.stop()],
      ['replica', () => parts.replica?.stop()],
      ['certificate', () => parts.certificate?.stop()],
      ['update feed', () => parts.updates?.stop()],
      ['webhook queue', () => parts.queue.stop({ deadlineMs: waitMs })],
    ],
    [['chain adapters', closeAdapters]],
    [['revocations', () => parts.revocations.stop()]],
    [['database', () => parts.database.close()]],
    [
      ['given addresses', () => parts.issued.close()],
      ['keyring', async () => parts.wipeKeys()],
    ],
    [['data directory', () => parts.lock.release()]],
  ];
  for (const steps of rounds) await Promise.all(steps.map(async (step) => stopOne(logger, step)));
  clearTimeout(hangUp);
}

async function stopOne(logger: Logger, [name, stop]: Step): Promise<void> {
  try {
    await stop();
  } catch (error) {
    logger.error({ err: error, part: name }, 'shutdown of a component failed');
  }
}
