import { isIP } from 'node:net';
import { validate as isCron } from 'node-cron';
import { parseFixedRates, fixedRates, FixedRatesError, type FixedRates } from '../domain/fixed-rates.ts';
import { AmountError, parseUnits } from '../domain/money.ts';
import { z } from 'zod';

/**
 * Parsers of one value each. Every parser accepts YAML values (numbers, booleans, lists) and
 * environment values (always text), and names the expected form on failure.
 */

/** A scalar of the YAML file or a text of the environment, as text. */
export const scalar = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((value) => String(value).trim());

function reader<T>(expected: string, parse: (text: string) => T | undefined) {
  return z
    .unknown()
    .transform((value) => scalar.safeParse(value).data)
    .transform((text, context): T => {
      const parsed = text === undefined || text === '' ? undefined : parse(text);
      if (parsed === undefined) {
        context.addIssue({ code: 'custom', message: `must be ${expected}` });
        return z.NEVER;
      }
      return parsed;
    });
}

export function text(expected = 'a text') {
  return reader(expected, (value) => value);
}

/** An e-mail address without a name; what its server accepts is not known here. */
export function emailAddress() {
  return reader('an e-mail address, such as you@example.com', (value) =>
    /^[^\s@<>",;]+@[^\s@<>",;]+$/.test(value) ? value : undefined,
  );
}

export function parseChoice<const T extends string>(values: readonly T[]) {
  return reader(`one of ${values.join(', ')}`, (value) => values.find((known) => known === value));
}

export function wholeNumber(min: number, max: number) {
  return reader(`a whole number from ${min} to ${max}`, (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });
}

/** An address to listen on: a host or IP address, IPv6 in brackets, and a port. */
export function listenAddress() {
  return reader('an address and a port, such as 127.0.0.1:3001 or [::1]:3001', (value) => {
    const [, bracketed, plain, digits = ''] = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(value) ?? [];
    const host = bracketed ?? plain;
    const port = Number(digits);
    const isHost = bracketed === undefined || isIP(bracketed) === 6;
    return host !== undefined && isHost && port <= 65_535 ? { host, port } : undefined;
  });
}

const SWITCH: Readonly<Record<string, boolean>> = {
  true: true,
  on: true,
  '1': true,
  false: false,
  off: false,
  '0': false,
};

export function onOff() {
  return reader('true, false, on, off, 1 or 0', (value) => SWITCH[value]);
}

const MS_PER_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function durationMs(value: string): number | undefined {
  const [, amount = '', unit = ''] = /^(\d{1,9})(ms|s|m|h)$/.exec(value) ?? [];
  const factor = MS_PER_UNIT[unit];
  return factor === undefined ? undefined : Number(amount) * factor;
}

/** Milliseconds from "500ms", "10s", "5m" or "2h". */
export function duration(min: string, max: string) {
  const [minMs = 0, maxMs = 0] = [durationMs(min), durationMs(max)];
  return reader(`a time with its unit (ms, s, m, h) from ${min} to ${max}, such as 10s`, (value) => {
    const ms = durationMs(value);
    return ms !== undefined && ms >= minMs && ms <= maxMs ? ms : undefined;
  });
}

const MAX_GAPS = 30;

/** Milliseconds from a YAML list, or a comma-separated text, of durations. */
export function durations() {
  const expected = `at most ${MAX_GAPS} times with their units, such as 5s, 5m, 2h`;
  return parseList(expected, MAX_GAPS, durationMs);
}

function parseList<T>(expected: string, max: number, parse: (text: string) => T | undefined) {
  return z
    .unknown()
    .transform((value) => (Array.isArray(value) ? value : String(value).split(',')))
    .transform((items, context): T[] => {
      const parsed = items.map((item) => parse(String(item).trim())).filter((item) => item !== undefined);
      if (parsed.length !== items.length || parsed.length === 0 || parsed.length > max) {
        context.addIssue({ code: 'custom', message: `must be ${expected}` });
        return z.NEVER;
      }
      return parsed;
    });
}

const MAX_DNS_SERVERS = 8;

/** Addresses of DNS servers, with a port or without, as a YAML list or separated by commas. */
export function dnsServers() {
  const expected = `up to ${MAX_DNS_SERVERS} addresses of DNS servers, such as 9.9.9.9, 127.0.0.1:5353 or [2620:fe::fe]:53`;
  return parseList(expected, MAX_DNS_SERVERS, (item) => {
    const [, bracketed, plain = item, port = '53'] =
      /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(item) ?? [];
    const isValid = isIP(bracketed ?? plain) !== 0 && Number(port) > 0 && Number(port) < 65_536;
    return isValid ? item : undefined;
  });
}

/** A subset of these names, as a YAML list or separated by commas. */
export function parseSubset<const T extends string>(values: readonly T[]) {
  return parseList(`one or more of ${values.join(', ')}`, values.length, (item) =>
    values.find((known) => known === item),
  );
}

/** A schedule, as in cron: minute, hour, day of the month, month, day of the week; null: never. */
export function cronSchedule() {
  return reader('off, or five fields as in cron, such as 30 3 * * *', (value): string | null | undefined => {
    if (value === 'off') return null;
    return value.split(/\s+/).length === 5 && isCron(value) ? value : undefined;
  });
}

const BYTES_PER_UNIT: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1000,
  KiB: 1024,
  MB: 1_000_000,
  MiB: 1_048_576,
  GB: 1_000_000_000,
  GiB: 1_073_741_824,
};

function sizeBytes(value: string): number | undefined {
  const [, amount = '', unit = ''] = /^(\d{1,9}) ?(B|kB|KiB|MB|MiB|GB|GiB)$/.exec(value) ?? [];
  const factor = BYTES_PER_UNIT[unit];
  return factor === undefined ? undefined : Number(amount) * factor;
}

