import { CallFailed, readDay } from './api.ts';
import { formatMoney, fromDecimal, type Currency } from './money.ts';
import { keep } from './storage.ts';
import { LANGUAGE } from './texts.ts';
import type { CounterDay } from './types.ts';

/** The connected device: its token, and the settings and the day of its counter as last read. */
export interface Till {
  readonly token: string;
  readonly day: CounterDay;
}

export function tillCurrency({ day }: Till): Currency {
  return { code: day.counter.currency, fractionDigits: day.counter.fractionDigits };
}

/** Minor units in the currency of the counter, as its people read them. */
export function money(till: Till, minor: bigint): string {
  return formatMoney(minor, tillCurrency(till), LANGUAGE);
}

/** The same of a decimal string of the daemon. */
export function amountText(till: Till, amount: string): string {
  return money(till, fromDecimal(amount, tillCurrency(till)));
}

const DAY = 'tilld-counter-day';

/** The last day that was read, for a start without a connection: the settings of the counter are in it. */
export function keptDay(): CounterDay | null {
  try {
    return JSON.parse(window.localStorage.getItem(DAY) ?? 'null') as CounterDay | null;
  } catch {
    return null;
  }
}

export async function loadDay(token: string): Promise<CounterDay> {
  const day = await readDay(token);
  try {
    window.localStorage.setItem(DAY, JSON.stringify({ ...day, payments: [] }));
  } catch {
    // The next start needs a connection.
  }
  return day;
}

/** The device was disconnected in the dashboard: it forgets the shop. */
export function isRevoked(error: unknown): boolean {
  return error instanceof CallFailed && (error.code === 'UNAUTHORISED' || error.code === 'COUNTER_NOT_FOUND');
}

export function forgetDevice(): void {
  keep('token', null);
  keep('payment', null);
  try {
    window.localStorage.removeItem(DAY);
  } catch {
    // Nothing was kept.
  }
}
