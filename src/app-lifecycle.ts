import type { MailDelivery } from './app-mail.ts';
import type { Simulator } from './chains/simulator/simulator.ts';
import type { Config } from './config/config.ts';
import type { ChainAdapter } from './domain/chain.ts';
import type { Logger } from './domain/ports.ts';
import type { DomainChecks } from './domain-checks/domain-checks.ts';
import type { HttpServer } from './http/server.ts';
import type { DataDirLock } from './store/data-dir.ts';
import type { OpenDatabase } from './store/open.ts';
import type { Watcher } from './watcher/watcher.ts';
import type { WebhookHousekeeping } from './webhooks/housekeeping.ts';
import type { WebhookQueue } from './webhooks/queue.ts';

/** Everything that runs, in the order in which data flows. */
export interface RunningParts {
  readonly lock: DataDirLock;
  readonly database: OpenDatabase;
  readonly server: HttpServer;
  readonly rates: { start(): void | Promise<void>; stop(): void | Promise<void> };
  readonly queue: WebhookQueue;
  readonly pruning: WebhookHousekeeping;
  readonly mails: MailDelivery;
  readonly domainChecks: DomainChecks;
  readonly watcher: Watcher;
  readonly simulators: readonly Simulator[];
  readonly adapters: readonly ChainAdapter[];
  readonly wipeKeys: () => void;
}

/** Starts what others need first; the address is opened last, so that nobody is answered too early. */
export async function startParts(config: Config, parts: RunningParts): Promise<{ url: string }> {
  await parts.rates.start();
  for (const simulator of parts.simulators) simulator.start();
  parts.watcher.start();
  await parts.queue.start();
  parts.pruning.start();
  parts.mails.start();
  parts.domainChecks.start();
  const { port } = await parts.server.listen({ host: config.http.host, port: config.http.port });
  const scheme = config.http.tls === null ? 'http' : 'https';
  const host = config.http.host.includes(':') ? `[${config.http.host}]` : config.http.host;
  return { url: `${scheme}://${host}:${port}` };
}

/**
 * Stops in the opposite order: no new requests, then no new observations, then the deliveries
 * under way, then the database. One part that fails to stop does not keep the others running.
 */
export async function stopParts(config: Config, logger: Logger, parts: RunningParts): Promise<void> {
  const half = Math.floor(config.shutdownGraceMs / 2);
  const steps: [string, () => unknown][] = [
    ['http server', () => parts.server.close(half)],
    ['watcher', () => parts.watcher.stop()],
    ['simulators', () => Promise.all(parts.simulators.map((simulator) => simulator.stop()))],
    ['rates', () => parts.rates.stop()],
    ['domain checks', () => parts.domainChecks.stop()],
    ['mails', () => parts.mails.stop()],
    ['webhook pruning', () => parts.pruning.stop()],
    ['webhook queue', () => parts.queue.stop({ deadlineMs: half })],
    ['chain adapters', () => Promise.all(parts.adapters.map((adapter) => adapter.close()))],
    ['database', () => parts.database.close()],
    ['keyring', () => parts.wipeKeys()],
    ['data directory', () => parts.lock.release()],
  ];
  for (const [name, stop] of steps) {
    try {
      await stop();
    } catch (error) {
      logger.error({ err: error, part: name }, 'could not stop a part cleanly');
    }
  }
}
