import { readdir, rm } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import type { BackupAge } from '../usecases/shops/index.ts';
import { CommandProcess } from './command-process.ts';
import { Scheduler } from '../scheduler/scheduler.ts';

/** Its modification time is that of the last successful backup, scheduled or manual. */
const LAST_BACKUP_FILE = 'last-backup';
const HOUR_MS = 3_600_000;
/** A backup writes 10 MB or more a second: this is enough for any database that the daemon can serve. */
const LIMIT_MS = 2 * HOUR_MS;
/** How long after a start the absence of any backup causes a warning; the first one is made at the start. */
const FIRST_BACKUP_MS = HOUR_MS;

export interface BackupStatus {
  /** ISO 8601; null when none was ever made. */
  readonly lastAt: string | null;
  readonly ageSeconds: number | null;
}

interface ScheduledBackupsDeps {
  readonly config: Config;
  /**
   * Fingerprint of the seed in the names of backups, so that those of another installation in the same folder
   * are not removed.
   */
  readonly fingerprint: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Longest time of one backup; shorter for tests. */
  readonly limitMs?: number;
}

/**
 * Makes a backup on schedule, and at a start if the newest one is too old, in a process of its own, because
 * the copy of a large database would block the daemon. Removes the oldest of its own backups.
 */
export class ScheduledBackups {
  readonly #deps: ScheduledBackupsDeps;
  readonly #process = new CommandProcess();
  #jobs: Scheduler | null = null;
  #running: Promise<void> | null = null;
  #failure: string | null = null;
  #isStopping = false;
  readonly #createdAt: number;

  constructor(deps: ScheduledBackupsDeps) {
    this.#deps = deps;
    this.#createdAt = deps.clock.now();
  }

  start(): void {
    const { schedule: when } = this.#deps.config.backup;
    if (when === null) return;
    this.#jobs = new Scheduler(this.#deps.logger).cron('scheduled-backups', when, async () => this.run());
    this.#jobs.start();
    if (this.#isTooOld()) void this.run();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const stopped = this.#jobs?.stop();
    // A killed backup leaves no partial file under a final name.
    this.#process.kill();
    await stopped;
    await this.#running;
  }

  /** Makes a backup unless one is running. */
  async run(): Promise<void> {
    this.#running ??= this.#backUp().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  status(): BackupStatus {
    const at = this.#lastAt();
    if (at === null) return { lastAt: null, ageSeconds: null };
    return {
      lastAt: new Date(at).toISOString(),
      ageSeconds: Math.max(0, Math.round(this.#ageMs(at) / 1000)),
    };
  }

  /** The part that the owner of a shop may read: no folder, no error. */
  age(): BackupAge {
    const { schedule: when } = this.#deps.config.backup;
    return { isScheduled: when !== null, lastAt: this.#lastAt(), isTooOld: this.#isTooOld() };
  }

  /** Warnings for the operator; empty without a schedule. */
  warnings(): string[] {
    if (this.#deps.config.backup.schedule === null) return [];
    const failed = this.#failure === null ? [] : [`the last scheduled backup failed: ${this.#failure}`];
    const at = this.#lastAt();
    if (at === null) {
      const isDue = this.#ageMs(this.#createdAt) > FIRST_BACKUP_MS;
      return isDue ? [...failed, 'no backup has ever succeeded'] : failed;
    }
    if (!this.#isTooOld()) return failed;
    return [...failed, `the newest backup is ${Math.floor(this.#ageMs(at) / HOUR_MS)} hours old`];
  }

  async #backUp(): Promise<void> {
    const { config, logger, clock } = this.#deps;
    const time = new Date(clock.now()).toISOString().replace(/[:.]/g, '');
    const path = join(config.backup.folder, `${this.#prefix}${time}.backup`);
    try {
      await this.#runCommand(path);
      this.#failure = null;
      logger.info({ path }, 'scheduled backup completed');
      await this.#removeOldest();
    } catch (error) {
      if (this.#isStopping) return;
      this.#failure = error instanceof Error ? error.message : String(error);
      logger.error({ path, error: this.#failure }, 'scheduled backup failed');
    }
  }

  async #runCommand(path: string): Promise<void> {
    const { config } = this.#deps;
    const { passphrase } = config.keyring;
    const { TILLD_KEYRING_PASSPHRASE_FILE: _, ...env } = process.env;
    await this.#process.run('backup', [path, '--data-dir', config.dataDir], {
      limitMs: this.#deps.limitMs ?? LIMIT_MS,
      env: {
        ...env,
        TILLD_CONFIG: config.file,
        ...(passphrase === null ? {} : { TILLD_KEYRING_PASSPHRASE: passphrase.reveal() }),
      },
    });
  }

  async #removeOldest(): Promise<void> {
    const { backup } = this.#deps.config;
    const names = (await readdir(backup.folder)).filter(
      (name) => name.startsWith(this.#prefix) && name.endsWith('.backup'),
    );
    for (const name of names.toSorted().slice(0, -backup.keep)) await rm(join(backup.folder, name));
  }

  get #prefix(): string {
    return `tilld-scheduled-${this.#deps.fingerprint.slice(0, 8)}-`;
  }

  #lastAt(): number | null {
    const found = statSync(join(this.#deps.config.dataDir, LAST_BACKUP_FILE), { throwIfNoEntry: false });
    return found?.mtimeMs ?? null;
  }

  #ageMs(at: number): number {
    return this.#deps.clock.now() - at;
  }

  #isTooOld(): boolean {
    const at = this.#lastAt();
    return at === null || this.#ageMs(at) > this.#deps.config.backup.maxAgeMs;
  }
}
