import type { Coin } from '../../domain/coins.ts';
import type { RefundLinkRow } from '../schema/refund-links.ts';
import type { Db } from '../sqlite/database.ts';

/** Money of a payment that a claim reserves until its send is stored. */
export interface UnsentClaim {
  readonly id: string;
  readonly coin: Coin;
  /** Atoms. */
  readonly claimed: string;
}

/** The claims of a payment that no send pays yet. */
export async function unsentClaims(db: Db, paymentId: string): Promise<UnsentClaim[]> {
  const rows = await db
    .selectFrom('refund_links')
    .select(['id', 'coin', 'claimed'])
    .where('payment_id', '=', paymentId)
    .where('status', 'in', ['claimed', 'approved'])
    .where('send_id', 'is', null)
    .execute();
  return rows.map(asClaim);
}

function asClaim({ id, coin, claimed }: Pick<RefundLinkRow, 'id' | 'coin' | 'claimed'>): UnsentClaim {
  if (coin === null || claimed === null) throw new Error(`refund link ${id} is claimed without a coin`);
  return { id, coin, claimed };
}
