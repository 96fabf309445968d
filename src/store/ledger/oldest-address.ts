import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';

/**
 * Creation time of a chain's first address that a payer may have seen, ms: of a payment, or recovered by a
 * restore; null while there is none.
 */
export async function oldestPaymentAddressTime(db: Db, chain: ChainId): Promise<number | null> {
  const row = await db
    .selectFrom('addresses')
    .select((eb) => eb.fn.min('createdAt').as('oldest'))
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('purpose', 'in', ['payment', 'recovered'])
    .executeTakeFirst();
  return row?.oldest ?? null;
}

/** Creation time of a chain's first address, ms; null while there is none. */
export async function oldestAddressTime(db: Db, chain: ChainId): Promise<number | null> {
  const row = await db
    .selectFrom('addresses')
    .select((eb) => eb.fn.min('createdAt').as('oldest'))
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .executeTakeFirst();
  return row?.oldest ?? null;
}
