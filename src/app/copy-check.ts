import type { Config } from '../config/config.ts';
import type { Logger } from '../domain/ports.ts';
import { isCopyUnchecked, markCopyChecked } from '../replica/copy-checked.ts';
import type { Db } from '../store/sqlite/database.ts';
import { CommandProcess } from './command-process.ts';

/** The check reads the file twice. */
const LIMIT_MS = 6 * 3_600_000;

interface CopyCheckDeps {
  readonly config: Config;
  readonly db: Db;
  readonly logger: Logger;
}

/**
 * Checks the complete database file from a replica while the daemon serves, because a check before would
 * close a shop with a large database for minutes. Repeated at each start until it has passed.
 */
export class CopyCheck {
  readonly #deps: CopyCheckDeps;
  readonly #process = new CommandProcess();
  #running: Promise<void> | null = null;
  #problem: string | null = null;
  #isStopping = false;

  constructor(deps: CopyCheckDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running = this.#check();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#process.kill();
    await this.#running;
  }

  /** Warnings for the operator. */
  warnings(): string[] {
    if (this.#problem === null) return [];
    return [
      `integrity check of the database from the replica failed: ${this.#problem}. See docs/second-machine.md`,
    ];
  }

  async #check(): Promise<void> {
    const { config, db, logger } = this.#deps;
    try {
      if (!(await isCopyUnchecked(db))) return;
      logger.info({}, 'integrity check of the database from the replica started');
      const { TILLD_KEYRING_PASSPHRASE: _, TILLD_KEYRING_PASSPHRASE_FILE: __, ...env } = process.env;
      const args = ['--data-dir', config.dataDir];
      await this.#process.run('check', args, {
        env: { ...env, TILLD_CONFIG: config.file },
        limitMs: LIMIT_MS,
      });
      await markCopyChecked(db);
      logger.info({}, 'integrity check of the database from the replica passed');
    } catch (error) {
      if (this.#isStopping) return;
      this.#problem = error instanceof Error ? error.message : String(error);
      logger.error({ error: this.#problem }, 'integrity check of the database from the replica failed');
    }
  }
}
