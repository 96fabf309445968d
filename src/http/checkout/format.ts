import { minorUnitDigits } from '../../domain/currencies.ts';
import type { Language } from '../../i18n/languages.ts';

/** A fiat amount in the locale's format, with the decimals of ISO 4217; exact, because Intl receives a text. */
export function fiat(amount: string, currency: string, language: Language): string {
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    // Intl has fewer for some currencies, and would round: 1234.50 HUF to 1235.
    minimumFractionDigits: minorUnitDigits(currency),
  }).format(amount as `${number}`);
}

/** A coin amount with all of its decimals. */
export function formatCoins(amount: string, language: Language): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: 18 }).format(amount as `${number}`);
}

export function count(value: number, language: Language): string {
  return new Intl.NumberFormat(language).format(value);
}

/** A calendar day, in UTC. */
export function formatDay(ms: number, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(ms);
}

/** A date and time in a zone, with the zone's name. @param timeZone IANA name; null: UTC */
export function momentIn(iso: string, timeZone: string | null, language: Language): string {
  return new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: timeZone ?? 'UTC',
  }).format(new Date(iso));
}

/** A short date and time in a zone, with the zone's name. @param timeZone IANA name; null: UTC */
export function deadlineIn(iso: string, timeZone: string | null, language: Language): string {
  return new Intl.DateTimeFormat(language, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: timeZone ?? 'UTC',
    timeZoneName: 'short',
  }).format(new Date(iso));
}
