import { sql, type Kysely } from 'kysely';

/**
 * The books: a line for each movement of confirmed money, written from now on in the transaction that changes the
 * ledger. What came before gets its lines from the ledger as it stands; at which rate it went out is not known any more.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  for (let after: Key = ['', '', '', '']; ;) {
    const page = await spendersAfter(db, after);
    const last = page.at(-1);
    if (last === undefined) return;
    for (const spender of page) await enterSpending(db, spender);
    after = [last.coin, last.mode, last.txid, last.merchant_id];
  }
}

const STATEMENTS = [
  `CREATE TABLE movements (
    seq INTEGER PRIMARY KEY, merchant_id TEXT NOT NULL REFERENCES merchants(id), coin TEXT NOT NULL, mode TEXT NOT NULL,
    at INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('payment', 'refund', 'send', 'sweep', 'fee', 'reversal')),
    amount TEXT NOT NULL, txid TEXT NOT NULL, vout INTEGER, payment_id TEXT REFERENCES payments(id),
    send_id TEXT REFERENCES sends(id), address TEXT, currency TEXT, rate TEXT, note TEXT,
    reverses INTEGER REFERENCES movements(seq),
    CHECK ((kind = 'reversal') = (reverses IS NOT NULL)), CHECK (rate IS NULL OR currency IS NOT NULL)) STRICT`,
  `CREATE INDEX movements_by_merchant ON movements (merchant_id, mode, at)`,
  `CREATE INDEX movements_by_transaction ON movements (coin, mode, txid)`,
  // A line is taken back once.
  `CREATE UNIQUE INDEX movements_reversed ON movements (reverses) WHERE reverses IS NOT NULL`,
  `CREATE INDEX outputs_by_spender ON outputs (coin, mode, spent_by) WHERE spent_height IS NOT NULL`,
  // Change and remainders are part of what their transaction spends: see enterSpending.
  `INSERT INTO movements (merchant_id, coin, mode, at, kind, amount, txid, vout, payment_id, address, currency, rate, note)
    SELECT o.merchant_id, o.coin, o.mode, coalesce(o.confirmed_at, o.first_seen_at), 'payment', o.amount, o.txid, o.vout,
      o.payment_id, a.address, p.currency, CASE WHEN p.id IS NOT NULL THEN o.rate END,
      CASE WHEN p.id IS NULL THEN 'received in the wallet' END
    FROM outputs AS o JOIN addresses AS a ON a.id = o.address_id LEFT JOIN payments AS p ON p.id = o.payment_id
    WHERE o.state = 'confirmed' AND o.amount <> '0' AND (o.payment_id IS NOT NULL OR NOT EXISTS (
      SELECT 1 FROM outputs AS spent WHERE spent.coin = o.coin AND spent.mode = o.mode AND spent.spent_by = o.txid
        AND spent.spent_height IS NOT NULL AND spent.state = 'confirmed' AND spent.merchant_id = o.merchant_id))
    ORDER BY coalesce(o.confirmed_at, o.first_seen_at), o.seq`,
];

/** Coin, mode, transaction and merchant. */
type Key = readonly [string, string, string, string];
const PAGE = 500;

interface Spender {
  readonly coin: string;
  readonly mode: string;
  readonly txid: string;
  readonly merchant_id: string;
}

async function spendersAfter(db: Kysely<unknown>, [coin, mode, txid, merchant]: Key): Promise<Spender[]> {
  const { rows } = await sql<Spender>`SELECT DISTINCT coin, mode, spent_by AS txid, merchant_id FROM outputs
    WHERE spent_by IS NOT NULL AND spent_height IS NOT NULL AND state = 'confirmed'
      AND (coin, mode, spent_by) >= (${coin}, ${mode}, ${txid})
      AND (coin, mode, spent_by, merchant_id) > (${coin}, ${mode}, ${txid}, ${merchant})
    ORDER BY coin, mode, spent_by, merchant_id LIMIT ${PAGE}`.execute(db);
  return rows;
}

