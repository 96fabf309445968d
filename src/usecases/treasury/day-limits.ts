import type { Mode } from '../../domain/coins.ts';
import { type Fiat, formatFiat } from '../../domain/fiat.ts';
import { limitsAt } from '../../domain/send/limit-change.ts';
import { startOfLimitDay } from '../../domain/send/limit-day.ts';
import { listRestrictedKeys } from '../../store/merchants/restricted-keys.ts';
import { readMeta } from '../../store/meta.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { sumSpent } from '../../store/sends/spending-limits.ts';
import { spentToday } from '../../store/sends/spent-today.ts';
import { findLimits, parseKeyLimits } from '../../store/sends/wallet-limits.ts';
import type { ForwardDeps } from '../forwards/index.ts';

/** What of a limit per day is used today. */
export interface DayLimitView {
  /** As the limit counts it; null: unknown, for want of a rate or after a restore on this day. */
  readonly spent: string | null;
  /** Null: no limit. */
  readonly limit: string | null;
  readonly currency: string;
}

export interface KeyLimitView extends DayLimitView {
  readonly id: string;
  readonly name: string;
}

interface LimitDay {
  readonly merchant: MerchantRow;
  readonly mode: Mode;
  /** In which the sum of a shop without a limit is given. */
  readonly currency: string;
  readonly now: number;
}

type Deps = Pick<ForwardDeps, 'db' | 'rates' | 'policy'>;

/** The limit per day of the shop, and those of its keys that have one. */
export async function readDayLimits(
  deps: Deps,
  day: LimitDay,
): Promise<DayLimitView & { readonly keys: KeyLimitView[] }> {
  const { merchant, currency, now } = day;
  const { limits } = limitsAt(await findLimits(deps.db, merchant.id), now);
  const keys: KeyLimitView[] = [];
  for (const { id, name, limitsJson } of await listRestrictedKeys(deps.db, merchant.id)) {
    const { perDay } = parseKeyLimits(limitsJson);
    if (perDay === null) continue;
    keys.push({
      id,
      name,
      ...(await viewLimit(deps, day, { perDay, keyId: id, currency: perDay.currency })),
    });
  }
  const { perDay } = limits;
  return { ...(await viewLimit(deps, day, { perDay, keyId: null, currency })), keys };
}

async function viewLimit(
  { db, rates, policy }: Deps,
  { merchant, mode, now }: LimitDay,
  of: { readonly perDay: Fiat | null; readonly keyId: string | null; readonly currency: string },
): Promise<DayLimitView> {
  const { perDay, keyId, currency } = of;
  const start = startOfLimitDay(merchant, now);
  const { maxFeeShareBps: feeShareBps, surplusDepth: provenDepth } = policy;
  const day = { merchantId: merchant.id, mode, keyId, start, rates, provenDepth };
  const spent = await spentToday(db.readThread, day);
  const isIncomplete = Number(await readMeta(db, 'restored_at')) >= start;
  const sum = perDay === null ? spent.sends(currency) : sumSpent(spent, perDay, { currency, feeShareBps });
  return {
    spent: sum === null || isIncomplete ? null : formatFiat({ minor: sum, currency }),
    limit: perDay === null ? null : formatFiat(perDay),
    currency,
  };
}
