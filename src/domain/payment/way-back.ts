import { PAYMENT_STATUSES, type PaymentStatus } from './types.ts';

/**
 * Addresses at which a payer goes back to the shop (`successUrl`, `returnUrl`). They may carry placeholders, which are
 * stored as they are and filled in, percent-encoded, where a payer is sent. No value of a placeholder can change more
 * of the address than its own place: not the host, the number of segments in the path, or other parameters.
 */

/** Longest address, before and after filling in, characters. */
const WAY_BACK_MAX = 2048;

/** What placeholders stand for. */
export interface WayBackFacts {
  readonly paymentId: string;
  readonly orderId: string;
  readonly status: PaymentStatus;
}

const NAMES: readonly string[] = ['paymentId', 'orderId', 'status'] satisfies (keyof WayBackFacts)[];
const PLACEHOLDER = /\{([^{}]*)\}/g;
/** Browsers read a backslash as a slash, and skip slashes before the host. */
const AUTHORITY = /^https?:\/\/([^/\\?#]+)/i;

/** What is wrong with the placeholders of an address; null when nothing is. */
export function placeholderProblem(url: string): string | null {
  const names = [...url.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  if (names.length === 0) return null;
  const unknown = names.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    return `must not carry {${unknown}}: the placeholders are {paymentId}, {orderId} and {status}`;
  }
  return isInAuthority(url) ? 'must have its placeholders after the host' : null;
}

/** Whether an address knows its order by a placeholder. */
export function carriesPlaceholder(url: string): boolean {
  return [...url.matchAll(PLACEHOLDER)].some(([, name = '']) => NAMES.includes(name));
}

/**
 * An address with its placeholders filled in. Placeholders of other names, in addresses of earlier versions, stay.
 * @returns null for what is not an http or https URL of at most 2,048 characters, or where a value would change more
 *   than its own place, such as an order id `..` in the path
 */
export function fillWayBack(template: string, facts: WayBackFacts): string | null {
  if (!/^https?:\/\//i.test(template)) return null;
  if (!carriesPlaceholder(template)) return template;
  if (isInAuthority(template)) return null;
  const filled = replaced(template, (name) => encoded(facts[name]));
  const url = URL.parse(filled);
  if (filled.length > WAY_BACK_MAX || url === null) return null;
  const markers = URL.parse(replaced(template, markerOf));
  if (markers === null) return null;
  const expected = Object.keys(facts).reduce(
    (href, name) =>
      href.replaceAll(markerOf(name as keyof WayBackFacts), encoded(facts[name as keyof WayBackFacts])),
    markers.href,
  );
  return url.href === expected ? filled : null;
}

/** The fields of two addresses that cannot be filled in with the facts of their payment, in any of its states. */
export function unfillable<Field extends string>(
  urls: Readonly<Record<Field, string | null>>,
  facts: Omit<WayBackFacts, 'status'>,
): Field[] {
  const fields = Object.keys(urls) as Field[];
  return fields.filter((field) => {
    const url = urls[field];
    return url !== null && PAYMENT_STATUSES.some((status) => fillWayBack(url, { ...facts, status }) === null);
  });
}

function isInAuthority(url: string): boolean {
  const authority = AUTHORITY.exec(url)?.[1];
  return authority === undefined || /[{}]/.test(authority);
}

function replaced(template: string, valueOf: (name: keyof WayBackFacts) => string): string {
  return template.replace(PLACEHOLDER, (whole, name: string) =>
    NAMES.includes(name) ? valueOf(name as keyof WayBackFacts) : whole,
  );
}

/** Stands in an address where a value will: a word that the parser of URLs leaves as it is. */
function markerOf(name: keyof WayBackFacts): string {
  return `tilld0${name.toLowerCase()}0`;
}

/** Everything but letters, digits and `-._~` (RFC 3986). */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
