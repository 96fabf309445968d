import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';

/**
 * When the first address of a chain was given out that a payer may have been shown, ms: of a payment, or one
 * found again by a restore; null while there is none.
 */
export async function oldestPaymentAddressTime(db: Db, chain: ChainId): Promise<number | null> {
  const row = await db
    .selectFrom('addresses')
    .select((eb) => eb.fn.min('created_at').as('oldest'))
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('purpose', 'in', ['payment', 'recovered'])
    .executeTakeFirst();
  return row?.oldest ?? null;
}

/** When the first address of a chain was given out, ms; null while there is none. */
export async function oldestAddressTime(db: Db, chain: ChainId): Promise<number | null> {
  const row = await db
    .selectFrom('addresses')
    .select((eb) => eb.fn.min('created_at').as('oldest'))
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .executeTakeFirst();
  return row?.oldest ?? null;
}
