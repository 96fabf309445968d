import { minorUnitDigits } from '../../domain/currencies.ts';
import { markSymbol } from '../../i18n/currency-symbol.ts';
import { formatLocale, type Language } from '../../i18n/languages.ts';

/** A fiat amount in the locale's format, with the decimals of ISO 4217; exact, because Intl receives a text. */
export function fiat(amount: string, currency: string, language: Language): string {
  const format = new Intl.NumberFormat(formatLocale(language), {
    style: 'currency',
    currency,
    // Intl has fewer for some currencies, and would round: 1234.50 HUF to 1235.
    minimumFractionDigits: minorUnitDigits(currency),
  });
  return markSymbol(format.format(amount as `${number}`));
}

/** The name of a currency after an amount: "US dollars", not "US Dollar". */
export function currencyName(currency: string, language: Language): string {
  const parts = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'name',
  }).formatToParts(100);
  return parts.find(({ type }) => type === 'currency')?.value ?? currency;
}

/** A coin amount with all of its decimals. */
export function formatCoins(amount: string, language: Language): string {
  return new Intl.NumberFormat(formatLocale(language), { maximumFractionDigits: 18 }).format(
    amount as `${number}`,
  );
}

export function count(value: number, language: Language): string {
  return new Intl.NumberFormat(formatLocale(language)).format(value);
}

/** A calendar day, in UTC. */
export function formatDay(ms: number, language: Language): string {
  return new Intl.DateTimeFormat(formatLocale(language), { dateStyle: 'long', timeZone: 'UTC' }).format(ms);
}

/** A calendar day in a zone. @param timeZone IANA name; null: UTC */
export function dayIn(iso: string, timeZone: string | null, language: Language): string {
  return new Intl.DateTimeFormat(formatLocale(language), {
    dateStyle: 'long',
    timeZone: timeZone ?? 'UTC',
  }).format(new Date(iso));
}

/** The name of a country of ISO 3166-1. */
export function countryName(code: string, language: Language): string {
  return new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code;
}

/** A date and time in a zone, with the zone's name. @param timeZone IANA name; null: UTC */
export function momentIn(iso: string, timeZone: string | null, language: Language): string {
  return new Intl.DateTimeFormat(formatLocale(language), {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: timeZone ?? 'UTC',
  }).format(new Date(iso));
}

/** A short date and time in a zone, with the zone's name. @param timeZone IANA name; null: UTC */
export function deadlineIn(iso: string, timeZone: string | null, language: Language): string {
  return new Intl.DateTimeFormat(formatLocale(language), {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: timeZone ?? 'UTC',
    timeZoneName: 'short',
  }).format(new Date(iso));
}
