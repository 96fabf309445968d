import { z } from 'zod';
import { MODES } from '../../domain/coins.ts';
import { addDays, Calendar, isDay, isMonth } from '../../domain/calendar.ts';
import { text } from './text.ts';

const PAGE_MAX = 1_000_000;
const LIMIT_MAX = 100;
const LIMIT_DEFAULT = 10;

/** A whole number in a query string, digits only. */
export function integerQuery(bounds: { readonly min: number; readonly max: number }) {
  const { min, max } = bounds;
  return z
    .string()
    .regex(/^\d{1,15}$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ override: { type: 'integer', minimum: min, maximum: max, pattern: undefined } });
}

/** Exactly `true` or `false` in a query string. */
export function booleanQuery() {
  return z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .transform((value) => value === 'true')
    .meta({ override: { type: 'boolean', enum: undefined } });
}

/** `mode` of reads that exist in both modes. */
export function modeQuery(otherwise = 'The current mode of the merchant by default') {
  return z.enum(MODES).optional().meta({ description: otherwise });
}

/** `mode` of lists that contain both modes by default. */
export function eitherModeQuery() {
  return modeQuery('Both modes by default');
}

/** `page` and `limit` of every list: spread into the query's object. */
export function pageQuery() {
  return {
    page: integerQuery({ min: 1, max: PAGE_MAX }).default(1),
    limit: integerQuery({ min: 1, max: LIMIT_MAX }).default(LIMIT_DEFAULT),
  };
}

/** Maximum identifiers for a page of a list. */
const IDS_MAX = LIMIT_MAX;
const IDS_LENGTH_MAX = 4096;

/** Comma-separated identifiers in a query string. */
export function identifiersQuery() {
  return text({ max: IDS_LENGTH_MAX })
    .transform((list) => [...new Set(list.split(',').map((id) => id.trim()))])
    .refine((ids) => ids.length <= IDS_MAX, {
      error: `must name at most ${IDS_MAX}`,
      params: { code: 'too_big' },
    })
    .meta({
      override: { type: 'string', minLength: 1, maxLength: IDS_LENGTH_MAX, examples: ['id_1,id_2'] },
    });
}

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+ -]\d{2}:?\d{2})?)?$/;

/**
 * An ISO 8601 time in a query string, as milliseconds. Without an offset it is UTC; a bare date is that day's
 * start, or its end for an `until` bound. A `+` that was decoded as a space is accepted.
 */
export function timeQuery(bound: 'from' | 'until') {
  return boundQuery(bound)
    .transform(({ atMs }) => atMs)
    .meta(TIME);
}

const TIME = { override: { type: 'string', format: 'date-time' } } as const;

/** A bound of a range: a moment, and the day if it is a bare date. */
interface Bound {
  readonly atMs: number;
  readonly day: string | null;
}

/** As `timeQuery`, for ranges whose bare dates may be days of another time zone: see `boundIn`. */
function boundQuery(bound: 'from' | 'until') {
  return z
    .string()
    .trim()
    .transform((value, context): Bound => {
      const atMs = parseTime(value, bound);
      if (atMs !== null) return { atMs, day: isDay(value) ? value : null };
      context.addIssue({
        code: 'custom',
        message: 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z',
        params: { code: 'invalid_format' },
      });
      return z.NEVER;
    })
    .meta(TIME);
}

/** The moment of a bound; its bare date is a day of the time zone, by default UTC. */
function boundIn(timeZone: string | undefined, side: 'from' | 'until', bound: Bound | undefined) {
  if (bound === undefined || bound.day === null || timeZone === undefined) return bound?.atMs;
  // Zones before that are unreliable; no row is older.
  if (bound.day < FIRST_DAY) return bound.atMs;
  const calendar = new Calendar(timeZone);
  return side === 'from' ? calendar.startOf(bound.day) : calendar.startOf(addDays(bound.day, 1)) - 1;
}

/** `startDate`, `endDate` and `timeZone` of lists: spread into the query's object. */
export function rangeQuery() {
  return {
    startDate: boundQuery('from').optional(),
    endDate: boundQuery('until').optional(),
    timeZone: ianaZone()
      .optional()
      .meta({ description: 'IANA time zone of dates without a time; UTC by default' }),
  };
}

