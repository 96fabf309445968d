import type { ChainId } from '../../domain/coins.ts';
import { exchangeRate } from '../../domain/fiat.ts';
import { atomsFor } from '../../domain/price.ts';
import { startOfLimitDay } from '../../domain/send/limit-day.ts';
import type { ApprovalReason } from '../../domain/send/spending-limits.ts';
import { readMeta } from '../meta.ts';
import type { Db } from '../sqlite/database.ts';
import { isAllowed, type OutgoingValue, readTerms, sumSpent } from './spending-limits.ts';
import { rateOrNull, spentToday } from './spent-today.ts';

/** What the limits of a shop leave for one more send. */
type LimitRoom =
  /** No limit concerns it. */
  | { readonly atoms: null; readonly reason: null }
  /** The most that may leave without an approval, not negative, and the limit that it comes from. */
  | { readonly atoms: bigint; readonly reason: ApprovalReason };

/**
 * The most of a coin that may leave to a destination now by a send that the daemon makes, which no approval can wait
 * for. In the transaction that stores the send, `enforceSpendingLimits` accepts this amount and no larger one.
 */
export async function findLimitRoom(
  db: Db,
  { coin, mode, merchantId }: ChainId & { readonly merchantId: string },
  leaving: Omit<OutgoingValue, 'creator' | 'freeFee'>,
): Promise<LimitRoom> {
  const { rates, now } = leaving;
  const { merchant, shop, isUnconfirmed } = await readTerms(db, merchantId, null, now);
  if (isUnconfirmed) return { atoms: 0n, reason: 'limits_unconfirmed' };
  if (!isAllowed(shop, coin, leaving)) return { atoms: 0n, reason: 'destination' };
  const { perSend, perDay } = shop;
  let room: LimitRoom = { atoms: null, reason: null };
  const narrow = (minor: bigint, currency: string, reason: ApprovalReason): void => {
    const rate = rateOrNull(rates, { coin, currency, mode });
    const next: LimitRoom =
      rate === null
        ? { atoms: 0n, reason: 'rate_unknown' }
        : { atoms: minor <= 0n ? 0n : atomsFor(minor, exchangeRate(rate, currency, coin)), reason };
    if (room.atoms === null || next.atoms < room.atoms) room = next;
  };
  if (perSend !== null) narrow(perSend.minor, perSend.currency, 'per_send');
  if (perDay !== null) {
    const start = startOfLimitDay(merchant, now);
    if (Number(await readMeta(db, 'restored_at')) >= start) return { atoms: 0n, reason: 'sum_unknown' };
    const { currency, minor } = perDay;
    const spent = await spentToday(db, { ...leaving, start, merchantId, mode, keyId: null });
    const sum = sumSpent(spent, perDay, { ...leaving, currency });
    if (sum === null) return { atoms: 0n, reason: 'rate_unknown' };
    narrow(minor - sum, currency, 'per_day');
  }
  return room;
}
