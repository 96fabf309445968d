import { sql } from 'kysely';
import type { Mode } from '../../domain/coins.ts';
import { PRICE_DECIMALS } from '../ledger/volume-totals.ts';
import type { Db } from '../sqlite/database.ts';

/** Completed payments of a payment link in one currency. */
export interface LinkSales {
  readonly linkId: string;
  readonly currency: string;
  readonly count: number;
  /** The sum of the prices with PRICE_DECIMALS decimals. */
  readonly sum: bigint;
}

const SCALE = 10n ** BigInt(PRICE_DECIMALS);
const ZEROS = '0'.repeat(PRICE_DECIMALS);

/**
 * The sales of up to a few hundred links, by currency. Whole units and decimals are added up apart, because a price has
 * up to 16 digits. Reads an index entry for each of these payments, so it is for the read thread.
 */
export async function sumLinkSales(
  db: Db,
  { linkIds, mode }: { readonly linkIds: readonly string[]; readonly mode: Mode },
): Promise<LinkSales[]> {
  if (linkIds.length === 0) return [];
  const { rows } = await sql<{
    linkId: string;
    currency: string;
    count: number;
    whole: string;
    part: string;
  }>`
    SELECT link_id AS "linkId", currency, COUNT(*) AS count,
      CAST(SUM(CAST(amount AS INTEGER)) AS TEXT) AS whole,
      CAST(SUM(CASE instr(amount, '.') WHEN 0 THEN 0
        ELSE CAST(substr(substr(amount, instr(amount, '.') + 1) || ${ZEROS}, 1, ${PRICE_DECIMALS}) AS INTEGER) END) AS TEXT)
        AS part
    FROM payments
    WHERE link_id IN (${sql.join(linkIds)}) AND mode = ${mode} AND status = 'completed'
    GROUP BY link_id, currency ORDER BY link_id, currency`.execute(db);
  return rows.map(({ linkId, currency, count, whole, part }) => ({
    linkId,
    currency,
    count,
    sum: BigInt(whole) * SCALE + BigInt(part),
  }));
}
