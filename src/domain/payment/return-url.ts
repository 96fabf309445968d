import { PAYMENT_STATUSES, type PaymentStatus } from './types.ts';

/**
 * URLs at which a payer returns to the shop (`successUrl`, `returnUrl`). They may contain placeholders, which
 * are stored unchanged and filled in, percent-encoded, when a payer is redirected. The value of a placeholder
 * can change only its own part of the URL: not the host, the number of path segments, or other parameters.
 */

/** Maximum length of the URL, before and after filling in, characters. */
const RETURN_URL_MAX = 2048;

/** Values of the placeholders. */
export interface ReturnUrlValues {
  readonly paymentId: string;
  readonly orderId: string;
  readonly status: PaymentStatus;
}

const NAMES: readonly string[] = ['paymentId', 'orderId', 'status'] satisfies (keyof ReturnUrlValues)[];
const PLACEHOLDER = /\{([^{}]*)\}/g;
/** Browsers read a backslash as a slash, and skip slashes before the host. */
const AUTHORITY = /^https?:\/\/([^/\\?#]+)/i;

/** The problem of the placeholders in a URL; null without one. */
export function placeholderProblem(url: string): string | null {
  const names = [...url.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  if (names.length === 0) return null;
  const unknown = names.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    return `must not contain {${unknown}}: the placeholders are {paymentId}, {orderId} and {status}`;
  }
  return isInAuthority(url) ? 'must have its placeholders after the host' : null;
}

/** Whether a URL identifies its order by a placeholder. */
export function carriesPlaceholder(url: string): boolean {
  return [...url.matchAll(PLACEHOLDER)].some(([, name = '']) => NAMES.includes(name));
}

/**
 * Fills in the placeholders of a URL. Unknown placeholders, in URLs of earlier versions, stay unchanged.
 * @returns null unless the result is an http or https URL of at most 2,048 characters in which each value
 * changed only its own place; an order id `..` in the path does more
 */
export function fillReturnUrl(template: string, facts: ReturnUrlValues): string | null {
  if (!/^https?:\/\//i.test(template)) return null;
  if (!carriesPlaceholder(template)) return template;
  if (isInAuthority(template)) return null;
  const filled = replaced(template, (name) => encoded(facts[name]));
  const url = URL.parse(filled);
  if (filled.length > RETURN_URL_MAX || url === null) return null;
  const markers = URL.parse(replaced(template, toMarker));
  if (markers === null) return null;
  const expected = Object.keys(facts).reduce(
    (href, name) =>
      href.replaceAll(toMarker(name as keyof ReturnUrlValues), encoded(facts[name as keyof ReturnUrlValues])),
    markers.href,
  );
  return url.href === expected ? filled : null;
}

/** The fields of two URLs that cannot be filled in with the facts of their payment, in any of its states. */
export function unfillableReturnUrls<Field extends string>(
  urls: Readonly<Record<Field, string | null>>,
  facts: Omit<ReturnUrlValues, 'status'>,
): Field[] {
  const fields = Object.keys(urls) as Field[];
  return fields.filter((field) => {
    const url = urls[field];
    return (
      url !== null && PAYMENT_STATUSES.some((status) => fillReturnUrl(url, { ...facts, status }) === null)
    );
  });
}

function isInAuthority(url: string): boolean {
  const authority = AUTHORITY.exec(url)?.[1];
  return authority === undefined || /[{}]/.test(authority);
}

function replaced(template: string, valueOf: (name: keyof ReturnUrlValues) => string): string {
  return template.replace(PLACEHOLDER, (whole, name: string) =>
    NAMES.includes(name) ? valueOf(name as keyof ReturnUrlValues) : whole,
  );
}

/** Placeholder for a value in a URL: a word that the URL parser leaves unchanged. */
function toMarker(name: keyof ReturnUrlValues): string {
  return `tilld0${name.toLowerCase()}0`;
}

/** Everything but letters, digits and `-._~` (RFC 3986). */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
