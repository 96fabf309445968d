import { useSyncExternalStore } from 'react';
import { useTimeZone } from '../api/hooks.ts';
import { locale } from '../i18n/language.ts';
import { relativeTime } from './relative-time.ts';

const TICK_MS = 15_000;

const LOOKS = {
  minute: { dateStyle: 'medium', timeStyle: 'short' },
  second: { dateStyle: 'medium', timeStyle: 'medium' },
  short: { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  full: { dateStyle: 'full', timeStyle: 'long' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

const formats = new Map<string, Intl.DateTimeFormat>();

function written(at: string, look: keyof typeof LOOKS, timeZone: string): string {
  // A date of another year needs its year.
  const isOther = look === 'short' && new Date(at).getFullYear() !== new Date().getFullYear();
  return format(at, isOther ? 'minute' : look, timeZone);
}

function format(at: string, look: keyof typeof LOOKS, timeZone: string): string {
  const key = `${look} ${timeZone}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...LOOKS[look], timeZone });
  formats.set(key, known);
  return known.format(new Date(at));
}

function onTick(changed: () => void): () => void {
  const timer = window.setInterval(changed, TICK_MS);
  return () => window.clearInterval(timer);
}

/** The current time, updated at intervals. */
function useNow(): number {
  return useSyncExternalStore(onTick, () => Math.floor(Date.now() / TICK_MS) * TICK_MS);
}

interface TimeProps {
  readonly at: string;
  /** Shown instead of the relative time: the date with minutes or with seconds. */
  readonly exact?: 'minute' | 'second';
  /** Dates of this year without it, for narrow columns. */
  readonly isShort?: boolean;
  readonly className?: string;
}

/** A time in the shop's zone: relative if less than a day ago, with the full date and zone in its title. */
export function Time({ at, exact, isShort = false, className }: TimeProps) {
  const timeZone = useTimeZone();
  const now = useNow();
  const relative = exact === undefined ? relativeTime(Date.parse(at), now, locale) : null;
  return (
    <time dateTime={at} title={written(at, 'full', timeZone)} className={className}>
      {relative ?? written(at, exact ?? (isShort ? 'short' : 'minute'), timeZone)}
    </time>
  );
}
