import Database from 'better-sqlite3';
import { join } from 'node:path';
import { decompressJson } from '../../src/store/sqlite/compressed-json.ts';

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

/** A send that refunds an order, including failed ones. */
export interface RefundRow {
  readonly send_id: string;
  readonly payment_id: string;
  readonly amount: string;
  readonly status: string;
  readonly created_at: number;
}

export interface EventRow {
  readonly type: string;
  readonly payment_id: string | null;
  readonly send_id: string | null;
  readonly sequence: number;
  readonly created_at: number;
  readonly body_json: string;
}

/** The daemon's database, read from another process. */
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

  refunds(): RefundRow[] {
    return this.#db
      .prepare<[], RefundRow>(
        `SELECT r.send_id, r.payment_id, r.amount, s.status, s.created_at
          FROM refunds r JOIN sends s ON s.id = r.send_id ORDER BY s.created_at`,
      )
      .all();
  }

  /** The confirmed amount of a payment according to the ledger. */
  received(paymentId: string): bigint {
    return this.#db
      .prepare<[string], { amount: string }>(
        `SELECT amount FROM outputs WHERE payment_id = ? AND state = 'confirmed'`,
      )
      .all(paymentId)
      .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  }

  /** Versions of a send whose fee exceeds its budget. */
  aboveBudget(): {
    readonly id: string;
    readonly purpose: string;
    readonly fee: string;
    readonly budget: string;
  }[] {
    return this.#db
      .prepare<[], { id: string; purpose: string; fee: string; budget: string }>(
        `SELECT s.id, s.purpose, v.fee, s.max_fee AS budget
          FROM send_versions v JOIN sends s ON s.id = v.send_id WHERE s.max_fee IS NOT NULL`,
      )
      .all()
      .filter(({ fee, budget }) => BigInt(fee) > BigInt(budget));
  }

  /** Claims that wait for their send without a recorded problem. */
  silentClaims(): string[] {
    return this.#db
      .prepare<[], { id: string }>(
        `SELECT id FROM refund_links
          WHERE send_id IS NULL AND problem IS NULL AND (status = 'approved' OR (status = 'claimed' AND approval = 0))`,
      )
      .all()
      .map(({ id }) => id);
  }

  /** The signed bytes of all versions of a send. */
  versions(sendId: string): { readonly txid: string; readonly raw: string }[] {
    return this.#db
      .prepare<[string], { txid: string; raw: string }>(
        `SELECT txid, raw FROM send_versions WHERE send_id = ? ORDER BY version`,
      )
      .all(sendId);
  }

  events(): EventRow[] {
    return this.#db
      .prepare<[], Omit<EventRow, 'body_json'> & { body_json: Buffer }>(
        `SELECT type, payment_id, send_id, sequence, created_at, body_json FROM events ORDER BY seq`,
      )
      .all()
      .map((row) => ({ ...row, body_json: decompressJson(row.body_json) ?? '' }));
  }

  undelivered(): number {
    const row = this.#db
      .prepare<[], { count: number }>(`SELECT count(*) AS count FROM deliveries WHERE status <> 'delivered'`)
      .get();
    return row?.count ?? 0;
  }

  /** The balance of each address of a coin according to the ledger: confirmed, and not spent in a block. */
  balances(coin: string): Map<string, bigint> {
    const rows = this.#db
      .prepare<[string], { address: string; amount: string | null }>(
        `SELECT a.address, o.amount FROM addresses a
          LEFT JOIN outputs o ON o.address_id = a.id AND o.state = 'confirmed' AND o.spent_height IS NULL
          WHERE a.coin = ? AND a.mode = 'live'`,
      )
      .all(coin);
    const balances = new Map<string, bigint>();
    for (const { address, amount } of rows) {
      balances.set(address, (balances.get(address) ?? 0n) + BigInt(amount ?? 0));
    }
    return balances;
  }

  /** Addresses that were assigned more than once. */
  addressesGivenTwice(): string[] {
    return this.#db
      .prepare<[], { address: string }>(
        `SELECT address FROM payment_options GROUP BY coin, address HAVING count(*) > 1`,
      )
      .all()
      .map(({ address }) => address);
  }
}
