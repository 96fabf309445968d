import { emailKey, maskedEmail } from './email.ts';
import { parseExact } from './exact-json.ts';

/** What stands in place of personal data that was erased. */
const ERASED = 'erased';
/** Never delivered (RFC 2606). */
const DOMAIN = 'erased.invalid';

interface Identity {
  readonly id: string;
  readonly email_key: string;
}

/** The address that an erased customer is shown with. */
export function erasedEmail(customerId: string): string {
  return `${customerId}@${DOMAIN}`;
}

/** In place of the key of an address: no address contains a space, so it is never anybody's. */
export function erasedEmailKey(customerId: string): string {
  return `${ERASED} ${customerId}`;
}

export function isErased({ id, email_key: key }: Identity): boolean {
  return key === erasedEmailKey(id);
}

/** Takes the personal data of one customer out of what is stored; ids, amounts and statuses stay. */
export interface Redactor {
  /** A text that the shop or the payer wrote. */
  readonly text: (value: string) => string;
  /** An address of the web: the email alone, so that it still leads somewhere. */
  readonly url: (value: string) => string;
  /** Free data: `metadata` or `customFields`. */
  readonly freeJson: (json: string) => string;
  /** A frozen view: an event, an answer, an exchange with a shop. */
  readonly json: (json: string) => string;
}

interface Personal {
  readonly id: string;
  readonly email: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Fields whose texts people write: names are looked for here. */
const WRITTEN = new Set(['description', 'orderLabel', 'reason', 'name', 'order']);
const FREE = new Set(['metadata', 'customFields']);
/** The key of an order, and where its events go: with another value they would be another order's, or go nowhere. */
const KEPT = new Set(['orderId', 'webhookUrl']);
/** What the page of a payment link asks of a payer, in the payment's metadata. */
const ANSWERS = new Set(['email', 'name', 'note']);
const SHORTEST_NAME = 3;

/**
 * @param customer as it is stored: its email address, the names in its metadata, and what was copied from its metadata
 *   into that of its payments, under the same name, are taken out
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
    const isOfLink = isFree && 'paymentLinkId' in value;
    const kept = Object.entries(value).filter(
      ([key, inner]) => !(isOfLink && ANSWERS.has(key)) && !(isFree && isCopy(key, inner)),
    );
    return Object.fromEntries(
      kept.map(([key, inner]) => [isFree ? text(key) : key, walk(inner, key, isFree || FREE.has(key))]),
    );
  };

  const walk = (value: unknown, key: string, isFree: boolean): unknown => {
    if (typeof value === 'string') {
      if (!isFree && KEPT.has(key)) return value;
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

/** The address as it is written, as it is compared, and as payers are shown it, each also in an address of the web. */
function emailPattern(email: string): RegExp {
  const forms = [email, emailKey(email), email.normalize('NFD')].flatMap((form) => [form, maskedEmail(form)]);
  return new RegExp([...new Set(forms)].map((form) => percentPattern(form)).join('|'), 'giu');
}

/** Each character as it is or percent-encoded: what is encoded differs by who wrote the URL. */
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

/** Names in the metadata as whole words; null without any. */
function namePattern(metadata: Readonly<Record<string, unknown>>): RegExp | null {
  const names = Object.entries(metadata).flatMap(([key, value]) =>
    /name/i.test(key) && typeof value === 'string' && value.trim().length >= SHORTEST_NAME
      ? [value.trim()]
      : [],
  );
  if (names.length === 0) return null;
  // The longest first: a whole name, before a part of it.
  const longest = names.toSorted((a, b) => b.length - a.length).map((name) => escaped(name));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${longest.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
}

/** For a pattern in which it is meant literally. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
