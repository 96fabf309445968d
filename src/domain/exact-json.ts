/** JSON of others, whose numbers stay what they were: ids of 64 bits are no floats. */

declare global {
  interface JSON {
    /** A value that `stringify` writes as this text. */
    rawJSON(text: string): object;
  }
}

/** Where a number may stand that a float cannot hold: a value of 16 digits or more, or a large exponent. */
const LONG = /[:[,]\s*-?(?:\d{16}|\d[\d.]*[eE]\+?\d{3})/;
const WHOLE = /^-?\d+$/;

/** Whether a text of JSON may hold a number that `JSON.parse` would change. */
export function hasLongNumber(text: string): boolean {
  return LONG.test(text);
}

/**
 * Parses JSON. A whole number beyond 2^53, or one too large for a float, becomes an object that
 * `JSON.stringify` writes as it stood in the text; `JSON.parse` alone would make it another number.
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
