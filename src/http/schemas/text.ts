import { domainToASCII } from 'node:url';
import { z } from 'zod';

/** Maximum length of plain text, URLs and email addresses, in characters. */
const TEXT_MAX = 255;
const URL_MAX = 2048;
const EMAIL_MAX = 254;

const EMPTY_OR_URL = '^\\s*([hH][tT][tT][pP][sS]?://.+)?$';

/** Length as JSON Schema counts it, in code points, so that an emoji is one. */
function countCharacters(value: string): number {
  let length = 0;
  for (const _ of value) length += 1;
  return length;
}

/** The reason why a string cannot be stored at all; null if it can. */
export function unstorable(value: string): string | null {
  if (value.includes('\0')) return 'must not contain null characters';
  return value.isWellFormed() ? null : 'must be well-formed Unicode';
}

interface Lengths {
  readonly min?: number;
  readonly max?: number;
  readonly trim?: boolean;
}

/** Trimmed text of 1 to 255 characters by default, without null characters. */
export function text(lengths: Lengths = {}) {
  const { min = 1, max = TEXT_MAX, trim = true } = lengths;
  const base = trim ? z.string().trim() : z.string();
  return base
    .superRefine((value, context) => {
      const length = countCharacters(value);
      const problem = unstorable(value);
      if (problem !== null) context.addIssue({ code: 'custom', message: problem });
      else if (length < min)
        context.addIssue({ code: 'custom', message: tooShort(min), params: { code: 'too_small' } });
      else if (length > max) {
        const message = `must have at most ${max} characters`;
        context.addIssue({ code: 'custom', message, params: { code: 'too_big' } });
      }
    })
    .meta({ ...(min > 0 ? { minLength: min } : {}), maxLength: max });
}

function tooShort(min: number): string {
  return min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
}

/**
 * Line breaks, other control characters, and invisible or bidirectional characters. Joiners and variation
 * selectors stay, because scripts and emoji need them.
 */
const UNSEEN =
  /(?!\p{Variation_Selector}|[\u200c-\u200d])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** A name by which a person is recognised, if it is readable. */
export function visibleText(lengths: Lengths = {}) {
  return text(lengths).refine((value) => !UNSEEN.test(value), {
    error: 'must not contain line breaks or invisible characters',
    params: { code: 'invalid_format' },
  });
}

/** The shop's id of an order, kept as it is: webhooks return it to the byte. */
export function orderId() {
  return text({ trim: false }).refine((value) => value === '' || value.trim() !== '', {
    error: 'must not be blank',
    params: { code: 'too_small' },
  });
}

/** An identifier from a client. Any text is valid: an unknown one is a 404, not a 400. */
export function identifier() {
  return text();
}

/**
 * An absolute http or https URL of at most 2,048 characters, stored as the client wrote it.
 * @param options.empty whether an empty text is accepted, where it means "none"
 */
export function httpUrl({ empty = false }: { readonly empty?: boolean } = {}) {
  return z
    .string()
    .trim()
    .superRefine((value, context) => {
      const problem = empty && value === '' ? null : urlProblem(value);
      if (problem !== null) {
        context.addIssue({ code: 'custom', message: problem, params: { code: 'invalid_format' } });
      }
    })
    .meta({ ...(empty ? { pattern: EMPTY_OR_URL } : { format: 'uri' }), maxLength: URL_MAX });
}

function urlProblem(value: string): string | null {
  if (value.length > URL_MAX) return `must have at most ${URL_MAX} characters`;
  // The URL parser drops tabs and line breaks and replaces lone surrogates instead of rejecting them.
  if (/[\s\p{Cc}\p{Cs}]/u.test(value) || !/^https?:\/\//i.test(value)) return 'must be an http or https URL';
  const url = URL.parse(value);
  if (url === null || url.hostname === '') return 'must be an http or https URL';
  return url.username === '' && url.password === '' ? null : 'must not carry a user name or password';
}

const LOOPBACK = new Set(['localhost', '127.0.0.1']);

/**
 * The origin of a web site, such as `https://shop.example`, in its normal form; plain http only for this
 * machine itself. Host names are checked like those of shops, so that the result is safe in a
 * Content-Security-Policy.
 */
export function webOrigin() {
  return z
    .string()
    .trim()
    .transform((value, context) => {
      const origin = parseOrigin(value);
      if (origin !== null) return origin;
      context.addIssue({
        code: 'custom',
        message: 'must be an origin such as https://shop.example, without path',
        params: { code: 'invalid_format' },
      });
      return z.NEVER;
    })
    .meta({
      override: { type: 'string', format: 'uri', maxLength: URL_MAX, examples: ['https://shop.example'] },
    });
}

function parseOrigin(value: string): string | null {
  if (urlProblem(value) !== null || !/^https?:\/\/[^/?#\\]+\/?$/i.test(value)) return null;
  const { protocol, hostname, origin } = new URL(value);
  if (LOOPBACK.has(hostname)) return origin;
  return protocol === 'https:' && asciiHostName(hostname) === hostname ? origin : null;
}

/** An e-mail address; international ones (RFC 6531) included, quoted local parts and IP domains not. */
export function email() {
  return z
    .string()
    .trim()
    .refine(isEmail, { error: 'must be an e-mail address', params: { code: 'invalid_format' } })
    .meta({ format: 'email', maxLength: EMAIL_MAX });
}

function isEmail(value: string): boolean {
  if (value.length > EMAIL_MAX || unstorable(value) !== null) return false;
  const at = value.lastIndexOf('@');
  const local = value.slice(0, at);
  if (at < 1 || local.length > 64) return false;
  if (/[\s\p{C}"(),:;<>@[\]\\]/u.test(local) || /^\.|\.\.|\.$/.test(local)) return false;
  return asciiHostName(value.slice(at + 1)) !== null;
}

/** A host name in lower-case ASCII (IDNA): two labels or more, the last not a number; null for anything else. */
function asciiHostName(value: string): string | null {
  // The conversion follows URL rules: it drops line breaks, decodes %2e and ignores text after slashes and
  // invisible characters.
  if (/[\s\p{C}/:?#@\\%[\]]/u.test(value)) return null;
  const name = domainToASCII(value);
  const labels = name.split('.');
  const plausible =
    name.length <= 253 &&
    labels.length >= 2 &&
    labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) &&
    /[a-z]/.test(labels.at(-1) ?? '');
  return plausible ? name : null;
}

/**
 * A shop's domain: lower-cased, internationalised names in their ASCII form, without a trailing dot. Scheme,
 * port, path and IP addresses are rejected.
 */
export function domainName() {
  return z
    .string()
    .trim()
    .transform((value, context) => {
      const domain = asciiHostName(value.replace(/\.$/, ''));
      if (domain !== null) return domain;
      context.addIssue({
        code: 'custom',
        message: 'must be a host name such as shop.example.com, without scheme, port or path',
        params: { code: 'invalid_format' },
      });
      return z.NEVER;
    })
    .meta({ override: { type: 'string', format: 'idn-hostname', maxLength: 253 } });
}