/** The moments of a range, both inclusive; undefined where it is open. */
export function rangeIn({ startDate, endDate, timeZone }: Range) {
  return { fromMs: boundIn(timeZone, 'from', startDate), toMs: boundIn(timeZone, 'until', endDate) };
}

interface Range {
  readonly startDate: Bound | undefined;
  readonly endDate: Bound | undefined;
  readonly timeZone: string | undefined;
}

function parseTime(value: string, bound: 'from' | 'until'): number | null {
  const [, day, time, zone] = ISO.exec(value) ?? [];
  if (day === undefined || !isDay(day)) return null;
  if (time === undefined) return Date.parse(`${day}T${bound === 'from' ? '00:00:00.000' : '23:59:59.999'}Z`);
  const offset = (zone ?? 'Z')
    .toUpperCase()
    .replace(' ', '+')
    .replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  const at = Date.parse(`${day}T${time.replace(/(\.\d{3})\d+$/, '$1')}${offset}`);
  return Number.isNaN(at) ? null : at;
}

/** No row is older than the Unix epoch, and earlier time zone data is unreliable. */
const FIRST_DAY = '1970-01-01';

/** A calendar day such as `2026-01-31` in a query string. */
export function dayQuery() {
  return z
    .string()
    .trim()
    .refine(isDay, {
      error: 'must be a day such as 2026-01-31',
      params: { code: 'invalid_format' },
      abort: true,
    })
    .refine((day) => day >= FIRST_DAY, {
      error: `must be ${FIRST_DAY} or later`,
      params: { code: 'too_small' },
    })
    .meta({ format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-01-31'] });
}

/** A calendar month such as `2026-01` in a query string. */
export function monthQuery() {
  return z
    .string()
    .trim()
    .refine(isMonth, {
      error: 'must be a month such as 2026-01',
      params: { code: 'invalid_format' },
      abort: true,
    })
    .refine((month) => month >= FIRST_MONTH, {
      error: `must be ${FIRST_MONTH} or later`,
      params: { code: 'too_small' },
    })
    .meta({ pattern: '^\\d{4}-\\d{2}$', examples: ['2026-01'] });
}

const FIRST_MONTH = FIRST_DAY.slice(0, -3);

const ZONE_MAX = 64;

/** A time with its offset, or a calendar day in the zone of the request. */
export type Moment = { readonly atMs: number } | { readonly day: string };

/**
 * Seconds and their fraction are optional; the offset is `Z` or `+01:00`, whose `+` may have been decoded as
 * a space.
 */
const MOMENT = '^\\d{4}-\\d{2}-\\d{2}([Tt]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?([Zz]|[+ -]\\d{2}:?\\d{2}))?$';

/** A day such as `2026-01-31`, or an ISO 8601 time with its offset, in a query string. */
export function momentQuery() {
  return z
    .string()
    .trim()
    .transform((value, context): Moment => {
      const isMoment = new RegExp(MOMENT).test(value) && value >= FIRST_DAY;
      const atMs = isMoment ? parseTime(value, 'from') : null;
      if (atMs !== null) return isDay(value) ? { day: value } : { atMs };
      context.addIssue({
        code: 'custom',
        message: `must be a day such as 2026-01-31 or a time such as 2026-01-31T12:00:00+01:00, from ${FIRST_DAY} on`,
        params: { code: 'invalid_format' },
      });
      return z.NEVER;
    })
    .meta({ override: { type: 'string', pattern: MOMENT } });
}

/** An IANA time zone. */
export function ianaZone({ empty = false } = {}) {
  return z
    .string()
    .trim()
    .refine((name) => (empty && name === '') || isTimeZone(name), {
      error: 'must be an IANA time zone such as Europe/Berlin',
      params: { code: 'invalid_value' },
    })
    .meta({ maxLength: ZONE_MAX, examples: ['Europe/Berlin'] });
}

function isTimeZone(name: string): boolean {
  if (name === '' || name.length > ZONE_MAX) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
