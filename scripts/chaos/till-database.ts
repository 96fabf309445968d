import Database from 'better-sqlite3';
import { join } from 'node:path';

export interface SendRow {
  readonly id: string;
  readonly purpose: string;
  readonly status: string;
  readonly amount: string;
  readonly destination: string;
  readonly txid: string;
  readonly error: string | null;
  readonly idempotency_key: string | null;
}

export interface EventRow {
  readonly type: string;
  readonly payment_id: string | null;
  readonly send_id: string | null;
  readonly sequence: number;
  readonly created_at: number;
  readonly body_json: string;
}

/** What the till wrote, read beside it. */
export class TillDatabase {
  readonly #db: Database.Database;

  constructor(dataDir: string) {
    this.#db = new Database(join(dataDir, 'tilld.sqlite'), { readonly: true, timeout: 2_000 });
  }

  close(): void {
    this.#db.close();
  }

  sends(): SendRow[] {
    return this.#db
      .prepare<[], SendRow>(
        `SELECT id, purpose, status, amount, destination, txid, error, idempotency_key FROM sends ORDER BY created_at`,
      )
      .all();
  }

  /** The signed bytes of every version of a send. */
  versions(sendId: string): { readonly txid: string; readonly raw: string }[] {
    return this.#db
      .prepare<[string], { txid: string; raw: string }>(
        `SELECT txid, raw FROM send_versions WHERE send_id = ? ORDER BY version`,
      )
      .all(sendId);
  }

  events(): EventRow[] {
    return this.#db
      .prepare<[], EventRow>(
        `SELECT type, payment_id, send_id, sequence, created_at, body_json FROM events ORDER BY seq`,
      )
      .all();
  }

  undelivered(): number {
    const row = this.#db
      .prepare<[], { count: number }>(`SELECT count(*) AS count FROM deliveries WHERE status <> 'delivered'`)
      .get();
    return row?.count ?? 0;
  }

  /** What the ledger says that each address of a coin holds: confirmed, and not known to be spent in a block. */
  held(coin: string): Map<string, bigint> {
    const rows = this.#db
      .prepare<[string], { address: string; amount: string | null }>(
        `SELECT a.address, o.amount FROM addresses a
          LEFT JOIN outputs o ON o.address_id = a.id AND o.state = 'confirmed' AND o.spent_height IS NULL
          WHERE a.coin = ? AND a.mode = 'live'`,
      )
      .all(coin);
    const held = new Map<string, bigint>();
    for (const { address, amount } of rows) {
      held.set(address, (held.get(address) ?? 0n) + BigInt(amount ?? 0));
    }
    return held;
  }

  /** Addresses that were given out more than once. */
  addressesGivenTwice(): string[] {
    return this.#db
      .prepare<[], { address: string }>(
        `SELECT address FROM payment_options GROUP BY coin, address HAVING count(*) > 1`,
      )
      .all()
      .map(({ address }) => address);
  }
}
