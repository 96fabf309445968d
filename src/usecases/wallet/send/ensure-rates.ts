import { AppError } from '../../../domain/errors.ts';
import type { Creator } from '../../../domain/actor.ts';
import type { Clock, Rates } from '../../../domain/ports.ts';
import { listLimitCurrencies } from '../../../store/sends/spending-limits.ts';
import type { Db } from '../../../store/sqlite/database.ts';

/** The limits compare the value of what leaves, for which its rate must be known. */
export async function ensureRates(
  { db, clock, rates }: { readonly db: Db; readonly clock: Clock; readonly rates: Pick<Rates, 'ensure'> },
  of: { readonly merchantId: string; readonly creator: Creator | null },
): Promise<void> {
  for (const currency of await listLimitCurrencies(db, of, clock.now())) await rates.ensure(currency);
}

/** The same for a move within the wallet, which is not made while a value that the limits need is unknown. */
export async function tryEnsureRates(...args: Parameters<typeof ensureRates>): Promise<void> {
  try {
    await ensureRates(...args);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'RATE_UNAVAILABLE') throw error;
  }
}
