import { sql, type Kysely } from 'kysely';

/**
 * Sends that wait for earlier ones of the same wallet, where a send draws on accounts. Fills in the open Solana sends
 * of earlier versions that draw on the merchant address or pay into it, in the order in which they were made: none of
 * them waits, and what they leave can be spent at once. Closed sends keep null: nothing is counted on them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of COLUMNS) await sql.raw(statement).execute(db);
  await enqueueOpenSends(db);
  for (const statement of INDEXES) await sql.raw(statement).execute(db);
}

const COLUMNS = [
  // The merchant address that it draws on or pays into; null where it does neither, and on other chains.
  `ALTER TABLE sends ADD COLUMN queue_account TEXT`,
  // Its place among all sends of that address, from 1.
  `ALTER TABLE sends ADD COLUMN queue_position INTEGER`,
  // 1: it is signed, and held until the sends before it have landed. No node has had its bytes.
  `ALTER TABLE sends ADD COLUMN queued INTEGER NOT NULL DEFAULT 0`,
  // What the transaction changes on the balance of that address, atoms; negative where it takes something away.
  `ALTER TABLE send_versions ADD COLUMN balance_change TEXT`,
];

const INDEXES = [
  `CREATE UNIQUE INDEX sends_by_queue ON sends (queue_account, queue_position) WHERE queue_account IS NOT NULL`,
  `CREATE INDEX sends_queue_open ON sends (queue_account, queue_position)
    WHERE queue_account IS NOT NULL AND status IN ('signed', 'broadcast')`,
  `CREATE INDEX sends_queued ON sends (coin, mode, queue_account) WHERE queued = 1`,
];

interface OpenSend {
  readonly id: string;
  readonly version: number;
  readonly address: string;
  readonly plan_json: string;
}

interface Plan {
  readonly inputs: readonly { readonly address: string; readonly amount: string }[];
  readonly destination: string;
  readonly amount: string;
  readonly change: { readonly address: string; readonly amount: string } | null;
}

async function enqueueOpenSends(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<OpenSend>`
    SELECT sends.id, sends.version, addresses.address, send_versions.plan_json FROM sends
    JOIN send_versions ON send_versions.send_id = sends.id AND send_versions.version = sends.version
    JOIN addresses ON addresses.merchant_id = sends.merchant_id AND addresses.coin = sends.coin
      AND addresses.mode = sends.mode AND addresses.branch = 0 AND addresses.idx = 0
    WHERE sends.coin = 'SOL' AND sends.mode = 'live' AND sends.status IN ('signed', 'broadcast')
    ORDER BY sends.created_at, sends.id`.execute(db);
  const positions = new Map<string, number>();
  for (const { id, version, address, plan_json } of rows) {
    const { inputs, destination, amount, change } = JSON.parse(plan_json) as Plan;
    const drawn = inputs.filter((input) => input.address === address);
    const returned = change?.address === address ? BigInt(change.amount) : 0n;
    if (drawn.length === 0 && returned === 0n && destination !== address) continue;
    const received = destination === address ? BigInt(amount) : 0n;
    const taken = drawn.reduce((sum, input) => sum + BigInt(input.amount), 0n);
    const position = (positions.get(address) ?? 0) + 1;
    positions.set(address, position);
    const balanceChange = (returned + received - taken).toString();
    await sql`UPDATE sends SET queue_account = ${address}, queue_position = ${position} WHERE id = ${id}`.execute(
      db,
    );
    await sql`UPDATE send_versions SET balance_change = ${balanceChange}
      WHERE send_id = ${id} AND version = ${version}`.execute(db);
  }
}
