/** The part of a connection that is needed to install functions and triggers on it. */
interface TrackedConnection {
  readonly inTransaction: boolean;
  exec(statements: string): unknown;
  function(name: string, run: (value: unknown) => unknown): unknown;
  prepare(statement: string): { pluck(): { get(): unknown } };
}

/** Above this many changes between two reads the notes are dropped and marked as lost. */
const MAX_NOTED = 2_000;

/** Rows written since the last read, rolled-back writes included: a cache reads them again. */
export class ChangeNotes {
  /** Ids of payments whose status, times or lead were written. */
  readonly payments = new Set<string>();
  /** Ids of addresses with a written output. */
  readonly addresses = new Set<number>();
  /** Set once there were more changes than the maximum. */
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
  `CREATE TEMP TRIGGER IF NOT EXISTS noted_payments AFTER UPDATE OF status, expires_at, closed_at, superseded_by ON payments
    BEGIN SELECT note_payment(NEW.id); END`,
  `CREATE TEMP TRIGGER IF NOT EXISTS noted_outputs AFTER INSERT ON outputs BEGIN SELECT note_outputs_of(NEW.address_id); END`,
  `CREATE TEMP TRIGGER IF NOT EXISTS noted_outputs_again AFTER UPDATE ON outputs
    BEGIN SELECT note_outputs_of(OLD.address_id), note_outputs_of(NEW.address_id); END`,
  `CREATE TEMP TRIGGER IF NOT EXISTS noted_outputs_out AFTER DELETE ON outputs BEGIN SELECT note_outputs_of(OLD.address_id); END`,
];

/**
 * Reports writes to rows that are cached in memory. Uses temporary triggers of the writing connection, so that no
 * statement can go unreported and the database file is unchanged.
 */
export class ChangeTracker {
  readonly #sqlite: TrackedConnection;
  readonly #endSnapshot: () => void;
  readonly #dataVersion: { get(): unknown };
  readonly #listeners: ChangeNotes[] = [];

  /** @param endSnapshot ends the reader's snapshot, so that it sees the latest commit */
  constructor(sqlite: TrackedConnection, endSnapshot: () => void) {
    this.#sqlite = sqlite;
    this.#endSnapshot = endSnapshot;
    this.#dataVersion = sqlite.prepare('PRAGMA data_version').pluck();
  }

  /** Collects all changes from now on; null in an open transaction: its rollback would drop the triggers. */
  listen(): ChangeNotes | null {
    if (!this.isSettled()) return null;
    if (this.#listeners.length === 0) this.#begin();
    const notes = new ChangeNotes();
    this.#listeners.push(notes);
    return notes;
  }

  /** Whether all noted changes are committed or rolled back; until then readers still see the previous state. */
  isSettled(): boolean {
    return !this.#sqlite.inTransaction;
  }

  /** Makes later reads current, including what another process wrote during this turn of the event loop. */
  refresh(): void {
    this.#endSnapshot();
  }

  /** A number that changes when another process writes; later reads are at least as new as it. */
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
