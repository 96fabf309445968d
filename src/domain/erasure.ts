import { emailKey, maskedEmail } from './email.ts';
import { parseExact } from './exact-json.ts';

/** Replaces erased personal data. */
const ERASED = 'erased';
/** Never delivered (RFC 2606). */
const DOMAIN = 'erased.invalid';

interface Identity {
  readonly id: string;
  readonly emailKey: string;
}

/** The address shown for an erased customer. */
export function erasedEmail(customerId: string): string {
  return `${customerId}@${DOMAIN}`;
}

/** Replaces the key of an address. It contains a space, so it matches no real address. */
export function erasedEmailKey(customerId: string): string {
  return `${ERASED} ${customerId}`;
}

export function isErased({ id, emailKey: key }: Identity): boolean {
  return key === erasedEmailKey(id);
}

/** Removes the personal data of one customer from stored data; ids, amounts and statuses stay. */
export interface Redactor {
  /** A text written by the shop or the payer. */
  readonly text: (value: string) => string;
  /** A URL: only the email is removed, so that the URL still works. */
  readonly url: (value: string) => string;
  /** Free data: `metadata` or `customFields`. */
  readonly freeJson: (json: string) => string;
  /** A frozen view: an event, an API answer, an exchange with a shop. */
  readonly json: (json: string) => string;
}

interface Personal {
  readonly id: string;
  readonly email: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Free-text fields, which are searched for names. */
const WRITTEN = new Set(['description', 'orderLabel', 'reason', 'name', 'order', 'note']);
const FREE = new Set(['metadata', 'customFields']);
/**
 * The key of an order, and its event URLs: another value would assign it to another order, or break delivery.
 */
const UNCHANGED_KEYS = new Set(['orderId', 'webhookUrl']);
/** Answers of a payer to the form of a payment link, in the payment's metadata. */
const ANSWERS = new Set(['email', 'name', 'note']);
const SHORTEST_NAME = 3;

/**
 * @param customer as it is stored: the redactor removes its email address, the names in its metadata, and the
 * values that were copied from its metadata into that of its payments, under the same name
 */
export function createRedactor(customer: Personal): Redactor {
  const email = emailPattern(customer.email);
  const names = namePattern(customer.metadata);
  const copies = new Map(
    Object.entries(customer.metadata).map(([key, value]) => [key, JSON.stringify(value)]),
  );
  const url = (value: string): string => value.replace(email, ERASED);
  const text = (value: string): string => (names === null ? url(value) : url(value).replace(names, ERASED));

  const isCopy = (key: string, value: unknown): boolean =>
    typeof value !== 'boolean' && copies.get(key) === JSON.stringify(value);

  const object = (value: Readonly<Record<string, unknown>>, isFree: boolean): Record<string, unknown> => {
    const isCustomer = value['id'] === customer.id && typeof value['email'] === 'string';
    if (isCustomer) return { ...value, email: erasedEmail(customer.id), metadata: {} };
    // The address for the mails of a subscription, which its payer may have chosen.
    const hasOtherEmail =
      !isFree && value['customerId'] === customer.id && typeof value['email'] === 'string';
    if (hasOtherEmail) return object({ ...value, email: null }, isFree);
    const isOfLink = isFree && 'paymentLinkId' in value;
    const remaining = Object.entries(value).filter(
      ([key, inner]) => !(isOfLink && ANSWERS.has(key)) && !(isFree && isCopy(key, inner)),
    );
    return Object.fromEntries(
      remaining.map(([key, inner]) => [isFree ? text(key) : key, walk(inner, key, isFree || FREE.has(key))]),
    );
  };

  const walk = (value: unknown, key: string, isFree: boolean): unknown => {
    if (typeof value === 'string') {
      if (!isFree && UNCHANGED_KEYS.has(key)) return value;
      return isFree || WRITTEN.has(key) ? text(value) : url(value);
    }
    if (Array.isArray(value)) return value.map((inner) => walk(inner, key, isFree));
    if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
    return object(value as Readonly<Record<string, unknown>>, isFree);
  };

  const redacted = (json: string, isFree: boolean): string =>
    JSON.stringify(walk(parseExact(json), '', isFree));
  return { text, url, freeJson: (json) => redacted(json, true), json: (json) => redacted(json, false) };
}

/** Matches the address as entered, normalised and masked, each also inside a URL. */
function emailPattern(email: string): RegExp {
  const forms = [email, emailKey(email), email.normalize('NFD')].flatMap((form) => [form, maskedEmail(form)]);
  return new RegExp([...new Set(forms)].map((form) => percentPattern(form)).join('|'), 'giu');
}

/**
 * Matches each character literally or percent-encoded, because the encoded set depends on the author of the
 * URL.
 */
function percentPattern(text: string): string {
  return Array.from(text, plainOrEncoded).join('');
}

function plainOrEncoded(char: string): string {
  const bytes = Array.from(
    new TextEncoder().encode(char),
    (byte) => `%${byte.toString(16).padStart(2, '0')}`,
  );
  return `(?:${escaped(char)}|${bytes.join('')})`;
}

/** Matches the names in the metadata as whole words; null without any. */
function namePattern(metadata: Readonly<Record<string, unknown>>): RegExp | null {
  const names = Object.entries(metadata).flatMap(([key, value]) =>
    /name/i.test(key) && typeof value === 'string' && value.trim().length >= SHORTEST_NAME
      ? [value.trim()]
      : [],
  );
  if (names.length === 0) return null;
  // The longest first, so that a full name is replaced before a part of it.
  const longest = names.toSorted((a, b) => b.length - a.length).map((name) => escaped(name));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${longest.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
}

/** Escapes a text for literal use in a pattern. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
