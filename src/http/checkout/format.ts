import type { Language } from '../../i18n/languages.ts';

/** A fiat amount as its readers write it, with the decimals it has; exact, because Intl takes the text. */
export function fiat(amount: string, currency: string, language: Language): string {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  return format.format(amount as `${number}`);
}

/** A coin amount with every decimal it has. */
export function coins(amount: string, language: Language): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: 18 }).format(amount as `${number}`);
}

export function count(value: number, language: Language): string {
  return new Intl.NumberFormat(language).format(value);
}

/** A calendar day, in UTC. */
export function formatDay(ms: number, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(ms);
}

/** A moment by the clock of a zone, which is named. @param timeZone IANA name; null: UTC */
export function momentIn(iso: string, timeZone: string | null, language: Language): string {
  return new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: timeZone ?? 'UTC',
  }).format(new Date(iso));
}

/** A day and time by the clock of a zone, which is named; short. @param timeZone IANA name; null: UTC */
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