interface Part {
  readonly amount: string;
  readonly payment_id: string | null;
  readonly updated_at: number;
}

interface Send {
  readonly id: string;
  readonly purpose: string;
  readonly destination: string;
  readonly note: string | null;
  readonly fee: string;
  readonly cancels: number;
  readonly isPaid: number;
  readonly payment_id: string | null;
}

/** What a transaction spent, less what came back: what was sent, and the fee. */
async function enterSpending(db: Kysely<unknown>, spender: Spender): Promise<void> {
  const { coin, mode, txid, merchant_id } = spender;
  const own = sql`o.coin = ${coin} AND o.mode = ${mode} AND o.merchant_id = ${merchant_id} AND o.state = 'confirmed'`;
  const { rows: spent } = await sql<Part>`SELECT o.amount, o.payment_id, o.updated_at FROM outputs AS o
    WHERE ${own} AND o.spent_by = ${txid} AND o.spent_height IS NOT NULL`.execute(db);
  const { rows: back } = await sql<Part>`SELECT o.amount, o.payment_id, o.updated_at FROM outputs AS o
    WHERE ${own} AND o.txid = ${txid} AND o.payment_id IS NULL`.execute(db);
  const { rows: sends } =
    await sql<Send>`SELECT s.id, s.purpose, s.destination, s.note, v.cancels, r.payment_id,
      CASE WHEN s.txid = v.txid THEN s.fee ELSE v.fee END AS fee, s.txid = v.txid AND s.status = 'confirmed' AS isPaid
    FROM send_versions AS v JOIN sends AS s ON s.id = v.send_id LEFT JOIN refunds AS r ON r.send_id = s.id
    WHERE v.coin = ${coin} AND v.mode = ${mode} AND v.txid = ${txid} AND s.merchant_id = ${merchant_id}`.execute(
      db,
    );
  const net = sumOf(back) - sumOf(spent);
  const at = Math.max(...spent.map(({ updated_at }) => updated_at));
  for (const { kind, amount, send_id, payment_id, address, note } of linesOf(net, sends[0], spent)) {
    await sql`INSERT INTO movements (merchant_id, coin, mode, at, kind, amount, txid, payment_id, send_id, address, currency, note)
      VALUES (${merchant_id}, ${coin}, ${mode}, ${at}, ${kind}, ${amount.toString()}, ${txid}, ${payment_id}, ${send_id},
        ${address}, (SELECT currency FROM payments WHERE id = ${payment_id}), ${note})`.execute(db);
  }
}

interface Line {
  readonly kind: string;
  readonly amount: bigint;
  readonly send_id: string | null;
  readonly payment_id: string | null;
  readonly address: string | null;
  readonly note: string | null;
}

function linesOf(net: bigint, send: Send | undefined, spent: readonly Part[]): Line[] {
  if (send === undefined) {
    const note = 'not signed here; includes its network fee';
    const kind = net > 0n ? 'payment' : 'send';
    return [{ kind, amount: net, send_id: null, payment_id: null, address: null, note }];
  }
  const { id: send_id, purpose, destination: address } = send;
  const payments = new Set(spent.map(({ payment_id }) => payment_id));
  const [sole = null] = purpose === 'sweep' && payments.size === 1 ? payments : [];
  const payment_id = send.payment_id ?? sole;
  const kind = purpose === 'sweep' ? 'sweep' : send.payment_id === null ? 'send' : 'refund';
  const fee = BigInt(send.fee);
  const amount = net + fee;
  const why = `${send.cancels === 1 ? 'cancelled' : 'failed'}: only the network fee was spent`;
  const isPaid = send.isPaid === 1;
  const moved = { kind, amount, send_id, payment_id, address, note: send.note };
  const paid = { kind: 'fee', amount: -fee, send_id, payment_id, address: null, note: isPaid ? null : why };
  return [...(isPaid || amount !== 0n ? [moved] : []), ...(fee === 0n ? [] : [paid])];
}

function sumOf(parts: readonly Part[]): bigint {
  return parts.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}