/** Bytes from "100KiB", "512MB", "2GiB". */
export function size(min: string, max: string) {
  const [minBytes = 0, maxBytes = 0] = [sizeBytes(min), sizeBytes(max)];
  return reader(`a size with its unit (kB, KiB, MB, MiB, GB, GiB) from ${min} to ${max}`, (value) => {
    const bytes = sizeBytes(value);
    return bytes !== undefined && bytes >= minBytes && bytes <= maxBytes ? bytes : undefined;
  });
}

/** A decimal scaled to an integer: `scaledDecimal(2, …)` reads percent as basis points. */
export function scaledDecimal(decimals: number, min: string, max: string, what: string) {
  const bounds = [parseUnits(min, decimals), parseUnits(max, decimals)] as const;
  const expected = `${what} from ${min} to ${max} with at most ${decimals} decimals`;
  return reader(expected, (value) => {
    const scaled = decimalOrUndefined(value, decimals);
    return scaled !== undefined && scaled >= bounds[0] && scaled <= bounds[1] ? scaled : undefined;
  });
}

export function decimalOrUndefined(value: string, decimals: number): bigint | undefined {
  try {
    return parseUnits(value, decimals);
  } catch (error) {
    if (error instanceof AmountError) return undefined;
    throw error;
  }
}

/** An absolute URL with one of these schemes. */
export function url(schemes: readonly string[], example: string) {
  return reader(`a URL such as ${example}`, (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : null;
    return parsed !== null && schemes.includes(parsed.protocol) && parsed.hostname !== ''
      ? parsed
      : undefined;
  });
}

/** An http or https URL with a placeholder, exactly once and not in its host. */
export function urlTemplate(placeholder: string, example: string) {
  return reader(`an http or https URL with ${placeholder} exactly once, such as ${example}`, (value) => {
    const parts = value.split(placeholder);
    const [first = '', second = ''] = ['a', 'b'].map((text) => parts.join(text));
    if (parts.length !== 2 || !PLAIN_URL.test(first) || !URL.canParse(first) || !URL.canParse(second)) {
      return undefined;
    }
    const { origin, username } = new URL(first);
    return username === '' && origin === new URL(second).origin ? value : undefined;
  });
}

/** Without characters that a URL must encode. */
const PLAIN_URL = /^https?:\/\/[^\s"'<>\\^`{|}]+$/i;

/** An https URL, or the absolute path of a file; http for tests on this machine. */
export function urlOrFile() {
  return reader('an https URL, or the absolute path of a file', (value) => {
    if (value.startsWith('/')) return value;
    const parsed = URL.canParse(value) ? new URL(value) : null;
    const isUsable = parsed !== null && ['https:', 'http:'].includes(parsed.protocol);
    return isUsable && parsed.hostname !== '' && parsed.username === '' ? parsed.href : undefined;
  });
}

/** A location for the replica: a folder by its absolute path, or a URL. */
export function replicaUrl() {
  const expected = 'a folder such as /mnt/other/tilld, or a URL such as s3://bucket/folder';
  return reader(expected, (value) => {
    const text = value.startsWith('/') ? `file://${value}` : value;
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    return parsed !== undefined && REPLICA_SCHEMES.has(parsed.protocol) && parsed.search === ''
      ? parsed
      : undefined;
  }).refine(({ protocol }) => protocol !== 'sftp:', { error: NO_SFTP });
}

/** `sftp:` to show the alternative in the error. */
const REPLICA_SCHEMES = new Set(['file:', 's3:', 'sftp:']);
const NO_SFTP =
  'does not accept sftp://: mount that folder with sshfs and set its path here (docs/second-machine.md)';

/** False, the number of proxies in front, or their addresses; `true` is one proxy. */
export function trustProxy() {
  const expected = 'off, on (one proxy), a number of proxies up to 10, or proxy addresses such as 10.0.0.0/8';
  return reader(expected, (value): false | number | readonly string[] | undefined => {
    const flag = SWITCH[value];
    if (flag !== undefined) return flag ? 1 : false;
    if (/^(?:[2-9]|10)$/.test(value)) return Number(value);
    const names = value.split(',').map((name) => name.trim());
    return names.every((name) => PROXY_NAME.test(name)) ? names : undefined;
  });
}

const PROXY_NAME = /^(?:loopback|linklocal|uniquelocal|(?=.*[.:])[0-9a-fA-F.:]+(?:\/\d{1,3})?)$/;

/** Fixed prices as one text, or as a YAML mapping of names to prices. */
export function rateTable() {
  const mapping = z.record(z.string(), z.union([z.string(), z.number()]));
  return z.unknown().transform((value, context): FixedRates => {
    try {
      const pairs = mapping.safeParse(value);
      return pairs.success
        ? fixedRates(Object.entries(pairs.data).map(([name, price]) => [name, String(price)]))
        : parseFixedRates(typeof value === 'string' ? value : '');
    } catch (error) {
      if (!(error instanceof FixedRatesError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });
}

/** `live`, or `fixed:` and a table of prices. Null stands for live. */
export function rateSource() {
  return z.unknown().transform((value, context): FixedRates | null => {
    const source = String(value).trim();
    if (source === 'live') return null;
    if (!source.startsWith('fixed:')) {
      context.addIssue({
        code: 'custom',
        message: 'must be live, or fixed: and prices such as fixed:BTC=100000,LTC=100',
      });
      return z.NEVER;
    }
    const table = rateTable().safeParse(source.slice('fixed:'.length));
    if (table.success) return table.data;
    context.addIssue({
      code: 'custom',
      message: table.error.issues.map((issue) => issue.message).join('; '),
    });
    return z.NEVER;
  });
}
