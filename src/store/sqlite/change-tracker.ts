/** What it takes of a connection to have it tell what it writes. */
interface TellingConnection {
  readonly inTransaction: boolean;
  exec(statements: string): unknown;
  function(name: string, run: (value: unknown) => unknown): unknown;
  prepare(statement: string): { pluck(): { get(): unknown } };
}

/** More changes than this between two looks are not remembered one by one. */
const MAX_NOTED = 2_000;

/** Which rows were written since they were last asked for, be it in vain: whoever keeps a copy reads those again. */
export class ChangeNotes {
  /** Ids of payments whose status or times were written. */
  readonly payments = new Set<string>();
  /** Ids of addresses of which an output was written. */
  readonly addresses = new Set<number>();
  /** Set once there was more than is remembered. */
  isLost = false;

  note<T>(rows: Set<T>, id: T): void {
    if (rows.size < MAX_NOTED) rows.add(id);
    else this.isLost = true;
  }

  clear(): void {
    this.payments.clear();
    this.addresses.clear();
    this.isLost = false;
  }
}

const TRIGGERS = [
  `CREATE TEMP TRIGGER IF NOT EXISTS noted_payments AFTER UPDATE OF status, expires_at, closed_at ON payments
    BEGIN SELECT note_payment(NEW.id); END`,
  `CREATE TEMP TRIGGER IF NOT EXISTS noted_outputs AFTER INSERT ON outputs BEGIN SELECT note_outputs_of(NEW.address_id); END`,
  `CREATE TEMP TRIGGER IF NOT EXISTS noted_outputs_again AFTER UPDATE ON outputs
    BEGIN SELECT note_outputs_of(OLD.address_id), note_outputs_of(NEW.address_id); END`,
  `CREATE TEMP TRIGGER IF NOT EXISTS noted_outputs_out AFTER DELETE ON outputs BEGIN SELECT note_outputs_of(OLD.address_id); END`,
];

/**
 * Tells what the writing connection does to rows that somebody keeps in memory: by triggers of that connection
 * alone, which are not part of the database, so that no statement can forget to tell.
 */
export class ChangeTracker {
  readonly #sqlite: TellingConnection;
  readonly #endSnapshot: () => void;
  readonly #dataVersion: { get(): unknown };
  readonly #listeners: ChangeNotes[] = [];

  /** @param endSnapshot makes the reading connection see what is committed by now */
  constructor(sqlite: TellingConnection, endSnapshot: () => void) {
    this.#sqlite = sqlite;
    this.#endSnapshot = endSnapshot;
    this.#dataVersion = sqlite.prepare('PRAGMA data_version').pluck();
  }

  /** Notes of all that is written from now on; null while a transaction is open, which would take part of it back. */
  listen(): ChangeNotes | null {
    if (!this.isSettled()) return null;
    if (this.#listeners.length === 0) this.#begin();
    const notes = new ChangeNotes();
    this.#listeners.push(notes);
    return notes;
  }

  /** Whether all that was noted is committed or taken back: while it is not, readers still see what was before. */
  isSettled(): boolean {
    return !this.#sqlite.inTransaction;
  }

  /** Whatever is read from now on is as of now, also what another process wrote during this turn of the event loop. */
  refresh(): void {
    this.#endSnapshot();
  }

  /** Another number after another process has written; whatever is read from now on is not older than it tells. */
  foreignVersion(): unknown {
    this.#endSnapshot();
    return this.#dataVersion.get();
  }

  #begin(): void {
    this.#sqlite.function('note_payment', (id) => {
      for (const notes of this.#listeners) notes.note(notes.payments, String(id));
      return null;
    });
    this.#sqlite.function('note_outputs_of', (id) => {
      for (const notes of this.#listeners) notes.note(notes.addresses, Number(id));
      return null;
    });
    for (const trigger of TRIGGERS) this.#sqlite.exec(trigger);
  }
}
