/** Parses foreign JSON without changing its numbers: 64-bit ids do not fit a float. */

declare global {
  interface JSON {
    /** A value that `stringify` writes as this text. */
    rawJSON(text: string): object;
    isRawJSON(value: object): boolean;
  }
}

/** Matches a number that a float may not hold: 16 digits or more, or a large exponent. */
const LONG = /[:[,]\s*-?(?:\d{16}|\d[\d.]*[eE]\+?\d{3})/;
const WHOLE = /^-?\d+$/;

/** Whether JSON text may contain a number that `JSON.parse` would change. */
export function hasLongNumber(text: string): boolean {
  return LONG.test(text);
}

/**
 * Parses JSON. An integer beyond 2^53, or a number too large for a float, becomes an object that
 * `JSON.stringify` writes back verbatim; `JSON.parse` alone would change it.
 * @throws {SyntaxError}
 */
export function parseExact(text: string): unknown {
  return hasLongNumber(text) ? JSON.parse(text, keepLong) : JSON.parse(text);
}

function keepLong(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value;
  return !Number.isFinite(value) || WHOLE.test(source) ? JSON.rawJSON(source) : value;
}
