import { schedule, type ScheduledTask } from 'node-cron';
import {
  pruneWebhooks,
  type PruneWebhooksDeps,
  type Retention,
} from '../../usecases/webhooks/prune-webhooks.ts';

const EVERY_TEN_MINUTES = '*/10 * * * *';

/** Prunes the webhook tables every ten minutes; a run that fails is logged and the next one goes on. */
export class WebhookHousekeeping {
  readonly #deps: PruneWebhooksDeps;
  readonly #retention: Retention;
  #task: ScheduledTask | null = null;
  #run: Promise<void> | null = null;

  constructor(deps: PruneWebhooksDeps, retention: Retention) {
    this.#deps = deps;
    this.#retention = retention;
  }

  start(): void {
    this.#task = schedule(EVERY_TEN_MINUTES, () => this.#prune(), {
      name: 'webhook-housekeeping',
      noOverlap: true,
      suppressMissedWarning: true,
    });
  }

  /** Stops and waits for the current run. */
  async stop(): Promise<void> {
    await this.#task?.destroy();
    await this.#run;
  }

  async #prune(): Promise<void> {
    this.#run = pruneWebhooks(this.#deps, this.#retention).then(
      () => undefined,
      (error: unknown) => this.#deps.logger.error({ err: error }, 'could not prune the webhook tables'),
    );
    await this.#run;
  }
}
