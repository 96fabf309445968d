import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Next to the database: inside it, restoring an older copy would remove it. The operator deletes it by hand.
 */
const MARK_FILE = 'older-database';

/**
 * Marks that a start has found an older copy of the database. It stays until the operator deletes the file,
 * because only people can find out what that copy lacks, such as sends.
 */
export class OlderDatabaseMark {
  readonly #path: string;

  constructor(dataDir: string) {
    this.#path = join(dataDir, MARK_FILE);
  }

  /** Sets the mark; a later call keeps the time of the first. */
  set(now: number): void {
    if (this.isSet()) return;
    const text = `An older copy of tilld.sqlite was found at the start of ${new Date(now).toISOString()}. Remove this file once that is resolved.\n`;
    writeFileSync(this.#path, text, { mode: 0o600 });
  }

  isSet(): boolean {
    return existsSync(this.#path);
  }

  /** Warnings for the operator; empty without the mark. */
  warnings(): string[] {
    if (!this.isSet()) return [];
    return [
      `an older copy of the database was in use at a start: payments, sends and merchants made since that copy are not in it. Check the chain before you repeat a send; then remove ${MARK_FILE} in the data directory`,
    ];
  }
}
