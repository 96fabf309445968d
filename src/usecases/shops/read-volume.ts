import { setImmediate } from 'node:timers/promises';
import { addDays, Calendar, daysFrom } from '../../domain/calendar.ts';
import { COINS, type Coin, type Mode } from '../../domain/coins.ts';
import { minorUnitDigits } from '../../domain/currencies.ts';
import { invalidField } from '../../domain/errors.ts';
import { formatCoinAmount, formatUnits } from '../../domain/money.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { sumVolume, type CoinVolume, type FiatVolume } from '../../store/payments/volume.ts';
import { PRICE_DECIMALS } from '../../store/ledger/volume-totals.ts';

/** Maximum days per request: a leap year. */
const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

export interface VolumeRequest {
  readonly merchantId: string;
  readonly mode: Mode;
  /** First and last day, inclusive; default to today, and the days up to it. */
  readonly first: string | undefined;
  readonly last: string | undefined;
  /** IANA name. */
  readonly timeZone: string;
}

export interface Volume {
  /** Received and confirmed money, in coins. */
  readonly coins: readonly { coin: Coin; amount: string; payments: number }[];
  /** The prices of the payments; coin null: paid in several coins, or in none. */
  readonly fiat: readonly { currency: string; coin: Coin | null; amount: string; payments: number }[];
}

/**
 * The exact volume of completed payments by the day of their creation, and the sums of all days. It is read
 * day by day, so that a long range of a busy shop does not block other work.
 * @throws {AppError} VALIDATION_INVALID naming `endDate` when the range is too long or reversed.
 */
export async function readVolume(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  request: VolumeRequest,
): Promise<{ days: readonly ({ readonly date: string } & Volume)[]; totals: Volume }> {
  const { merchantId, mode } = request;
  const calendar = new Calendar(request.timeZone);
  const last = request.last ?? calendar.dayAt(clock.now());
  const first = request.first ?? addDays(last, 1 - DEFAULT_DAYS);
  const count = daysFrom(first, last);
  if (count < 1) throw invalidField('endDate', 'must not be before startDate');
  if (count > MAX_DAYS) throw invalidField('endDate', `must be within ${MAX_DAYS} days of startDate`);
  const days: ({ date: string } & Volume)[] = [];
  const all = new Sums();
  let fromMs = calendar.startOf(first);
  for (let at = 0; at < count; at += 1) {
    const date = addDays(first, at);
    const beforeMs = calendar.startOf(addDays(date, 1));
    const filter = { merchantId, mode, fromMs, beforeMs };
    const { coins, fiat } = await sumVolume(db, filter);
    const day = new Sums();
    for (const sums of [day, all]) sums.add(coins, fiat);
    days.push({ date, ...day.volume() });
    fromMs = beforeMs;
    await setImmediate();
  }
  return { days, totals: all.volume() };
}

interface CoinSum {
  atoms: bigint;
  payments: number;
}

interface FiatSum {
  readonly currency: string;
  readonly coin: Coin | null;
  sum: bigint;
  payments: number;
}

class Sums {
  readonly #coins = new Map<Coin, CoinSum>();
  readonly #fiat = new Map<string, FiatSum>();

  add(coins: readonly CoinVolume[], fiat: readonly FiatVolume[]): void {
    for (const { coin, atoms, payments } of coins) {
      const had = this.#coins.get(coin);
      if (had === undefined) this.#coins.set(coin, { atoms, payments });
      else {
        had.atoms += atoms;
        had.payments += payments;
      }
    }
    for (const { currency, coin, sum, payments } of fiat) {
      const key = `${currency} ${coin ?? '~'}`;
      const had = this.#fiat.get(key);
      if (had === undefined) this.#fiat.set(key, { currency, coin, sum, payments });
      else {
        had.sum += sum;
        had.payments += payments;
      }
    }
  }

  volume(): Volume {
    const fiat = this.#fiat.size < 2 ? [...this.#fiat] : [...this.#fiat].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      coins: COINS.flatMap((coin) => {
        const sums = this.#coins.get(coin);
        if (sums === undefined) return [];
        return [{ coin, amount: formatCoinAmount(sums.atoms, coin), payments: sums.payments }];
      }),
      fiat: fiat.map(([, { currency, coin, sum, payments }]) => ({
        currency,
        coin,
        amount: withAllDecimals(sum, currency),
        payments,
      })),
    };
  }
}

/** With all decimals of the currency: "12.50", "1200". */
function withAllDecimals(sum: bigint, currency: string): string {
  const digits = minorUnitDigits(currency);
  const [whole = '0', fraction = ''] = formatUnits(sum, PRICE_DECIMALS).split('.');
  return digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, '0')}`;
}
