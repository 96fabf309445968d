/** Tables of which somebody keeps a copy in memory. */
const TABLES = ['addresses', 'outputs', 'unconfirmed_inputs'] as const;
export type KeptTable = (typeof TABLES)[number];

const NAMED = new RegExp(String.raw`\b(?:${TABLES.join('|')})\b`);
const READS_ONLY = /^\s*select\b/i;
const NONE: readonly KeptTable[] = [];

/**
 * Tables to which a statement may write, of those that somebody keeps: all that a statement names which does not only
 * read. No trigger writes to them.
 */
export function tablesWrittenBy(statement: string): readonly KeptTable[] {
  if (!NAMED.test(statement) || READS_ONLY.test(statement)) return NONE;
  return TABLES.filter((table) => new RegExp(String.raw`\b${table}\b`).test(statement));
}

/**
 * Counts the writes of one connection to each of these tables, be they taken back later: while a count stays the same,
 * the connection has written nothing. It goes by what its statements say, so that none can forget to tell, and costs
 * less than a trigger for each row.
 */
export class TableWrites {
  readonly #counts: Record<KeptTable, number> = { addresses: 0, outputs: 0, unconfirmed_inputs: 0 };
  #toldOf: KeptTable | null = null;

  /** As of now. */
  counts(): Readonly<Record<KeptTable, number>> {
    return { ...this.#counts };
  }

  /** To be called in the same breath as the statement runs. */
  note(tables: readonly KeptTable[]): void {
    for (const table of tables) if (table !== this.#toldOf) this.#counts[table] += 1;
  }

  /** Runs a write that is not counted, as whoever keeps a copy was told what it writes. What it does later is. */
  uncounted<T>(table: KeptTable, write: () => T): T {
    this.#toldOf = table;
    try {
      return write();
    } finally {
      this.#toldOf = null;
    }
  }
}
