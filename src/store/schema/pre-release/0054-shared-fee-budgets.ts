import { sql, type Kysely } from 'kysely';

/**
 * Sends that share a fee budget: `draws_on` names the send that has it, for the parts that gather outputs as well as for
 * the children that pay for a parent, and never a send that itself draws on another one. `draws_on_version`: the version
 * of that send which a child needs; null for a part, which costs its fee whichever is mined. The budget of a send with
 * parts is that of all its transactions, also once it is signed.
 *
 * Rows filled in: parts draw on the budget of their send, and children on that of the first send of their chain, also
 * those that were in flight when budgets were introduced. A signed send with parts gets back what these have used of its
 * budget. No shared budget is below what is signed within it already.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of FILL) await sql.raw(statement).execute(db);
  for (let depth = 0; depth < MAX_CHAIN; depth += 1) await sql.raw(FLATTEN).execute(db);
  for (const statement of VERSIONS) await sql.raw(statement).execute(db);
  for (const statement of RULES) await sql.raw(statement).execute(db);
}

/** Unconfirmed transactions that a chain of sends can have. */
const MAX_CHAIN = 25;

/** Fees of coins that are held in outputs fit 64 bits, and only these share budgets. */
const DEAREST = (send: string): string =>
  `(SELECT max(CAST(fee AS INTEGER)) FROM send_versions WHERE send_versions.send_id = ${send})`;

/** What the network may take at most within the budget of a send, by what is signed. */
const SIGNED = (owner: string): string => `(
  coalesce((SELECT sum(${DEAREST('part.id')}) FROM sends AS part
    WHERE part.draws_on = ${owner} AND part.draws_on_version IS NULL AND part.status <> 'failed'), 0)
  + coalesce((SELECT max(CAST(own.fee AS INTEGER) + coalesce((SELECT sum(${DEAREST('child.id')}) FROM sends AS child
    WHERE child.draws_on = ${owner} AND child.draws_on_version = own.version AND child.status <> 'failed'), 0))
    FROM send_versions AS own WHERE own.send_id = ${owner}), 0))`;

const FILL = [
  `ALTER TABLE sends ADD COLUMN draws_on_version INTEGER`,
  // They move the change of a send under way within the wallet: that is what pays for it.
  `UPDATE sends SET draws_on = (SELECT parent.id FROM outputs
      JOIN send_versions ON send_versions.coin = outputs.coin AND send_versions.mode = outputs.mode
        AND send_versions.txid = outputs.txid
      JOIN sends AS parent ON parent.id = send_versions.send_id
      WHERE outputs.send_id = sends.id AND outputs.state = 'unconfirmed' AND parent.id <> sends.id
        AND parent.status IN ('signed', 'broadcast') LIMIT 1)
    WHERE purpose = 'sweep' AND coin NOT IN ('ETH', 'SOL') AND status IN ('signed', 'broadcast')
      AND draws_on IS NULL AND part_of IS NULL`,
  `UPDATE sends SET draws_on = part_of WHERE part_of IS NOT NULL`,
  `UPDATE sends SET max_fee = CAST(CAST(max_fee AS INTEGER) + CAST(parts_fee AS INTEGER) AS TEXT)
    WHERE parts > 0 AND version > 0`,
];

const FLATTEN = `UPDATE sends SET draws_on = (SELECT payer.draws_on FROM sends AS payer WHERE payer.id = sends.draws_on)
  WHERE draws_on IN (SELECT id FROM sends WHERE draws_on IS NOT NULL)`;

const VERSIONS = [
  `UPDATE sends SET draws_on_version = (SELECT payer.version FROM sends AS payer WHERE payer.id = sends.draws_on)
    WHERE draws_on IS NOT NULL AND part_of IS NULL`,
  `UPDATE sends SET max_fee = CAST(${SIGNED('sends.id')} AS TEXT)
    WHERE id IN (SELECT draws_on FROM sends) AND CAST(max_fee AS INTEGER) < ${SIGNED('sends.id')}`,
];

const OWNER = `(SELECT coalesce(draws_on, id) FROM sends WHERE id = NEW.send_id)`;

const RULES = [
  `CREATE TRIGGER send_versions_within_shared_budget AFTER INSERT ON send_versions
    WHEN EXISTS (SELECT 1 FROM sends WHERE draws_on = ${OWNER})
      AND (SELECT CAST(max_fee AS INTEGER) FROM sends WHERE id = ${OWNER}) < ${SIGNED(OWNER)}
    BEGIN SELECT RAISE(ABORT, 'a version costs more than the fee budget that its send shares'); END`,
  `CREATE TRIGGER sends_budget_covers_shares BEFORE UPDATE OF max_fee ON sends
    WHEN EXISTS (SELECT 1 FROM sends WHERE draws_on = NEW.id) AND CAST(NEW.max_fee AS INTEGER) < ${SIGNED('NEW.id')}
    BEGIN SELECT RAISE(ABORT, 'a fee budget is below what is signed within it'); END`,
  // One that gathers its outputs waits for its budget as well.
  `DROP INDEX sends_fee_limited`,
  `CREATE INDEX sends_fee_limited ON sends (fee_limited_at)
    WHERE fee_limited_at IS NOT NULL AND status IN ('preparing', 'signed', 'broadcast')`,
];
